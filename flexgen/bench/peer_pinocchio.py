"""Pinocchio: RNEA, ABA and their derivatives, from Python and from its C++ headers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..manipulator.arm import Manipulator
from .candidate import Absent, Array, Candidate
from .problem import Problem
from .rounds import calls

FAMILY = "pinocchio"


def _pinocchio() -> Any:
    try:
        import pinocchio
    except ImportError:
        raise Absent("pinocchio is not installed: pip install pin") from None
    if not hasattr(pinocchio, "rnea"):  # a test runner has the same name
        raise Absent("another package is called pinocchio here: pip install pin")
    return pinocchio


def pinocchio_model(arm: Manipulator) -> tuple[Any, Any]:
    """(model, placement of the last link frame in the last joint's frame), joint by joint."""
    pin = _pinocchio()

    def turn(axis: str, angle: float) -> Any:
        return pin.SE3(pin.utils.rotate(axis, angle), np.zeros(3))

    def move(x: float, z: float) -> Any:
        return pin.SE3(np.eye(3), np.array([x, 0.0, z]))

    model = pin.Model()
    model.gravity = pin.Motion(np.asarray(arm.gravity, float), np.zeros(3))
    parent, placement = 0, pin.SE3.Identity()
    for i, link in enumerate(arm.links):
        screw_z = turn("z", link.dh.theta.value) * move(0.0, link.dh.d)
        screw_x = move(link.dh.a, 0.0) * turn("x", link.dh.alpha.value)
        joint = pin.JointModelPZ() if link.joint == "prismatic" else pin.JointModelRZ()
        if arm.convention == "standard":
            before, after = pin.SE3.Identity(), screw_z * screw_x
        else:
            before, after = screw_x * screw_z, pin.SE3.Identity()
        parent = model.addJoint(parent, joint, placement * before, f"joint{i + 1}")
        body = pin.Inertia(float(link.body.mass), link.body.com, link.body.inertia)
        model.appendBodyToJoint(parent, body, after)
        placement = after
    return model, placement


NAMES = {
    "inverse": "rnea",
    "direct": "aba",
    "inverse_derivatives": "computeRNEADerivatives",
    "direct_derivatives": "computeABADerivatives",
}


def routine(p: Problem) -> tuple[str, Callable[..., Any]]:
    """Name of Pinocchio's function and a call of it with q, qd, u."""
    pin = _pinocchio()
    model, _ = pinocchio_model(p.arm)
    data = model.createData()
    name = NAMES[p.routine]
    f = getattr(pin, name)

    def call(q: Array, qd: Array, u: Array) -> Any:
        return f(model, data, q, qd, u)

    return name, call


def one_call(p: Problem) -> Iterator[Candidate]:
    """One call from Python."""
    name, call = routine(p)
    state = [x[0].copy() for x in (p.q, p.qd, p.u)]

    def values() -> Array:
        rows = []
        for k in range(len(p.q)):
            found = call(p.q[k], p.qd[k], p.u[k])
            # RNEA's derivatives come with the inertia matrix, which is not asked for
            parts = found[: p.shape[0]] if isinstance(found, tuple) else (found,)
            rows.append(np.concatenate([np.ravel(x) for x in parts]))
        return np.array(rows)

    yield Candidate(f"pin.{name}", FAMILY, "python", calls(call, *state), values)


def batch(p: Problem) -> Iterator[Candidate]:
    """Many states in one call from Python."""
    pin = _pinocchio()
    name = f"{NAMES[p.routine]}InParallel"
    f = getattr(pin, name, None)
    if f is None:
        raise Absent(f"this Pinocchio has no {name}")
    if p.n == 1:
        raise Absent(f"{name} of the wheel crashes on arms with no more than one joint")
    pool = pin.ModelPool(pinocchio_model(p.arm)[0], 1)
    columns = [np.asfortranarray(x.T) for x in (p.q, p.qd, p.u)]
    out = np.empty_like(columns[0])

    def values() -> Array:
        f(1, pool, *columns, out)
        return out.T.copy()

    work = calls(f, 1, pool, *columns, out)
    yield Candidate(f"pin.{name}", FAMILY, "batch", work, values, states=len(p.q))
