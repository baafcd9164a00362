"""Every rigid case reproduces its [expected] numbers, by two derivations of the dynamics.

Only `inverse` of each derivation is used: the other routines are it with zeros and units.
"""

import numpy as np
import pytest
from conftest import ORACLE, RIGID, TWO_WAYS, read_quietly

from flexgen.formulations import hollerbach, newton_euler
from flexgen.manipulator.expected import ROUTINES

ENTRIES = [
    pytest.param(path, topic, key, id=f"{path.stem}-{topic}-{key}")
    for path in RIGID
    for topic, quantities in read_quietly(path).expected.items()
    if topic in ROUTINES
    for key in quantities
]


class Dynamics:
    """The routines, from one inverse dynamics on floats."""

    def __init__(self, arm, inverse):
        self.arm, self.zero = arm, np.zeros(arm.n)
        self.tau = lambda q, qd, qdd, g, w: inverse(arm, q, qd, qdd, g, w)
        self.g, self.no_g, self.no_wrench = np.array(arm.gravity), np.zeros(3), np.zeros(6)

    def inverse(self, q, qd, qdd, wrench=None):
        return self.tau(q, qd, qdd, self.g, self.no_wrench if wrench is None else wrench)

    def inertial(self, q, qdd):
        return self.tau(q, self.zero, qdd, self.no_g, self.no_wrench)

    def inertia(self, q):
        return np.column_stack([self.inertial(q, unit) for unit in np.eye(self.arm.n)])

    def bias(self, q, qd):
        return self.tau(q, qd, self.zero, self.g, self.no_wrench)

    def gravity(self, q):
        return self.bias(q, self.zero)

    def coriolis(self, q, qd):
        return self.tau(q, qd, self.zero, self.no_g, self.no_wrench)

    def external(self, q, wrench):
        return -self.tau(q, self.zero, self.zero, self.no_g, wrench)

    def jacobian(self, q):
        return np.array([self.external(q, unit) for unit in np.eye(6)])

    def direct(self, q, qd, tau, wrench=None):
        rest = tau - self.inverse(q, qd, self.zero, wrench)
        return np.linalg.solve(self.inertia(q), rest)


@pytest.mark.parametrize("derivation", [newton_euler, hollerbach], ids=["newton-euler", "4x4"])
@pytest.mark.parametrize(("path", "topic", "key"), ENTRIES)
def test_case_reproduces_its_expected_numbers(path, topic, key, derivation):
    found = read_quietly(path)
    entry = found.expected[topic][key]
    arguments = {name: np.array(value) for name, value in entry.arguments.items()}
    value = getattr(Dynamics(found.manipulator, derivation.inverse), topic)(**arguments)
    np.testing.assert_allclose(value, entry.value, rtol=entry.rtol, atol=entry.atol)


def test_every_case_says_what_it_is_and_expects_something(case, case_path):
    arm = case.manipulator
    assert arm.name == case_path.stem
    assert arm.description and arm.source
    assert case.expected


def test_expected_numbers_are_tight_unless_they_are_printed_ones(case):
    for topic in set(case.expected) & set(ROUTINES):
        for entry in case.expected[topic].values():
            tight = entry.rtol <= ORACLE and entry.atol <= 1e-12
            assert tight or "printed" in entry.source


def test_two_derivations_agree_on_every_rigid_case(arm, rng):
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, arm.n))
    wrench = rng.uniform(-5.0, 5.0, 6)
    gravity = np.array(arm.gravity)
    first = newton_euler.inverse(arm, q, qd, qdd, gravity, wrench)
    second = hollerbach.inverse(arm, q, qd, qdd, gravity, wrench)
    np.testing.assert_allclose(first, second, rtol=TWO_WAYS, atol=TWO_WAYS * np.abs(first).max())


def test_inertia_of_every_rigid_case_is_positive(arm, rng):
    H = Dynamics(arm, newton_euler.inverse).inertia(rng.uniform(-1.5, 1.5, arm.n))
    scale = np.sqrt(np.diag(H))
    assert np.linalg.eigvalsh(H / np.outer(scale, scale)).min() > 1e-6


def test_every_rigid_case_agrees_with_pinocchio(arm, rng):
    pin = pytest.importorskip("pinocchio")
    from pinocchio_arm import pinocchio_model

    reference, _ = pinocchio_model(arm)
    data = reference.createData()
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, arm.n))
        tau = newton_euler.inverse(arm, q, qd, qdd, np.array(arm.gravity), np.zeros(6))
        expected = pin.rnea(reference, data, q, qd, qdd)
        limit = TWO_WAYS * np.abs(expected).max()
        np.testing.assert_allclose(tau, expected, rtol=TWO_WAYS, atol=limit)


@pytest.mark.parametrize("short", ["stanford3", "puma560_3"])
def test_the_short_arms_are_the_first_links_of_the_long_ones(cases_dir, short):
    few = read_quietly(cases_dir / f"{short}.toml").manipulator
    many = read_quietly(cases_dir / f"{short.rstrip('_3')}.toml").manipulator
    for one, other in zip(few.links, many.links, strict=False):
        assert (one.joint, one.dh) == (other.joint, other.dh)
        assert one.body.mass == other.body.mass
        assert np.array_equal(one.body.com, other.body.com)
        assert np.array_equal(one.body.inertia, other.body.inertia)
