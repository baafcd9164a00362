"""Formulations against closed forms, one another, and the identities of mechanics."""

import numpy as np
import pytest

from flexgen.formulations import composite, hollerbach, kinematics, newton_euler, terms
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com

NE = newton_euler.inverse
TIGHT = 1e-12


def any_arm(seed, joints="RRPRPR", convention="standard"):
    """An arm with nothing special: generic twists, offsets, bodies."""
    rng = np.random.default_rng(seed)
    links = []
    for kind in joints:
        A = rng.normal(size=(3, 3))
        dh = DH(rng.normal(), angle(rng.normal()), rng.normal(), angle(rng.normal()))
        body = body_about_com(1 + rng.random(), rng.normal(size=3), A @ A.T)
        links.append(Link("prismatic" if kind == "P" else "revolute", dh, body))
    gravity = tuple(rng.normal(size=3))
    return Manipulator("any", tuple(links), convention, gravity)


def state(arm, seed=0):
    rng = np.random.default_rng(seed)
    return (*rng.normal(size=(3, arm.n)), rng.normal(size=6))


def close(actual, expected, rtol=TIGHT):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * np.abs(expected).max())


ARMS = [
    any_arm(seed, joints, convention)
    for convention in ("standard", "modified")
    for seed, joints in enumerate(("R", "P", "RR", "RPR", "RRPRPR", "RRRRRRR"))
]
arms = pytest.mark.parametrize("arm", ARMS, ids=lambda a: f"{a.convention}-{a.n}")


@arms
def test_newton_euler_equals_the_recursive_lagrangian(arm):
    q, qd, qdd, wrench = state(arm)
    g = np.asarray(arm.gravity)
    close(NE(arm, q, qd, qdd, g, wrench), hollerbach.inverse(arm, q, qd, qdd, g, wrench))


@arms
def test_the_terms_add_up(arm):
    q, qd, qdd, wrench = state(arm)
    whole = NE(arm, q, qd, qdd, np.asarray(arm.gravity), wrench)
    parts = (
        terms.inertial(NE, arm, q, qdd)
        + terms.coriolis(NE, arm, q, qd)
        + terms.gravity(NE, arm, q)
        - terms.external(NE, arm, q, wrench)
    )
    close(parts, whole)
    close(terms.inertia(NE, arm, q) @ qdd + terms.bias(NE, arm, q, qd, wrench), whole)


@arms
def test_unit_accelerations_and_composite_bodies_give_one_inertia_matrix(arm):
    q = state(arm)[0]
    by_columns = np.array([terms.inertial(NE, arm, q, e) for e in np.eye(arm.n)]).T
    close(by_columns, by_columns.T)
    close(composite.inertia(arm, q), by_columns)
    assert np.linalg.eigvalsh(by_columns).min() > 0


@arms
def test_jacobian_by_velocities_equals_jacobian_by_unit_wrenches(arm):
    q = state(arm)[0]
    close(kinematics.jacobian(arm, q), terms.jacobian(NE, arm, q))


@arms
def test_jacobian_is_the_derivative_of_the_pose(arm):
    q = state(arm)[0]
    step = 1e-30
    R, _ = kinematics.pose(arm, q)
    for k, column in enumerate(kinematics.jacobian(arm, q).T):
        moved = q.astype(complex)
        moved[k] += 1j * step
        turned, shifted = kinematics.pose(arm, moved)
        v = R.T @ shifted.imag / step
        spin = R.T @ turned.imag / step
        close(np.concatenate([v, [spin[2, 1], spin[0, 2], spin[1, 0]]]), column)


@arms
def test_coriolis_torques_do_the_work_of_the_changing_inertia(arm):
    # qd . c(q, qd) = 1/2 qd . Hdot qd
    q, qd, _, _ = state(arm)
    step = 1e-30
    moved = q + 1j * step * qd
    rate = terms.inertia(NE, arm, moved).imag / step
    power = qd @ terms.coriolis(NE, arm, q, qd)
    np.testing.assert_allclose(power, 0.5 * qd @ rate @ qd, rtol=1e-10, atol=1e-10)


def test_pendulum_closed_form():
    m, c, J, g = 2.0, 0.7, 0.3, 9.81
    body = body_about_com(m, np.array([c - 1.0, 0, 0]), np.diag([0.1, 0.2, J]))
    link = Link("revolute", DH(1.0, angle(0.0), 0.0, angle(0.0)), body)
    arm = Manipulator("p", (link,), gravity=(0.0, -g, 0.0))
    q, qdd = 0.4, 1.7
    tau = NE(arm, [q], [3.0], [qdd], np.asarray(arm.gravity), np.zeros(6))
    close(tau, [(J + m * c * c) * qdd + m * g * c * np.cos(q)])


def test_two_link_closed_form():
    m1, m2, a1, c1, c2, J1, J2, g = 1.5, 0.8, 0.9, 0.4, 0.3, 0.11, 0.07, 9.81
    one, two = (
        Link(
            "revolute",
            DH(a, angle(0.0), 0.0, angle(0.0)),
            body_about_com(m, np.array([c - a, 0.0, 0.0]), np.diag([0.0, J, J])),
        )
        for a, m, c, J in ((a1, m1, c1, J1), (1.0, m2, c2, J2))
    )
    arm = Manipulator("pp", (one, two), gravity=(0.0, -g, 0.0))
    q, qd, qdd, _ = state(arm)
    cos2, sin2 = np.cos(q[1]), np.sin(q[1])
    h12 = J2 + m2 * c2 * (c2 + a1 * cos2)
    h11 = J1 + m1 * c1**2 + J2 + m2 * (a1**2 + c2**2 + 2 * a1 * c2 * cos2)
    h22 = J2 + m2 * c2**2
    k = m2 * a1 * c2 * sin2
    g2 = m2 * g * c2 * np.cos(q[0] + q[1])
    g1 = (m1 * c1 + m2 * a1) * g * np.cos(q[0]) + g2
    tau = [
        h11 * qdd[0] + h12 * qdd[1] - k * (2 * qd[0] * qd[1] + qd[1] ** 2) + g1,
        h12 * qdd[0] + h22 * qdd[1] + k * qd[0] ** 2 + g2,
    ]
    close(NE(arm, q, qd, qdd, np.asarray(arm.gravity), np.zeros(6)), tau)


def test_quarter_turns_leave_exact_zeros():
    quarter = angle(np.pi / 2)
    assert (quarter.cos, quarter.sin) == (0.0, 1.0)
    assert angle(-np.pi / 2).sin == -1.0
    assert angle(np.pi).cos == -1.0
    assert angle(np.pi / 3).cos == 0.5
    assert angle(5 * np.pi / 6).sin == 0.5
    for value in np.arange(-30, 30) * np.pi / 12:
        found = angle(value)
        np.testing.assert_allclose(
            [found.cos, found.sin], [np.cos(value), np.sin(value)], atol=1e-14
        )
    near = angle(1.5708)
    assert near.cos == np.cos(1.5708)
