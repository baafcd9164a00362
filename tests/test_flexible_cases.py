"""Every flexible case loads, builds, and reproduces its [expected] numbers."""

import numpy as np
import pytest
import scipy.linalg
from conftest import FLEXIBLE, TWO_WAYS, read_quietly
from scipy.integrate import solve_ivp

import flexgen
from flexgen.formulations import flexible_composite, flexible_kinematics, king, terms
from flexgen.manipulator.expected import LINEAR, ROUTINES

FREE = np.zeros(6)
SMALL = [path for path in FLEXIBLE if read_quietly(path).manipulator.n <= 7]  # built in full

# El-Rayyes (1990), table 4.13: degrees of freedom of the benchmark arms
DOF = dict(
    zip(
        "abcdefghijklmnopqr",
        (6, 6, 6, 6, 7, 7, 7, 7, 10, 12, 7, 7, 8, 8, 11, 13, 10, 14),
        strict=True,
    )
)


def entries(topics):
    """Cases, topics and keys of the expected numbers, as parameters."""
    return [
        pytest.param(path, topic, key, id=f"{path.stem}-{topic}-{key}")
        for path in FLEXIBLE
        for topic, quantities in read_quietly(path).expected.items()
        if topic in topics
        for key in quantities
    ]


def named(name):
    (path,) = (path for path in FLEXIBLE if path.stem == name)
    return read_quietly(path)


class Dynamics:
    """The routines of an arm, from its recursion on floats."""

    def __init__(self, arm):
        self.arm = arm

    def inverse(self, q, qd, qdd, wrench=FREE):
        return king.inverse(self.arm, q, qd, qdd, np.asarray(self.arm.gravity), wrench)

    def inertia(self, q):
        return flexible_composite.inertia(self.arm, q)

    def jacobian(self, q):
        return flexible_kinematics.jacobian(self.arm, q)

    def __getattr__(self, routine):
        return lambda *given: getattr(terms, routine)(king.inverse, self.arm, *given)


def linearised(arm, q):
    """Inertia and stiffness about a posture at rest."""
    step = 1e-30
    slope = [terms.gravity(king.inverse, arm, q + 1j * step * e).imag / step for e in np.eye(arm.n)]
    return flexible_composite.inertia(arm, q), np.array(slope).T


def moving(arm, entry):
    """Where the coordinates stand that an entry lets move."""
    return [arm.coordinates.index(name) for name in entry.arguments.get("moving", arm.coordinates)]


def modal(arm, entry):
    at = np.ix_(*2 * [moving(arm, entry)])
    H, K = (matrix[at] for matrix in linearised(arm, np.array(entry.arguments["q"])))
    scale = 1.0 / np.sqrt(np.diag(H))  # far apart, those of torsion and of joints
    squares = scipy.linalg.eigh(K * np.outer(scale, scale), H * np.outer(scale, scale))[0]
    return np.sqrt(np.abs(squares))[: len(entry.value)] / (2.0 * np.pi)


def static(arm, entry):
    at, q = moving(arm, entry), np.array(entry.arguments["q"])
    push = flexible_kinematics.jacobian(arm, q).T @ np.array(entry.arguments["wrench"])
    return np.linalg.solve(linearised(arm, q)[1][np.ix_(at, at)], push[at])


@pytest.mark.parametrize(("path", "topic", "key"), entries(ROUTINES))
def test_the_recursion_reproduces_the_expected_numbers(path, topic, key):
    case = read_quietly(path)
    entry = case.expected[topic][key]
    arguments = [np.array(value, dtype=float) for value in entry.arguments.values()]
    value = getattr(Dynamics(case.manipulator), topic)(*arguments)
    np.testing.assert_allclose(value, entry.value, rtol=entry.rtol, atol=entry.atol)


@pytest.mark.parametrize(("path", "topic", "key"), entries(LINEAR))
def test_linear_models_reproduce_the_expected_numbers(path, topic, key):
    case = read_quietly(path)
    entry = case.expected[topic][key]
    value = {"modal": modal, "static": static}[topic](case.manipulator, entry)
    np.testing.assert_allclose(value, entry.value, rtol=entry.rtol, atol=entry.atol)


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_a_small_case_builds_and_its_model_reproduces_the_expected_numbers(path):
    case = read_quietly(path)
    model = flexgen.build(case.manipulator, backend="numpy", passes="none")
    assert model.n == case.manipulator.n
    for topic, quantities in case.expected.items():
        for entry in quantities.values() if topic in ROUTINES else ():
            value = getattr(model, topic)(**{k: np.array(v) for k, v in entry.arguments.items()})
            np.testing.assert_allclose(value, entry.value, rtol=entry.rtol, atol=entry.atol)


