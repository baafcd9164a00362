"""The interpreter: a program on numbers or other scalars, statement by statement.

Comes in: the argument arrays by name (TH, THD, ...). Goes out: the outputs by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .program import Constant, LegacyProgram, Source

_ELEMENT = re.compile(r"(\w+)\((\d+)\)")


def evaluate(program: LegacyProgram, arguments: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The value of every output."""
    values: dict[str, Any] = {}
    for declaration in program.declarations:
        if isinstance(declaration, Constant):
            values[declaration.name] = declaration.value
        else:
            values[declaration.name] = _source(declaration, arguments)
    for statement in program.statements:
        inner = sum(p.sign * _product(p.factors, values) for p in statement.parts)
        values[statement.target] = _product(statement.common, values) * inner
    return {name: values[name] for name in program.outputs}


def _product(factors: Iterable[str], values: Mapping[str, Any]) -> Any:
    return math.prod(float(f) if f.isdigit() else values[f] for f in factors)


def _source(source: Source, arguments: Mapping[str, Sequence[Any]]) -> Any:
    value: Any = source.offset
    for element, weight in source.terms:
        found = _ELEMENT.fullmatch(element)
        if found is None or found[1] not in arguments:
            raise ValueError(f"{source.name}: no argument for {element}")
        value = value + weight * arguments[found[1]][int(found[2]) - 1]
    return {"COS": np.cos, "SIN": np.sin}.get(source.function, lambda x: x)(value)
