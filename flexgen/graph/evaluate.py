"""Program on numbers: the reference interpreter.

Works for floats, complex numbers and arrays of states by NumPy, and for any other scalar
by a table of functions, e.g. those of mpmath.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .node import Expr
from .program import Program

OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}
NUMPY: Mapping[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "abs": np.abs,
}


def node_values(
    program: Program,
    inputs: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]] = NUMPY,
    number: Callable[[float], Any] = float,
) -> dict[Expr, Any]:
    """Value of every node; `inputs[name]` is indexed by element first: shape (size, ...)."""
    values: dict[Expr, Any] = {}
    for e in program.nodes():
        if e.kind == "const":
            values[e] = number(e.value)
        elif e.kind == "input":
            name, index = e.value
            values[e] = inputs[name][index]
        else:
            apply = OPERATORS.get(e.kind) or functions[e.kind]
            values[e] = apply(*(values[a] for a in e.args))
    return values


def evaluate(program: Program, *arguments: Any) -> tuple[np.ndarray[Any, Any], ...]:
    """Outputs for arguments of shape (size,) or (B, size), in the order of the inputs."""
    arrays = [np.asarray(a) for a in arguments]
    inputs = {
        group.name: np.moveaxis(array, -1, 0)
        for group, array in zip(program.inputs, arrays, strict=True)
    }
    values = node_values(program, inputs)
    lead = np.broadcast_shapes(*(a.shape[:-1] for a in arrays)) if arrays else ()
    results = []
    for out in program.outputs:
        entries = [np.broadcast_to(values[e], lead) for e in out.entries]
        results.append(np.stack(entries, axis=-1).reshape((*lead, *out.shape)))
    return tuple(results)
