"""Flexible arms, compiled: values, energy, the stiff limit, and when the model does not hold."""

import warnings
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from conftest import CASES, ORACLE, TWO_WAYS, read_quietly
from energy_oracle import energies
from flexible_arms import beam_link, point
from scipy.integrate import solve_ivp

import flexgen
from flexgen.formulations import flexible_composite, flexible_kinematics, king, terms
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import CONSISTENT, DH, KING, Link, Manipulator, body_about_com
from flexgen.manipulator.beam import Beam
from flexgen.model import ModelWarning
from flexgen.start.flexible import softened, spin_limits, spins
from flexgen.verify import random_states, verify

NAMES = ("arm_a", "arm_k", "double_flexible_pendulum")
WAVE = 1.8751040687119611  # first root of cos b cosh b = -1


@pytest.fixture(scope="module", params=NAMES)
def built(request):
    """Arm, compiled model and interpreted model, with few passes."""
    arm = read_quietly(CASES / f"{request.param}.toml").manipulator
    compiled = flexgen.build(arm, "fortran", passes="classic")
    return arm, compiled, flexgen.build(arm, "numpy", passes="none")


def test_compiled_is_interpreted(built):
    arm, compiled, interpreted = built
    s = random_states(arm, 50, seed=3)
    for name, arguments in {
        "inverse": (s.q, s.qd, s.qdd),
        "inertia": (s.q,),
        "bias": (s.q, s.qd),
        "gravity": (s.q,),
        "jacobian": (s.q,),
        "external": (s.q, s.wrench),
        "direct": (s.q, s.qd, s.qdd),
    }.items():
        one, two = (getattr(m, name)(*arguments) for m in (compiled, interpreted))
        np.testing.assert_allclose(one, two, rtol=ORACLE, atol=1e-11 * np.abs(two).max())


def test_compiled_is_the_recursion_on_floats(built):
    arm, compiled, _ = built
    s = random_states(arm, 5, seed=4)
    g = np.asarray(arm.gravity)
    for q, qd, qdd, wrench in zip(s.q, s.qd, s.qdd, s.wrench, strict=True):
        expected = king.inverse(arm, q, qd, qdd, g, wrench)
        close(compiled.inverse(q, qd, qdd, wrench), expected)
        close(compiled.inertia(q), flexible_composite.inertia(arm, q))
        close(compiled.bias(q, qd), terms.bias(king.inverse, arm, q, qd))
        close(compiled.pose(q), flexible_kinematics.transformation(arm, q))
        close(compiled.jacobian(q), flexible_kinematics.jacobian(arm, q))


def close(found, expected):
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=TWO_WAYS, atol=TWO_WAYS * scale)


def test_compiled_arms_verify(built):
    arm, compiled, _ = built
    assert [c for c in verify(arm, compiled, 200) if not c.passed] == []


def test_a_cleared_arm_with_shortening_verifies():
    arm = read_quietly(CASES / "double_flexible_pendulum.toml").manipulator
    assert arm.assumptions == CONSISTENT
    model = flexgen.build(arm, "numpy", passes="full")
    assert [c for c in verify(arm, model, 200) if not c.passed] == []


def test_a_free_pendulum_keeps_its_energy():
    """Energies from points along the beams, which know nothing of the equations of motion."""
    arm = read_quietly(CASES / "double_flexible_pendulum.toml").manipulator
    assert arm.assumptions == CONSISTENT
    model = flexgen.build(arm, passes="classic")
    x, xd = (ca.SX.sym(name, arm.n) for name in ("q", "qd"))
    both = ca.Function("energies", [x, xd], energies(arm, x, xd, True))
    n, free = arm.n, np.zeros(arm.n)

    def rates(t, state):
        q, qd = state[:n], state[n:]
        return np.concatenate([qd, model.direct(q, qd, free)])

    start = np.zeros(2 * n)
    start[:2] = -1.75, -0.5
    found = solve_ivp(rates, (0.0, 2.0), start, "DOP853", rtol=1e-11, atol=1e-12)
    assert found.success
    kinetic, potential = np.array([[float(e) for e in both(s[:n], s[n:])] for s in found.y.T]).T
    exchanged = kinetic.max() - kinetic.min()
    assert exchanged > 1.0  # of about 10 J between hanging and stretched out
    drift = np.abs(kinetic + potential - (kinetic + potential)[0]).max()
    assert drift < 1e-8 * exchanged
    H = model.inertia(found.y[:n].T.copy())
    own = 0.5 * np.einsum("ib,bij,jb->b", found.y[n:], H, found.y[n:])
    np.testing.assert_allclose(own, kinetic, atol=1e-10 * exchanged)


