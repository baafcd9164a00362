"""The hand-written Fortran modules, and the shim, under the strictest flags."""

from __future__ import annotations

import subprocess

import pytest
from two_link_arm import SIGNATURES, module

from flexgen.build import GENERATED, HAND_WRITTEN, MISFIT, find_compiler
from flexgen.shim import shim
from flexgen.shipped import data_folder

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")

STRICT = ("-std=f2018", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fcheck=all")


def compiled(folder, sources, *flags):
    command = [find_compiler(), *flags, *map(str, sources), "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "program"


@pytest.mark.parametrize("flags", [("-O0", *STRICT), ("-O2", "-frecursive")])
def test_the_claims_of_the_modules_hold(tmp_path, flags):
    sources = [data_folder("fortran") / name for name in (*HAND_WRITTEN, "test_modules.f90")]
    program = compiled(tmp_path, sources, *flags)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.stdout.strip() == "all claims hold" and done.returncode == 0


def test_the_shim_compiles_without_a_warning_and_its_word_for_misfits_is_ours(tmp_path):
    for name, text in zip(GENERATED, (module(), shim(SIGNATURES)), strict=True):
        (tmp_path / name).write_text(text)
    (tmp_path / "main.f90").write_text(
        "program main\nuse batch, only: misfit\nuse shim, only: inverse_batch\nimplicit none\n"
        "double precision :: x(2,3), y(2,2)\ninteger :: info\nx = 0\n"
        "call inverse_batch(x, x, x, y, info)\nprint '(i0)', info, misfit\nend program main\n"
    )
    by_hand = [data_folder("fortran") / name for name in HAND_WRITTEN]
    program = compiled(tmp_path, [*by_hand, *GENERATED, "main.f90"], *STRICT)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.stdout.split() == [str(MISFIT)] * 2
