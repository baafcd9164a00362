"""`flexgen bench`: our routines beside those of other programs, and time against size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..bench.contest import ROUNDS, Contest, Plan, Row, contest
from ..bench.growth import Size, growth
from ..bench.machine import machine
from ..bench.peer_khalil import FOOTNOTE
from ..bench.peers import NO_WHEEL, PEERS
from ..bench.problem import ROUTINES
from ..manipulator.case import CaseWarning
from ..shipped import case_path
from .common import (
    Failed,
    case_argument,
    json_option,
    load_case,
    passes_option,
    print_json,
    print_table,
)

FLEXIBLE_CASE = "two_link_flexible"  # TBB-BB
TITLES = {
    "scalar": "compiled routine called from C, one state [ns]",
    "python": "one call from Python [ns]",
    "batch": "one state of a batch of {batch}, one core [ns]; programs without a batch: C loop",
    "threads": "one state of a batch of {batch}, cores not pinned [ns]",
}


@contextmanager
def _bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error; what is heard is a text and the part done of one step of many."""
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda text, done: bar.update(task, description=text, completed=done)


def _peers(_: Any, __: Any, text: str) -> tuple[str, ...]:
    """The names of a list with commas; `all` for all that can be measured."""
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    known = (*PEERS, *NO_WHEEL)
    found: dict[str, None] = {}
    for name in names:
        if name in ("all", "none"):
            found |= dict.fromkeys(PEERS if name == "all" else ())
        elif name in known:
            found[name] = None
        else:
            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
            raise click.BadParameter(f"there is no {name!r}{hint}")
    return tuple(found)


@click.command()
@case_argument(required=False)
@click.option(
    "--against",
    default="khalil",
    show_default=True,
    callback=_peers,
    help=f"Others, with commas: {', '.join(PEERS)}; all or none.",
)
@click.option(
    "--routine",
    "-r",
    "routines",
    type=click.Choice(list(ROUTINES)),
    multiple=True,
    help="Which routine; may be repeated. Default: inverse and direct.",
)
@click.option(
    "--batch", type=click.IntRange(1), default=10_000, show_default=True, help="States in a batch."
)
@click.option(
    "--threads", type=click.IntRange(1), default=2, show_default=True, help="Of a batch of ours."
)
@click.option(
    "--rounds",
    type=click.IntRange(3),
    default=ROUNDS,
    show_default=True,
    help="Blocks of every candidate, in turn.",
)
@click.option("--growth", "sizes", is_flag=True, help="Time against joints and modes; no CASE.")
@click.option("--quick", is_flag=True, help="Fewer rounds, and with --growth fewer sizes.")
@passes_option
@json_option
def bench(
    case: Path | None,
    against: tuple[str, ...],
    routines: tuple[str, ...],
    batch: int,
    threads: int,
    rounds: int,
    sizes: bool,
    quick: bool,
    passes: str,
    as_json: bool,
) -> None:
    """Time the routines of CASE beside those of other programs.

    All candidates take turns in blocks of less than a millisecond on one core; medians and
    quartiles are shown, and how far each result is from the others. Exit status 1 if a
    candidate disagrees.
    """
    if (case is None) != sizes:
        raise click.UsageError("give a CASE, or --growth without a case")
    rounds = min(rounds, 31) if quick else rounds
    chosen = routines or ("inverse", "direct")
    if case is None:
        _growth(passes, rounds, quick, chosen, as_json)
        return
    arm = load_case(case)
    plan = Plan(against, batch, threads, rounds, passes)
    with _bar() as tell:
        found = []
        for k, routine in enumerate(chosen):

            def step(text: str, done: float, k: int = k) -> None:
                tell(text, (k + done) / len(chosen))

            found.append(contest(arm, routine, plan, step))
    where = machine()
    if as_json:
        print_json(
            {"case": arm.name, "n": arm.n, "machine": where, **_settings(plan)}
            | {"routines": {c.routine: as_object(c) for c in found}}
        )
    else:
        for c in found:
            _show(c, plan)
        _show_notes(found, plan, where)
    wrong = [f"{c.routine}: {name}" for c in found for name in dict.fromkeys(c.wrong)]
    if wrong:
        raise Failed(f"{len(wrong)} candidates disagree with the others: {'; '.join(wrong)}")


def _settings(plan: Plan) -> dict[str, Any]:
    return {
        "passes": plan.passes,
        "batch": plan.batch,
        "threads": plan.threads,
        "rounds": plan.rounds,
    }


