"""The command line: results on standard output, one line for an error, exit status 0, 1, 2."""

import json
import os
import subprocess
import sys
import threading

import pytest
from count_text import count_text

from flexgen.build import find_compiler
from flexgen.cli import main
from flexgen.emit import SUFFIXES
from flexgen.pipeline import CORE

FORTRAN = pytest.mark.skipif(not find_compiler(), reason="no Fortran compiler")
SMALL = """
name = "small"
gravity = [0.0, -9.81, 0.0]
[[link]]
joint = "revolute"
dh = { a = 1.0, alpha = "pi/2", d = 0.1, theta = 0.0 }
mass = 2.0
com = [-0.5, 0.01, 0.02]
inertia = { about = "com", xx = 0.1, yy = 0.2, zz = 0.2 }
[[link]]
joint = "prismatic"
dh = { a = 0.0, alpha = 0.0, d = 0.0, theta = 0.0 }
mass = 1.0
com = [0.0, 0.0, 0.1]
inertia = { about = "com", xx = 0.01, yy = 0.01, zz = 0.02 }
"""


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


@pytest.fixture
def run(capsys):
    """Run a command: (exit status, standard output, standard error)."""

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return call


def test_check_prints_the_table_of_the_arm(run, case):
    status, out, _ = run("check", case)
    assert status == 0
    assert "prismatic" in out
    status, out, _ = run("check", case, "--json")
    assert json.loads(out)["joints"] == ["revolute", "prismatic"]


def test_check_without_a_case_lists_the_shipped_ones(run):
    status, out, _ = run("check", "--json")
    assert status == 0
    assert {"pendulum", "stanford", "puma560"} <= set(json.loads(out)["cases"])


def test_shipped_cases_are_found_by_name(run):
    status, out, _ = run("check", "pendulum", "--json")
    assert (status, json.loads(out)["name"]) == (0, "pendulum")


@pytest.mark.parametrize("dialect", SUFFIXES)
@pytest.mark.parametrize("routine", ["inverse", "direct", "jacobian"])
def test_the_count_of_the_text_is_the_count_that_is_printed(run, case, routine, dialect):
    _, text, _ = run("generate", case, "-r", routine, "-d", dialect, "-p", "none")
    _, out, _ = run("count", case, "-r", routine, "-p", "none", "--json")
    printed = json.loads(out)["counts"][routine]

    (found,) = count_text(text, dialect).values()
    assert found == (printed["mul"], printed["add"], printed["trig"])


@pytest.mark.parametrize("passes", ["none", "classic"])
@pytest.mark.parametrize("routine", ["inverse", "direct", "jacobian"])
def test_the_classic_generator_heads_its_text_with_the_count_of_the_text(run, routine, passes):
    arguments = ["-r", routine, "--generator", "classic", "-p", passes]
    _, text, _ = run("generate", "stanford_thesis", *arguments)
    (mul, add, trig), *_ = count_text(text, "f77").values()
    assert f"{mul} mul, {add} add, {trig} trig" in text


def test_generate_writes_the_file_or_nothing(run, case, tmp_path):
    target = tmp_path / "inverse.f90"
    status, out, err = run("generate", case, "-o", str(target))
    assert (status, out, err) == (0, "", "")
    assert "subroutine inverse" in target.read_text()
    status, _, err = run("generate", case, "-o", str(tmp_path / "no" / "such.f90"))
    assert status == 2
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["inverse.f90", "small.toml"]


def test_show_prints_the_program_with_counts(run, case):
    status, out, _ = run("show", case, "-r", "gravity", "-p", "none")
    assert status == 0
    assert "mul" in out
    assert "def gravity" in out


def test_count_covers_every_routine(run, case):
    status, out, _ = run("count", case, "--json", "-p", "none")
    assert status == 0
    assert list(json.loads(out)["counts"]) == list(CORE)
    assert run("count", case, "-p", "none")[0] == 0


@pytest.mark.parametrize("backend", ["numpy", pytest.param("fortran", marks=FORTRAN)])
def test_verify_holds_on_both_backends(run, case, backend):
    status, out, _ = run(
        "verify", case, "--backend", backend, "--states", "50", "-p", "none", "--json"
    )
    checks = json.loads(out)["checks"]
    assert status == 0
    assert len(checks) > 20
    assert all(c["passed"] and c["worst"] < 1e-10 for c in checks)


def test_build_reports_numbers(run, case):
    status, out, _ = run("build", case, "--backend", "numpy", "-p", "none", "--json")
    assert (status, json.loads(out)["n"]) == (0, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "no_such_case.toml"],
        ["generate", "pendulum", "--dialect", "cobol"],
        ["generate", "pendulum", "--method", "4"],
        ["generate", "pendulum", "--unknown"],
        ["frobnicate"],
        ["verify"],
        ["verify", "pendulum", "--states", "many"],
        ["generate", "pendulum", "-d", "c", "--single"],
        ["generate", "pendulum", "-r", "gravity", "--wrench"],
    ],
)
def test_bad_usage_is_one_line_and_status_2(run, arguments):
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1


def test_a_bad_case_is_one_line_and_status_2(run, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(SMALL.replace("mass = 2.0", "mass = -2.0"))
    status, out, err = run("generate", str(path), "-o", str(tmp_path / "x.f90"))
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {path}:link[1].mass")
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "x.f90").exists()


def test_help_teaches_every_command(run):
    status, out, _ = run("--help")
    assert status == 0
    for command in ("check", "generate", "count", "build", "verify", "show", "bench"):
        assert command in out
        assert run(command, "--help")[0] == 0


def test_the_module_runs(case):
    done = subprocess.run(
        [sys.executable, "-m", "flexgen", "count", case, "-p", "none", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["case"] == "small"


def test_output_follows_links_and_leaves_devices_alone(run, case, tmp_path):
    target, link = tmp_path / "real.f90", tmp_path / "link.f90"
    target.write_text("old")
    link.symlink_to(target)
    assert run("generate", case, "-p", "none", "-o", str(link))[0] == 0
    assert link.is_symlink()
    assert "subroutine inverse" in target.read_text()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    read = []
    reader.start()
    assert run("generate", case, "-p", "none", "-o", str(pipe))[0] == 0
    reader.join(10)
    assert pipe.is_fifo()
    assert "subroutine inverse" in read[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["count", "arm_a", "--formulation", "hollerbach", "-p", "none"],
        ["generate", "arm_a", "--generator", "classic"],
        ["generate", "pendulum", "--generator", "classic", "-d", "c"],
        ["generate", "pendulum", "--generator", "classic", "-p", "search"],
        ["generate", "pendulum", "--method", "2"],
        ["verify", "pendulum", "--seed", "-1"],
    ],
)
def test_choices_that_do_not_go_together_are_one_line_and_status_2(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
