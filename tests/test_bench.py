"""The benchmark: complete tables, consistent ratios, wrong candidates found. No time is judged."""

import json
import os
import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import CASES, read_quietly

from flexgen.bench import contest as contests
from flexgen.bench import ours, peer_casadi, peer_khalil, peer_mujoco, peer_pinocchio_cpp
from flexgen.bench.candidate import Absent, Candidate
from flexgen.bench.contest import Plan, contest
from flexgen.bench.cores import one_core
from flexgen.bench.growth import growth, measure, with_modes
from flexgen.bench.kernels import Workshop
from flexgen.bench.peers import PEERS
from flexgen.bench.problem import ROUTINES, problem
from flexgen.bench.programs import empty_cache
from flexgen.bench.rounds import MOST, block_size, calls, interleave, summary
from flexgen.build import find_compiler
from flexgen.cli import main
from flexgen.manipulator.generic import generic_arm
from flexgen.verify import worst

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs gfortran")
SHORT = Plan(peers=("khalil",), batch=20, threads=2, rounds=3)


def load(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


@pytest.fixture(scope="module")
def pendulum():
    return load("pendulum")


@pytest.fixture(scope="module")
def found(pendulum):
    return contest(pendulum, "inverse", SHORT)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return call


def wrong(shop, p):
    """A peer with an error in the sixth digit of one number."""

    def values():
        answers = p.answers.copy()
        answers[3, 0] *= 1.0 + 1e-6
        return answers

    yield Candidate("planted", "planted", "scalar", calls(lambda: None), values)


def test_every_table_has_every_candidate(found):
    names = {t: [r.candidate for r in found.rows if r.table == t] for t in contests.TABLES}
    assert {"flexgen f90 full", "flexgen c full", "Khalil-style c"} <= set(names["scalar"])
    assert "model.inverse" in names["python"]
    assert {"model.inverse, C order", "model.inverse, F order"} <= set(names["batch"])
    assert "Khalil-style f90" in names["batch"]  # it has no batch: from C, state after state
    if (os.cpu_count() or 1) > 1:
        assert "model.inverse, C order, 2 threads" in names["threads"]
    assert [m.candidate for m in found.made] == names["scalar"]


def test_ratios_are_those_of_the_times(found):
    for table in contests.TABLES:
        rows = [r for r in found.rows if r.table == table]
        assert not rows or rows[0].family == "flexgen"
        for r in rows:
            assert r.ratio == pytest.approx(r.time.median / rows[0].time.median, rel=1e-12)
            assert 0.0 < r.time.low <= r.time.median <= r.time.high


def test_operations_are_those_of_the_program(found, pendulum):
    p = problem(pendulum, "inverse")
    c = ours.program(p, "full").count()
    (made,) = [m for m in found.made if m.candidate == "flexgen c full"]
    assert made.operations == (c.mul, c.add, c.trig)
    assert made.generate > 0.0
    assert made.compile > 0.0


def test_all_of_ours_agree(found):
    assert found.wrong == ()
    assert all(r.difference < 1e-12 for r in found.rows)


def test_a_wrong_candidate_is_found_and_the_right_ones_are_not(pendulum):
    plan = replace(SHORT, peers=("khalil", "planted"), tables=("scalar",))
    c = contest(pendulum, "inverse", plan, peers={**PEERS, "planted": (wrong,)})
    assert c.wrong == ("planted",)
    (row,) = [r for r in c.rows if r.candidate == "planted"]
    assert row.difference > 1e-9
    assert all(r.agrees for r in c.rows if r.candidate != "planted")


def test_a_wrong_routine_of_ours_is_found_without_any_peer(pendulum, monkeypatch):
    right = ours.scalar

    def spoilt(shop, p):
        for c in right(shop, p):
            yield replace(c, values=lambda c=c: 1.001 * c.values())

    monkeypatch.setattr(ours, "scalar", spoilt)
    c = contest(pendulum, "inverse", replace(SHORT, peers=(), tables=("scalar",)))
    assert set(c.wrong) == {r.candidate for r in c.rows}


def test_numbers_that_are_not_finite_are_wrong(pendulum):
    p = problem(pendulum, "inverse")
    empty = Candidate("nan", "nan", "scalar", calls(int), lambda: np.full_like(p.answers, np.nan))
    right = Candidate("right", "right", "scalar", calls(int), lambda: p.answers)
    differences = contests.compare(p.answers, [empty, right])
    assert not differences["nan"] <= p.limit
    assert differences["right"] == 0.0


def test_a_disagreement_is_exit_status_1(run, monkeypatch):
    monkeypatch.setattr(contests, "PEERS", {**PEERS, "khalil": (wrong,)})
    status, out, err = run("bench", "pendulum", "-r", "inverse", "--rounds", 3, "--json")
    rows = json.loads(out)["routines"]["inverse"]["rows"]
    assert status == 1
    assert [r["candidate"] for r in rows if r["agrees"] is False] == ["planted", "planted"]
    assert err.splitlines()[-1].startswith("error: 1 candidates disagree")


def test_json_has_machine_settings_rows_and_what_was_left_out(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)  # as if it were not installed
    options = ["--against", "casadi,rbdl", "--rounds", 3, "--batch", 10, "--json"]
    status, out, _ = run("bench", "pendulum", "-r", "direct", *options)
    data = json.loads(out)
    assert (status, data["case"], data["n"], data["batch"], data["rounds"]) == (
        0,
        "pendulum",
        1,
        10,
        3,
    )
    assert "gfortran" in data["machine"]["compilers"]
    direct = data["routines"]["direct"]
    absent = {s["peer"]: s["reason"] for s in direct["skipped"]}
    assert absent["rbdl"] == "no released wheel"
    assert "casadi is not installed" in absent["casadi"]
    assert {r["family"] for r in direct["rows"]} == {"flexgen"}
    keys = {"table", "candidate", "family", "ratio", "ns", "low", "high", "difference", "agrees"}
    assert all(keys <= set(r) for r in direct["rows"])
    assert set(direct["made"][0]["operations"]) == {"mul", "add", "trig"}


def test_the_printed_tables_say_what_was_left_out(run):
    options = ["--against", "symoro,khalil", "--rounds", 3, "--batch", 10]
    status, out, _ = run("bench", "pendulum", "-r", "inverse", *options)
    assert status == 0
    assert "symoro left out: no released wheel" in out
    assert "stand-in for OpenSYMORO" in out
    assert "one call from Python" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench"],
        ["bench", "pendulum", "--growth"],
        ["bench", "pendulum", "--against", "casady"],
        ["bench", "pendulum", "--rounds", "0"],
        ["bench", "pendulum", "-r", "pose"],
        ["bench", "no_such_case.toml"],
    ],
)
def test_bad_usage_is_one_line_and_status_2(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")


def test_a_misspelt_peer_is_told_its_name(run):
    assert "did you mean casadi?" in run("bench", "pendulum", "--against", "casady")[2]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call here")
def test_the_cores_are_given_back():
    before = os.sched_getaffinity(0)
    with pytest.raises(RuntimeError), one_core() as core:
        assert os.sched_getaffinity(0) == {core}
        raise RuntimeError
    assert os.sched_getaffinity(0) == before


def test_blocks_take_turns_and_the_median_is_taken():
    log, pace = [], {"a": 1e-3, "b": 2e-3}

    def work(name):
        def f(count):
            log.append(name)
            return count * pace[name]

        return f

    times = interleave({name: work(name) for name in pace}, 20)
    assert times["a"].median == pytest.approx(1e-3)
    assert times["b"].median == pytest.approx(2e-3)
    turns = ["".join(log[-40:][k : k + 2]) for k in range(0, 40, 2)]
    assert set(turns) == {"ab", "ba"}  # once each in every round, in changing order
    assert summary([3.0, 1.0, 2.0, 5.0, 4.0], 1).low == 2.0


def test_a_block_is_short_and_never_empty():
    assert block_size(lambda count: 0.0, 1e-3) == MOST
    assert block_size(lambda count: 1.0 * count, 1e-3) == 1
    assert block_size(lambda count: 1e-5 * count, 1e-3) == 100


def test_answers_of_direct_and_inverse_undo_each_other():
    arm = load("scara")
    forward, back = problem(arm, "direct", 50), problem(arm, "inverse", 50)
    assert worst(forward.answers, back.u) < 1e-10
    assert worst(back.answers, forward.u) < 1e-12


@pytest.mark.parametrize("routine", ["inverse_derivatives", "direct_derivatives"])
def test_answers_of_derivatives_are_slopes(routine):
    p = problem(load("double_pendulum"), routine, 20)
    plain = replace(p, routine=routine.partition("_")[0])
    slopes = []
    for name in ("q", "qd", "u")[: p.shape[0]]:
        columns = []
        for j in range(p.n):
            step = 1e-5 * np.eye(p.n)[j]
            ends = [replace(plain, **{name: getattr(p, name) + s}).answers for s in (step, -step)]
            columns.append((ends[0] - ends[1]) / 2e-5)
        slopes.append(np.stack(columns, axis=2))
    assert worst(p.answers, np.stack(slopes, axis=1).reshape(20, -1)) < 1e-7


def test_states_cannot_be_changed_by_a_candidate(pendulum):
    with pytest.raises(ValueError, match="read-only"):
        problem(pendulum, "inverse").q[0] = 0.0


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("case", ["modified_rpr", "scara"])
@pytest.mark.parametrize("name", PEERS)
def test_other_programs_know_the_same_arm(name, case, routine):
    pytest.importorskip({"pin": "pinocchio", "khalil": "flexgen"}.get(name, name))
    p, shop, seen = problem(load(case), routine, 50), Workshop(), 0
    for part in PEERS[name]:
        if part is peer_pinocchio_cpp.scalar:  # its templates take most of a minute
            continue
        try:
            candidates = list(part(shop, p))
        except Absent as reason:
            assert "no " in str(reason)
            continue
        for c in candidates:
            seen += 1
            assert c.work(3) > 0.0
            assert not c.same_arm or worst(c.values(), p.answers) < p.limit, c.name
    shop.close()
    assert seen or routine.endswith("derivatives")


def test_mujoco_is_given_the_arm_itself_where_it_takes_it():
    pytest.importorskip("mujoco")
    p = problem(generic_arm(3), "inverse", 50)
    (c,) = peer_mujoco.one_call(p)
    assert c.same_arm
    assert worst(c.values(), p.answers) < 1e-12


def test_mujoco_gets_balanced_bodies_only_where_it_refuses_them():
    sound = np.diag([1.0, 2.0, 2.5])
    assert peer_mujoco.balanced(sound) is None
    refused = np.diag([1.0, 2.0, 3.3])
    assert np.allclose(peer_mujoco.balanced(refused), 2.1 * np.eye(3))
    assert peer_mujoco.balanced(np.zeros((3, 3)))[0, 0] > 0.0


def test_operations_of_casadi_are_counted_in_its_text():
    text = "  w0=(w1*w2);\n  w3=((w0+w1)-w2);\n  w4=sin(w3);\n  w5=casadi_sq(w4);\n  w6=(-w5);\n"
    assert peer_casadi.operations(text + "  w7=(2.5e-01*w6);\n") == (3, 2, 1)


def test_pinocchio_without_headers_is_left_out(monkeypatch, pendulum):
    pytest.importorskip("pinocchio")

    def missing():
        raise Absent("C++: no headers of Eigen: pip install cmeel-eigen")

    monkeypatch.setattr(peer_pinocchio_cpp, "includes", missing)
    plan = replace(SHORT, peers=("pin",), tables=("python",))
    c = contest(pendulum, "inverse", plan)
    assert ("pin", "C++: no headers of Eigen: pip install cmeel-eigen") in c.skipped
    assert any("crashes" in reason for _, reason in c.skipped)  # its batch, with one joint
    assert "pin.rnea" in [r.candidate for r in c.rows]


def test_rigid_programs_do_not_know_a_flexible_arm():
    plan = replace(SHORT, peers=tuple(PEERS), tables=("batch",), passes="none")
    c = contest(with_modes(load("cantilever_bending"), 1), "direct", plan)
    assert [name for name, _ in c.skipped] == list(PEERS)
    assert all("rigid" in reason for _, reason in c.skipped)
    assert c.rows
    assert c.wrong == ()


def test_the_literatures_code_has_more_operations_than_ours():
    p = problem(load("scara"), "inverse", 20)
    assert peer_khalil.program(p).count().total >= ours.program(p, "full").count().total


def test_an_empty_cache_is_forgotten_again(monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path))
    with empty_cache():
        assert os.environ["FLEXGEN_CACHE"] != str(tmp_path)
        inside = os.environ["FLEXGEN_CACHE"]
    assert os.environ["FLEXGEN_CACHE"] == str(tmp_path)
    assert not os.path.exists(inside)


