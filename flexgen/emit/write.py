"""Terms, statements and comments -> lines. What differs between dialects is in a `Style`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from .routine import Assignment, Call, Element, Local, Negative, Number, Routine, Term

_SUM, _PRODUCT, _ATOM = 1, 2, 3


class Style(Protocol):
    """How a dialect writes what a term is made of."""

    @property
    def functions(self) -> Mapping[str, str]:
        """Names of functions that are not those of the graph."""
        ...

    def number(self, value: float) -> str:
        """A literal that reads back as the same number."""
        ...

    def element(self, element: Element) -> str:
        """An element of an argument."""
        ...

    def local(self, local: Local) -> str:
        """A variable."""
        ...


def pieces(term: Term, style: Style, level: int = _SUM) -> list[str]:
    """The text of a term in pieces, between which a line may be broken.

    `level` is the weakest operation that needs no parentheses where the term stands.
    """
    if isinstance(term, Number):
        return [style.number(term.value)]
    if isinstance(term, Element):
        return [style.element(term)]
    if isinstance(term, Local):
        return [style.local(term)]
    if isinstance(term, Call):
        name = style.functions.get(term.function, term.function)
        return _enclosed(f"{name}(", pieces(term.argument, style), ")")
    if isinstance(term, Negative):
        text, own = _enclosed("-", pieces(term.of, style, _PRODUCT), ""), _SUM
    elif term.operator in "+-":
        left, right = pieces(term.left, style, _SUM), pieces(term.right, style, _PRODUCT)
        text, own = left + _enclosed(f" {term.operator} ", right, ""), _SUM
    else:
        left, right = pieces(term.left, style, _PRODUCT), pieces(term.right, style, _ATOM)
        text, own = left + _enclosed(term.operator, right, ""), _PRODUCT
    return text if own >= level else _enclosed("(", text, ")")


def statement(assignment: Assignment, style: Style, start: str = "", end: str = "") -> list[str]:
    """An assignment in pieces; `start` and `end` are a declaration and a terminator."""
    target = assignment.target
    left = style.local(target) if isinstance(target, Local) else style.element(target)
    return _enclosed(f"{start}{left} = ", pieces(assignment.value, style), end)


def listed(start: str, items: Sequence[str], end: str, comma: str = ", ") -> list[str]:
    """`start`, the items with commas and `end`, in pieces."""
    if not items:
        return [start + end]
    return _enclosed(start, [*(item + comma for item in items[:-1]), items[-1]], end)


def fill(text: Iterable[str], width: int) -> list[str]:
    """Pieces put together to lines of at most `width` columns; no piece is broken."""
    lines = [""]
    for piece in text:
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append(piece.lstrip())
        else:
            lines[-1] += piece
    return [*lines[:-1], lines[-1].rstrip()]


def comment(lines: Iterable[str], mark: str, width: int) -> list[str]:
    """Comment lines of printable ASCII; what is not is written `?`, long lines are wrapped."""
    written: list[str] = []
    for line in lines:
        clean = "".join(c if " " <= c <= "~" else "?" for c in line)
        written.extend(
            f"{mark}{part}"
            for part in textwrap.wrap(clean, width - len(mark), break_on_hyphens=False) or [""]
        )
    return [line.rstrip() for line in written]


def summary(routine: Routine, name: str = "") -> list[str]:
    """What the comment above a routine says: its counts and what was done to it."""
    c = routine.counts
    counts = f"{c.mul} mul, {c.add} add, {c.trig} trig"
    if c.calls:
        counts += f", {c.calls} other calls"
    return [f"{name or routine.name}: {counts}", *routine.notes]


def _enclosed(start: str, text: list[str], end: str) -> list[str]:
    if len(text) == 1:
        return [f"{start}{text[0]}{end}"]
    return [start + text[0], *text[1:-1], text[-1] + end]
