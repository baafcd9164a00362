"""Foreign Fortran through the passes: Source -> text with fewer operations, and its proof.

The proof reads the written text again, evaluates both versions at random inputs and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .clear import clear
from .clear.classic import PRESET, Report, Row, classic
from .emit.schedule import schedule
from .graph.evaluate import evaluate
from .graph.program import Counts, Program
from .reader import Source, Subroutine, read_source, rewritten
from .search.halving import EFFORT, Interrupted, Status, search
from .start.merged import merged_and_clear

LEVELS = ("none", "classic")
STATES = 200
LIMIT = 1e-12


@dataclass(frozen=True)
class Cleared:
    """One subroutine: statistics, and the worst difference between old and new."""

    name: str
    report: Report
    worst: float


@dataclass(frozen=True)
class Result:
    """A file written anew."""

    text: str
    routines: tuple[Cleared, ...]

    @property
    def worst(self) -> float:
        """Worst relative difference of any output of any subroutine."""
        return max(r.worst for r in self.routines)

    @property
    def proved(self) -> bool:
        """Whether old and new agree."""
        return self.worst <= LIMIT


def clear_source(
    source: Source,
    passes: str = "full",
    only: str | None = None,
    effort: int | None = None,
    progress: Callable[[Status], None] | None = None,
) -> Result:
    """Clear every subroutine of a file and compare the new text with the old."""
    cleared = [_cleared(s, passes, only, effort or EFFORT, progress) for s in source.subroutines]
    text = rewritten(source, [p for p, _ in cleared])
    again = read_source(text, source.fixed)
    routines = tuple(
        Cleared(old.name, report, difference(old, new))
        for old, new, (_, report) in zip(
            source.subroutines, again.subroutines, cleared, strict=True
        )
    )
    return Result(text, routines)


def _cleared(
    subroutine: Subroutine,
    passes: str,
    only: str | None,
    effort: int,
    progress: Callable[[Status], None] | None,
) -> tuple[Program, Report]:
    """The cleared program, and rows from the text as it stood to the end."""
    program = subroutine.program
    mul, add = subroutine.counted
    source = Row("S", Counts(mul, add, program.count().trig), subroutine.statements)
    letters = only if only is not None else ("" if passes == "none" else PRESET)
    rows = [source]
    for letter in letters:
        program, _ = classic(program, letter)
        rows.append(_row(letter, program))
    if passes in ("full", "search"):
        program = merged_and_clear(clear(program))
        rows.append(_row("full", program))
    if passes == "search":
        try:
            program = search([program], effort, progress=progress)
        except Interrupted as stop:
            program = stop.best
        rows.append(_row("search", program))
    return program, Report(tuple(rows))


def _row(label: str, program: Program) -> Row:
    return Row(label, program.count(), len(schedule(program).assignments))


def difference(old: Subroutine, new: Subroutine) -> float:
    """Worst difference of an output over random inputs, relative to its largest value.

    An output that is nothing but the rounding of the others may come out as any such.
    """
    rng = np.random.default_rng(7)
    sizes = {i.name: i.size for s in (old, new) for i in s.program.inputs}
    inputs = {name: _random(rng, size) for name, size in sizes.items()}
    before, after = _outputs(old, inputs), _outputs(new, inputs)
    if before.keys() != after.keys():
        return float("inf")
    worst = 0.0
    largest = max((np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in before.values()), default=0)
    rounding = 4.0 * np.finfo(float).eps * largest
    for element, expected in before.items():
        finite = np.isfinite(expected)
        if not finite.any():
            continue
        scale = np.abs(expected[finite]).max() or 1.0
        error = np.abs(after[element] - expected)[finite]
        furthest = float(np.max(np.where(np.isfinite(error), error, np.inf)))
        worst = max(worst, furthest / (largest if 0.0 < furthest <= rounding else scale))
    return worst


def _random(rng: np.random.Generator, size: int) -> np.ndarray[Any, Any]:
    """Half of the states positive, for roots and logarithms."""
    values = rng.uniform(-2.0, 2.0, (STATES, size))
    values[::2] = np.abs(values[::2])
    return values


def _outputs(subroutine: Subroutine, inputs: dict[str, Any]) -> dict[Any, Any]:
    arguments = [inputs[i.name] for i in subroutine.program.inputs]
    with np.errstate(all="ignore"):
        if not arguments:
            (values,) = evaluate(subroutine.program)
            values = np.broadcast_to(values, (STATES, len(values)))
        else:
            (values,) = evaluate(subroutine.program, *arguments)
    return dict(zip(subroutine.targets, values.T, strict=True))
