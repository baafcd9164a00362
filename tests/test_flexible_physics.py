"""What flexible arms must do: rigid limits, frequencies, known arms."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from flexible_arms import (
    CONSISTENT,
    FIRST_ORDER,
    KING,
    NOTHING,
    WITHOUT_SHORTENING,
    any_body,
    beam_link,
    large_state,
    point,
)
from scipy.integrate import solve_ivp

from flexgen.formulations import flexible_composite, king, newton_euler, origin, terms
from flexgen.formulations.routines import task
from flexgen.graph.trace import trace
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com, join
from flexgen.manipulator.beam import Beam
from flexgen.manipulator.generic import generic_arm

FREE, STILL = np.zeros(6), np.zeros(3)
STEEL = {"EIy": 203.5752, "EIz": 203.5752, "GJ": 168.967416, "polar_inertia": 8.99999e-6}


def rods(seed, modes):
    """Flexible links and the rigid ones that they are when nothing bends."""
    rng = np.random.default_rng(seed)
    flexible, rigid = [], []
    for _ in range(3):
        a, d, alpha, theta = rng.uniform(0.5, 1.0), *rng.normal(size=3)
        beam = Beam(a, 1.0 + rng.random(), 40.0, 50.0, 30.0, 0.02, modes)
        hub, tip = any_body(rng), any_body(rng)
        link = beam_link(beam, alpha, d, tip, hub, theta)
        across = beam.mass * a * a / 12.0
        rod = body_about_com(
            beam.mass, np.array([-a / 2, 0.0, 0.0]), np.diag([0.02 * a, across, across])
        )
        flexible.append(link)
        rigid.append(Link("revolute", link.dh, join(join(rod, hub), tip)))
    return Manipulator("bent", tuple(flexible)), Manipulator("rigid", tuple(rigid))


def count(arm, inverse):
    g = np.asarray(arm.gravity)
    sizes = dict.fromkeys(("q", "qd", "qdd"), arm.n)
    found = trace(lambda *state: inverse(arm, *state, g, FREE), sizes, ("tau",), "inverse").count()
    return found.mul, found.add


def without_groups(*arguments):
    return origin.inverse(*arguments, parallel=False)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_rigid_arm_costs_no_more_than_rigid_formulations(convention):
    arm = generic_arm(6, convention=convention)
    assert count(arm, king.inverse) == count(arm, without_groups)
    assert sum(count(arm, king.inverse)) < sum(count(arm, newton_euler.inverse))


def test_unit_accelerations_take_the_rows_that_cost_less():
    arm, _ = rods(0, (0, 1, 1))

    def other_triangle(q):
        columns = [terms.inertial(king.inverse, arm, q, e) for e in np.eye(arm.n)]
        rank = [arm.chain.index(j) for j in range(arm.n)]
        pick = [
            [(i, j) if rank[i] >= rank[j] else (j, i) for j in range(arm.n)] for i in range(arm.n)
        ]
        return np.array([[columns[i][j] for i, j in row] for row in pick])

    def total(function):
        return trace(function, {"q": arm.n}, ("h",), "inertia").count().total

    assert total(lambda q: terms.inertia(king.inverse, arm, q)) < total(other_triangle)


def test_beams_without_modes_are_rigid_rods_operation_for_operation():
    bent, rigid = rods(0, (0, 0, 0))
    assert bent.n == 3
    assert count(bent, king.inverse) == count(rigid, without_groups)
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.normal(size=(3, 3))
    found = task(bent, "inverse").ways["newton-euler"](q, qd, qdd)
    expected = newton_euler.inverse(rigid, q, qd, qdd, np.asarray(rigid.gravity), FREE)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_straight_arm_at_rest_in_its_modes_is_the_rigid_arm():
    bent, rigid = rods(1, (1, 2, 1))
    rng = np.random.default_rng(5)
    q, qd, qdd = np.zeros((3, bent.n))
    q[:3], qd[:3], qdd[:3] = rng.normal(size=(3, 3))
    found = king.inverse(bent, q, qd, qdd, np.asarray(bent.gravity), FREE)[:3]
    g = np.asarray(rigid.gravity)
    expected = newton_euler.inverse(rigid, q[:3], qd[:3], qdd[:3], g, FREE)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_stiff_arms_approach_the_rigid_arm_as_one_over_stiffness():
    bent, rigid = rods(1, (1, 2, 1))
    rng = np.random.default_rng(6)
    angles, rates, torque = rng.normal(size=(3, 3))
    g = np.asarray(rigid.gravity)
    H = terms.inertia(newton_euler.inverse, rigid, angles)
    b = newton_euler.inverse(rigid, angles, rates, np.zeros(3), g, FREE)
    expected = np.linalg.solve(H, torque - b)

    def accelerations(factor):
        """Joint accelerations when deflections have settled: modal rows zero."""
        links = tuple(
            replace(x, beam=replace(x.beam, EIy=40 * factor, EIz=50 * factor, GJ=30 * factor))
            for x in bent.links
        )
        arm = replace(bent, links=links)
        qd = np.zeros(arm.n)
        qd[:3] = rates
        aim = np.zeros(arm.n)
        aim[:3] = torque

        def rest(x):
            q, qdd = np.zeros(arm.n, complex), np.zeros(arm.n, complex)
            q[:3], qdd[:3], q[3:] = angles, x[:3], x[3:]
            return king.inverse(arm, q, qd, qdd, g, FREE) - aim

        x = np.zeros(arm.n)
        x[:3] = expected
        for _ in range(4):
            slope = np.array([rest(x + 1e-30j * e).imag / 1e-30 for e in np.eye(arm.n)]).T
            x = x - np.linalg.solve(slope, rest(x).real)
        assert np.abs(rest(x)).max() < 1e-9
        return x[:3]

    near, far = (np.abs(accelerations(f) - expected).max() for f in (1e5, 1e4))
    assert near < 1e-2
    np.testing.assert_allclose(far / near, 10.0, rtol=0.02)


def linearised(arm, q):
    """Inertia and stiffness about a posture at rest."""
    slope = [terms.gravity(king.inverse, arm, q + 1e-30j * e).imag / 1e-30 for e in np.eye(arm.n)]
    return flexible_composite.inertia(arm, q), np.array(slope).T


def frequencies(H, K):
    return np.sqrt(np.abs(scipy.linalg.eigh(K, H, eigvals_only=True))) / (2 * np.pi)


# El-Rayyes (1990), single steel link, clamped: static shares and frequencies in Hz
CLAMPED = [
    ((0, 4, 0), [0.97069, 0.02472, 0.00315, 0.00082], [11.29, 70.76, 198.1, 388.3], 10.0, 0.01637),
    ((0, 0, 4), [0.97069, 0.02472, 0.00315, 0.00082], [11.29, 70.76, 198.1, 388.3], 10.0, 0.01637),
    ((4, 0, 0), [0.8106, 0.0901, 0.0324, 0.0165], [1083, 3250, 5416, 7582], 12.0, 0.0710196),
]


@pytest.mark.parametrize(("modes", "shares", "hertz", "load", "static"), CLAMPED)
def test_published_single_link(modes, shares, hertz, load, static):
    arm = Manipulator(
        "single", (beam_link(Beam(1.0, 0.5, modes=modes, **STEEL)),), gravity=(0.0, 0.0, 0.0)
    )
    H, K = linearised(arm, np.zeros(5))
    found = frequencies(H[1:, 1:], K[1:, 1:])
    # printed with the rounding of the thesis, 7582.6 as 7582
    np.testing.assert_allclose(found, hertz, atol=0.7 if modes[0] else 0.051)
    wrench = np.zeros(6)
    wrench[3 if modes[0] else 1 if modes[1] else 2] = load
    push = terms.external(king.inverse, arm, np.zeros(5), wrench)[1:]
    deflection = np.linalg.solve(K[1:, 1:], push)
    tips = push / load * deflection
    whole = load / (STEEL["GJ"] if modes[0] else 3 * STEEL["EIz"])
    np.testing.assert_allclose(whole, static, rtol=3e-4)
    np.testing.assert_allclose(tips / whole, shares, atol=6e-5 if modes[0] else 6e-6)


def test_a_horizontal_beam_sags_under_its_weight():
    beam = Beam(1.3, 0.5, 203.0, 150.0, modes=(0, 0, 6))
    arm = Manipulator("sag", (beam_link(beam),), gravity=(0.0, 0.0, -9.81))

    # small enough to be linear; the tip of a uniform beam sags by m g a^3 / 8 EI
    _, K = linearised(arm, np.zeros(7))
    load = terms.gravity(king.inverse, arm, np.zeros(7))
    z = -np.linalg.solve(K[1:, 1:], load[1:])
    tip = 2.0 * (-1.0) ** np.arange(6) @ z
    np.testing.assert_allclose(tip, -0.5 * 9.81 * 1.3**3 / (8 * 203.0), rtol=2e-5)


# zeros from hub torque to tip position with clamped modes, rad/s (EI 10.178 N m^2, 0.3137 kg/m)
ZEROS = {
    1: [54.0],
    2: [64.67, 185.6],
    3: [63.61, 280.9 - 130.5j, 280.9 + 130.5j],
    4: [63.74, 303.8, 415.7 - 335.2j, 415.7 + 335.2j],
    6: [63.72, 337.0, 616.7 - 287.3j, 616.7 + 287.3j],
}


@pytest.mark.parametrize("modes", ZEROS)
def test_non_minimum_phase_zeros(modes):
    beam = Beam(1.0, 0.3137, 10.178, 10.178, modes=(0, modes, 0))
    arm = Manipulator("zeros", (beam_link(beam),), gravity=(0.0, 0.0, 0.0))
    H, K = linearised(arm, np.zeros(arm.n))
    output = np.array([1.0, *(2.0 * (-1.0) ** np.arange(modes))])
    A = np.zeros((arm.n + 1, arm.n + 1))
    A[:-1, :-1], A[0, -1], A[-1, :-1] = K, -1.0, output
    B = np.zeros_like(A)
    B[:-1, :-1] = -H
    squares = scipy.linalg.eig(A, B, right=False)
    squares = squares[np.isfinite(squares) & (np.abs(squares) < 1e8)]
    # rounded, so that a conjugate pair has one real part and sorts by its imaginary part
    found = np.sort_complex(np.round(np.sqrt(squares.astype(complex)), 6))[: len(ZEROS[modes])]
    np.testing.assert_allclose(found, ZEROS[modes], atol=0.06)


# two-link arm of De Luca and Siciliano (1991): beam finite elements, joints locked and free, Hz
ARM_FREQUENCIES = [
    (0.0, [0.4381, 1.9728, 2.6689, 16.118], [1.4199, 2.6473, 16.117, 22.126]),
    (np.pi / 4, [0.4488, 1.8855, 2.6383, 16.028], [1.4204, 2.5766, 16.028, 22.115]),
    (np.pi / 2, [0.4780, 1.6914, 2.6779, 15.950], [1.4210, 2.5128, 15.950, 22.105]),
]


def loaded_link(mass, inertia, tip, modes=5):
    beam = Beam(
        0.5,
        0.1,
        1.0,
        1.0,
        modes=(0, modes, 0),
        shape="clamped-mass",
        boundary_mass=mass,
        boundary_inertia=inertia,
    )
    hub = body_about_com(0.0, np.array([-0.5, 0.0, 0.0]), np.diag([0.0, 0.0, 0.1]))
    return beam_link(beam, tip=tip, hub=hub)


@pytest.mark.parametrize(("elbow", "locked", "free"), ARM_FREQUENCIES)
def test_frequencies_of_a_whole_arm(elbow, locked, free):
    links = (
        loaded_link(1.2, 0.133833, point(1.0)),
        loaded_link(0.1, 5e-4, point(0.1, (0.0, 0.0, 5e-4))),
    )
    arm = Manipulator("arm", links, gravity=(0.0, 0.0, 0.0))
    q = np.zeros(arm.n)
    q[1] = elbow
    H, K = linearised(arm, q)
    np.testing.assert_allclose(frequencies(H[2:, 2:], K[2:, 2:])[:4], locked, rtol=1e-4)
    np.testing.assert_allclose(frequencies(H, K)[2:6], free, rtol=1e-4)


def spun_up(assumptions, modes, end):
    """Tip deflection of the beam of Simo and Vu-Quoc while its hub turns ever faster."""
    beam = Beam(10.0, 12.0, 1.4e4, 1.4e4, modes=(0, modes, 0))
    arm = Manipulator("spin", (beam_link(beam),), gravity=(0.0, 0.0, 0.0), assumptions=assumptions)
    w = 2 * np.pi / 15

    def rates(t, x):
        y, yd = x[:modes], x[modes:]
        angle = 0.4 * (t * t / 2 + (np.cos(w * t) - 1) / w**2)
        q, qd = np.array([angle, *y]), np.array([0.4 * (t - np.sin(w * t) / w), *yd])
        pushed = np.array([0.4 * (1 - np.cos(w * t)), *np.zeros(modes)])
        b = king.inverse(arm, q, qd, pushed, STILL, FREE)[1:]
        H = flexible_composite.inertia(arm, q)[1:, 1:]
        return np.concatenate([yd, np.linalg.solve(H, -b)])

    times = np.linspace(0.0, end, 400)
    found = solve_ivp(rates, (0.0, end), np.zeros(2 * modes), "LSODA", times, rtol=1e-6, atol=1e-8)
    return 2.0 * (-1.0) ** np.arange(modes) @ found.y[:modes]


@pytest.mark.parametrize(("modes", "lag"), [(1, -0.5783), (2, -0.5736)])
def test_a_beam_that_is_spun_up_stiffens(modes, lag):
    np.testing.assert_allclose(spun_up(FIRST_ORDER, modes, 9.0).min(), lag, atol=1.5e-4)


def test_full_shortening_meets_the_nonlinear_beam():
    # a nonlinear finite element beam lags by 0.5738
    np.testing.assert_allclose(spun_up(CONSISTENT, 2, 9.0).min(), -0.5738, rtol=4e-3)


def test_a_beam_without_shortening_diverges_when_spun_up():
    assert np.abs(spun_up(WITHOUT_SHORTENING, 1, 9.3)).max() > 8.0


def test_a_tip_mass_is_the_same_at_the_joint_of_the_next_link():
    # with any rotation of the tip: the point is one and the same
    beam = Beam(0.8, 1.2, 40.0, 60.0, 30.0, 0.02, (1, 1, 1))
    body = body_about_com(0.5, np.array([-0.1, 0.02, 0.03]), np.diag([0.004, 0.006, 0.005]))
    dh = DH(0.3, angle(1.1), 0.2, angle(0.4))
    at_joint = np.array([-dh.a, -dh.d * dh.alpha.sin, -dh.d * dh.alpha.cos])
    mass = body_about_com(0.7, at_joint, np.zeros((3, 3)))
    for assumptions in (KING, CONSISTENT):
        arms = [
            Manipulator(
                "m",
                (beam_link(beam, 0.5, 0.1, tip), Link("revolute", dh, last)),
                assumptions=assumptions,
            )
            for tip, last in ((point(0.7), body), (NOTHING, join(body, mass)))
        ]
        state = large_state(arms[0])[:3]
        one, two = (king.inverse(x, *state, np.asarray(x.gravity), FREE) for x in arms)
        np.testing.assert_allclose(one, two, rtol=1e-11)
