"""CLEAR: the passes in order, and the statistics of each.

El-Rayyes (1990), section 3.2: unused terms, trigonometric identities, constants, duplicate
products, factoring. Any of the letters U, T, C, D, F, in any order and as often as wanted; the
preset is the sequence that did best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from .constants import constants
from .duplicates import duplicates
from .factoring import factoring
from .program import Counts, LegacyProgram, counts
from .trigonometric import trigonometric
from .unused import unused

PASSES: Final[Mapping[str, Callable[[LegacyProgram], LegacyProgram]]] = {
    "U": unused,
    "T": trigonometric,
    "C": constants,
    "D": duplicates,
    "F": factoring,
}
PRESET: Final = "UTCDF"


@dataclass(frozen=True)
class Row:
    """What a program costs after a pass; S is the source."""

    label: str
    counts: Counts


@dataclass(frozen=True)
class Report:
    """The statistics of a run, one row for each pass."""

    rows: tuple[Row, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """Operations after each pass."""
        return tuple(row.counts.total for row in self.rows)

    def __str__(self) -> str:
        lines = ["pass    mult     add   total   saved  assignments"]
        before = self.rows[0].counts.total
        for row in self.rows:
            c = row.counts
            cells = f"{c.mul:8d}{c.add:8d}{c.total:8d}{before - c.total:8d}{c.assignments:13d}"
            lines.append(f"{row.label:4s}{cells}")
            before = c.total
        return "\n".join(lines) + "\n"


def clear(program: LegacyProgram, passes: str = PRESET) -> tuple[LegacyProgram, Report]:
    """The program after the passes, and what each of them saved."""
    strange = sorted(set(passes) - set(PASSES))
    if strange:
        raise ValueError(f"unknown pass {strange[0]!r}; the passes are {', '.join(PASSES)}")
    rows = [Row("S", counts(program))]
    for label in passes:
        program = PASSES[label](program)
        rows.append(Row(label, counts(program)))
    return program, Report(tuple(rows))
