"""The hand-written integrators and drives under the strictest flags, and the generated shim."""

import subprocess

import pytest
from conftest import CASES

import flexgen
from flexgen import pipeline
from flexgen.build import find_compiler
from flexgen.emit import emit
from flexgen.shipped import data_folder
from flexgen.simulate.library import BY_HAND, ROUTINES, potential_program, shim

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")

STRICT = ("-std=f2018", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fcheck=all")


def compiled(folder, sources, *flags):
    command = [find_compiler(), *flags, *map(str, sources), "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "program"


def by_hand(*more):
    return [data_folder("fortran") / name for name in (*BY_HAND, *more)]


@pytest.mark.parametrize("flags", [("-O0", *STRICT), ("-O2", "-frecursive")])
def test_the_claims_of_the_integrators_hold(tmp_path, flags):
    program = compiled(tmp_path, by_hand("test_integrate.f90"), *flags)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.stdout.strip() == "all claims hold" and done.returncode == 0


@pytest.mark.parametrize("case", ["pendulum", "double_flexible_pendulum"])
def test_the_shim_compiles_without_a_warning(tmp_path, case):
    arm = flexgen.load(CASES / f"{case}.toml")
    programs = [pipeline.program(arm, routine, passes="none") for routine in ROUTINES]
    programs.append(potential_program(arm))
    (tmp_path / "dynamics.f90").write_text(emit(programs, "f90"))
    (tmp_path / "shim.f90").write_text(shim(programs))
    (tmp_path / "main.f90").write_text("program main\nuse shim, only: run\nend program main\n")
    sources = [*by_hand(), "dynamics.f90", "shim.f90", "main.f90"]
    # signatures are fixed, so an input that is not used is no fault
    compiled(tmp_path, sources, *STRICT, "-Wno-unused-dummy-argument")
