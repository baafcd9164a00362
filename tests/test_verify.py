"""Verification of flexible arms: it passes where it should, and notices what is wrong."""

from dataclasses import replace

import numpy as np
import pytest
from flexible_arms import MODELS, any_arm

from flexgen import pipeline
from flexgen.manipulator.arm import CONSISTENT, KING
from flexgen.verify import DEFLECTION, mechanics, random_states, verify

STATES = 200


def plain_model(arm):
    """Quickly made: the passes are tested elsewhere."""
    return pipeline.build(arm, "numpy", passes="none")


@pytest.fixture(scope="module")
def consistent():
    arm = any_arm("RFB", CONSISTENT)
    return arm, plain_model(arm)


def failed(arm, model):
    return {c.name for c in verify(arm, model, STATES) if not c.passed}


@pytest.mark.parametrize("kinds", ["FRT", "GPB"])
@pytest.mark.parametrize("assumptions", MODELS.values(), ids=MODELS)
def test_flexible_arms_pass(kinds, assumptions):
    arm = any_arm(kinds, assumptions)
    assert failed(arm, plain_model(arm)) == set()


def test_which_checks_a_model_with_an_energy_gets(consistent):
    names = {c.name for c in verify(*consistent, 20)}
    assert "coriolis: Lagrange equations of 1/2 qd . H qd" in names
    assert "power: qd . coriolis = 1/2 qd . Hdot qd" in names
    assert "jacobian: derivative of the pose" in names


def test_king_has_no_energy_but_meets_book_where_nothing_is_bent():
    arm = any_arm("FB", KING)
    names = {c.name for c in verify(arm, plain_model(arm), 20)}
    assert not any("power" in name or "Lagrange equations" in name for name in names)
    assert "inverse: Newton-Euler = recursive Lagrangian, undeformed" in names
    assert "jacobian: derivative of the pose, undeformed" in names


def test_damping_takes_power():
    arm = any_arm("FB", CONSISTENT)
    beam = replace(arm.links[0].beam, damping_ratio=0.02)
    links = (replace(arm.links[0], beam=beam), arm.links[1])
    damped = replace(arm, links=links)
    assert mechanics(arm).energetic
    assert not mechanics(damped).energetic
    assert failed(damped, plain_model(damped)) == set()


def test_a_beam_without_modes_is_verified_against_the_flexible_mechanics():
    arm = any_arm("FR", KING)
    beam = replace(arm.links[0].beam, modes=(0, 0, 0))
    stiff = replace(arm, links=(replace(arm.links[0], beam=beam), arm.links[1]))
    assert failed(stiff, plain_model(stiff)) == set()


def test_states_have_small_deflections(consistent):
    arm, _ = consistent
    s = random_states(arm, 500)
    bends = s.q[:, arm.n_joints :]
    assert 0.9 * DEFLECTION < np.abs(bends).max() <= DEFLECTION
    assert np.abs(s.q[:, : arm.n_joints]).max() > 3.0


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        ("stiffness", "gravity: model = graph"),
        ("mass", "inertia: model = method 3"),
        ("length of a link", "jacobian: derivative of the pose"),
    ],
)
def test_another_arm_is_noticed(consistent, change, noticed):
    arm, model = consistent
    link = arm.links[1]
    if change == "stiffness":
        new = replace(link, beam=replace(link.beam, EIy=1.0001 * link.beam.EIy))
    elif change == "mass":
        new = replace(link, beam=replace(link.beam, mass=1.0001 * link.beam.mass))
    else:
        a = 1.0001 * link.dh.a
        new = replace(link, dh=replace(link.dh, a=a), beam=replace(link.beam, length=a))
    other = replace(arm, links=(arm.links[0], new, *arm.links[2:]))
    assert noticed in failed(other, model)


def test_coriolis_of_another_model_is_noticed():
    """With the inertia matrix of its own, but velocities that belong to a lighter coupling."""
    arm = any_arm("FB", CONSISTENT)
    right, wrong = plain_model(arm), plain_model(any_arm("FB", MODELS["first order"]))

    class Mixed:
        def __getattr__(self, name):
            return getattr(wrong if name == "coriolis" else right, name)

    found = failed(arm, Mixed())
    assert "coriolis: Lagrange equations of 1/2 qd . H qd" in found
    assert "inertia: model = method 3" not in found
