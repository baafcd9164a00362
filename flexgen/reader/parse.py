"""Fortran text -> `Source`: its subroutines as programs, with what is needed to write back.

Reading is done by fparser. Literals keep the precision that the language gives them: 0.1 is
single, 0.1d0 and 0.1_dp are double, 1/2 is an integer division.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fparser.common.readfortran import FortranStringReader
from fparser.common.sourceinfo import FortranFormat
from fparser.two import Fortran2003 as F
from fparser.two.parser import ParserFactory
from fparser.two.utils import FortranSyntaxError, walk

from ..graph.program import Program
from .declare import Declarations, declarations
from .errors import ReadError
from .interpret import Element, interpret

__all__ = ["ReadError", "Source", "Subroutine", "read_source"]


@dataclass(frozen=True)
class Subroutine:
    """One subroutine: its program and the places in the text that are written anew."""

    name: str
    program: Program  # one output vector with an entry per target
    targets: tuple[Element, ...]  # what is assigned, in the order of the entries
    declared: Declarations
    body: tuple[int, int]  # first and last line of the executable part, from 1
    statements: int
    counted: tuple[int, int]  # multiplications and additions of the text as it stands


@dataclass(frozen=True)
class Source:
    """A file: its text, its form, and its subroutines in order."""

    text: str
    fixed: bool
    subroutines: tuple[Subroutine, ...]


def read_source(text: str, fixed: bool) -> Source:
    """Read a file; `fixed` says whether it is in fixed form."""
    reader = FortranStringReader(text, ignore_comments=True)
    reader.set_format(FortranFormat(not fixed, False))
    try:
        tree = ParserFactory().create(std="f2008")(reader)
    except FortranSyntaxError as error:
        raise ReadError(None, f"not Fortran: {_first_line(error)}") from None
    if tree is None:
        raise ReadError(None, "no Fortran statement found")
    found = walk(tree, F.Subroutine_Subprogram)
    if not found:
        raise ReadError(None, "no subroutine found")
    return Source(text, fixed, tuple(_subroutine(node) for node in found))


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _subroutine(node: Any) -> Subroutine:
    head = node.children[0]
    name = str(head.children[1])
    arguments = [str(a).lower() for a in (head.children[2].children if head.children[2] else ())]
    spec = next((c for c in node.children if isinstance(c, F.Specification_Part)), None)
    execution = next((c for c in node.children if isinstance(c, F.Execution_Part)), None)
    if execution is None:
        raise ReadError(_line(head), f"subroutine {name} has no statement")
    inner = walk(node, F.Internal_Subprogram_Part)
    if inner:
        raise ReadError(_line(head), f"subroutine {name} contains other subroutines")
    declared = declarations(spec, arguments)
    assignments = []
    for statement in execution.children:
        if isinstance(statement, F.Return_Stmt) and statement is execution.children[-1]:
            continue
        if not isinstance(statement, F.Assignment_Stmt):
            raise ReadError(_line(statement), f"cannot treat {_kind(statement)}")
        assignments.append(statement)
    if not assignments:
        raise ReadError(_line(head), f"subroutine {name} has no assignment")
    lines = [s.item.span for s in assignments]
    program, targets, counted = interpret(name, assignments, declared)
    body = (min(a for a, _ in lines), max(b for _, b in lines))
    return Subroutine(name, program, targets, declared, body, len(assignments), counted)


def _line(node: Any) -> int | None:
    """First line of a statement or construct."""
    while node is not None:
        item = getattr(node, "item", None)
        if item is not None:
            return int(item.span[0])
        children = [c for c in getattr(node, "children", ()) if c is not None]
        node = next((c for c in children if not isinstance(c, str)), None)
    return None


_KINDS = {
    "If_": "an if",
    "Do_": "a loop",
    "Call": "a call",
    "Goto": "a goto",
    "Where": "a where",
    "Case": "a select",
    "Return": "a return before the end",
    "Write": "output",
    "Print": "output",
    "Read": "input",
}


def _kind(statement: Any) -> str:
    name = type(statement).__name__
    text = " ".join(str(statement).split())[:60]
    for part, kind in _KINDS.items():
        if part in name:
            return f"{kind}: {text}"
    return f"this statement: {text}"