def test_a_size_is_measured_and_compared():
    s = measure(generic_arm(2), 2, 0, "direct", "none", 3)
    assert s.agrees
    assert s.n == 2
    assert s.per_operation * s.operations == pytest.approx(s.seconds)
    assert not replace(s, difference=1e-3).agrees


def test_modes_are_added_where_the_link_is_flexible():
    arm = with_modes(load("two_link_flexible"), 3)
    assert [link.modes for link in arm.links] == [(3, 3, 3), (0, 3, 3)]


def test_growth_has_all_sizes_and_reports(monkeypatch):
    monkeypatch.setattr("flexgen.bench.growth.QUICK_JOINTS", (1, 2))
    monkeypatch.setattr("flexgen.bench.growth.QUICK_MODES", (1,))
    told = []
    sizes = growth(
        load("cantilever_bending"), "none", 3, True, ("inverse",), lambda *x: told.append(x)
    )
    assert [s.n for s in sizes[:2]] == [1, 2]
    assert all(s.agrees for s in sizes)
    assert len(sizes) == 3
    assert [done for _, done in told] == sorted(done for _, done in told)


def test_a_routine_with_several_results_can_be_timed_in_every_way(pendulum):
    c = contest(pendulum, "inverse_derivatives", replace(SHORT, peers=()))
    assert {r.table for r in c.rows} >= {"scalar", "python", "batch"}
    assert c.wrong == ()
    assert all(r.difference < 1e-11 for r in c.rows)
