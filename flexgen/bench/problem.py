"""What is computed and at which states: arm, routine -> Problem with the right answers.

The answers are those of the mechanics on plain floats (Newton-Euler; for links that bend,
King's recursion): no graph, no pass, no text and no compiler has touched them. Derivatives
come from complex steps of the same mechanics, without differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..formulations.lanes import bare, lanes
from ..formulations.routines import task
from ..manipulator.arm import Manipulator
from ..verify import random_states
from .candidate import Array

STATES = 1000
LIMIT = 1e-9  # relative difference of results
ROUNDINGS = 10.0  # of the last digit, in the right side of a solution
STEP = 1e-30  # of complex steps
# routine: third input, name of the program that computes it
ROUTINES = {
    "inverse": ("qdd", "inverse"),
    "direct": ("tau", "acceleration"),
    "inverse_derivatives": ("qdd", "inverse_derivatives"),
    "direct_derivatives": ("tau", "direct_derivatives"),
}


@dataclass(frozen=True)
class Problem:
    """A routine of an arm at states (B, n): q, qd and u, which is qdd or tau."""

    arm: Manipulator
    routine: str
    q: Array
    qd: Array
    u: Array

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.arm.n

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one result."""
        blocks = {"inverse_derivatives": 2, "direct_derivatives": 3}.get(self.routine)
        return (self.n,) if blocks is None else (blocks, self.n, self.n)

    @property
    def size(self) -> int:
        """Numbers in one result."""
        return int(np.prod(self.shape))

    @cached_property
    def limit(self) -> float:
        """Largest relative difference of a result that is right.

        Accelerations are the solution of H qdd = tau - b: whoever solves it, and however well,
        is off by the rounding of the right side times the condition of H.
        """
        if self.routine.startswith("inverse"):
            return LIMIT
        condition = np.linalg.cond(_inertia(self.arm, self.q)).max()
        return float(max(LIMIT, ROUNDINGS * np.finfo(float).eps * condition))

    @cached_property
    def answers(self) -> Array:
        """Right results, (B, size)."""
        return _answers(self)


def problem(arm: Manipulator, routine: str, states: int = STATES, seed: int = 7) -> Problem:
    """Random states of `arm`; torques are those that random accelerations need."""
    if routine not in ROUTINES:
        raise ValueError(f"routine must be one of {', '.join(ROUTINES)}, not {routine!r}")
    s = random_states(arm, states, seed)
    u = s.qdd
    if ROUTINES[routine][0] == "tau":
        u = _torques(arm, s.q, s.qd, s.qdd)
    arrays = [np.ascontiguousarray(x) for x in (s.q, s.qd, u)]
    for array in arrays:
        array.setflags(write=False)  # every candidate must see the same states
    return Problem(arm, routine, *arrays)


def _of(arm: Manipulator, routine: str) -> Callable[..., Any]:
    return next(iter(task(arm, routine).ways.values()))


def _torques(arm: Manipulator, q: Array, qd: Array, qdd: Array) -> Array:
    tau = _of(arm, "inverse")(lanes(q.T), lanes(qd.T), lanes(qdd.T))
    return np.stack([np.broadcast_to(bare(t), len(q)) for t in tau], axis=1)


def _inertia(arm: Manipulator, q: Array) -> Array:
    H = _of(arm, "inertia")(lanes(q.T))
    full = [[np.broadcast_to(bare(x), len(q)) for x in row] for row in H]
    return np.moveaxis(np.array(full, dtype=float), -1, 0)


def _accelerations(arm: Manipulator, q: Array, qd: Array, tau: Array) -> Array:
    left = tau - _torques(arm, q, qd, np.zeros_like(q))
    solved: Array = np.linalg.solve(_inertia(arm, q), left[:, :, None])[:, :, 0]
    return solved


def _slopes(arm: Manipulator, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Derivatives of the torques by q and by qd, (B, n, n) each."""
    found = []
    for moved in range(2):
        columns = []
        for j in range(arm.n):
            point = [q.astype(complex), qd.astype(complex)]
            point[moved][:, j] += 1j * STEP
            columns.append(_torques(arm, point[0], point[1], qdd).imag / STEP)
        found.append(np.stack(columns, axis=2))
    return found[0], found[1]


def _answers(p: Problem) -> Array:
    if p.routine == "inverse":
        return _torques(p.arm, p.q, p.qd, p.u)
    if p.routine == "direct":
        return _accelerations(p.arm, p.q, p.qd, p.u)
    if p.routine == "inverse_derivatives":
        return np.stack(_slopes(p.arm, p.q, p.qd, p.u), axis=1).reshape(len(p.q), -1)
    qdd = _accelerations(p.arm, p.q, p.qd, p.u)
    inverted = np.linalg.inv(_inertia(p.arm, p.q))
    by_q, by_qd = (-inverted @ slope for slope in _slopes(p.arm, p.q, p.qd, qdd))
    return np.stack([by_q, by_qd, inverted], axis=1).reshape(len(p.q), -1)
