"""Published responses: the test cases of El-Rayyes (1990), spin-up, double flexible pendulum."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from conftest import CASES, read_quietly
from scipy.optimize import curve_fit

from flexgen.build import find_compiler
from flexgen.manipulator.arm import KING, NOTHING
from flexgen.simulate import SimulationError, SimulationWarning, simulate, table

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")


@cache
def arm(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


def as_king(name):
    """The arm under the assumptions of the original, which are linear in these cases."""
    return replace(arm(name), assumptions=KING)


def run(which, end, **options):
    return simulate(which, end, passes="none", **options)


def mean_and_frequency(t, x):
    """Of an undamped oscillation about a mean, by a fit."""
    spectrum = np.abs(np.fft.rfft((x - x.mean()) * np.hanning(len(x))))
    guess = np.fft.rfftfreq(len(x), t[1])[spectrum.argmax()]

    def wave(t, mean, a, b, f):
        return mean + a * np.cos(2 * np.pi * f * t) + b * np.sin(2 * np.pi * f * t)

    found, _ = curve_fit(wave, t, x, p0=[x.mean(), -x.mean(), 0.0, guess])
    return found[0], abs(found[3])


def test_case_1_bending_under_a_step_force():
    with pytest.warns(SimulationWarning, match="1/30"):  # the step of the original
        found = run(
            as_king("cantilever_bending"),
            1.0,
            wrench=[0, 10, 0, 0, 0, 0],
            hold=["joint1"],
            step=1e-4,
            output_step=1e-4,
        )
    static = 10.0 / (3.0 * 203.5752)  # F a^3 / 3 EI
    modes = [mean_and_frequency(found.t, x) for x in found.q[:, 1:].T]
    shares = [2.0 * abs(mean) / static for mean, _ in modes]  # the tip moves by 2 modal coordinates
    np.testing.assert_allclose(shares, [0.97069, 0.02472, 0.00315, 0.00082], atol=5e-6)
    frequencies = [f for _, f in modes]
    np.testing.assert_allclose(frequencies[:2], [11.29, 70.76], atol=0.005)
    np.testing.assert_allclose(frequencies[2:], [198.1, 388.3], atol=0.05)


def test_case_2_torsion_under_a_step_torque():
    found = run(
        as_king("cantilever_torsion"),
        0.02,
        wrench=[0, 0, 0, 12, 0, 0],
        hold=["joint1"],
        step=1e-6,
        output_step=1e-5,
    )
    static = 12.0 / 168.967416  # T a / GJ
    modes = [mean_and_frequency(found.t, x) for x in found.q[:, 1:].T]
    shares = [abs(mean) / static for mean, _ in modes]
    np.testing.assert_allclose(shares, [0.8106, 0.0901, 0.0324, 0.0165], atol=5e-5)
    # the last is printed as 7582, cut off
    frequencies = [f for _, f in modes]
    np.testing.assert_allclose(frequencies, [1083, 3250, 5416, 7582.5], atol=0.5)


def test_stiff_torsion_comes_to_rest_by_numerical_damping():
    which, wrench = as_king("cantilever_torsion"), [0, 0, 0, 12, 0, 0]
    options = {"wrench": wrench, "hold": ["joint1"], "step": 1e-3}
    with pytest.raises(SimulationError, match="implicit"):
        run(which, 0.2, **options)
    with pytest.warns(SimulationWarning, match="energy"):  # taken out by the method
        found = run(which, 0.2, **options, method="implicit", radius=0.2)
    # 8 / ((2k - 1) pi)^2 of T a / GJ, signs alternate
    k = np.array([1, 3, 5, 7])
    static = 8.0 / (k * np.pi) ** 2 * 12.0 / 168.967416 * [1, -1, 1, -1]
    np.testing.assert_allclose(found.q[-1, 1:], static, rtol=1e-6)


def test_case_3_the_stiffer_the_links_the_nearer_to_rigid():
    soft = arm("double_flexible_pendulum")
    stiff = arm("double_flexible_pendulum_stiff")
    links = tuple(replace(x, beam=replace(x.beam, modes=(0, 0, 0))) for x in soft.links)
    rigid = replace(soft, links=links)
    options = {"q0": [-1.75, -0.5], "step": 5e-4, "output_step": 0.01}
    runs = [run(which, 2.0, **options) for which in (soft, stiff, rigid)]
    apart = [np.linalg.norm(r.tip - runs[2].tip, axis=1).max() for r in runs[:2]]
    assert 5.0 < apart[0] / apart[1] < 20.0 and apart[1] < 0.02
    deflection = [np.abs(r.q[:, 2]).max() for r in runs[:2]]
    assert 5.0 < deflection[0] / deflection[1] < 20.0
    assert all(r.drift < 1e-6 for r in runs)


def spin_up(t):
    ramp = 0.4 * (t**2 / 2 + (15 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15) - 1))
    return np.where(t < 15.0, ramp, 6.0 * t - 45.0)


def spun_up(foreshortening):
    which, t = arm("spinup_beam"), np.linspace(0.0, 18.0, 1801)
    assumed = replace(which.assumptions, foreshortening=foreshortening)
    motion = {"joint1": table(t, spin_up(t), "cubic")}
    found = run(
        replace(which, assumptions=assumed), 18.0, motion=motion, step=2e-3, output_step=0.02
    )
    return found, 2.0 * found.q[:, 1] - 2.0 * found.q[:, 2]


def test_a_beam_that_is_spun_up_lags_behind():
    found, lag = spun_up("full")
    expected = read_quietly(CASES / "spinup_beam.toml").expected["simulate"]["lag"]
    assert lag.min() == pytest.approx(expected.value, rel=expected.rtol)
    assert found.t[lag.argmin()] == pytest.approx(6.76, abs=0.021)
    # nonlinear beam elements without shear, at 2, 4, ..., 14 s
    elements = [-0.1024, -0.3423, -0.5436, -0.5428, -0.3628, -0.1509, -0.0203]
    np.testing.assert_allclose(lag[100:701:100], elements, atol=3e-3)
    assert found.drift < 1e-9


def test_without_foreshortening_the_spun_beam_diverges():
    found, lag = spun_up("off")
    assert found.t[np.argmax(np.abs(lag) > 10.0)] == pytest.approx(9.16, abs=0.03)


@pytest.mark.parametrize(
    ("EI", "tip", "limit"),
    [
        (10.178, [[1.29917, -1.40290], [-1.66604, -1.04010]], 5e-3),
        (101.78, [[1.29694, -1.40550], [-1.66253, -1.04134]], 1.5e-4),
    ],
)
def test_double_flexible_pendulum_against_nonlinear_beam_elements(EI, tip, limit):
    # 32 absolute nodal coordinate elements a link, released level, at 0.5 and 1 s
    which = arm("double_flexible_pendulum")
    links = tuple(
        replace(x, beam=replace(x.beam, mass=0.3137, EIz=EI, modes=(0, 2, 0)), tip=NOTHING)
        for x in which.links
    )
    found = run(replace(which, links=links), 1.0, method="dopri5", output_step=0.5)
    apart = np.linalg.norm(found.tip[1:, :2] - tip, axis=1)
    assert apart.max() < limit
