"""The routines that can be generated: what goes in, what comes out, and ways to compute it.

A way is a function of arrays. Where a routine has several, the pipeline keeps the cheapest.
`wrench=True` adds the environment's wrench as an input of inverse, bias and direct. For an arm
with flexible links "newton-euler" is the recursion by angular velocities, "king"; how its links
are modelled is data of the arm.

    routine    original   meaning
    inverse    NEDYN      tau(q, qd, qdd)
    direct     HBMAT      inertia matrix and bias together
    inertia    HMAT       H(q), by unit accelerations (method 2) or composite bodies (3)
    bias       BVECT      torques at zero acceleration
    gravity    GTERM      torques at rest
    coriolis   CTERM      centrifugal and Coriolis torques
    inertial   HTERM      H(q) qdd
    external   KTERM      J(q)^T wrench
    jacobian   JACOB      of the last frame, in the last frame
    pose       -          of the last frame in the base
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import (
    book,
    composite,
    flexible_composite,
    flexible_kinematics,
    hollerbach,
    king,
    newton_euler,
    terms,
)
from . import kinematics as rigid_kinematics

FORMULATIONS = {
    "newton-euler": newton_euler.inverse,
    "hollerbach": hollerbach.inverse,
    "king": king.inverse,
    "book": book.inverse,
}
FLEXIBLE = {"newton-euler": king.inverse, "king": king.inverse, "book": book.inverse}
ROUTINES = (
    "inverse",
    "direct",
    "inertia",
    "bias",
    "gravity",
    "coriolis",
    "inertial",
    "external",
    "jacobian",
    "pose",
)
WITH_WRENCH = ("inverse", "direct", "bias")


@dataclass(frozen=True)
class Task:
    """A routine of one arm: its inputs with sizes, its outputs, and ways to compute them."""

    name: str
    inputs: Mapping[str, int]
    outputs: tuple[str, ...]
    ways: Mapping[str, Callable[..., Any]]


def task(
    arm: Any,
    routine: str,
    formulation: str = "newton-euler",
    method: int | None = None,
    wrench: bool = False,
) -> Task:
    """The task `routine` of `arm`; `method` picks the way of the inertia matrix."""
    if formulation not in FORMULATIONS:
        raise ValueError(f"formulation must be one of {', '.join(FORMULATIONS)}")
    if arm.flexible and formulation not in FLEXIBLE:
        raise ValueError(f"{formulation} is for rigid arms; take one of {', '.join(FLEXIBLE)}")
    inverse = (FLEXIBLE if arm.flexible else FORMULATIONS)[formulation]
    kinematics = flexible_kinematics if arm.flexible else rigid_kinematics
    bodies = flexible_composite if arm.flexible else composite
    if routine not in ROUTINES:
        raise ValueError(f"routine must be one of {', '.join(ROUTINES)}, not {routine}")
    if method not in (None, 2, 3):
        raise ValueError(f"method must be 2 or 3, not {method}")
    if method is not None and routine not in ("inertia", "direct"):
        raise ValueError(f"a method can be chosen for inertia and direct, not for {routine}")
    if wrench and routine not in WITH_WRENCH:
        raise ValueError(f"a wrench can be added to {', '.join(WITH_WRENCH)}, not to {routine}")
    load = {"wrench": 6} if wrench else {}
    q, qd, qdd = {"q": arm.n}, {"qd": arm.n}, {"qdd": arm.n}
    gravity = np.asarray(arm.gravity)

    def bias(q, qd, wrench=terms.FREE):
        return terms.bias(inverse, arm, q, qd, wrench)

    matrix = {
        "method 2": lambda q: terms.inertia(inverse, arm, q),
        "method 3": lambda q: bodies.inertia(arm, q),
    }
    by_velocities = {"velocities": lambda q: kinematics.jacobian(arm, q)}
    if arm.flexible and formulation == "book":
        # composite bodies and velocities belong to King's recursion
        if method == 3:
            raise ValueError("the inertia matrix of book comes by method 2 only")
        del matrix["method 3"]
        by_velocities = {}
    if method is not None:
        matrix = {f"method {method}": matrix[f"method {method}"]}

    if routine == "inverse":

        def torques(q, qd, qdd, wrench=terms.FREE):
            return inverse(arm, q, qd, qdd, gravity, wrench)

        return Task(routine, q | qd | qdd | load, ("tau",), {formulation: torques})
    if routine == "direct":
        ways = {
            way: lambda q, qd, *rest, H=H: (H(q), bias(q, qd, *rest)) for way, H in matrix.items()
        }
        return Task(routine, q | qd | load, ("h", "b"), ways)
    if routine == "inertia":
        return Task(routine, q, ("h",), matrix)
    if routine == "bias":
        return Task(routine, q | qd | load, ("b",), {formulation: bias})
    if routine == "gravity":
        ways = {formulation: lambda q: terms.gravity(inverse, arm, q)}
        return Task(routine, q, ("g",), ways)
    if routine == "coriolis":
        ways = {formulation: lambda q, qd: terms.coriolis(inverse, arm, q, qd)}
        return Task(routine, q | qd, ("c",), ways)
    if routine == "inertial":
        ways = {formulation: lambda q, qdd: terms.inertial(inverse, arm, q, qdd)}
        return Task(routine, q | qdd, ("tau",), ways)
    if routine == "external":
        ways = {formulation: lambda q, wrench: terms.external(inverse, arm, q, wrench)}
        return Task(routine, q | {"wrench": 6}, ("tau",), ways)
    if routine == "jacobian":
        by_wrenches = {"unit wrenches": lambda q: terms.jacobian(inverse, arm, q)}
        return Task(routine, q, ("jac",), by_velocities | by_wrenches)
    return Task(routine, q, ("tip",), {"frames": lambda q: kinematics.transformation(arm, q)})
