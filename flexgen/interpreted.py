"""Programs as NumPy functions with the calling rules of compiled routines.

Every application then runs without a compiler, and compiled code has something to be
compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .calls import Routine
from .emit.python import load_python, python_text
from .graph.program import Program
from .shim import GUARDS


def interpreted(programs: Mapping[str, Program], header: Sequence[str] = ()) -> dict[str, Routine]:
    """A routine for each program; pivots that are not positive become a code."""
    functions = load_python(python_text(list(programs.values()), header))
    routines = {}
    for name, program in programs.items():
        inputs = tuple((i.name, i.size) for i in program.inputs)
        shapes = tuple(o.shape for o in program.outputs if o.name not in GUARDS)
        fill = _filling(functions[name], [o.name for o in program.outputs])
        many = _many(fill, [(size,) for _, size in inputs], shapes)
        one = _one(fill, [size for _, size in inputs], shapes)
        routines[name] = Routine(one, many, inputs, shapes)
    return routines


Fill = Callable[[Sequence[Any], Sequence[Any]], int]


def _filling(function: Callable[..., Any], names: Sequence[str]) -> Fill:
    def fill(inputs: Sequence[Any], outputs: Sequence[Any]) -> int:
        code = next((k for k, a in enumerate(inputs, 1) if not np.isfinite(a).all()), 0)
        if code:
            return code
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = function(*inputs)
        results = dict(zip(names, found if len(names) > 1 else (found,), strict=True))
        pivots = results.pop("pivots", None)
        diagonal = results.pop("diagonal", pivots)
        if pivots is not None and diagonal is not None:
            rounding = 64 * np.shape(pivots)[-1] * np.finfo(float).eps
            good = np.atleast_2d(pivots > rounding * np.abs(diagonal)).all(axis=-1)
            if not good.all():
                return -1 - int(np.argmin(good))
        for out, value in zip(outputs, results.values(), strict=True):
            out[...] = value
        return 0

    return fill


def _one(fill: Fill, sizes: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> Callable[..., int]:
    def one(*arrays: Any) -> int:
        at = len(sizes)
        # as a compiled routine does
        if any(a.size != size for a, size in zip(arrays[:at], sizes, strict=True)):
            raise ValueError("inputs of the wrong size")
        if any(a.dtype != np.float64 or not a.flags.carray for a in arrays[at:]):
            raise ValueError("outputs that cannot be filled in place")
        outputs = [a.reshape(shape) for a, shape in zip(arrays[at:], shapes, strict=True)]
        return fill(arrays[:at], outputs)

    return one


def _many(
    fill: Fill, sizes: Sequence[tuple[int, ...]], shapes: Sequence[tuple[int, ...]]
) -> Callable[..., int]:
    def many(states: int, columns: bool, threads: int, strict: bool, *flat: Any) -> int:
        arrays = [
            np.moveaxis(a.reshape(*shape, states), -1, 0) if columns else a.reshape(states, *shape)
            for a, shape in zip(flat, (*sizes, *shapes), strict=True)
        ]
        return fill(arrays[: len(sizes)], arrays[len(sizes) :])

    return many
