"""Long routines in parts, since compile time grows with the square of a routine's length.

Variables that live across parts are kept in a work array, whose places are used again once
their values are dead, so that it stays small. No operation is added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

from .routine import Assignment, Element, Local, Routine, leaves, relocate

LONGEST = 2000  # statements that are left in one piece
PART = 250  # statements in a part


@dataclass(frozen=True)
class Parts:
    """The parts of a routine in order, and the length of the work array `work`."""

    parts: tuple[tuple[Assignment, ...], ...]
    work: str
    size: int


def locals_of(assignments: Iterable[Assignment]) -> list[str]:
    """Names of the variables that are assigned."""
    return [a.target.name for a in assignments if isinstance(a.target, Local)]


def split(routine: Routine, part: int = PART) -> Parts:
    """The routine in parts of at most `part` statements."""
    if part < 1:
        raise ValueError(f"a part needs at least one statement, not {part}")
    every = routine.assignments
    pieces = [every[i : i + part] for i in range(0, len(every), part)]

    # last part in which each variable occurs
    dies: dict[Local, int] = {}
    for k, piece in enumerate(pieces):
        for a in piece:
            dies.update((leaf, k) for leaf in leaves(a.value) if isinstance(leaf, Local))
            if isinstance(a.target, Local):
                dies[a.target] = k

    used = {a.name.upper() for a in routine.arrays} | {n.upper() for n in locals_of(every)}
    work = next(n for n in ("work", *(f"work{i}" for i in range(99))) if n.upper() not in used)
    places: dict[Local, Element] = {}
    free: list[int] = []
    leaving: list[list[int]] = [[] for _ in range(len(pieces) + 1)]
    size = 0
    for k, piece in enumerate(pieces):
        for place in leaving[k]:
            heappush(free, place)
        for a in piece:
            if isinstance(a.target, Local) and dies[a.target] > k:
                place = heappop(free) if free else size
                size = max(size, place + 1)
                places[a.target] = Element(work, (place,))
                leaving[dies[a.target] + 1].append(place)
    moved = tuple(tuple(_relocated(a, places) for a in piece) for piece in pieces)
    return Parts(moved, work, size)


def _relocated(a: Assignment, places: dict[Local, Element]) -> Assignment:
    target = places.get(a.target, a.target) if isinstance(a.target, Local) else a.target
    return Assignment(target, relocate(a.value, places))
