"""The hand-written Fortran modules, and the shim, under the strictest flags."""

from __future__ import annotations

import ctypes
import subprocess

import mpmath
import numpy as np
import pytest
from two_link_arm import SIGNATURES, module

from flexgen.build import DYNAMICS, HAND_WRITTEN, MISFIT, SHIM, find_compiler
from flexgen.shim import shim
from flexgen.shipped import data_folder
from flexgen.toolchain import thread_flags, vector_flags

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")

STRICT = ("-std=f2018", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fcheck=all")
LARGEST = 1e6  # angle that `sincos` is good for


def compiled(folder, sources, *flags, name="program"):
    command = [find_compiler(), *flags, *map(str, sources), "-o", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / name


def by_hand(*names):
    return [data_folder("fortran") / name for name in names]


@pytest.mark.parametrize("flags", [("-O0", *STRICT), ("-O2", "-frecursive"), vector_flags()])
def test_the_claims_of_the_modules_hold(tmp_path, flags):
    program = compiled(tmp_path, by_hand(*HAND_WRITTEN, "test_modules.f90"), *flags)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.stdout.strip() == "all claims hold" and done.returncode == 0


@pytest.mark.parametrize("threads", [(), thread_flags()], ids=["alone", "threads"])
def test_the_shim_compiles_without_a_warning_and_its_word_for_misfits_is_ours(tmp_path, threads):
    (tmp_path / DYNAMICS).write_text(module())
    (tmp_path / SHIM).write_text(shim(SIGNATURES))
    (tmp_path / "main.f90").write_text(
        "program main\nuse batch, only: misfit\nuse shim, only: inverse_batch\nimplicit none\n"
        "double precision :: x(6), y(4)\ninteger :: info\nx = 0\n"
        "call inverse_batch(3, 0, 1, 0, x, x, x, y, info)\nprint '(i0)', info, misfit\n"
        "call inverse_batch(2, 0, 1, 0, x(:4), x(:4), x(:4), y, info)\nprint '(i0)', info\n"
        "end program main\n"
    )
    sources = [*by_hand(*HAND_WRITTEN), DYNAMICS, SHIM, "main.f90"]
    # entry points have fixed arguments, whether there are vector forms and threads or not
    program = compiled(tmp_path, sources, *STRICT, "-Wno-unused-dummy-argument", *threads)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.stdout.split() == [str(MISFIT), str(MISFIT), "0"]


# sine and cosine


@pytest.fixture(scope="module", params=[("-O0",), vector_flags()], ids=["plain", "vector"])
def sincos(request, tmp_path_factory):
    """Sines and cosines of angles by the module `trig`."""
    folder = tmp_path_factory.mktemp("trig")
    flags = (*request.param, "-shared", "-fPIC")
    path = compiled(folder, by_hand("kinds.f90", "trig.f90"), *flags, name="trig.so")
    function = ctypes.CDLL(str(path))["__trig_MOD_sincos"]

    def both(angles):
        sine, cosine = np.empty_like(angles), np.empty_like(angles)
        places = (ctypes.c_void_p(a.ctypes.data) for a in (angles, sine, cosine))
        function(ctypes.byref(ctypes.c_int(len(angles))), *places)
        return sine, cosine

    return both


def units(found, exact):
    """Largest error in units of the last place of the exact number, which has many digits."""
    return max(
        float(abs(mpmath.mpf(x) - y)) / np.spacing(abs(float(y)))
        for x, y in zip(found.tolist(), exact, strict=True)
    )


def worst(sincos, angles):
    angles = np.ascontiguousarray(angles, dtype=float)
    sine, cosine = sincos(angles)
    with mpmath.workdps(60):
        given = [mpmath.mpf(a) for a in angles.tolist()]
        return units(sine, map(mpmath.sin, given)), units(cosine, map(mpmath.cos, given))


def quarters():
    """Doubles next to multiples of pi/2, where a sine or a cosine is smallest."""
    rng = np.random.default_rng(3)
    last = int(LARGEST / (np.pi / 2))
    multiples = np.unique(np.r_[1:200, rng.integers(200, last, 300), last - 50 : last])
    with mpmath.workdps(60):
        near = np.array([float(k * mpmath.pi / 2) for k in multiples.tolist()])
    both = [near, np.nextafter(near, 0), np.nextafter(near, np.inf)]
    angles = np.concatenate([*both, near * (1 + 1e-9), near + 1e-6])
    return angles[angles <= LARGEST]


def signed(angles):
    return np.concatenate([angles, -angles])


RNG = np.random.default_rng(11)
ANGLES = {
    "one turn": RNG.uniform(-np.pi, np.pi, 4000),
    "many turns": RNG.uniform(-LARGEST, LARGEST, 4000),
    "every size": signed(10.0 ** RNG.uniform(-300, 6, 2000)),
    "around pi/4": signed(np.pi / 4 * np.arange(1, 200, 2)[:, None] * (1 + np.array([-1e-15, 0]))),
    "ends": np.array([LARGEST, -LARGEST, np.nextafter(LARGEST, 0)]),
    "quarters": signed(quarters()),
}


@pytest.mark.parametrize("which", ANGLES)
def test_sine_and_cosine_are_right_to_two_units_of_the_last_place(sincos, which):
    assert max(worst(sincos, ANGLES[which].ravel())) <= 2.0


def test_sine_of_zero_and_of_tiny_angles_is_the_angle(sincos):
    angles = signed(np.array([0.0, 5e-324, 1e-308, 1e-200, 1e-20, 1e-9]))
    sine, cosine = sincos(angles)
    assert np.array_equal(sine, angles)
    assert np.array_equal(cosine, np.ones(len(angles)))


def test_sine_is_odd_and_cosine_even(sincos):
    angles = ANGLES["many turns"]
    (sine, cosine), (other, same) = sincos(angles), sincos(-angles)
    assert np.array_equal(sine, -other)
    assert np.array_equal(cosine, same)


def test_an_angle_does_not_depend_on_its_neighbours(sincos):
    angles = ANGLES["one turn"][:67]
    together = np.array(sincos(angles))
    alone = np.array([np.ravel(sincos(a)) for a in angles.reshape(-1, 1).copy()]).T
    assert np.array_equal(together, alone)
