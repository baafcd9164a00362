"""A cleared program back into the file that it came from: same signature, other statements.

Everything outside the executable part stays as it is, except that declarations of variables
which no longer exist are taken out and the new ones are put in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fparser.two import Fortran2003 as F

from ..emit.names import free_name
from ..emit.routine import Element as Place
from ..emit.routine import Local
from ..emit.schedule import schedule
from ..emit.split import locals_of
from ..emit.write import comment, fill, listed, statement
from ..graph.program import Program
from .declare import Declarations, line
from .errors import ReadError
from .interpret import Element, element_at
from .parse import Source, Subroutine

FREE_WIDTH, FIXED_WIDTH = 96, 66
CONTINUATIONS = {True: 19, False: 255}


def rewritten(source: Source, programs: Sequence[Program]) -> str:
    """The text of `source` with `programs` in place of those of its subroutines."""
    lines: list[str | None] = list(source.text.splitlines())
    extra: dict[int, list[str]] = {}
    for subroutine, program in zip(source.subroutines, programs, strict=True):
        first, last = subroutine.body
        for spec in subroutine.declared.statements:
            _without_locals(spec, subroutine.declared, lines, extra, source.fixed)
        lines[first - 1 : last] = [None] * (last - first + 1)
        extra[first - 1] = _body(subroutine, program, source.fixed)
    written: list[str] = []
    for k, text in enumerate(lines):
        written += extra.get(k, [])
        if text is not None:
            written.append(text)
    return "\n".join([*written, ""])


@dataclass(frozen=True)
class _Style:
    """Names of the caller for its arguments, numbers in the caller's precision."""

    subroutine: Subroutine
    names: Mapping[str, str]
    copies: Mapping[Place, str]
    functions: Mapping[str, str] = field(default_factory=dict)

    def number(self, value: float) -> str:
        if not self.subroutine.declared.double:
            return _pointed(str(np.float32(value)), "e")
        return _pointed(repr(value), "d")

    def element(self, element: Place) -> str:
        if element.array == self.subroutine.program.outputs[0].name:
            return spelled(self.subroutine.targets[element.index[0]])
        if element in self.copies:
            return self.copies[element]
        return spelled(element_at(element.array, element.index[0], self.subroutine.declared))

    def local(self, local: Local) -> str:
        return self.names[local.name]


def spelled(element: Element) -> str:
    """An element as Fortran writes it."""
    label, subscripts = element
    return label if subscripts is None else f"{label}({','.join(map(str, subscripts))})"


def _pointed(text: str, mark: str) -> str:
    mantissa, found, exponent = text.partition("e")
    point = "" if "." in mantissa else ".0"
    if mark == "e" and not found:
        return mantissa + point
    return f"{mantissa}{point}{mark}{exponent or '0'}"


def _body(subroutine: Subroutine, program: Program, fixed: bool) -> list[str]:
    declared = subroutine.declared
    routine = schedule(program)
    taken = {n.upper() for n in (*declared.names, *declared.arguments, subroutine.name)}
    locals_ = locals_of(routine.assignments)
    names = {name: free_name(name, taken) for name in locals_}

    # an argument that is read and assigned is copied first
    assigned = {label for label, _ in subroutine.targets}
    copies = {
        Place(group.name, (k,)): free_name(f"{group.name}_{k + 1}", taken)
        for group in program.inputs
        if group.name in assigned
        for k in range(group.size)
    }
    style = _Style(subroutine, names, copies)
    originals = _Style(subroutine, names, {})

    counts = program.count()
    mul, add = subroutine.counted
    about = [
        f"cleared by flexgen: {counts.mul} mul, {counts.add} add, {counts.trig} trig;"
        f" before {mul} mul, {add} add"
    ]
    lines = comment(about, "C     " if fixed else "! ", 72 if fixed else 100)
    for text in fill(listed("", [*names.values(), *copies.values()], ""), 50):
        if text:
            variables = text.rstrip(",")
            kind = declared.real_type
            lines += _laid(f"{kind} {variables}" if fixed else f"{kind} :: {variables}", fixed)
    for place, name in copies.items():
        lines += _laid(f"{name} = {originals.element(place)}", fixed)
    for assignment in routine.assignments:
        lines += _laid(statement(assignment, style), fixed)
    return lines


def _laid(text: str | list[str], fixed: bool) -> list[str]:
    """A statement on as many lines as its form allows."""
    whole = [text] if isinstance(text, str) else text
    lines = fill(whole, FIXED_WIDTH if fixed else FREE_WIDTH)
    if len(lines) - 1 > CONTINUATIONS[fixed]:
        raise ReadError(None, "a statement would need too many continuation lines")
    if fixed:
        return [f"      {lines[0]}", *(f"     & {x}" for x in lines[1:])]
    return [f"{x} &" if k + 1 < len(lines) else x for k, x in enumerate(lines)]


def _without_locals(
    spec: Any,
    declared: Declarations,
    lines: list[str | None],
    extra: dict[int, list[str]],
    fixed: bool,
) -> None:
    """Take variables that are neither arguments nor constants out of a declaration."""
    kept = set(declared.arguments) | set(declared.constants)
    if isinstance(spec, F.Type_Declaration_Stmt):
        kind, attributes, entities = spec.children
        every = [(str(e.children[0]).lower(), str(e)) for e in entities.children]
        colons = f", {attributes} :: " if attributes else ("  " if fixed else " :: ")
        start = f"{kind}{colons}"
    elif isinstance(spec, F.Dimension_Stmt):
        every = [(str(n).lower(), f"{n}({axes})") for n, axes in spec.children[0]]
        start = "DIMENSION "
    else:
        return
    staying = [text for label, text in every if label in kept]
    if len(staying) == len(every):
        return
    first, last = spec.item.span
    lines[first - 1 : last] = [None] * (last - first + 1)
    if staying:
        extra[first - 1] = _laid(listed(start, staying, ""), fixed)
    if line(spec) is None:
        raise ReadError(None, f"cannot place the declaration {spec}")
