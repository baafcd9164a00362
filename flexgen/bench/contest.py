"""All candidates of one routine -> rows with ratios, times and differences.

    scalar    compiled routines that C calls for one state
    python    one call from Python
    batch     many states in one call from Python, on one core
    threads   the same on several cores

A row's difference is the largest relative one from the median of all opinions: every program
has one, and so has the mechanics on plain floats. Whoever is further off than rounding
explains is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from ..manipulator.arm import Manipulator
from ..verify import worst
from . import ours
from .candidate import Absent, Array, Candidate
from .cores import one_core
from .kernels import Workshop
from .peers import NO_WHEEL, PEERS, Part
from .problem import Problem, problem
from .rounds import Timing, interleave

Table = Literal["scalar", "python", "batch", "threads"]
ROUNDS = 301
TABLES: tuple[Table, ...] = ("scalar", "python", "batch", "threads")


@dataclass(frozen=True)
class Row:
    """One candidate in one table; times in seconds per state or per call."""

    table: Table
    candidate: str
    family: str
    ratio: float  # its time over that of our first candidate in the table
    time: Timing
    difference: float
    agrees: bool | None  # None where the program took other data
    note: str = ""


@dataclass(frozen=True)
class Made:
    """What it took to make a compiled routine."""

    candidate: str
    family: str
    generate: float
    compile: float
    operations: tuple[int, int, int]


@dataclass(frozen=True)
class Contest:
    """Everything about one routine of one arm."""

    case: str
    routine: str
    states: int
    core: int | None
    rows: tuple[Row, ...]
    made: tuple[Made, ...]
    skipped: tuple[tuple[str, str], ...]  # peer and reason

    @property
    def wrong(self) -> tuple[str, ...]:
        """Candidates that disagree with the others."""
        return tuple(r.candidate for r in self.rows if r.agrees is False)


@dataclass(frozen=True)
class Plan:
    """What to measure and how long."""

    peers: tuple[str, ...] = tuple(PEERS)
    batch: int = 10_000
    threads: int = 2
    rounds: int = ROUNDS
    passes: str = "full"
    tables: tuple[Table, ...] = TABLES


def contest(
    arm: Manipulator,
    routine: str,
    plan: Plan = Plan(),
    report: Callable[[str, float], None] = lambda what, done: None,
    peers: Mapping[str, Sequence[Part]] | None = None,
) -> Contest:
    """Time and compare all candidates; `report` hears what is done and which part of it all."""
    p = problem(arm, routine)
    shop = Workshop()
    try:
        found, skipped = gather(shop, p, plan, report, PEERS if peers is None else peers)
        return _measured(p, plan, found, skipped, report)
    finally:
        shop.close()


def gather(
    shop: Workshop,
    p: Problem,
    plan: Plan,
    report: Callable[[str, float], None],
    peers: Mapping[str, Sequence[Part]],
) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """Candidates of all programs that can take part, ours first, and who cannot."""
    report(f"{p.arm.name}: {p.routine}, generating ours", 0.0)
    found, skipped = list(ours.scalar(shop, p)), []
    report(f"{p.arm.name}: building the model", 0.1)
    model = ours.model(p, plan.passes)
    found += ours.one_call(p, model)
    found += ours.batch(p, model, plan.batch, tuple(sorted({1, plan.threads})))
    for k, name in enumerate(plan.peers):
        report(f"{p.arm.name}: {p.routine}, preparing {name}", 0.2 + 0.3 * k / len(plan.peers))
        if p.arm.flexible:
            skipped.append((name, "its links are rigid: it does not know this arm"))
            continue
        if name in NO_WHEEL:
            skipped.append((name, "no released wheel"))
            continue
        for part in peers[name]:
            try:
                found += part(shop, p)
            except Absent as reason:
                if (name, str(reason)) not in skipped:
                    skipped.append((name, str(reason)))
    return found, skipped


def _measured(
    p: Problem,
    plan: Plan,
    found: list[Candidate],
    skipped: list[tuple[str, str]],
    report: Callable[[str, float], None],
) -> Contest:
    report(f"{p.arm.name}: {p.routine}, comparing results", 0.5)
    differences = compare(p.answers, found)
    tables: dict[Table, list[Candidate]] = {
        "scalar": [c for c in found if c.kind == "scalar"],
        "python": [c for c in found if c.kind == "python"],
        # a program without a batch of its own is called from C for one state after the other
        "batch": [c for c in found if c.kind == "batch" and c.threads == 1]
        + [c for c in found if c.kind == "scalar" and c.family != ours.FAMILY],
        "threads": [c for c in found if c.kind == "batch" and c.family == ours.FAMILY],
    }
    rows: list[Row] = []
    core = None
    # threads first: workers that are started on one core stay there
    order: tuple[Table, ...] = ("threads", "scalar", "python", "batch")
    chosen = [t for t in order if t in plan.tables and (t != "threads" or _several(tables[t]))]
    for k, table in enumerate(chosen):
        works = {c.name: c.work for c in tables[table]}
        label = f"{p.arm.name}: {p.routine}, timing ({table})"

        def tell(done: int, k: int = k, label: str = label) -> None:
            report(label, 0.5 + 0.5 * (k + done / plan.rounds) / len(chosen))

        if table == "threads":
            times = interleave(works, plan.rounds, tell)
        else:
            with one_core() as core:
                times = interleave(works, plan.rounds, tell)
        rows += _rows(table, tables[table], times, differences, p.limit)
    rows.sort(key=lambda r: TABLES.index(r.table))
    made = tuple(
        Made(c.name, c.family, c.making.generate, c.making.compile, c.making.operations)
        for c in found
        if c.making.generate is not None
        and c.making.compile is not None
        and c.making.operations is not None
    )
    return Contest(p.arm.name, p.routine, len(p.q), core, tuple(rows), made, tuple(skipped))


def _several(candidates: list[Candidate]) -> bool:
    return any(c.threads > 1 for c in candidates) and (os.cpu_count() or 1) > 1


def _rows(
    table: Table,
    candidates: list[Candidate],
    times: Mapping[str, Timing],
    differences: Mapping[str, float],
    limit: float,
) -> list[Row]:
    each = {c.name: per_state(times[c.name], c.states) for c in candidates}
    first = next((c.name for c in candidates if c.family == ours.FAMILY), candidates[0].name)
    found = []
    for c in candidates:
        off = differences[c.name]
        agrees = bool(off <= limit) if c.same_arm else None
        ratio = each[c.name].median / each[first].median
        found.append(Row(table, c.name, c.family, ratio, each[c.name], off, agrees, c.note))
    return found


def per_state(time: Timing, states: int) -> Timing:
    """The time of one of several states."""
    return Timing(
        time.median / states, time.low / states, time.high / states, time.blocks, time.units
    )


def compare(answers: Array, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Largest relative difference of each candidate from the median of all opinions."""
    values = {c.name: c.values() for c in candidates}
    opinions, families = [answers], set()
    for c in candidates:
        if c.same_arm and c.family not in families:  # one opinion for each program
            families.add(c.family)
            opinions.append(values[c.name])
    middle = np.median(np.stack(opinions), axis=0)
    right = partial(worst, expected=np.where(np.isfinite(middle), middle, answers))
    with np.errstate(invalid="ignore"):
        return {name: float(right(v)) for name, v in values.items()}
