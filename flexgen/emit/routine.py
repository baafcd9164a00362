"""Routine: ordered assignments with names, what every dialect prints. No text yet.

A right-hand side is a small tree (`Term`). It is never deep: `schedule` cuts long products
and sums, so the functions here may recurse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..graph.program import Counts

Kind: TypeAlias = Literal["angle", "cos", "sin", "sum", "product", "call"]


@dataclass(frozen=True)
class Array:
    """An argument; shape () is a scalar."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Number:
    """A constant, not negative."""

    value: float


@dataclass(frozen=True)
class Element:
    """An element of an argument, counted from zero."""

    array: str
    index: tuple[int, ...]


@dataclass(frozen=True)
class Local:
    """A variable of the routine, assigned once; dialects with names of their own use `kind`."""

    kind: Kind
    name: str


@dataclass(frozen=True)
class Negative:
    """A sign."""

    of: Term


@dataclass(frozen=True)
class Binary:
    """A sum, difference, product or quotient of two terms."""

    operator: Literal["+", "-", "*", "/"]
    left: Term
    right: Term


@dataclass(frozen=True)
class Call:
    """A function of one argument."""

    function: str
    argument: Term


Term: TypeAlias = Number | Element | Local | Negative | Binary | Call


@dataclass(frozen=True)
class Assignment:
    """One statement."""

    target: Local | Element
    value: Term


@dataclass(frozen=True)
class Routine:
    """A straight-line routine.

    `trig` holds the sines and cosines of joint angles and the sums of angles they need;
    it reads inputs only and comes first. `steps` is everything else, outputs included.
    """

    name: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    trig: tuple[Assignment, ...]
    steps: tuple[Assignment, ...]
    counts: Counts
    notes: tuple[str, ...] = ()

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """All statements in order."""
        return self.trig + self.steps

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Inputs, then outputs."""
        return self.inputs + self.outputs


def leaves(term: Term) -> Iterator[Number | Element | Local]:
    """Numbers, elements and variables of a term, from left to right."""
    if isinstance(term, Binary):
        yield from leaves(term.left)
        yield from leaves(term.right)
    elif isinstance(term, Negative):
        yield from leaves(term.of)
    elif isinstance(term, Call):
        yield from leaves(term.argument)
    else:
        yield term


def relocate(term: Term, places: Mapping[Local, Element]) -> Term:
    """The term with some variables read from an array instead."""
    if isinstance(term, Local):
        return places.get(term, term)
    if isinstance(term, Binary):
        return Binary(term.operator, relocate(term.left, places), relocate(term.right, places))
    if isinstance(term, Negative):
        return Negative(relocate(term.of, places))
    if isinstance(term, Call):
        return Call(term.function, relocate(term.argument, places))
    return term