def test_every_flexible_case_has_named_coordinates_and_equal_matrices(flexible_arm):
    arm = flexible_arm
    assert len(arm.coordinates) == len(set(arm.coordinates)) == arm.n
    assert arm.n > arm.n_joints == len(arm.links)

    # unit accelerations and composite bodies, anywhere
    rng = np.random.default_rng(7)
    q = rng.uniform(-1.5, 1.5, arm.n)
    q[arm.n_joints :] *= 0.02
    H = flexible_composite.inertia(arm, q)
    limit = TWO_WAYS * np.abs(H).max()
    np.testing.assert_allclose(terms.inertia(king.inverse, arm, q), H, rtol=0.0, atol=limit)
    scale = np.sqrt(np.diag(H))
    assert np.linalg.eigvalsh(H / np.outer(scale, scale)).min() > 1e-6


@pytest.mark.parametrize("letter", DOF)
def test_benchmark_arms_are_those_of_the_table(letter):
    arm = named(f"arm_{letter}").manipulator
    assert arm.n == DOF[letter]
    assumptions = arm.assumptions
    assert (assumptions.rotation, assumptions.foreshortening) == ("linear", "off")
    assert not assumptions.torsion_coupling
    assert any(arm.gravity) == (letter not in "bdfhij")
    masses = [link.tip.mass for link in arm.links if link.beam]
    assert masses == ([2.0, 2.0] if letter in "cdghijlnop" else [0.0, 0.0])
    first, second = (link.modes for link in arm.links if link.beam)
    number = 2 if letter in "ijopr" else 1
    assert second == (0, number, number)
    assert first == (number if letter in "efghjmnp" else 0, number, number)


def test_coordinates_of_a_benchmark_arm_stand_in_order():
    assert named("arm_m").manipulator.coordinates == (
        *("joint1", "joint2", "joint3"),
        *("link2.twist1", "link2.bend_y1", "link2.bend_z1"),
        *("link3.bend_y1", "link3.bend_z1"),
    )


def test_zeros_from_torque_to_tip_position_are_those_of_the_case():
    case = named("single_link_hub")
    arm = case.manipulator
    H, K = linearised(arm, np.zeros(arm.n))
    output = flexible_kinematics.jacobian(arm, np.zeros(arm.n))[1]
    A, B = np.zeros((2, arm.n + 1, arm.n + 1))
    A[:-1, :-1], A[0, -1], A[-1, :-1] = K, -1.0, output
    B[:-1, :-1] = -H
    squares = scipy.linalg.eig(A, B, right=False)
    squares = squares[np.isfinite(squares) & (np.abs(squares) < 1e8)]
    real = squares[(np.abs(squares.imag) < 1e-6 * np.abs(squares)) & (squares.real > 0.0)].real
    found = np.sort(np.sqrt(real))
    for entry in case.expected["frf"].values():
        first = found[: len(entry.value)]
        np.testing.assert_allclose(first, entry.value, rtol=entry.rtol, atol=entry.atol)


def test_a_beam_that_is_spun_up_lags_as_the_case_expects():
    case = named("spinup_beam")
    arm, entry = case.manipulator, case.expected["simulate"]["lag"]
    w, n = 2.0 * np.pi / 15.0, arm.n - 1

    def rates(t, x):
        y, yd = x[:n], x[n:]
        angle = 0.4 * (t * t / 2.0 + (np.cos(w * t) - 1.0) / w**2)
        q, qd = np.array([angle, *y]), np.array([0.4 * (t - np.sin(w * t) / w), *yd])
        turned = np.array([0.4 * (1.0 - np.cos(w * t)), *np.zeros(n)])
        rest = king.inverse(arm, q, qd, turned, np.zeros(3), FREE)[1:]
        return np.concatenate([yd, np.linalg.solve(Dynamics(arm).inertia(q)[1:, 1:], -rest)])

    times = np.linspace(0.0, 8.0, 400)
    found = solve_ivp(rates, (0.0, 8.0), np.zeros(2 * n), "LSODA", times, rtol=1e-6, atol=1e-8)
    tip = flexible_kinematics.jacobian(arm, np.zeros(arm.n))[1, 1:] @ found.y[:n]
    np.testing.assert_allclose(tip.min(), entry.value, rtol=entry.rtol)
    assert abs(times[tip.argmin()] - 6.76) < 0.1
