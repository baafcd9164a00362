"""Articulated bodies against H qdd = tau - bias solved, against Pinocchio, and their growth."""

from dataclasses import replace

import numpy as np
import pytest
import test_formulations as rigid
from energy_oracle import Oracle
from flexible_arms import CONSISTENT, KING, LINEAR_SHORTENED, MODELS, any_arm, large_state
from test_formulations import ARMS, state

from flexgen.formulations import (
    articulated,
    composite,
    flexible_articulated,
    flexible_composite,
    king,
    newton_euler,
    terms,
)
from flexgen.graph.evaluate import evaluate
from flexgen.graph.trace import trace
from flexgen.manipulator.generic import generic_arm

ORACLE = 1e-10
ROUNDING = 1e-12
FREE = np.zeros(6)
KINDS = ("FFF", "RFG", "FPF", "FGR", "RTB", "BB", "FRR", "BWW", "MM", "PFRP", "B", "T")
ALL_MODELS = {**MODELS, "linear, shortened": LINEAR_SHORTENED}
SLIDING = [rigid.any_arm(9, "PPRRPP", convention) for convention in ("standard", "modified")]


def close(actual, expected, rtol=ORACLE):
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=rtol * np.abs(expected).max())


def accelerations(arm, q, qd, tau, wrench=FREE):
    way = flexible_articulated if arm.flexible else articulated
    return way.acceleration(arm, q, qd, tau, np.asarray(arm.gravity), wrench)


def equation(arm, q, qd, wrench=FREE):
    """Inertia matrix and bias by the other formulations."""
    if arm.flexible:
        return flexible_composite.inertia(arm, q), terms.bias(king.inverse, arm, q, qd, wrench)
    return composite.inertia(arm, q), terms.bias(newton_euler.inverse, arm, q, qd, wrench)


def solves(arm, q, qd, tau, wrench):
    H, bias = equation(arm, q, qd, wrench)
    close(accelerations(arm, q, qd, tau, wrench)[0], np.linalg.solve(H, tau - bias))


def program(arm, wrench=False):
    def way(q, qd, tau, wrench=FREE):
        return accelerations(arm, q, qd, tau, wrench)

    load = {"wrench": 6} if wrench else {}
    inputs = {"q": arm.n, "qd": arm.n, "tau": arm.n} | load
    return trace(way, inputs, ("qdd", "pivots"), "acceleration")


def pivots_of(H, order):
    """Pivots of an elimination that begins with the last of `order`."""
    left, found = np.array(H), np.zeros(len(H))
    for j in reversed(order):
        found[j] = left[j, j]
        left = left - np.outer(left[:, j], left[j]) / left[j, j]
    return found


@pytest.mark.parametrize("arm", [*ARMS, *SLIDING], ids=lambda a: f"{a.convention}-{a.n}")
def test_rigid_arms_obey_the_equation_of_motion(arm):
    for seed in range(3):
        solves(arm, *state(arm, seed))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("n", range(1, 13))
def test_generic_arms_of_any_length_obey_the_equation_of_motion(n, convention):
    arm = generic_arm(n, convention=convention)
    solves(arm, *state(arm))


def test_every_rigid_case_obeys_the_equation_of_motion(arm):
    solves(arm, *state(arm))


def test_every_flexible_case_obeys_the_equation_of_motion(flexible_arm):
    q, qd, tau, wrench = large_state(flexible_arm, deflection=0.05)
    solves(flexible_arm, q, qd, tau, wrench)


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.parametrize("kinds", KINDS)
def test_flexible_arms_obey_the_equation_of_motion(kinds, name):
    for seed in range(2):
        arm = any_arm(kinds, ALL_MODELS[name], seed)
        solves(arm, *large_state(arm, seed))


@pytest.mark.parametrize("kinds", ["FPF", "RTB", "BB"])
def test_the_energies_give_back_the_forces(kinds):
    arm = any_arm(kinds, CONSISTENT)
    q, qd, tau, _ = large_state(arm)
    close(Oracle(arm).inverse(q, qd, accelerations(arm, q, qd, tau)[0]), tau)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_pinocchio_gives_the_same_accelerations(convention):
    pin = pytest.importorskip("pinocchio")
    from pinocchio_arm import pinocchio_model

    for seed, joints in enumerate(("RRPRPRR", "RRRRRR")):
        arm = rigid.any_arm(seed, joints, convention)
        model, placement = pinocchio_model(arm)
        q, qd, tau, wrench = state(arm, seed)
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()] * model.njoints)
        forces[model.njoints - 1] = placement.act(pin.Force(wrench[:3], wrench[3:]))
        expected = pin.aba(model, model.createData(), q, qd, tau, forces)
        close(accelerations(arm, q, qd, tau, wrench)[0], expected)


