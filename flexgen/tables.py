"""Published operation counts beside ours: the tables of El-Rayyes (1990), made anew.

The columns of ours:

    numerical   the formulation run on numbers that count, zeros and ones included
    original    the generator and the five passes of 1990, rebuilt
    classic     our graph and the five passes
    full        the default of `flexgen generate`
    search      with the seeded search
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

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OURS = ("numerical", "original", "classic", "full", "search")


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


def tables(
    levels: tuple[str, ...] = OURS, report: Callable[[str], None] = lambda text: None
) -> Iterator[Table]:
    """All tables; `report` hears of every row before it is worked out."""
    yield _numerical()
    for number, title in published()["tables"].items():
        rows = []
        for entry in published()["row"]:
            if entry["table"] == number:
                report(f"table {number}: {entry['case']} {entry['routine']}")
                rows.append(_row(entry, levels))
        yield Table(number, title, tuple(rows))


def _row(entry: dict[str, Any], levels: tuple[str, ...]) -> Row:
    arm = load(case_path(entry["case"]))
    routine, method, wrench = entry["routine"], entry.get("method"), entry.get("wrench", False)
    ours = tuple((level, count(arm, routine, level, method, wrench)) for level in levels)
    systems = tuple((name, mul, add) for name, mul, add in entry["systems"])
    return Row(entry["case"], routine, systems, ours, method, wrench, entry.get("note", ""))


def count(
    arm: Manipulator, routine: str, level: str, method: int | None = None, wrench: bool = False
) -> Counts:
    """Operations of a routine at one of the levels `OURS`.

    The method of the inertia matrix is obeyed by the levels that follow the original; full
    and search are free to choose.
    """
    if level == "numerical":
        return numerical(arm, routine, "newton-euler", method, wrench)
    if level == "original":
        _, report = original.generate(arm, routine, "classic", method, wrench)
        last = report.rows[-1].counts
        return Counts(last.mul, last.add + last.declared, last.calls)
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
    return Table("1.1", "inverse dynamics, numerical, 6 revolute joints", tuple(rows))
