"""Derivatives of the dynamics: against Pinocchio, complex steps and identities."""

from functools import cache

import numpy as np
import pytest
from conftest import CASES, read_quietly
from flexible_arms import CONSISTENT, KING, printed_arm
from test_formulations import any_arm

from flexgen import pipeline
from flexgen.derivatives import DERIVATIVES, agrees, derived, ways
from flexgen.formulations import newton_euler
from flexgen.formulations.inverse_derivatives import inverse_derivatives
from flexgen.formulations.kinematics import pose
from flexgen.formulations.routines import task
from flexgen.graph.derive import jacobian
from flexgen.graph.evaluate import evaluate
from flexgen.graph.node import const
from flexgen.graph.program import Input, Output, Program

LIMIT = 1e-9
STEP = 1e-30
FREE = np.zeros(6)


def case(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


RIGID = {
    name: case(name)
    for name in ("pendulum", "scara", "puma560", "stanford", "modified_rpr", "puma560_modified")
} | {
    f"{joints} {convention}": any_arm(5, joints, convention)
    for joints in ("PRP", "RRPR")
    for convention in ("standard", "modified")
}
FLEXIBLE = {
    "printed consistent": printed_arm(CONSISTENT),
    "printed king": printed_arm(KING),
    "arm_a": case("arm_a"),
    "single_link_hub": case("single_link_hub"),
}
ARMS = RIGID | FLEXIBLE


@cache
def programs(name):
    """`part` of an arm; nothing is cleared, since values are what is tested here."""
    arm = ARMS[name]

    @cache
    def part(routine):
        if routine in DERIVATIVES:
            return derived(routine, part, arm)
        return pipeline.program(arm, routine, passes="none")

    return part


def states(arm, count=5):
    rng = np.random.default_rng(2)
    q, qd, third = rng.uniform(-1.5, 1.5, (3, count, arm.n))
    q[:, arm.n_joints :] *= 0.1
    return list(zip(q, qd, third, strict=True))


def close(actual, expected, limit=LIMIT):
    assert np.abs(actual - expected).max() <= limit * max(np.abs(expected).max(), 1e-3)


def complex_steps(function, x, shape):
    """Derivative of `function` by every entry of x, as the last axis."""
    columns = [
        np.asarray(function(x + 1j * STEP * unit), dtype=complex).imag / STEP
        for unit in np.eye(len(x))
    ]
    return np.stack(columns, axis=-1).reshape(*shape, len(x))


@pytest.mark.parametrize("name", RIGID)
def test_inverse_derivatives_are_those_of_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    from pinocchio_arm import pinocchio_model

    arm = RIGID[name]
    model, _ = pinocchio_model(arm)
    data = model.createData()
    for q, qd, qdd in states(arm):
        pin.computeRNEADerivatives(model, data, q, qd, qdd)
        for program in ways("inverse_derivatives", programs(name), arm):
            by_q, by_qd = evaluate(program, q, qd, qdd)
            close(by_q, data.dtau_dq)
            close(by_qd, data.dtau_dv)


@pytest.mark.parametrize("name", RIGID)
def test_direct_derivatives_are_those_of_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    from pinocchio_arm import pinocchio_model

    arm = RIGID[name]
    model, _ = pinocchio_model(arm)
    data = model.createData()
    program = programs(name)("direct_derivatives")
    for q, qd, tau in states(arm):
        by_q, by_qd, by_tau, pivots, diagonal = evaluate(program, q, qd, tau)
        pin.computeABADerivatives(model, data, q, qd, tau)
        upper = np.triu(data.Minv)
        close(by_q, data.ddq_dq)
        close(by_qd, data.ddq_dv)
        close(by_tau, upper + np.triu(upper, 1).T)
        H = np.triu(pin.crba(model, data, q))
        close(diagonal, np.diag(H))
        sign, logarithm = np.linalg.slogdet(H + np.triu(H, 1).T)
        close(np.sum(np.log(np.abs(pivots))), logarithm)
        assert np.prod(np.sign(pivots)) == sign


@pytest.mark.parametrize("name", FLEXIBLE)
def test_inverse_derivatives_of_flexible_arms_are_complex_steps(name):
    arm = FLEXIBLE[name]
    (inverse,) = task(arm, "inverse").ways.values()
    for q, qd, qdd in states(arm, 2):
        by_q = complex_steps(lambda x, qd=qd, qdd=qdd: inverse(x, qd, qdd), q, (arm.n,))
        by_qd = complex_steps(lambda x, q=q, qdd=qdd: inverse(q, x, qdd), qd, (arm.n,))
        for program in ways("inverse_derivatives", programs(name), arm):
            found = evaluate(program, q, qd, qdd)
            close(found[0], by_q)
            close(found[1], by_qd)


@pytest.mark.parametrize("name", FLEXIBLE)
def test_direct_derivatives_of_flexible_arms_are_complex_steps(name):
    arm = FLEXIBLE[name]
    (inverse,) = task(arm, "inverse").ways.values()
    inertia = task(arm, "inertia").ways["method 2"]
    program = programs(name)("direct_derivatives")

    def direct(q, qd, tau):
        H = np.asarray(inertia(q), dtype=complex)
        bias = np.asarray(inverse(q, qd, np.zeros(arm.n)), dtype=complex)
        return np.linalg.solve(H, tau - bias)

    for q, qd, tau in states(arm, 2):
        found = evaluate(program, q, qd, tau)
        shape = (arm.n,)
        by_q = complex_steps(lambda x, qd=qd, tau=tau: direct(x, qd, tau), q, shape)
        by_qd = complex_steps(lambda x, q=q, tau=tau: direct(q, x, tau), qd, shape)
        by_tau = complex_steps(lambda x, q=q, qd=qd: direct(q, qd, x), tau, shape)
        close(found[0], by_q)
        close(found[1], by_qd)
        close(found[2], by_tau)
        close(found[4], np.diag(inertia(q)))


@pytest.mark.parametrize("name", ARMS)
def test_inverse_of_the_inertia_matrix_is_symmetric_and_positive(name):
    arm = ARMS[name]
    program = programs(name)("direct_derivatives")
    for q, qd, tau in states(arm):
        _, _, H, pivots, diagonal = evaluate(program, q, qd, tau)
        assert np.array_equal(H, H.T)
        assert np.all(pivots > 0.0)
        assert np.all(diagonal >= pivots * (1.0 - 1e-12))
        assert np.linalg.eigvalsh(H).min() > 0.0


@pytest.mark.parametrize("name", ARMS)
def test_torques_do_not_depend_on_rates_to_first_order_at_rest(name):
    arm = ARMS[name]
    assert all(link.beam is None or not np.any(link.beam.damping_ratio) for link in arm.links)
    for q, _, qdd in states(arm, 2):
        by_rate = evaluate(programs(name)("inverse_derivatives"), q, np.zeros(arm.n), qdd)[1]
        assert np.abs(by_rate).max() == 0.0


@pytest.mark.parametrize("name", ("scara", "RRPR modified", "printed consistent"))
def test_rates_of_torques_obey_the_conditions_of_helmholtz(name):
    """dtau_i/dqd_j + dtau_j/dqd_i = 2 dH_ij/dt for every system that has a Lagrangian."""
    arm = ARMS[name]
    inertia = task(arm, "inertia").ways["method 2"]
    for q, qd, qdd in states(arm, 2):
        by_qd = evaluate(programs(name)("inverse_derivatives"), q, qd, qdd)[1]
        rate = np.asarray(inertia(q + 1j * STEP * qd), dtype=complex).imag / STEP
        close(by_qd + by_qd.T, 2.0 * rate)


@pytest.mark.parametrize("name", ("scara", "puma560", "RRPR modified", "printed consistent"))
def test_linearisation_holds_the_derivatives_of_direct_dynamics(name):
    arm, n = ARMS[name], ARMS[name].n
    part = programs(name)
    for q, qd, tau in states(arm, 2):
        a, b, *watched = evaluate(part("linearise"), q, qd, tau)
        by_q, by_qd, by_tau, *expected = evaluate(part("direct_derivatives"), q, qd, tau)
        assert np.array_equal(a, np.block([[np.zeros((n, n)), np.eye(n)], [by_q, by_qd]]))
        assert np.array_equal(b, np.vstack([np.zeros((n, n)), by_tau]))
        assert all(map(np.array_equal, watched, expected))


@pytest.mark.parametrize("name", ARMS)
def test_rate_of_the_jacobian_is_its_derivative_along_the_motion(name):
    arm = ARMS[name]
    jac = next(iter(task(arm, "jacobian").ways.values()))
    for q, qd, _ in states(arm, 2):
        (rate,) = evaluate(programs(name)("jacobian_rate"), q, qd)
        close(rate, np.asarray(jac(q + 1j * STEP * qd), dtype=complex).imag / STEP)


@pytest.mark.parametrize("name", RIGID)
def test_rate_of_the_jacobian_gives_the_acceleration_of_the_tip(name):
    """The tip position, differentiated twice in time: xdd = R (w x v + J qdd + Jd qd)."""
    arm, h = RIGID[name], 1e-3
    for q, qd, qdd in states(arm, 2):
        R, _ = pose(arm, q)
        (jac,) = evaluate(programs(name)("jacobian"), q)
        (rate,) = evaluate(programs(name)("jacobian_rate"), q, qd)
        v, w = np.split(jac @ qd, 2)
        found = R @ (np.cross(w, v) + (jac @ qdd + rate @ qd)[:3])
        # eighth order central differences of the position along q + qd t + qdd t^2/2
        weights = {0: -205 / 72, 1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}
        xdd = 0.0
        for k in range(-4, 5):
            xdd = xdd + weights[abs(k)] * pose(arm, q + qd * (k * h) + 0.5 * qdd * (k * h) ** 2)[1]
        close(found, xdd / h**2, 1e-7)


def test_recursion_works_on_numbers_and_gives_matrix_and_torques():
    arm = any_arm(7, "RPRR", "modified")
    gravity = np.asarray(arm.gravity)
    for q, qd, qdd in states(arm, 2):
        found = inverse_derivatives(arm, q, qd, qdd, gravity)
        _, _, H, tau = (np.asarray(x, float) for x in found)
        close(tau, newton_euler.inverse(arm, q, qd, qdd, gravity, FREE))
        close(H @ qdd, tau - newton_euler.inverse(arm, q, qd, 0.0 * qdd, gravity, FREE))


def test_a_recursion_that_misses_something_is_not_taken():
    part = programs("scara")
    found = ways("inverse_derivatives", part, ARMS["scara"])
    inverse = part("inverse")
    assert all(agrees(inverse, p) for p in found)
    rate = Input("qd", ARMS["scara"].n).entries[1]
    with_friction = inverse.with_roots((inverse.roots[0] + rate * rate, *inverse.roots[1:]))
    assert not any(agrees(with_friction, p) for p in found)
    kept = ways("inverse_derivatives", lambda name: with_friction, ARMS["scara"])
    assert kept and all(agrees(with_friction, p) for p in kept)


def test_rows_and_columns_give_one_jacobian():
    x, y = Input("x", 2), Input("y", 1)
    (a, b), (c,) = x.entries, y.entries
    roots = ((a / b).sin() * c, (a * a + const(2.0)).sqrt() - (b * c).exp(), c, a / b)
    program = Program("f", (x, y), (Output("u", (2,), roots[:2]), Output("v", (2,), roots[2:])))
    columns, rows = jacobian(program, "x", "y"), jacobian(program, "x", "y", by_rows=True)
    assert [o.name for o in rows.outputs] == ["du_dx", "dv_dx", "du_dy", "dv_dy"]
    at = np.array([0.3, 0.8]), np.array([0.6])
    for one, other in zip(evaluate(columns, *at), evaluate(rows, *at), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14, atol=1e-15)
    expected = complex_steps(lambda z: evaluate(program, z, at[1])[0], at[0], (2,))
    np.testing.assert_allclose(evaluate(rows, *at)[0], expected, rtol=1e-13)


def test_unknown_routines_are_refused():
    with pytest.raises(ValueError, match="inverse_derivatives"):
        derived("derivatives", programs("pendulum"))
