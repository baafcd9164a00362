"""(arm, routine, choices) -> traced program, with regrouped parameters and cheap forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..formulations import closed, composite_origin, origin
from ..formulations.fit import fit
from ..formulations.parameters import parameters, with_parameters
from ..graph.program import Program
from ..graph.trace import trace
from ..manipulator.arm import Array, Manipulator
from ..regroup.base import Purpose, regroup
from ..regroup.units import in_units
from .choices import Start
from .still import still

_FREE = np.zeros(6)


@dataclass(frozen=True)
class Signature:
    """Inputs and outputs of a routine, and which parameters it needs."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    purpose: Purpose


SIGNATURES: Mapping[str, Signature] = {
    "inverse": Signature(("q", "qd", "qdd"), ("tau",), "inverse"),
    "direct": Signature(("q", "qd"), ("h", "b"), "inverse"),
    "inertia": Signature(("q",), ("h",), "inertia"),
    "bias": Signature(("q", "qd"), ("b",), "bias"),
    "gravity": Signature(("q",), ("g",), "gravity"),
    "coriolis": Signature(("q", "qd"), ("c",), "coriolis"),
    "inertial": Signature(("q", "qdd"), ("tau",), "inertia"),
    "jacobian": Signature(("q",), ("jac",), "inertia"),
}
WITH_WRENCH = ("inverse", "direct", "bias")


class Mechanics:
    """A regrouped arm: closed form of the first links and recursion for the others, added."""

    def __init__(self, arm: Manipulator, purpose: Purpose, start: Start) -> None:
        regrouped = regroup(arm, purpose, start.order or None)
        self.arm = self.outer = in_units(regrouped, start.unit)
        self.start, self.n = start, arm.n
        self.gravity = np.asarray(self.arm.gravity)
        self.form: closed.Closed | None = None
        if start.closed:
            inner = replace(self.arm, links=self.arm.links[: start.closed])
            self.form = fit(inner, start.squares)
            left = parameters(self.arm)[10 * start.closed :]
            self.outer = with_parameters(self.arm, [0.0] * (10 * start.closed) + left)

    def torques(self, q: Array, qd: Any, qdd: Any, weight: bool, wrench: Array | None) -> Array:
        """Inverse dynamics; `qd` and `qdd` may be zeros."""
        tau = np.zeros(self.n, dtype=object)
        k, s = self.start.closed, self.start
        if self.form is not None:
            tau[:k] = closed.inverse(self.form, q[:k], qd[:k], qdd[:k], weight)
        if k < self.n or wrench is not None:
            load = _FREE if wrench is None else wrench * np.array([s.unit] * 3 + [1.0] * 3)
            gravity = self.gravity if weight else np.zeros(3)
            tau = tau + origin.inverse(self.outer, q, qd, qdd, gravity, load, s.parallel)
        return tau

    def inertia(self, q: Array) -> Array:
        """Inertia matrix."""
        H = np.zeros((self.n, self.n), dtype=object)
        k, s = self.start.closed, self.start
        if self.form is not None:
            H[:k, :k] = closed.inertia(self.form, q[:k])
        if k < self.n:
            H = H + composite_origin.inertia(self.outer, q, s.hold, s.below, s.parallel)
        return H


def start_program(arm: Manipulator, routine: str, start: Start, wrench: bool = False) -> Program:
    """The program of a routine of a rigid arm, written as `start` says.

    `wrench` adds the wrench on the last link as an input of inverse, direct and bias.
    """
    if arm.flexible:
        raise ValueError(f"{arm.name}: these forms are for rigid links")
    if wrench and routine not in WITH_WRENCH:
        raise ValueError(f"a wrench can be added to {', '.join(WITH_WRENCH)}, not to {routine}")
    signature = SIGNATURES[routine]
    sizes = dict.fromkeys(signature.inputs, arm.n) | ({"wrench": 6} if wrench else {})
    function = _jacobian(arm, start) if routine == "jacobian" else _dynamics(arm, routine, start)

    fixed = {} if wrench or routine == "jacobian" else still(arm, signature.purpose)

    def traced(q: Array, *rest: Array) -> Any:
        turned = q.copy()
        for j, value in fixed.items():
            turned[j] = value
        return function(turned, *rest, *(() if wrench else (None,)))

    return trace(traced, sizes, signature.outputs, routine)


def _jacobian(arm: Manipulator, start: Start) -> Any:
    return lambda q, w: composite_origin.jacobian(arm, q, start.parallel)


def _dynamics(arm: Manipulator, routine: str, start: Start) -> Any:
    """Function of the inputs of a routine, the wrench or None last."""
    zero = np.zeros(arm.n)
    if routine == "direct" and start.matrix is not None:
        matrix, bias = Mechanics(arm, "inertia", start.matrix), Mechanics(arm, "bias", start)
        return lambda q, qd, w: (matrix.inertia(q), bias.torques(q, qd, zero, True, w))
    body = Mechanics(arm, SIGNATURES[routine].purpose, start)
    functions = {
        "inverse": lambda q, qd, qdd, w: body.torques(q, qd, qdd, True, w),
        "direct": lambda q, qd, w: (body.inertia(q), body.torques(q, qd, zero, True, w)),
        "inertia": lambda q, w: body.inertia(q),
        "bias": lambda q, qd, w: body.torques(q, qd, zero, True, w),
        "gravity": lambda q, w: body.torques(q, zero, zero, True, w),
        "coriolis": lambda q, qd, w: body.torques(q, qd, zero, False, w),
        "inertial": lambda q, qdd, w: body.torques(q, zero, qdd, False, w),
    }
    return functions[routine]
