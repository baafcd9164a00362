"""The integrators around generated dynamics, against closed equations solved elsewhere."""

from functools import cache

import numpy as np
import pytest
from conftest import CASES
from scipy.integrate import solve_ivp

import flexgen
from flexgen.build import find_compiler
from flexgen.simulate import SimulationError, SimulationWarning, simulate

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")

START = (0.3, 0.4)
END = 1.0


@cache
def double_pendulum():
    return flexgen.load(CASES / "double_pendulum.toml")


def run(end=END, **options):
    return simulate(double_pendulum(), end, q0=START, passes="none", **options)


def closed_form(_, y):
    """The equations in the head of the case file."""
    q1, q2, v1, v2 = y
    c2, s2, g = np.cos(q2), np.sin(q2), 9.81
    M = np.array([[0.86 + 0.36 * c2, 0.08 + 0.18 * c2], [0.08 + 0.18 * c2, 0.08]])
    h, far = 0.18 * s2, g * 0.3 * np.cos(q1 + q2)
    b = [-h * (2 * v1 * v2 + v2**2) + g * (1.0 + 1.5) * 0.6 * np.cos(q1) + far, h * v1**2 + far]
    return [v1, v2, *np.linalg.solve(M, np.negative(b))]


@cache
def reference(outputs=11):
    times = np.linspace(0.0, END, outputs)
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": times}
    return solve_ivp(closed_form, (0.0, END), [*START, 0.0, 0.0], **options).y.T


def error(result, expected=None):
    """Largest error of the full state."""
    expected = reference() if expected is None else expected
    return np.abs(np.hstack([result.q, result.qd]) - expected).max()


@pytest.mark.parametrize(("method", "order", "step"), [("rk4", 4, 1.25e-3), ("implicit", 2, 1e-3)])
def test_errors_of_the_double_pendulum_fall_with_the_order(method, order, step):
    errors = [
        error(run(method=method, step=h, output_step=0.1)) for h in (step, step / 2, step / 4)
    ]
    slopes = np.log2(np.divide(errors[:-1], errors[1:]))
    np.testing.assert_allclose(slopes, order, atol=0.15)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_dormand_prince_meets_its_tolerance(rtol):
    found = run(method="dopri5", rtol=rtol, atol=rtol, output_step=0.1)
    assert error(found) < 300 * rtol


def test_dense_output_has_the_accuracy_of_the_steps():
    found = run(method="dopri5", rtol=1e-10, atol=1e-12, output_step=1e-3)
    assert found.statistics["steps"] < 500  # two outputs and more in a step
    assert error(found, reference(1001)) < 1e-7


def test_methods_of_scipy_are_at_hand():
    assert error(run(method="DOP853", rtol=1e-11, atol=1e-11, output_step=0.1)) < 1e-8


@pytest.mark.parametrize(("method", "limit"), [("rk4", 1e-11), ("dopri5", 1e-7), ("DOP853", 1e-7)])
def test_energy_is_kept(method, limit):
    assert run(method=method, step=2e-4, output_step=0.1).drift < limit


def test_the_energy_check_fails_where_steps_are_too_large():
    with pytest.warns(SimulationWarning) as heard:
        found = run(step=0.1, end=6.0, output_step=0.1)
    assert any("energy balance drifts" in str(w.message) for w in heard)
    assert found.complete and not found.trusted


def test_python_and_fortran_take_the_same_steps():
    zero = np.zeros(2)
    compiled = run(step=1e-2, output_step=0.1)
    in_python = run(step=1e-2, output_step=0.1, torque=lambda t, q, qd: zero)
    for name in ("q", "qd", "qdd", "tau", "tip", "kinetic", "potential"):
        np.testing.assert_allclose(in_python[name], compiled[name], atol=1e-11)
    assert in_python.statistics["steps"] == compiled.statistics["steps"] == 100


def test_a_step_beyond_stability_is_refused_and_a_coarse_one_warned_of():
    with pytest.raises(SimulationError, match="where RK4 becomes unstable"):
        run(step=2.0)
    arm = flexgen.load(CASES / "double_flexible_pendulum.toml")
    with pytest.warns(SimulationWarning, match="1/30 of the shortest period"):
        simulate(arm, 0.01, step=2e-3, passes="none")


def test_without_a_compiler_python_does_it(monkeypatch):
    from flexgen.build import CompilerMissing
    from flexgen.simulate import run as module

    expected = run(step=1e-2, output_step=0.1)

    def missing(*_):
        raise CompilerMissing("no compiler")

    monkeypatch.setattr(module, "library", missing)
    with pytest.warns(RuntimeWarning, match="simulating in Python"):
        found = run(step=1e-2, output_step=0.1)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-11)
