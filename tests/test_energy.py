"""Kinetic and potential energy, from positions and velocities, against the equations of motion."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import TWO_WAYS

from flexgen.formulations import king, newton_euler, terms
from flexgen.formulations.energy import kinetic, potential
from flexgen.manipulator.arm import CONSISTENT

STEP = 1e-30  # of complex differentiation: no difference is formed


def state(arm, rng):
    q, qd = rng.uniform(-1.0, 1.0, (2, arm.n))
    q[arm.n_joints :] *= 0.05
    return q, qd


def gradient(arm, q):
    units = np.eye(arm.n)
    return np.array([potential(arm, q + 1j * STEP * unit).imag / STEP for unit in units])


def check(arm, inverse, rng):
    q, qd = state(arm, rng)
    expected = terms.gravity(inverse, arm, q)
    scale = max(np.abs(expected).max(), 1e-3)
    np.testing.assert_allclose(gradient(arm, q), expected, atol=TWO_WAYS * scale)
    moving = 0.5 * qd @ terms.inertia(inverse, arm, q) @ qd
    assert kinetic(arm, q, qd) == pytest.approx(moving, rel=TWO_WAYS)


def test_energies_belong_to_gravity_and_inertia_of_rigid_arms(arm, rng):
    check(arm, newton_euler.inverse, rng)


@pytest.mark.parametrize("foreshortening", ["off", "first-order", "full"])
def test_energies_belong_to_gravity_and_inertia_of_flexible_arms(flexible_arm, foreshortening, rng):
    assumed = replace(CONSISTENT, foreshortening=foreshortening)
    check(replace(flexible_arm, assumptions=assumed), king.inverse, rng)


def test_the_linear_rotation_has_no_potential(cases_dir, rng):
    from conftest import read_quietly

    arm = read_quietly(cases_dir / "fixture_king.toml").manipulator
    q, _ = state(arm, rng)
    expected = terms.gravity(king.inverse, arm, q)
    assert np.abs(gradient(arm, q) - expected).max() > 1e-4 * np.abs(expected).max()
