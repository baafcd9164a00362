"""Derivatives of the dynamics as programs: programs of basic routines -> Program.

    inverse_derivatives  q, qd, qdd -> dtau_dq, dtau_dqd              [i, j] of tau_i by q_j
    direct_derivatives   q, qd, tau -> dqdd_dq, dqdd_dqd, dqdd_dtau, pivots, diagonal
    linearise            q, qd, tau -> a, b of d/dt [q; qd], pivots, diagonal
    jacobian_rate        q, qd      -> jacd

`part(name)` gives the cleared program of a basic routine; `part("inverse_derivatives")` is asked
for by the routines that build on it. Every way gives the same values; which is the cheapest
depends on the arm: accumulation over the graph of the cleared inverse dynamics, column by column
or row by row, wins for short and simple arms, moving composite bodies for the others. `derived`
gives the way with the fewest operations, `ways` all of them for whoever clears them first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..graph.derive import jacobian, tangent
from ..graph.evaluate import evaluate
from ..graph.program import Output, Program
from ..manipulator.arm import Array, Manipulator
from .direct import direct_derivatives, linearise
from .recursion import recursions

DERIVATIVES = ("inverse_derivatives", "direct_derivatives", "linearise", "jacobian_rate")
Part = Callable[[str], Program]
HUGE = 200_000  # operations of an accumulated Jacobian that is not even tried
STEP = 1e-30  # of the complex step
AGREE = 1e-9


def derived(routine: str, part: Part, arm: Manipulator | None = None) -> Program:
    """The way of a routine that has the fewest operations as it stands."""
    return min(ways(routine, part, arm), key=lambda p: (p.count().total, p.count().trig))


def ways(routine: str, part: Part, arm: Manipulator | None = None) -> list[Program]:
    """Programs of a routine, not cleared; `arm` adds those that come from the mechanics."""
    if routine not in DERIVATIVES:
        raise ValueError(f"routine must be one of {', '.join(DERIVATIVES)}, not {routine}")
    if routine == "inverse_derivatives":
        return inverse_ways(part("inverse"), arm)
    if routine == "jacobian_rate":
        return [jacobian_rate(part("jacobian"))]
    found = direct_derivatives(part("inverse_derivatives"), part("direct"))
    return [linearise(found) if routine == "linearise" else found]


def inverse_ways(inverse: Program, arm: Manipulator | None) -> list[Program]:
    """Derivatives of the torques by position and rate."""
    known = [] if arm is None or arm.flexible else recursions(arm)
    found = [p for p in known if agrees(inverse, p)]
    if not found or inverse.count().total * 2 * inverse.inputs[0].size <= HUGE:
        for by_rows in (False, True):
            found.append(jacobian(inverse, "q", "qd", by_rows=by_rows))
    return [replace(p, name="inverse_derivatives") for p in found]


def agrees(inverse: Program, derivatives: Program) -> bool:
    """Whether derivatives are those of a program, by complex steps at a few states.

    A recursion knows rigid bodies; what else a program may hold shows here.
    """
    rng = np.random.default_rng(11)
    n = inverse.inputs[0].size
    for _ in range(2):
        state = rng.uniform(-1.5, 1.5, (3, n))
        found = np.concatenate(evaluate(derivatives, *state), axis=1)
        expected = by_complex_steps(inverse, state)
        if np.abs(found - expected).max() > AGREE * np.abs(expected).max():
            return False
    return True


def by_complex_steps(inverse: Program, state: Array) -> Array:
    """(n, 2n) derivatives of the first output by q and qd."""
    n = state.shape[1]
    steps = np.zeros((3, 2 * n, n), dtype=complex)
    for k in range(2 * n):
        steps[k // n, k, k % n] = 1j * STEP
    (tau,) = evaluate(inverse, *(state[:, None, :] + steps))
    return np.asarray(tau.imag.T / STEP)


def jacobian_rate(jac: Program) -> Program:
    """Time derivative of the Jacobian: its derivative along qd."""
    (q,) = jac.inputs
    rate = replace(q, name="qd")
    entries = tangent(jac, dict(zip(q.entries, rate.entries, strict=True)))
    return Program("jacobian_rate", (q, rate), (Output("jacd", jac.outputs[0].shape, entries),))


__all__ = ["DERIVATIVES", "derived", "ways"]
