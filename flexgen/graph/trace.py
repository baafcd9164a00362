"""Call a function on symbols and keep what it did: function -> Program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .node import as_expr
from .program import Input, Output, Program


def trace(
    function: Callable[..., Any],
    inputs: Mapping[str, int],
    outputs: tuple[str, ...],
    name: str,
) -> Program:
    """Program of `function`, called with one object array per input.

    It returns one array, or a tuple of arrays with as many members as `outputs` has names.
    """
    groups = tuple(Input(n, size) for n, size in inputs.items())
    arguments = []
    for group in groups:
        array = np.empty(group.size, dtype=object)
        array[:] = group.entries
        arguments.append(array)
    result = function(*arguments)
    results = result if isinstance(result, tuple) else (result,)
    if len(results) != len(outputs):
        raise ValueError(f"{name} returned {len(results)} arrays for outputs {outputs}")
    found = []
    for label, value in zip(outputs, results, strict=True):
        array = np.asarray(value, dtype=object)
        found.append(Output(label, array.shape, tuple(as_expr(e) for e in array.ravel())))
    return Program(name, groups, tuple(found))
