"""What drives an arm: laws against closed solutions, held coordinates, wrenches, payloads."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from conftest import CASES

import flexgen
from flexgen.build import find_compiler
from flexgen.simulate import (
    PD,
    ComputedTorque,
    Payload,
    SimulationError,
    polynomial,
    simulate,
    table,
)
from flexgen.simulate.run import quick_model

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")
INERTIA = 0.4  # of the pendulum about its joint


@cache
def arm(name, weightless=False):
    found = flexgen.load(CASES / f"{name}.toml")
    return replace(found, gravity=(0.0, 0.0, 0.0)) if weightless else found


def run(which, end, **options):
    return simulate(which, end, passes="none", **options)


def test_signals_are_what_they_say():
    t = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0])
    lines = table([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 4.0])
    np.testing.assert_allclose(lines(t)[:, 0], [0.0, 0.0, 0.5, 5.0, 4.5, 4.0, 4.0])
    assert lines.jumps == (1.0,) and lines(1.0, before=True)[0] == 1.0
    steps = table([0.0, 1.0, 2.0], [3.0, 4.0, 5.0], "steps")
    np.testing.assert_allclose(steps(t)[:, 0], [3.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0])
    cubic = polynomial([[1.0, -2.0, 0.0, 4.0]])
    np.testing.assert_allclose(cubic(t, 1)[:, 0], -2.0 + 12.0 * t**2)
    knots = np.linspace(0.0, 2.0, 9)
    np.testing.assert_allclose(table(knots, cubic(knots), "cubic")(t[1:5], 2), cubic(t[1:5], 2))


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0.0, 1.0, 0.5], [1.0, 2.0, 3.0], "time decreases in row 3"),
        ([0.0, 1.0], [1.0, np.nan], "not finite in row 2"),
        ([0.0, np.inf], [1.0, 2.0], "not finite in row 2"),
        ([0.0, 1.0], [1.0], "do not go with"),
    ],
)
def test_bad_tables_are_refused(times, values, message):
    with pytest.raises(ValueError, match=message):
        table(times, values)


def test_a_torque_that_jumps_between_steps_is_followed_exactly():
    free = arm("pendulum", weightless=True)
    torque = table([0.0, 0.3337, 0.3337, 1.0], [2.0, 2.0, -1.0, -1.0])
    found = run(free, 1.0, torque=torque, step=0.01, output_step=0.05)
    t = found.t
    late = np.maximum(t - 0.3337, 0.0)
    expected = (2.0 * t**2 / 2.0 - 3.0 * late**2 / 2.0) / INERTIA
    np.testing.assert_allclose(found.q[:, 0], expected, atol=1e-13)
    assert found.drift < 1e-13


@pytest.mark.parametrize("method", ["rk4", "dopri5", "implicit"])
def test_a_torque_that_grows_with_time(method):
    free = arm("pendulum", weightless=True)
    found = run(free, 1.0, torque=polynomial([[0.1, 0.6]]), method=method, step=1e-3)
    expected = (0.05 * found.t**2 + 0.1 * found.t**3) / INERTIA
    np.testing.assert_allclose(found.q[:, 0], expected, atol=1e-6)


def test_computed_torque_makes_errors_linear():
    t = np.linspace(0.0, 1.0, 21)
    reference = table(t, np.column_stack([np.sin(2.0 * t), t**2]), "cubic")
    law = ComputedTorque(kp=100.0, kd=20.0, reference=reference)
    found = run(arm("double_pendulum"), 1.0, torque=law, q0=[0.2, -0.1], step=1e-4)
    error = found.q - reference(found.t)
    rate = found.qd - reference(found.t, 1)
    # e'' + 20 e' + 100 e = 0: (e0 + (e0' + 10 e0) t) exp(-10 t)
    slope = rate[0] + 10.0 * error[0]
    expected = (error[0] + slope * found.t[:, None]) * np.exp(-10.0 * found.t)[:, None]
    np.testing.assert_allclose(error, expected, atol=1e-9)


def test_pd_control_in_fortran_is_that_in_python():
    reference = table([0.0, 0.4, 1.0], [[0.0, 0.0], [0.5, -0.3], [0.5, 0.2]])
    law = PD(kp=[50.0, 20.0], kd=2.0, reference=reference, feedforward=[1.0, 0.5])
    options = {"torque": law, "step": 1e-3, "output_step": 0.1}
    compiled = run(arm("double_pendulum"), 1.0, **options)
    in_python = run(arm("double_pendulum"), 1.0, **options, method="RK45", rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(in_python.q, compiled.q, atol=1e-6)
    np.testing.assert_allclose(in_python.tau, compiled.tau, atol=1e-4)


@pytest.mark.parametrize("law", [PD, ComputedTorque])
def test_only_joints_of_a_flexible_arm_are_controlled(law):
    flexible = arm("double_flexible_pendulum")
    torque = law(kp=[10.0, 5.0], kd=[1.0, 0.5], reference=[-1.5, 0.2])
    found = run(flexible, 0.2, torque=torque, q0=[-1.5, 0.0], step=2e-5, output_step=0.02)
    assert np.all(found.tau[:, 2:] == 0.0) and found.drift < 1e-9
    model = quick_model(flexible, "newton-euler")
    error, rate = torque.reference - found.q[:, :2], -found.qd[:, :2]
    expected = np.array(torque.kp) * error + np.array(torque.kd) * rate
    if law is ComputedTorque:
        still = np.zeros((3, len(found.t), 4))
        still[0, :, :2], still[1, :, :2], still[2, :, :2] = (
            found.q[:, :2],
            found.qd[:, :2],
            expected,
        )
        expected = model.inverse(*still)[:, :2]
    np.testing.assert_allclose(found.tau[:, :2], expected, atol=1e-9)


def test_records_obey_the_equations_of_motion():
    flexible = arm("double_flexible_pendulum")
    model = quick_model(flexible, "newton-euler")
    wrench, push = [1.0, 2.0, 0.0, 0.0, 0.0, 0.5], [0.5, 0.0, 0.1, 0.0]
    found = run(flexible, 0.3, wrench=wrench, torque=push, hold=["joint2"], q0=[-1.0, 0.4])
    tau = model.inverse(found.q, found.qd, found["qdd"].values, wrench)
    np.testing.assert_allclose(found.tau, tau, atol=1e-9)
    np.testing.assert_allclose(found.tau[:, [0, 2, 3]], np.tile([0.5, 0.1, 0.0], (1001, 1)))
    assert np.all(found.q[:, 1] == 0.4) and np.all(found.qd[:, 1] == 0.0)
    np.testing.assert_allclose(found.tip, model.pose(found.q)[:, :3, 3], atol=1e-12)


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_held_coordinates_and_wrenches_in_python_are_those_in_fortran(method):
    flexible = arm("double_flexible_pendulum")
    options = {
        "wrench": table([0.0, 0.1, 0.1, 0.2], [[0.0] * 6, [1.0] * 6, [0.0] * 6, [2.0] * 6]),
        "frame": "base",
        "hold": ["joint2"],
        "q0": [-1.0, 0.4],
        "torque": lambda t, q, qd: np.array([0.5, 0.0]),
        "output_step": 0.02,
    }
    in_python = run(flexible, 0.2, **options, method=method, step=1e-3)
    options["torque"] = [0.5, 0.0]
    compiled = run(flexible, 0.2, **options, step=2e-4 if method == "DOP853" else 1e-3)
    for name in ("q", "qd", "qdd", "tau", "work", "potential"):
        scale = float(np.abs(compiled[name]).max())
        np.testing.assert_allclose(in_python[name], compiled[name], atol=1e-6 * scale)


def test_a_model_serves_as_its_arm():
    model = flexgen.build(arm("double_pendulum"), passes="none")
    found = simulate(model, 0.5, q0=[0.3, 0.1])
    assert '"passes": "none"' in found.dataset.attrs["options"]
    np.testing.assert_array_equal(found.q, run(arm("double_pendulum"), 0.5, q0=[0.3, 0.1]).q)


def test_a_force_in_the_base_is_like_a_weight():
    # 3 N downwards at the tip: T + V + 3 y is kept
    found = run(arm("pendulum"), 2.0, wrench=[0.0, -3.0, 0.0, 0.0, 0.0, 0.0], frame="base")
    total = found["kinetic"] + found["potential"] + 3.0 * found["tip"].sel(axis="y")
    np.testing.assert_allclose(total, total[0], atol=1e-9)
    np.testing.assert_allclose(found["wrench_work"], -3.0 * found.tip[:, 1], atol=1e-9)


def test_prescribed_motion_is_followed_and_its_work_counted():
    t = np.linspace(0.0, 1.0, 101)
    signal = table(t, 0.5 * (1.0 - np.cos(2.0 * t)), "cubic")
    found = run(arm("double_pendulum"), 1.0, motion={"joint1": signal}, step=1e-4)
    for values, order in ((found.q, 0), (found.qd, 1), (found["qdd"].values, 2)):
        expected = signal(found.t, order, before=True)[1:, 0]
        np.testing.assert_allclose(values[1:, 0], expected, atol=1e-12)
    assert abs(found["torque_work"][-1]) > 0.1 and found.drift < 1e-9


def test_a_payload_that_moves_with_the_hand_changes_no_rate():
    found = run(
        arm("double_pendulum"),
        1.0,
        payload=Payload(0.45, 0.5, inertia=1e-3 * np.eye(3)),
        step=1e-4,
        output_step=1e-3,
    )
    qdd = found["qdd"].values
    rest = np.diff(found.qd, axis=0) - 0.5e-3 * (qdd[1:] + qdd[:-1])
    assert np.abs(rest).max() < 0.1  # a jerk would change a rate by more than that
    brought = found["exchanged"].values
    assert np.all(brought[:451] == 0.0) and abs(brought[-1]) > 0.1
    assert found.drift < 1e-9


def test_a_payload_at_rest_is_an_impact():
    free = arm("pendulum", weightless=True)
    taken = Payload(0.5, 0.6, grasp="resting")
    found = run(free, 1.0, qd0=[2.0], payload=[taken, Payload(0.75, 0.0)], output_step=0.125)
    after = 2.0 * INERTIA / (INERTIA + 0.6)  # m l^2 = 0.6
    np.testing.assert_allclose(found.qd[:5, 0], 2.0, rtol=1e-12)
    np.testing.assert_allclose(found.qd[5:, 0], after, rtol=1e-12)
    # half m l^2 qd^2 goes with the payload that is laid down
    np.testing.assert_allclose(found["kinetic"][7:], 0.5 * INERTIA * after**2, rtol=1e-12)
    assert found.drift < 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q0": [1.0, 2.0, 3.0]}, "q0 must have shape"),
        ({"q0": {"joint3": 1.0}}, "no coordinate 'joint3'; did you mean"),
        ({"qd0": [np.nan, 0.0]}, "qd0 must be finite"),
        ({"torque": [1.0, 2.0, 3.0]}, "torque: 2 values are expected"),
        ({"wrench": [1.0]}, "wrench: 6 values are expected"),
        ({"hold": ["joint1", "joint2"]}, "nothing is left to move"),
        ({"motion": {"joint1": table([0, 1, 2], [0, 1, 0])}}, "rate of joint1 jumps at t = 1"),
        ({"method": "rk5"}, "method must be one of"),
        ({"step": 0.0}, "step must be positive"),
        ({"output_step": -1.0}, "output_step must be positive"),
        ({"payload": Payload(7.0, 1.0)}, "not within the run"),
        ({"payload": [Payload(0.5, 1.0), Payload(0.5, 2.0)]}, "have the same time"),
        ({"q0": "level"}, "q0 must hold numbers"),
        ({"torque": lambda t, q, qd: [np.nan, 0.0]}, "not finite"),
        ({"frame": "world"}, "frame must be"),
        ({"torque": PD([1, 2, 3], 1, [0, 0])}, "kp: one finite number or 2"),
        ({"torque": lambda t, q, qd: [1.0] * 5}, "the function returned the shape"),
        ({"torque": [np.inf, 0.0]}, "not finite"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        run(arm("double_pendulum"), 1.0, **options)
    with pytest.raises(SimulationError, match="t_end must be positive"):
        run(arm("double_pendulum"), 0.0)
