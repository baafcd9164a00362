"""Values of all nodes of a program at random states, in many digits.

States come from a generator whose sequence is fixed by the seed, and sines are evaluated in
multiple precision, so that fingerprints are the same on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import mpmath

from ..graph.evaluate import node_values
from ..graph.node import Expr
from ..graph.program import Program

State = Mapping[str, Sequence[float]]


@cache
def context(digits: int) -> Any:
    """An arithmetic of `digits` decimal digits, apart from the global one of mpmath."""
    arithmetic = mpmath.mp.clone()
    arithmetic.dps = digits
    return arithmetic


def functions(digits: int) -> dict[str, Callable[..., Any]]:
    """The functions of the graph in that arithmetic."""
    mp = context(digits)
    names = ("sin", "cos", "tan", "sqrt", "exp", "log", "asin", "acos", "atan")
    return {name: getattr(mp, name) for name in names} | {"abs": mp.fabs}


def values(program: Program, state: State, digits: int) -> dict[Expr, Any]:
    """Value of every node at `state`; ValueError where one is not a finite real number."""
    mp = context(digits)
    inputs = {name: [mp.mpf(x) for x in vector] for name, vector in state.items()}
    try:
        found = node_values(program, inputs, functions(digits), mp.mpf)
    except ZeroDivisionError as error:
        raise ValueError("the program divides by zero at this state") from error
    if any(isinstance(x, mp.mpc) or not mp.isfinite(x) for x in found.values()):
        raise ValueError("the program is not real and finite at this state")
    return found


def random_states(program: Program, seed: int) -> Iterator[dict[str, list[float]]]:
    """States without end: every entry between 0.3 and 1.7 in magnitude, of either sign."""
    source = random.Random(seed)
    while True:
        yield {
            group.name: [
                (0.3 + 1.4 * source.random()) * (1.0 if source.random() < 0.5 else -1.0)
                for _ in range(group.size)
            ]
            for group in program.inputs
        }


def fingerprints(program: Program, count: int, seed: int, digits: int) -> list[dict[Expr, Any]]:
    """Node values at the first `count` random states at which the program is defined."""
    found: list[dict[Expr, Any]] = []
    for trial, state in enumerate(random_states(program, seed)):
        if len(found) == count:
            break
        if trial > 50 * count:
            raise ValueError(f"{program.name} is not defined at random states")
        try:
            found.append(values(program, state, digits))
        except ValueError:
            continue
    return found
