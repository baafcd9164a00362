"""Rigid arm -> programs of the derivatives of its torques, from regrouped parameters.

The first links may be written in closed form, which is then derived over its graph; the
recursion by moving composite bodies takes the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulations import closed
from ..formulations.fit import NoClosedForm
from ..formulations.inverse_derivatives import inverse_derivatives
from ..graph.derive import jacobian
from ..graph.node import Expr
from ..graph.program import Program
from ..graph.trace import trace
from ..manipulator.arm import Array, Manipulator
from ..regroup.base import default_order
from ..regroup.units import lengths
from ..start.choices import Start
from ..start.still import still
from ..start.ways import Mechanics

CLOSED_LINKS = 3  # links that a closed form is tried for
LONG = 10  # links from which on only one way is tried
KEPT = 2  # of the ways, those with the fewest operations
OUTPUTS = ("dtau_dq", "dtau_dqd")


def recursions(arm: Manipulator) -> list[Program]:
    """The best ways, which differ in the links in closed form and in the unit of length."""
    n = len(arm.links)
    if n > LONG:
        return [recursion(arm, Start(order=default_order(n)))]
    found: dict[tuple[Expr, ...], Program] = {}
    for unit in lengths(arm)[:2]:
        for links in range(min(n, CLOSED_LINKS) + 1):
            try:
                program = recursion(arm, Start(default_order(n), unit, closed=links))
                found.setdefault(program.roots, program)
            except NoClosedForm:
                break
    return sorted(found.values(), key=lambda p: p.count().total)[:KEPT]


def recursion(arm: Manipulator, start: Start) -> Program:
    """The derivatives written as `start` says."""
    body = Mechanics(arm, "inverse", start)
    fixed = still(arm, "inverse")
    sizes = dict.fromkeys(("q", "qd", "qdd"), arm.n)

    def placed(q: Array) -> Array:
        turned = q.copy()
        for j, value in fixed.items():
            turned[j] = value
        return turned

    def outer(q: Array, qd: Array, qdd: Array) -> Any:
        return inverse_derivatives(body.outer, placed(q), qd, qdd, body.gravity)[:2]

    def inner(q: Array, qd: Array, qdd: Array) -> Any:
        k, tau = start.closed, np.zeros(arm.n, dtype=object)
        tau[:k] = closed.inverse(body.form, placed(q)[:k], qd[:k], qdd[:k], True)
        return tau

    program = trace(outer, sizes, OUTPUTS, "inverse_derivatives")
    if body.form is None:
        return program
    first = jacobian(trace(inner, sizes, ("tau",), "inverse"), "q", "qd")
    return program.with_roots(tuple(a + b for a, b in zip(program.roots, first.roots, strict=True)))