def test_rigid_links_are_flexible_ones_without_modes():
    for seed, kinds in enumerate(("RRPR", "WRWP")):
        arm = any_arm(kinds, KING, seed)
        q, qd, tau, wrench = large_state(arm, seed)
        arguments = arm, q, qd, tau, np.asarray(arm.gravity), wrench
        ours, theirs = (w.acceleration(*arguments) for w in (flexible_articulated, articulated))
        close(ours[0], theirs[0], ROUNDING)
        close(ours[1], theirs[1], ROUNDING)


@pytest.mark.parametrize("arm", [*ARMS, *SLIDING], ids=lambda a: f"{a.convention}-{a.n}")
def test_pivots_of_rigid_arms_are_those_of_the_inertia_matrix(arm):
    q, qd, tau, wrench = state(arm)
    found = accelerations(arm, q, qd, tau, wrench)[1]
    np.testing.assert_allclose(found, pivots_of(composite.inertia(arm, q), arm.chain), rtol=ORACLE)
    assert found.min() > 0.0


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.parametrize("kinds", ["FFF", "FPF", "MM"])
def test_signs_of_pivots_are_those_of_the_eigenvalues(kinds, name):
    # first-order foreshortening loses a positive H at large deflections
    arm = any_arm(kinds, ALL_MODELS[name], 1)
    q, qd, tau, _ = large_state(arm, 0)
    found = np.sort(np.sign(accelerations(arm, q, qd, tau)[1]))
    expected = np.linalg.eigvalsh(flexible_composite.inertia(arm, q))
    np.testing.assert_array_equal(found, np.sort(np.sign(expected)))
    assert (found.min() < 0.0) == (name == "first order" and kinds == "FFF")


@pytest.mark.parametrize(
    "arm", [ARMS[4], ARMS[10], any_arm("FPG", KING), any_arm("FR", CONSISTENT)]
)
def test_a_complex_step_in_the_forces_gives_the_inverse_of_the_inertia_matrix(arm):
    q, qd, tau = state(arm)[:3]
    step = 1e-30
    moved = [accelerations(arm, q, qd, tau + 1j * step * e)[0].imag / step for e in np.eye(arm.n)]
    close(np.array(moved).T @ equation(arm, q, qd)[0], np.eye(arm.n))


TRACED = [ARMS[4], ARMS[11], *(any_arm("FPG", m) for m in MODELS.values())]


@pytest.mark.parametrize("arm", TRACED, ids=lambda a: f"{a.name}-{a.convention}-{a.n}")
def test_the_traced_program_is_the_function(arm):
    q, qd, tau, wrench = state(arm)
    traced = evaluate(program(arm, wrench=True), q, qd, tau, wrench)
    for found, expected in zip(traced, accelerations(arm, q, qd, tau, wrench), strict=True):
        close(found, expected, 1e-11)


def test_every_coordinate_takes_one_reciprocal():
    assert program(generic_arm(6)).count().div == 5  # that of the last link is a number
    arm = any_arm("FFR", KING)
    assert arm.n - 1 <= program(arm).count().div <= arm.n


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_every_joint_of_a_generic_arm_costs_the_same(convention):
    total = [program(generic_arm(n, 0, convention)).count() for n in range(3, 13)]
    mul, add = np.diff([c.mul for c in total]), np.diff([c.add for c in total])
    assert set(mul) == {mul[0]} and set(add) == {add[0]}
    assert mul[0] < 200 and add[0] < 185


@pytest.mark.parametrize("assumptions", [KING, CONSISTENT])
def test_every_flexible_link_costs_the_same(assumptions):
    link = any_arm("F", assumptions).links[0]
    arm = any_arm("F", assumptions)
    total = [program(replace(arm, links=(link,) * n)).count().total for n in range(2, 7)]
    growth = np.diff(total)
    assert growth.max() - growth.min() <= 0.02 * growth.min()
