"""docs/published.md: what it says of published responses holds, from the shipped cases."""

import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import CASES, read_quietly

from flexgen.build import find_compiler

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import published  # noqa: E402

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")


def test_tables_4_9_and_4_10_of_bending():
    shares, frequencies = published.case_1()
    np.testing.assert_allclose(shares, [0.97069, 0.02472, 0.00315, 0.00082], atol=5e-6)
    np.testing.assert_allclose(frequencies[:2], [11.29, 70.76], atol=0.005)
    np.testing.assert_allclose(frequencies[2:], [198.1, 388.3], atol=0.05)


def test_tables_4_11_and_4_12_of_torsion():
    shares, frequencies = published.case_2(1e-6)
    np.testing.assert_allclose(shares, [0.8106, 0.0901, 0.0324, 0.0165], atol=5e-5)
    exact = 0.25 * np.array([1, 3, 5, 7]) * np.sqrt(8.3e10 * 1.1309734e-4 / 0.5)
    np.testing.assert_allclose(frequencies, exact, atol=1e-3)
    np.testing.assert_allclose(frequencies[:3], [1083, 3250, 5416], atol=0.5)


def test_the_step_of_the_original_is_too_long_for_its_fourth_torsion_mode():
    # RK4 slows an oscillation by (w h)^4 / 120 of its frequency
    _, frequencies = published.case_2()
    lag = (2.0 * np.pi * 7582.602 * 1e-5) ** 4 / 120.0
    assert 1.0 - frequencies[3] / 7582.602 == pytest.approx(lag, rel=0.15)


def test_joint_angles_of_case_3_approach_those_of_rigid_links_as_one_over_the_stiffness():
    rows = published.case_3()
    apart = np.array([row[1] for row in rows])
    rates = np.log10(apart[:-1] / apart[1:])
    np.testing.assert_allclose(rates, 1.0, atol=0.03)
    assert apart[-1] < 1e-3
    deflection = [row[2] for row in rows]
    assert deflection[0] / deflection[1] == pytest.approx(10.0, rel=0.1)


def test_two_flexible_links_vibrate_as_the_linear_model_says():
    found = published.case_4()
    assert found["4.1 dy2, Hz"] == pytest.approx([31.29], abs=0.02)
    assert found["4.1 largest dz1, dz2"] == 0.0
    assert found["4.2 dz2, Hz"] == pytest.approx([11.04], abs=0.01)
    assert found["4.2 largest joint angle"] == 0.0
    for key in ("4.3 dz1, Hz", "4.3 twist of link 1, Hz", "4.4 twist of link 1, Hz"):
        np.testing.assert_allclose(found[key], [2.09, 4.23, 37.76], rtol=2e-3)
    # of second order, so not zero as in a linear model
    assert 0.0 < found["4.3 joints turn by, in 1 s"] < 0.1 * found["4.3 largest twist"]
    assert 0.0 < found["4.4 joints turn by, in 1 s"] < 0.1 * found["4.4 largest twist"]


def test_frequencies_of_case_4_need_joint_masses_with_rotary_inertia():
    # linear model of one mode in each direction, written out by hand
    by_hand = {
        "points at the tips": [[33.5, 36.9], [0.93, 6.67], [1.12, 2.88, 41.6]],
        "points at the proximal joints": [[34.2, 48.5], [1.72, 11.05], [2.10, 4.28, 54.1]],
        "with the fitted rotary inertia": [[31.3, 34.3], [1.72, 11.04], [2.09, 4.23, 37.8]],
    }
    found = published.joint_masses()
    assert list(found) == list(by_hand)
    for label, expected in by_hand.items():
        for ours, theirs in zip(found[label].values(), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=0.006)


def test_the_spun_up_beam_of_the_case_lags_as_elements_say():
    lag, when, u2 = published.spin_up()
    entry = read_quietly(CASES / "spinup_beam.toml").expected["simulate"]["lag"]
    assert lag == pytest.approx(entry.value, rel=entry.rtol)
    assert when == pytest.approx(6.76, abs=0.021)
    elements = [-0.1024, -0.3423, -0.5436, -0.5428, -0.3628, -0.1509, -0.0203]
    np.testing.assert_allclose(u2, elements, atol=3e-3)


@pytest.mark.parametrize("name", ["level_pendulum", "level_pendulum_stiff"])
def test_the_level_pendulum_comes_to_the_elements_as_modes_are_added(name):
    entry = read_quietly(CASES / f"{name}.toml").expected["simulate"]["tip"]
    apart = [published.level(name, modes)[1] for modes in (2, 3, 4)]
    assert max(apart) < entry.atol
    assert apart[0] > 2.0 * apart[1] > 4.0 * apart[2]


def test_the_whole_state_of_the_level_pendulum_converges_with_the_tolerance():
    coarse, fine = (published.level_reference("level_pendulum", rtol) for rtol in (1e-6, 1e-8))
    assert fine < 1e-6 and coarse < 1e-4 and coarse > 20.0 * fine
