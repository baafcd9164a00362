"""Whether a program still computes the dynamics of the arm it was made for.

The reference is the recursive Lagrangian by 4x4 matrices with the original parameters: it has
no step in common with the forms, the regrouping or the passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..formulations import hollerbach, terms
from ..graph.evaluate import evaluate
from ..graph.program import Program
from ..manipulator.arm import Array, Manipulator

STATES = 3
WITHIN = 1e-11  # of the largest entry of an output
SMALLEST = 1e-3  # of the torques of an ordinary motion: the least that an output is measured by


def deviation(arm: Manipulator, program: Program, seed: int = 3) -> float:
    """Largest error of an output entry at random states, relative to the largest entry."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(STATES):
        x = {g.name: rng.uniform(-1.5, 1.5, g.size) for g in program.inputs}
        found = evaluate(program, *x.values())
        floor = SMALLEST * _typical(arm, x["q"], rng)
        for value, expected in zip(found, _expected(arm, program.name, x), strict=True):
            size = max(float(np.abs(expected).max(initial=0.0)), floor)
            worst = max(worst, float(np.abs(value - expected).max(initial=0.0)) / size)
    return worst


def _typical(arm: Manipulator, q: Array, rng: np.random.Generator) -> float:
    """Size of the torques of an ordinary motion: what a term that vanishes is measured by."""
    inverse: Callable[..., Any] = hollerbach.inverse
    qd, qdd = rng.uniform(-1.5, 1.5, (2, arm.n))
    gravity = np.asarray(arm.gravity, dtype=float)
    return float(np.abs(inverse(arm, q, qd, qdd, gravity, np.zeros(6))).max())


def faithful(arm: Manipulator, program: Program) -> bool:
    """Whether the program agrees with the reference."""
    return deviation(arm, program) < WITHIN


def _expected(arm: Manipulator, routine: str, x: dict[str, Array]) -> list[Array]:
    inverse: Callable[..., Any] = hollerbach.inverse
    rest = np.zeros(arm.n)
    q, qd, qdd = x["q"], x.get("qd", rest), x.get("qdd", rest)
    load, gravity = x.get("wrench", np.zeros(6)), np.asarray(arm.gravity, dtype=float)
    if routine == "inverse":
        return [inverse(arm, q, qd, qdd, gravity, load)]
    if routine == "direct":
        return [terms.inertia(inverse, arm, q), terms.bias(inverse, arm, q, qd, load)]
    if routine == "bias":
        return [terms.bias(inverse, arm, q, qd, load)]
    if routine == "coriolis":
        return [terms.coriolis(inverse, arm, q, qd)]
    if routine == "inertial":
        return [terms.inertial(inverse, arm, q, qdd)]
    return [getattr(terms, routine)(inverse, arm, q)]  # inertia, gravity, jacobian
