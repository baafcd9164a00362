"""Routine -> NumPy source: functions of arrays (..., size), over all leading axes at once."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from ..graph.program import Program
from .names import check_language
from .routine import Element, Local, Routine
from .schedule import schedule
from .write import comment, fill, statement, summary

WIDTH = 100

_FUNCTIONS = {
    name: f"np.{numpy}"
    for name, numpy in (
        *((same, same) for same in ("sin", "cos", "tan", "sqrt", "exp", "log", "abs")),
        ("asin", "arcsin"),
        ("acos", "arccos"),
        ("atan", "arctan"),
    )
}

_SUPPORT = '''\
import numpy as np


def _entries(x):
    """Element first, as floats or complex numbers."""
    x = np.asarray(x)
    return np.moveaxis(x.astype(np.result_type(x, float), copy=False), -1, 0)


def _result(shape, *inputs):
    """An array for a result of `shape` over the leading axes of all inputs."""
    lead = np.broadcast_shapes(*(x.shape[1:] for x in inputs))
    return np.empty((*lead, *shape), np.result_type(float, *inputs))
'''


def python_text(programs: Sequence[Program], header: Sequence[str] = ()) -> str:
    """A Python module that needs NumPy only; several outputs are returned as a tuple."""
    check_language(programs, ("np", "float", *map(str.lower, keyword.kwlist)), "Python")

    # a comment at the top must not be taken for a declaration of the encoding
    safe = [re.sub("coding([:=])", r"coding \1", line) for line in header]
    lines = [*comment(safe, "# ", WIDTH), "", _SUPPORT]
    for program in programs:
        lines += ["", *_function(schedule(program)), ""]
    return "\n".join(lines)


def load_python(text: str) -> dict[str, Callable[..., Any]]:
    """The functions of a text that `python_text` made. It is executed: never foreign text."""
    space: dict[str, Any] = {"__name__": "flexgen_generated"}
    exec(compile(text, "<generated>", "exec"), space)
    return {
        name: value
        for name, value in space.items()
        if isinstance(value, FunctionType) and not name.startswith("_")
    }


@dataclass(frozen=True)
class _Python:
    inputs: frozenset[str]
    functions: Mapping[str, str] = field(default_factory=lambda: _FUNCTIONS)

    def number(self, value: float) -> str:
        return repr(value)

    def element(self, element: Element) -> str:
        index = [str(k) for k in element.index]
        if element.array not in self.inputs:
            index.insert(0, "...")
        return f"{element.array}[{', '.join(index)}]"

    def local(self, local: Local) -> str:
        return local.name


def _function(routine: Routine) -> list[str]:
    style = _Python(frozenset(a.name for a in routine.inputs))
    names = [a.name for a in routine.inputs]
    results = ", ".join(a.name for a in routine.outputs)
    lines = comment(summary(routine), "# ", WIDTH)
    lines += [f"def {routine.name}({', '.join(names)}):"]
    lines += [f"    {name} = _entries({name})" for name in names]
    for out in routine.outputs:
        shape = f"({', '.join(map(str, out.shape))}{',' if len(out.shape) == 1 else ''})"
        lines.append(f"    {out.name} = _result({', '.join([shape, *names])})")
    for a in routine.assignments:
        lines += _broken(statement(a, style))
    return [*lines, f"    return {results}"]


def _broken(text: list[str]) -> list[str]:
    lines = fill(text, WIDTH - 8)
    if len(lines) == 1:
        return [f"    {lines[0]}"]
    target, _, value = lines[0].partition(" = ")
    return [f"    {target} = (", *(f"        {v}" for v in (value, *lines[1:])), "    )"]
