"""Levels of passes: every one keeps the values, none counts more than the one before it."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import CASES, read_quietly

import flexgen
from flexgen import original, pipeline
from flexgen.clear import kernels, products, trig
from flexgen.clear.classic import CLASSIC, classic
from flexgen.formulations.routines import ROUTINES
from flexgen.graph.evaluate import evaluate
from flexgen.search.digits import worst_in_digits
from flexgen.search.halving import Interrupted, cost, search
from flexgen.search.verify import verify_double
from flexgen.store import stored, text_of
from flexgen.winners import FOLDER, agrees, file_of, keep, winner

SMALL = ("pendulum", "double_pendulum", "scara", "stanford3", "puma560_3", "modified_rpr")
PASS = 1e-12

# what the literature and the requirement of the search allow: (routine, case) -> total
SEARCHED = {
    ("inverse", "stanford"): 192,
    ("inverse", "puma560"): 279,
    ("inverse", "stanford3"): 52,
    ("inverse", "puma560_3"): 80,
    ("direct", "stanford"): 250,
    ("direct", "puma560"): 385,
    ("direct", "stanford3"): 40,
    ("direct", "puma560_3"): 62,
    ("gravity", "stanford"): 22,
    ("gravity", "puma560"): 19,
    ("coriolis", "stanford"): 165,
    ("coriolis", "puma560"): 226,
    ("jacobian", "puma560"): 84,
}
TRIG = {"stanford": 8, "stanford3": 8, "puma560": 10, "puma560_3": 10}


def load(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


def states(program, rng, count=20):
    return [rng.uniform(-1.5, 1.5, (count, group.size)) for group in program.inputs]


def close(actual, expected, rng, rtol=PASS):
    x = states(expected, rng)
    for a, b in zip(evaluate(actual, *x), evaluate(expected, *x), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(np.abs(b).max(), 1e-3))


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("name", SMALL)
def test_levels_keep_values_and_never_count_more(name, routine, rng):
    arm = load(name)
    plain = pipeline.program(arm, routine, passes="none")
    before = plain.count().total
    for level in ("classic", "full"):
        found = pipeline.program(arm, routine, passes=level)
        close(found, plain, rng, 1e-11)
        assert found.count().total <= before
        assert found.count().trig <= max(plain.count().trig, 2 * arm.n)
        before = found.count().total


@pytest.mark.parametrize("routine", ["inverse", "jacobian"])
def test_every_pass_keeps_the_values_of_every_case(arm, routine, rng):
    plain = pipeline.program(arm, routine, passes="none")
    for one in (trig, products, kernels):
        found = one(plain)
        close(found, plain, rng)
        assert found.count().total <= plain.count().total
        assert one(found).roots == found.roots


@pytest.mark.parametrize("routine", ["inverse", "direct", "gravity", "external", "jacobian"])
def test_classic_is_not_above_the_original_on_any_arm(arm, routine):
    if not original.covers(arm, routine):
        pytest.skip("the original knows standard DH only")
    _, report = original.generate(arm, routine)
    last = report.rows[-1].counts
    ours = pipeline.program(arm, routine, passes="classic").count()
    assert ours.total <= last.mul + last.add + last.declared


@pytest.mark.parametrize("wrench", [False, True])
@pytest.mark.parametrize("routine", ["inverse", "bias", "direct"])
def test_the_original_as_a_program_has_our_values(routine, wrench, rng):
    arm = load("stanford_thesis")
    ours = pipeline.program(arm, routine, passes="none", wrench=wrench)
    theirs = original.program(arm, routine, wrench=wrench)
    assert [i.name for i in theirs.inputs] == [i.name for i in ours.inputs]
    close(theirs, ours, rng, 1e-10)


def test_classic_reports_every_pass():
    plain = pipeline.program(load("stanford3"), "inverse", passes="none")
    program, report = classic(plain)
    assert [row.label for row in report.rows] == ["S", *CLASSIC]
    totals = [row.counts.total for row in report.rows]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] == program.count().total
    with pytest.raises(ValueError, match="unknown pass"):
        classic(plain, "UX")


@pytest.mark.parametrize(("routine", "name"), SEARCHED, ids=lambda x: x)
def test_winners_hold_and_are_below_the_limits(routine, name):
    arm = load(name)
    plain = pipeline.program(arm, routine, passes="none")
    found = winner(arm, routine, plain)
    assert found is not None, "no winner, or it does not agree any more"
    assert found.count().total <= SEARCHED[routine, name]
    assert found.count().trig <= (12 if routine == "jacobian" else TRIG[name])
    assert worst_in_digits(plain, found) < 1e-12
    assert verify_double(plain, found, 10_000).worst < 1e-10


def test_every_winner_belongs_to_a_shipped_case():
    for file in FOLDER.glob("*.json"):
        name, routine = file.stem.rsplit("-", 1)
        arm = load(name)
        assert file == file_of(arm, routine)
        assert winner(arm, routine, pipeline.program(arm, routine, passes="none")) is not None


def test_a_winner_is_for_its_arm_only(monkeypatch, tmp_path):
    monkeypatch.setattr("flexgen.winners.FOLDER", tmp_path)
    arm = load("stanford3")
    plain = pipeline.program(arm, "gravity", passes="none")
    keep(arm, "gravity", plain)
    assert winner(arm, "gravity", plain) is plain or winner(arm, "gravity", plain) == plain
    moon = replace(arm, gravity=(0.0, 0.0, -1.62))
    assert winner(moon, "gravity", pipeline.program(moon, "gravity", passes="none")) is None
    wrong = plain.with_roots(tuple(e * 1.000000001 for e in plain.roots))
    assert not agrees(plain, wrong)
    keep(arm, "gravity", wrong)
    assert winner(arm, "gravity", plain) is None


def test_search_is_reproducible_and_keeps_values(rng):
    arm = load("stanford3")
    plain = pipeline.program(arm, "coriolis", passes="none")
    starts = [plain, pipeline.program(arm, "coriolis", passes="full")]
    seen = []
    first = search(starts, effort=2, progress=lambda status: seen.append(status.best))
    again = search(starts, effort=2)
    assert first.roots == again.roots
    assert cost(first) <= cost(starts[1])
    assert seen
    close(first, plain, rng, 1e-11)


def test_an_interrupted_search_gives_its_best_and_is_not_remembered(monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path))
    arm = flexgen.generic_arm(2, seed=4)
    full = pipeline.program(arm, "gravity", passes="full")
    kept = len(list(tmp_path.glob("*/program.json")))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("flexgen.search.halving.anneal", interrupted)
    with pytest.raises(Interrupted) as stop:
        search([full], effort=1)
    assert stop.value.best is full
    assert cost(pipeline.program(arm, "gravity", passes="search", effort=1)) <= cost(full)
    assert len(list(tmp_path.glob("*/program.json"))) == kept


def test_levels_of_the_pipeline_reach_the_search(monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path))
    arm = flexgen.generic_arm(2, seed=4)
    full = pipeline.program(arm, "gravity", passes="full")
    found = pipeline.program(arm, "gravity", passes="search", effort=1)
    assert cost(found) <= cost(full)
    again = pipeline.program(arm, "gravity", passes="search", effort=1)
    assert again == found


def test_the_store_makes_a_program_once(monkeypatch, tmp_path):
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path))
    arm = load("stanford3")
    made = []

    def make():
        made.append(1)
        return pipeline.program(arm, "gravity", passes="none")

    first, second = (stored(arm, ("a", "label"), make) for _ in range(2))
    assert first == second
    assert len(made) == 1
    stored(arm, ("another", "label"), make)
    assert len(made) == 2
    assert text_of(arm) != text_of(load("puma560_3"))


def test_a_huge_arm_takes_the_quick_way(monkeypatch, rng):
    monkeypatch.setattr(pipeline, "HUGE", 10)
    monkeypatch.setattr(pipeline, "stored", lambda arm, labels, make: make())
    arm = load("stanford")
    plain = pipeline.program(arm, "inverse", passes="none")
    found = pipeline.program(arm, "inverse", passes="full")
    close(found, plain, rng, 1e-11)
    assert found.count().total < plain.count().total


def test_unknown_levels_are_refused():
    with pytest.raises(ValueError, match="passes must be"):
        pipeline.program(load("pendulum"), "inverse", passes="extreme")
