"""Every example runs and shows what its text says."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexgen.build import find_compiler

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
FORTRAN = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")


def run(name, folder):
    """What `main` of an example returns; its picture goes to the folder."""
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](folder)
    assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    return found


@FORTRAN
def test_terms_of_the_stanford_arm_add_up(tmp_path, capsys):
    parts, total = run("computed_torque_stanford", tmp_path)
    scale = np.abs(total).max()
    np.testing.assert_allclose(sum(parts.values()), total, rtol=0.0, atol=1e-12 * scale)
    assert "sum of the four terms" in capsys.readouterr().out
    # upright gravity asks nothing of joint 2, level it dominates
    assert abs(parts["gravity"][0, 1]) < 1e-12 * scale
    largest = {name: np.abs(values[:, 1]).max() for name, values in parts.items()}
    assert max(largest, key=largest.get) == "gravity"


@FORTRAN
def test_the_shaper_takes_out_the_vibration(tmp_path, capsys):
    period, residual = run("input_shaping", tmp_path)
    assert period == pytest.approx(1.0 / 3.18746, rel=1e-5)  # Euler-Bernoulli, clamped and free
    assert residual["not shaped"] > 10.0 * residual["shaped"]
    assert "less vibration" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("folder", "compiler"), [("fortran_main", "gfortran"), ("c_main", "cc")], ids=["fortran", "c"]
)
def test_a_main_program_needs_the_generated_routine_only(tmp_path, folder, compiler):
    if shutil.which("make") is None or shutil.which(compiler) is None:
        pytest.skip(f"no make or {compiler}")
    shutil.copytree(EXAMPLES / folder, tmp_path / folder)
    case = ROOT / "cases" / "double_pendulum.toml"
    flexgen = f"{sys.executable} -m flexgen"
    command = ["make", "-s", "run", f"FLEXGEN={flexgen}", f"CASE={case}"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path / folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # closed form in the head of the case
    c2, s2, g = 0.5, np.sqrt(0.75), 9.81
    h = 0.18 * s2
    first = (0.86 + 0.36 * c2) * 2.0 + (0.08 + 0.18 * c2) * 3.0 - h * (2.0 * 1.5 * -0.7 + 0.49)
    first += g * (1.0 + 1.5) * 0.6 * np.cos(np.pi / 6)
    second = (0.08 + 0.18 * c2) * 2.0 + 0.08 * 3.0 + h * 1.5**2
    np.testing.assert_allclose([float(x) for x in done.stdout.split()], [first, second], rtol=1e-13)


def test_the_list_of_examples_is_complete():
    text = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.iterdir():
        if path.name != "README.md" and not path.name.startswith(("_", ".")):
            assert path.name in text, path.name
