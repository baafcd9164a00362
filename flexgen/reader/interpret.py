"""The assignments of a subroutine -> Program: every value followed to the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fparser.two import Fortran2003 as F

from ..graph.node import as_expr, symbol
from ..graph.program import Input, Output, Program
from .declare import Declarations, line
from .errors import ReadError
from .expression import Reader, Value

Element = tuple[str, tuple[int, ...] | None]  # (name, subscripts)


def interpret(
    name: str, assignments: Sequence[Any], declared: Declarations
) -> tuple[Program, tuple[Element, ...], tuple[int, int]]:
    """(program, assigned elements of arguments, multiplications and additions of the text)."""
    values: dict[Element, Value] = {}
    read: set[str] = set()
    where: list[int | None] = [None]

    def lookup(label: str, subscripts: tuple[int, ...] | None) -> Value:
        element = (label, subscripts)
        if element in values:
            return values[element]
        if label in declared.constants and subscripts is None:
            return declared.constants[label]
        if label not in declared.arguments:
            raise ReadError(where[0], f"{label} is used before it has a value")
        if label in declared.integers:
            raise ReadError(where[0], f"cannot treat the integer argument {label}")
        read.add(label)
        return symbol(label, position(element, declared, where[0]))

    reader = Reader(lookup, declared.shapes)
    for statement in assignments:
        where[0] = line(statement)
        target, _, expression = statement.children
        element = _target(target, reader, where[0])
        if element[0] in declared.constants or element[0] in declared.integers:
            raise ReadError(where[0], f"cannot treat an assignment to the integer {element[0]}")
        position(element, declared, where[0])
        values[element] = reader.value(expression, where[0])
        if isinstance(values[element], int):
            values[element] = float(values[element])  # type: ignore[arg-type]

    targets = tuple(e for e in values if e[0] in declared.arguments)
    if not targets:
        raise ReadError(where[0], f"subroutine {name} assigns none of its arguments")
    entries = tuple(as_expr(values[e]) for e in targets)
    groups = tuple(Input(a, size(a, declared)) for a in declared.arguments if a in read)
    label = "out"
    while label in declared.arguments:
        label += "_"
    program = Program(name, groups, (Output(label, (len(entries),), entries),))
    return program, targets, (reader.mul, reader.add)


def _target(node: Any, reader: Reader, where: int | None) -> Element:
    if isinstance(node, F.Name):
        return str(node).lower(), None
    if isinstance(node, F.Part_Ref):
        label, subscripts = node.children
        return str(label).lower(), reader.subscripts(subscripts, where)
    raise ReadError(where, f"cannot assign to {node}")


def size(label: str, declared: Declarations) -> int:
    """Number of elements of a variable."""
    total = 1
    for low, high in declared.shapes.get(label, ()):
        total *= high - low + 1
    return total


def position(element: Element, declared: Declarations, where: int | None) -> int:
    """Place of an element in its array, in storage order; checks bounds and rank."""
    label, subscripts = element
    axes = declared.shapes.get(label, ())
    if subscripts is None:
        if axes:
            raise ReadError(where, f"cannot treat the whole array {label}; name its elements")
        return 0
    if len(subscripts) != len(axes):
        raise ReadError(where, f"{label} has {len(axes)} subscripts, not {len(subscripts)}")
    place, stride = 0, 1
    for index, (low, high) in zip(subscripts, axes, strict=True):
        if not low <= index <= high:
            raise ReadError(where, f"subscript {index} of {label} is outside {low}..{high}")
        place += (index - low) * stride
        stride *= high - low + 1
    return place


def element_at(label: str, place: int, declared: Declarations) -> Element:
    """The element at a place of the storage order: the inverse of `position`."""
    axes = declared.shapes.get(label, ())
    if not axes:
        return label, None
    found = []
    for low, high in axes:
        extent = high - low + 1
        found.append(low + place % extent)
        place //= extent
    return label, tuple(found)
