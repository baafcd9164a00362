"""Direct dynamics in one program: accelerations from the state and the torques.

Two ways. Inertia matrix and bias of the program `direct`, then an elimination H = L D L^T
written out, which skips the zeros of H; or the recursion over articulated bodies, whose cost
grows with the number of joints and not with its cube. The pipeline keeps the cheaper.

The programs have the outputs `qdd`, `pivots`, all positive where the equations can be solved,
and, after the elimination, `diagonal`: the entries of H that the pivots are left of.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .formulations import articulated, flexible_articulated
from .formulations.solve import solve
from .formulations.terms import FREE
from .graph.program import Input, Output, Program
from .graph.trace import trace
from .manipulator.arm import Manipulator

NAME = "acceleration"
BY_ELIMINATION = "by elimination: H = L D L^T after the terms of direct"
BY_BODIES = "by articulated bodies"


def eliminated(direct: Program, backward: bool = False) -> Program:
    """H, b -> accelerations, pivots and diagonal."""
    n = direct.inputs[0].size
    h, b = (np.array(out.entries, dtype=object).reshape(out.shape) for out in direct.outputs)
    q, qd, *load = direct.inputs
    tau = Input("tau", n)
    qdd, pivots = solve(h, np.array(tau.entries) - b, backward)
    outputs = (
        Output("qdd", (n,), tuple(qdd)),
        Output("pivots", (n,), tuple(pivots)),
        Output("diagonal", (n,), tuple(h.diagonal())),
    )
    notes = (*direct.notes, BY_ELIMINATION)
    return Program(NAME, (q, qd, tau, *load), outputs, notes)


def recursive(arm: Manipulator, wrench: bool = False) -> Program:
    """The recursion over articulated bodies, traced."""
    bodies = flexible_articulated if arm.flexible else articulated
    gravity = np.asarray(arm.gravity)

    def accelerations(q, qd, tau, load=FREE):  # type: ignore[no-untyped-def]
        return bodies.acceleration(arm, q, qd, tau, gravity, load)

    inputs = {name: arm.n for name in ("q", "qd", "tau")} | ({"wrench": 6} if wrench else {})
    program = trace(accelerations, inputs, ("qdd", "pivots"), NAME)
    return replace(program, notes=(BY_BODIES,))
