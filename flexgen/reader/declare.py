"""Declarations of a subroutine: shapes of its arrays, values of its parameters, types.

Only what matters for straight-line code is looked at; statements that would change what an
assignment means (common, data, equivalence) are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fparser.two import Fortran2003 as F
from fparser.two.utils import walk

from ..graph.node import Expr, number
from .errors import ReadError
from .expression import Reader, Value

Bounds = tuple[tuple[int, int], ...]  # (lower, upper) of every axis


@dataclass(frozen=True)
class Declarations:
    """What the specification part says."""

    arguments: tuple[str, ...]
    shapes: dict[str, Bounds]
    constants: dict[str, int | float]
    integers: frozenset[str]
    real_type: str  # type of a working variable, as the text spells it
    double: bool
    statements: tuple[Any, ...]  # of the specification part, for writing back
    names: frozenset[str]


_REFUSED = (
    (F.Common_Stmt, "common"),
    (F.Data_Stmt, "data"),
    (F.Equivalence_Stmt, "equivalence"),
    (F.Save_Stmt, "save"),
)


def declarations(spec: Any, arguments: Sequence[str]) -> Declarations:
    """Read the specification part of a subroutine."""
    shapes: dict[str, Bounds] = {}
    constants: dict[str, int | float] = {}
    integers: set[str] = set()
    types: dict[str, str] = {}
    statements = _flat(spec)
    for statement in statements:
        for refused, word in _REFUSED:
            if isinstance(statement, refused):
                raise ReadError(line(statement), f"cannot treat {word}: {statement}")
        if isinstance(statement, F.Type_Declaration_Stmt):
            _typed(statement, shapes, constants, integers, types)
        elif isinstance(statement, F.Parameter_Stmt):
            for definition in walk(statement, F.Named_Constant_Def):
                label, value = definition.children
                constants[str(label).lower()] = constant(value, constants, line(statement))
        elif isinstance(statement, F.Dimension_Stmt):
            for label, axes in statement.children[0]:
                shapes[str(label).lower()] = bounds(axes, constants, line(statement))
    spelled = next((types[a] for a in arguments if types.get(a)), None) or _implicit(statements)
    names = frozenset(str(n).lower() for n in walk(spec, F.Name)) if spec else frozenset()
    return Declarations(
        tuple(arguments),
        shapes,
        constants,
        frozenset(integers),
        spelled,
        _is_double(spelled, constants),
        tuple(statements),
        names,
    )


def _flat(spec: Any) -> list[Any]:
    """Statements of the specification part in order, implicit parts opened."""
    found: list[Any] = []
    for child in spec.children if spec is not None else ():
        if isinstance(child, F.Implicit_Part):
            found.extend(child.children)
        else:
            found.append(child)
    return found


def _typed(
    statement: Any,
    shapes: dict[str, Bounds],
    constants: dict[str, int | float],
    integers: set[str],
    types: dict[str, str],
) -> None:
    kind, attributes, entities = statement.children
    spelled = str(kind)
    words = [str(a).lower() for a in attributes.children] if attributes else []
    if "save" in words:
        raise ReadError(line(statement), f"cannot treat save: {statement}")
    shared = walk(attributes, F.Dimension_Attr_Spec) if attributes else []
    for entity in entities.children:
        label, axes, _, initial = entity.children
        key = str(label).lower()
        types[key] = spelled
        where = axes if axes is not None else (shared[0].children[1] if shared else None)
        if where is not None:
            shapes[key] = bounds(where, constants, line(statement))
        if spelled.lower().startswith("integer"):
            integers.add(key)
            types[key] = ""
        if "parameter" in words and initial is not None:
            constants[key] = constant(initial.children[1], constants, line(statement))
        elif initial is not None:
            raise ReadError(line(statement), f"{label} keeps its value between calls (save)")


def _implicit(statements: Sequence[Any]) -> str:
    """Type of undeclared reals: what an implicit statement says, else real."""
    for statement in statements:
        if isinstance(statement, F.Implicit_Stmt):
            for spec in walk(statement, F.Implicit_Spec):
                return str(spec.children[0])
    return "REAL"


def _is_double(spelled: str, constants: dict[str, int | float]) -> bool:
    text = "".join(spelled.lower().split())
    if text in ("real", "real*4", "real(4)", "real(kind=4)", "real(real32)", "real(kind=real32)"):
        return False
    inside = text.partition("(")[2].rstrip(")").removeprefix("kind=")
    return constants.get(inside, 8) != 4


def line(statement: Any) -> int | None:
    """First line of a statement."""
    item = getattr(statement, "item", None)
    return int(item.span[0]) if item is not None else None


def bounds(axes: Any, constants: dict[str, int | float], where: int | None) -> Bounds:
    """Bounds of an array; they must be constants."""
    found = []
    for axis in axes.children if hasattr(axes, "children") else [axes]:
        if not isinstance(axis, F.Explicit_Shape_Spec):
            raise ReadError(where, f"the size of an array must be a constant, not {axis}")
        low, high = axis.children
        first = 1 if low is None else constant(low, constants, where)
        last = constant(high, constants, where)
        if not isinstance(first, int) or not isinstance(last, int):
            raise ReadError(where, f"the size of an array must be an integer, not {axis}")
        found.append((first, last))
    return tuple(found)


def constant(node: Any, constants: dict[str, int | float], where: int | None) -> int | float:
    """Value of a constant expression."""

    def lookup(label: str, subscripts: tuple[int, ...] | None) -> Value:
        if subscripts is not None or label not in constants:
            raise ReadError(where, f"{label} is not a known constant")
        return constants[label]

    value = Reader(lookup).value(node, where)
    if isinstance(value, Expr):
        folded = number(value)
        if folded is None:
            raise ReadError(where, f"must be a constant: {node}")
        return folded
    return value