def as_object(c: Contest) -> dict[str, Any]:
    """A contest as JSON has it; times in nanoseconds."""
    return {
        "states": c.states,
        "core": c.core,
        "rows": [_row_object(r) for r in c.rows],
        "made": [
            asdict(m) | {"operations": dict(zip(("mul", "add", "trig"), m.operations, strict=True))}
            for m in c.made
        ],
        "skipped": [{"peer": name, "reason": reason} for name, reason in c.skipped],
    }


def _row_object(r: Row) -> dict[str, Any]:
    return {
        "table": r.table,
        "candidate": r.candidate,
        "family": r.family,
        "ratio": r.ratio,
        "ns": 1e9 * r.time.median,
        "low": 1e9 * r.time.low,
        "high": 1e9 * r.time.high,
        "difference": r.difference,
        "agrees": r.agrees,
        "note": r.note,
    }


def _show(c: Contest, plan: Plan) -> None:
    columns = ["candidate", "ratio", "median", "quartiles", "difference", "agrees"]
    for table, title in TITLES.items():
        rows = [
            [
                r.candidate,
                f"{r.ratio:.2f}",
                f"{1e9 * r.time.median:.1f}",
                f"{1e9 * r.time.low:.1f} - {1e9 * r.time.high:.1f}",
                f"{r.difference:.1e}",
                {True: "yes", False: "NO", None: "other arm"}[r.agrees],
            ]
            for r in c.rows
            if r.table == table
        ]
        if rows:
            heading = f"{c.case}, {c.routine}: {title.format(batch=plan.batch)}"
            print_table(heading, columns, rows)
    rows = [
        [m.candidate, f"{m.generate:.3f}", f"{m.compile:.3f}", *map(str, m.operations)]
        for m in c.made
    ]
    heading = f"{c.case}, {c.routine}: making the compiled routine"
    print_table(heading, ["candidate", "generate [s]", "compile [s]", "mul", "add", "trig"], rows)


def _show_notes(found: list[Contest], plan: Plan, where: dict[str, Any]) -> None:
    """What the tables need to be read: once each."""
    compilers = "; ".join(str(c) for c in where["compilers"].values())
    lines = [
        f"ratio: time over that of the first row; {plan.rounds} blocks each, in turn, "
        f"on core {found[0].core} of {where['cores']}; {where['processor']}",
        f"compilers: {compilers}",
        "difference: largest relative one from the median of all programs and of the mechanics "
        f"on plain floats, over {found[0].states} random states",
    ]
    lines += [FOOTNOTE] if "khalil" in plan.peers else []
    for c in found:
        lines += [f"{r.candidate}: {r.note}" for r in c.rows if r.note and r.table != "batch"]
        lines += [f"{name} left out: {reason}" for name, reason in c.skipped]
    for line in dict.fromkeys(lines):
        click.echo(line)


def _growth(
    passes: str, rounds: int, quick: bool, routines: tuple[str, ...], as_json: bool
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)
        flexible = load_case(case_path(FLEXIBLE_CASE))
    with _bar() as tell:
        found = growth(flexible, passes, min(rounds, 101), quick, routines, tell)
    if as_json:
        rows = [asdict(s) | {"operations": s.operations, "agrees": s.agrees} for s in found]
        print_json({"machine": machine(), "passes": passes, "sizes": rows})
    else:
        for routine in routines:
            _show_growth(routine, passes, [s for s in found if s.routine == routine])
    wrong = [f"{s.routine} of {s.arm}" for s in found if not s.agrees]
    if wrong:
        raise Failed(f"wrong results: {', '.join(wrong)}")


def _show_growth(routine: str, passes: str, sizes: list[Size]) -> None:
    columns = ["arm", "n", "mul", "add", "trig", "generate [s]", "compile [s]", "state [ns]"]
    rows = [
        [
            s.arm,
            str(s.n),
            str(s.multiplications),
            str(s.additions),
            str(s.trig),
            f"{s.generate:.2f}",
            f"{s.compile:.2f}",
            f"{1e9 * s.seconds:.0f}",
            f"{1e9 * s.per_operation:.3f}",
            f"{s.difference:.1e}",
        ]
        for s in sizes
    ]
    print_table(f"{routine}, passes {passes}", [*columns, "ns/operation", "difference"], rows)


COMMANDS = (bench,)
