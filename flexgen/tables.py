"""Published operation counts beside ours: the tables of El-Rayyes (1990), made anew.

The columns of ours:

    numerical   the formulation run on numbers that count, zeros and ones included
    original    the generator and the five passes of 1990, rebuilt
    classic     our graph and the five passes
    full        the default of `flexgen generate`
    search      the stored result of the seeded search

Flexible arms have no column "original", as that generator is rebuilt for rigid arms only, and
none for the search, which would take many minutes for the 18 of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from . import original, pipeline
from .formulations.routines import task
from .graph.program import Counts
from .graph.tally import Meter, run_counted
from .manipulator.arm import Manipulator
from .manipulator.case import load
from .manipulator.generic import generic_arm
from .manipulator.mapped import mapped
from .shipped import case_path
from .winners import winner

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OURS = ("numerical", "original", "classic", "full", "search")
FLEXIBLE = ("numerical", "classic", "full")  # of them, for flexible arms
NUMERICAL = "1.1"


@dataclass(frozen=True)
class Row:
    """One routine of one arm: what others need, and what we need at each level."""

    case: str
    routine: str
    systems: tuple[tuple[str, int, int], ...]  # (name, multiplications, additions)
    ours: tuple[tuple[str, Counts], ...]
    method: int | None = None
    wrench: bool = False
    note: str = ""

    @property
    def best(self) -> tuple[str, Counts] | None:
        """The level with the fewest operations; None if there is but the numerical one."""
        levels = [entry for entry in self.ours if entry[0] != "numerical"]
        return min(levels, key=lambda entry: entry[1].total, default=None)

    def ratio(self, mul: int, add: int) -> float | None:
        """Operations of our best level for each of somebody's."""
        return None if self.best is None else self.best[1].total / (mul + add)

    @property
    def of_numerical(self) -> float | None:
        """Operations of our best level for each of the numerical formulation."""
        plain = dict(self.ours).get("numerical")
        return None if plain is None else self.ratio(plain.mul, plain.add)


@dataclass(frozen=True)
class Table:
    """A table of the original."""

    number: str
    title: str
    rows: tuple[Row, ...]


@cache
def published() -> dict[str, Any]:
    """The data file."""
    return tomllib.loads((Path(__file__).resolve().parent / "published.toml").read_text())


def numbers() -> tuple[str, ...]:
    """Numbers of the tables."""
    return (NUMERICAL, *published()["tables"])


def tables(
    levels: tuple[str, ...] = OURS,
    report: Callable[[str], None] = lambda text: None,
    only: str | None = None,
) -> Iterator[Table]:
    """All tables or one; `report` hears of every row before it is worked out."""
    if only not in (None, *numbers()):
        raise ValueError(f"tables are {', '.join(numbers())}, not {only}")
    if only in (None, NUMERICAL):
        yield _numerical()
    for number, title in published()["tables"].items():
        if only not in (None, number):
            continue
        rows = []
        for entry in published()["row"]:
            if entry["table"] == number:
                report(f"table {number}: {entry['case']} {entry['routine']}")
                rows.append(_row(entry, levels))
        yield Table(number, title, tuple(rows))


def _row(entry: dict[str, Any], levels: tuple[str, ...]) -> Row:
    arm = load(case_path(entry["case"]))
    routine, method, wrench = entry["routine"], entry.get("method"), entry.get("wrench", False)
    able = FLEXIBLE if arm.flexible else OURS
    counted = (
        (level, count(arm, routine, level, method, wrench)) for level in levels if level in able
    )
    ours = tuple((level, counts) for level, counts in counted if counts is not None)
    systems = tuple((name, mul, add) for name, mul, add in entry["systems"])
    return Row(entry["case"], routine, systems, ours, method, wrench, entry.get("note", ""))


def count(
    arm: Manipulator, routine: str, level: str, method: int | None = None, wrench: bool = False
) -> Counts | None:
    """Operations of a routine at one of the levels `OURS`.

    The method of the inertia matrix is obeyed by the levels that follow the original; full
    and search are free to choose. Of a search only the result that comes with the package is
    shown, None where there is none: searching for every row would take an hour.
    """
    if level == "numerical":
        return numerical(arm, routine, "newton-euler", method, wrench)
    if level == "original":
        _, report = original.generate(arm, routine, "classic", method, wrench)
        last = report.rows[-1].counts
        return Counts(last.mul, last.add + last.declared, last.calls)
    if level == "search":
        plain = pipeline.program(arm, routine, passes="none")
        found = None if wrench else winner(arm, routine, plain)
        return None if found is None else found.count()
    kept = method if level == "classic" else None
    return pipeline.program(arm, routine, passes=level, method=kept, wrench=wrench).count()


def numerical(
    arm: Manipulator,
    routine: str,
    formulation: str = "newton-euler",
    method: int | None = None,
    wrench: bool = False,
) -> Counts:
    """Operations of a formulation as it is written, on numbers."""
    meter = Meter()
    work = task(mapped(arm, meter.number), routine, formulation, method, wrench)
    function = next(iter(work.ways.values()))
    return run_counted(function, work.inputs, meter)[1]


def _numerical() -> Table:
    arm = generic_arm(6)
    rows = []
    for entry in published()["numerical"]:
        formulation = entry.get("formulation")
        ours = (("numerical", numerical(arm, "inverse", formulation)),) if formulation else ()
        systems = ((entry["system"], entry["mul"], entry["add"]),)
        rows.append(Row("general, 6 joints", "inverse", systems, ours))
    return Table(NUMERICAL, "inverse dynamics, numerical, 6 revolute joints", tuple(rows))