@pytest.mark.parametrize("assumptions", [KING, CONSISTENT], ids=["king", "consistent"])
def test_torques_of_stiff_arms_approach_rigid_ones_as_one_over_stiffness(assumptions):
    lengths, masses = (0.8, 0.5), (1.2, 0.7)
    rods = [
        Link("revolute", DH(a, angle(0.6), 0.1, angle(0.0)), rod(m, a))
        for a, m in zip(lengths, masses, strict=True)
    ]
    rigid = flexgen.build(Manipulator("rods", tuple(rods)), "numpy", passes="none")
    rng = np.random.default_rng(8)
    q, qd, qdd = rng.normal(size=(3, 2))
    expected = rigid.inverse(q, qd, qdd)
    errors = []
    factors = np.array([1e3, 1e4, 1e5])
    for EI in factors:
        beams = [Beam(a, m, EI, EI, modes=(0, 1, 1)) for a, m in zip(lengths, masses, strict=True)]
        links = tuple(beam_link(b, 0.6, 0.1) for b in beams)
        arm = Manipulator("beams", links, assumptions=assumptions)
        model = flexgen.build(arm, "numpy", passes="none")
        stiffness = np.repeat(EI * WAVE**4 / np.array(lengths) ** 3, 2)
        rest, bend = np.zeros(4), np.zeros(4)
        for _ in range(12):  # deflections that the motion holds: modal rows vanish
            whole = [np.append(q, bend), np.append(qd, rest), np.append(qdd, rest)]
            tau = model.inverse(*whole)
            bend = bend - tau[2:] / stiffness
        assert np.abs(tau[2:]).max() < 1e-9
        errors.append(np.abs(tau[:2] - expected).max())
    slope = np.polyfit(np.log(factors), np.log(errors), 1)[0]
    assert slope == pytest.approx(-1.0, abs=0.05)
    assert errors[-1] < 1e-3 * np.abs(expected).max()


def rod(m, a):
    across = m * a * a / 12
    return body_about_com(m, np.array([-a / 2, 0.0, 0.0]), np.diag([0.0, across, across]))


def one_beam(assumptions, tip=0.0, modes=(0, 1, 0)):
    beam = Beam(1.5, 0.9, 7.0, 7.0, modes=modes)
    links = (beam_link(beam, tip=point(tip)),)
    return Manipulator("spun", links, gravity=(0.0, 0.0, 0.0), assumptions=assumptions)


def test_a_beam_softens_up_to_its_first_frequency():
    (limits,) = spin_limits(one_beam(KING)).values()
    assert limits == (pytest.approx(WAVE**2 * np.sqrt(7.0 / (0.9 * 1.5**3)), rel=1e-10), np.inf)
    assert spin_limits(one_beam(CONSISTENT)) == {}


@pytest.mark.parametrize("tip", [0.0, 0.4])
def test_the_limit_is_where_the_modal_stiffness_vanishes(tip):
    """The force on the mode of a beam that spins, by a difference of the recursion itself."""
    arm = one_beam(KING, tip, (0, 2, 0))
    ((limit, _),) = spin_limits(arm).values()

    def smallest(rate):
        def force(bend):
            q, qd = np.append(0.0, bend), np.array([rate, 0.0, 0.0])
            return king.inverse(arm, q, qd, np.zeros(3), np.zeros(3), np.zeros(6))[1:]

        K = np.array([force(1e-6 * e) - force(-1e-6 * e) for e in np.eye(2)]).T / 2e-6
        return np.linalg.eigvalsh(0.5 * (K + K.T)).min()

    assert smallest(0.999 * limit) > 0.0 > smallest(1.001 * limit)


