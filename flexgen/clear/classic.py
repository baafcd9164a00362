"""The five passes of the original post-processor on programs, and their statistics.

    U   unused terms: what no output needs is not in a program to begin with
    T   trigonometric identities
    C   constants: numbers fold while a program is built
    D   duplicate products: products that occur in several products
    F   factoring of sums

U and C are done when a program is built, so on a program they only confirm; a text that is
read has more terms than its program, and the report shows that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..graph.node import make
from ..graph.program import Counts, Program, rebuild
from .kernels import kernels
from .products import products
from .trig import trig


def built(program: Program) -> Program:
    """The program built anew: unused terms and constant arithmetic are gone."""
    return rebuild(program, lambda e, arguments: make(e.kind, arguments))


CLASSIC: Final[Mapping[str, Callable[[Program], Program]]] = {
    "U": built,
    "T": trig,
    "C": built,
    "D": products,
    "F": kernels,
}
PRESET: Final = "UTCDF"


@dataclass(frozen=True)
class Row:
    """What is left after a pass; S is the source. Assignments are counted where known."""

    label: str
    counts: Counts
    assignments: int | None = None


@dataclass(frozen=True)
class Report:
    """The statistics of a run, one row for each pass."""

    rows: tuple[Row, ...]

    def as_dict(self) -> list[dict[str, Any]]:
        """For JSON."""
        return [
            {"pass": r.label, "assignments": r.assignments, "total": r.counts.total}
            | asdict(r.counts)
            for r in self.rows
        ]


def classic(program: Program, passes: str = PRESET) -> tuple[Program, Report]:
    """The program after the passes, in the order of their letters, and the statistics."""
    strange = sorted(set(passes) - set(CLASSIC))
    if strange:
        raise ValueError(f"unknown pass {strange[0]!r}; the passes are {', '.join(CLASSIC)}")
    rows = [Row("S", program.count())]
    for letter in passes:
        program = CLASSIC[letter](program)
        rows.append(Row(letter, program.count()))
    return program, Report(tuple(rows))
