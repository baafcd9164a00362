"""Programs as NumPy functions with the calling rules of compiled routines.

Every application then runs without a compiler, and compiled code has something to be
compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .emit.python import load_python, python_text
from .graph.program import Program
from .model import Routine


def interpreted(programs: Mapping[str, Program], header: Sequence[str] = ()) -> dict[str, Routine]:
    """A routine for each program; `direct` goes on to the accelerations."""
    functions = load_python(python_text(list(programs.values()), header))
    routines = {}
    for name, program in programs.items():
        inputs = tuple((i.name, i.size) for i in program.inputs)
        shape = program.outputs[0].shape
        if name == "direct":
            n = program.inputs[0].size
            inputs, shape = (*inputs, ("tau", n)), (n,)
            routines[name] = Routine(_solving(functions[name]), inputs, shape)
        else:
            routines[name] = Routine(_filling(functions[name]), inputs, shape)
    return routines


def _not_finite(arrays: Sequence[Any]) -> int:
    return next((k for k, a in enumerate(arrays, 1) if not np.isfinite(a).all()), 0)


def _filling(function: Callable[..., Any]) -> Callable[..., int]:
    def call(*arrays: Any) -> int:
        *inputs, out = arrays
        code = _not_finite(inputs)
        if not code:
            out[...] = function(*inputs)
        return code

    return call


def _solving(function: Callable[..., Any]) -> Callable[..., int]:
    def call(*arrays: Any) -> int:
        q, qd, tau, out = arrays
        code = _not_finite((q, qd, tau))
        if code:
            return code
        H, b = function(q, qd)
        for k, matrix in enumerate(H.reshape(-1, *H.shape[-2:]), 1):
            try:
                np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                return -k
        out[...] = np.linalg.solve(H, (tau - b)[..., None])[..., 0]
        return 0

    return call
