"""Compiled routines against Pinocchio's RNEA, CRBA, nonlinear effects and ABA."""

import numpy as np
import pytest

import flexgen
from flexgen.verify import random_states, worst

pin = pytest.importorskip("pinocchio")
from pinocchio_arm import pinocchio_model  # noqa: E402
from test_formulations import any_arm  # noqa: E402

STATES = 1000
LIMIT = 1e-9


def compare(arm, model):
    p, placement = pinocchio_model(arm)
    data = p.createData()
    s = random_states(arm, STATES, seed=3)
    tau = np.empty((STATES, arm.n))
    loaded, qdd, bias = tau.copy(), tau.copy(), tau.copy()
    inertia = np.empty((STATES, arm.n, arm.n))
    for k in range(STATES):
        q, qd, a = s.q[k], s.qd[k], s.qdd[k]
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()] * p.njoints)
        forces[p.njoints - 1] = placement.act(pin.Force(s.wrench[k, :3], s.wrench[k, 3:]))
        tau[k] = pin.rnea(p, data, q, qd, a)
        loaded[k] = pin.rnea(p, data, q, qd, a, forces)
        bias[k] = pin.nonLinearEffects(p, data, q, qd)
        upper = np.triu(pin.crba(p, data, q))
        inertia[k] = upper + np.triu(upper, 1).T
        qdd[k] = pin.aba(p, data, q, qd, tau[k])
    assert worst(model.inverse(s.q, s.qd, s.qdd), tau) < LIMIT
    assert worst(model.inverse(s.q, s.qd, s.qdd, s.wrench), loaded) < LIMIT
    assert worst(model.bias(s.q, s.qd), bias) < LIMIT
    assert worst(model.inertia(s.q), inertia) < LIMIT
    assert worst(model.direct(s.q, s.qd, tau), qdd) < LIMIT


def test_every_shipped_case_agrees_with_pinocchio(arm, model):
    compare(arm, model)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_generic_arm_with_prismatic_joints_agrees_with_pinocchio(convention):
    arm = any_arm(5, "RRPRPRR", convention)
    compare(arm, flexgen.build(arm, backend="numpy", passes="none"))