def test_the_angular_velocities_are_those_of_the_jacobian():
    arm = read_quietly(CASES / "fixture.toml").manipulator
    s = random_states(arm, 1, seed=9)
    whole = flexible_kinematics.jacobian(arm, s.q[0]) @ s.qd[0]
    last = arm.links[-1]
    assert last.beam is None  # so that the last frame turns with the last link
    np.testing.assert_allclose(spins(arm, s.q[0], s.qd[0])[-1], whole[3:], rtol=TWO_WAYS)


def test_the_user_is_warned_once_of_a_link_that_spins_too_fast():
    arm = one_beam(KING)
    ((limit, _),) = spin_limits(arm).values()
    model = flexgen.build(arm, "numpy", passes="none")
    q, slow, fast = np.zeros(2), np.array([0.99 * limit, 0.0]), np.array([1.01 * limit, 0.0])
    assert softened(arm, q, slow) == ()
    assert softened(arm, q, fast) == (1,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.direct(q, slow, q)
    with pytest.warns(ModelWarning, match="spun: link 1 spins faster than"):
        model.direct(np.zeros((2, 2)), np.array([slow, fast]), np.zeros((2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.direct(q, fast, q)


@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_as_ever(strange):
    model = flexgen.build(one_beam(KING), "numpy", passes="none")
    with pytest.raises(ValueError, match="direct: qd must be finite"):
        model.direct(np.zeros(2), np.array([strange, 100.0]), np.zeros(2))
    with pytest.raises(ValueError, match="direct: q must be finite"):
        model.direct(np.array([strange, 0.0]), np.array([100.0, 0.0]), np.zeros(2))


def test_no_warning_where_bending_shortens_the_beam():
    arm = one_beam(CONSISTENT)
    model = flexgen.build(arm, "numpy", passes="none")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.direct(np.zeros(2), np.array([1e3, 0.0]), np.zeros(2))


def test_an_axis_along_the_deflections_does_not_soften():
    """A beam that bends in the plane of its axis of rotation."""
    arm = replace(one_beam(KING), links=(beam_link(Beam(1.5, 0.9, 7.0, 7.0, modes=(0, 0, 1))),))
    ((_, limit),) = spin_limits(arm).values()
    assert softened(arm, np.zeros(2), np.array([2.0 * limit, 0.0])) == ()


def test_simulated_joint_angles_of_stiff_arms_approach_rigid_ones():
    arm = read_quietly(CASES / "double_flexible_pendulum.toml").manipulator
    start, times = np.array([-1.75, -0.5]), np.linspace(0.0, 0.5, 26)

    def swing(links):
        moved = replace(arm, links=links)
        model = flexgen.build(moved, passes="none")
        state = np.zeros(2 * model.n)
        state[:2] = start

        def rate(_, x):
            q, qd = x[: model.n].copy(), x[model.n :].copy()
            return np.concatenate([qd, model.direct(q, qd, np.zeros(model.n))])

        done = solve_ivp(rate, (0.0, 0.5), state, "DOP853", times, rtol=1e-9, atol=1e-11)
        return done.y[:2].T

    def beams(change):
        return tuple(replace(link, beam=change(link.beam)) for link in arm.links)

    rigid = swing(beams(lambda b: replace(b, modes=(0, 0, 0))))
    factors = np.array([10.0, 40.0, 160.0])
    errors = []
    for factor in factors:
        stiff = beams(lambda b, f=factor: replace(b, EIy=f * b.EIy, EIz=f * b.EIz))
        errors.append(np.abs(swing(stiff) - rigid).max())
    slope = np.polyfit(np.log(factors), np.log(errors), 1)[0]
    assert errors[-1] < 5e-3
    assert -1.3 < slope < -0.7
