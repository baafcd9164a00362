"""The last gate before a program is released: many digits, fresh states.

A replacement that rests on an accidental equality of numbers shows here: both programs are
evaluated in 50-digit arithmetic, where only the rounding of the constants is left.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from ..graph.evaluate import node_values
from ..graph.program import Program

DIGITS = 50
STATES = 5
LIMIT = 1e-12
LIMIT_DOUBLE = 1e-10
SMALLEST = 1e-3  # of the largest entry: what an entry is at least measured by
_NAMES = ("sin", "cos", "tan", "sqrt", "exp", "log", "asin", "acos", "atan")


def worst_in_digits(
    original: Program, candidate: Program, digits: int = DIGITS, states: int = STATES
) -> float:
    """Worst difference of an output entry, relative to its largest value over the states."""
    context = mpmath.mp.clone()
    context.dps = digits
    functions = {name: getattr(context, name) for name in _NAMES} | {"abs": abs}
    source = np.random.default_rng(50)
    tables: tuple[list[Any], list[Any]] = ([], [])
    for k in range(states):
        scale = (1.0, 0.1, 10.0)[k % 3]
        inputs = {
            group.name: [context.mpf(x) for x in scale * source.uniform(-2.0, 2.0, group.size)]
            for group in original.inputs
        }
        for program, table in zip((original, candidate), tables, strict=True):
            values = node_values(program, inputs, functions, context.mpf)
            table.append([values[r] for r in program.roots])
    # an entry that vanishes but for the rounding of constants is measured by the others
    floor = SMALLEST * max((abs(x) for row in tables[0] for x in row), default=0)
    worst = 0.0
    for mine, other in zip(zip(*tables[0], strict=True), zip(*tables[1], strict=True), strict=True):
        size = max(floor, *(abs(x) for x in mine))
        error = max(abs(x - y) for x, y in zip(mine, other, strict=True))
        if error:
            worst = max(worst, float(error / size) if size else float("inf"))
    return worst
