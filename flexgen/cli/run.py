"""`flexgen build`, `verify` and `bench`: compile an arm and use it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click
import numpy as np

from .. import pipeline
from ..verify import random_states
from ..verify import verify as all_checks
from .common import (
    Failed,
    case_argument,
    formulation_option,
    json_option,
    load_case,
    passes_option,
    print_json,
    print_table,
)
from .progress import working

backend_option = click.option(
    "--backend",
    type=click.Choice(pipeline.BACKENDS),
    default=None,
    help="Default: Fortran where a compiler is found, else NumPy.",
)


@click.command()
@case_argument()
@backend_option
@formulation_option
@passes_option
@json_option
def build(case: Path, backend: str | None, formulation: str, passes: str, as_json: bool) -> None:
    """Generate, compile and wrap all routines of CASE; the result is cached."""
    arm = load_case(case)
    start = time.perf_counter()
    with working() as report:
        model = pipeline.build(arm, backend, formulation, passes, report)
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"case": arm.name, "n": model.n, "backend": model.backend, "seconds": seconds})
    else:
        click.echo(f"{arm.name}: {model.n} coordinates, {model.backend}, {seconds:.2f} s")


@click.command()
@case_argument()
@click.option(
    "--states",
    type=click.IntRange(20, 1_000_000),
    default=1000,
    show_default=True,
    help="Number of random states.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the states."
)
@backend_option
@passes_option
@json_option
def verify(
    case: Path, states: int, seed: int, backend: str | None, passes: str, as_json: bool
) -> None:
    """Check the compiled routines of CASE against all that is known independently.

    Graph against mechanics on floats, compiled against interpreted, Newton-Euler against the
    recursive Lagrangian, closure, sums of terms, symmetry and definiteness, power balance.
    """
    arm = load_case(case)
    with working() as report:
        model = pipeline.build(arm, backend, passes=passes, report=report)
        report(f"{arm.name}: checking {states} states")
        checks = list(all_checks(arm, model, states, seed))
    failed = [c.name for c in checks if not c.passed]
    if as_json:
        rows = [asdict(c) | {"passed": c.passed} for c in checks]
        print_json({"case": arm.name, "backend": model.backend, "states": states, "checks": rows})
    else:
        title = f"{arm.name}: {model.backend}, passes {passes}, {states} random states"
        table = [
            [c.name, f"{c.worst:.1e}", f"{c.limit:.0e}", "yes" if c.passed else "NO"]
            for c in checks
        ]
        print_table(title, ["check", "worst relative error", "limit", "holds"], table)
    if failed:
        raise Failed(f"{len(failed)} of {len(checks)} checks do not hold: {'; '.join(failed)}")


def _per_call(work: Callable[[], object], seconds: float = 0.2) -> float:
    """Median time of one call; the calls are grouped so that the clock does not matter."""
    work()
    start = time.perf_counter()
    work()
    once = max(time.perf_counter() - start, 1e-7)
    group = max(1, int(seconds / 15 / once))
    times = []
    for _ in range(15):
        start = time.perf_counter()
        for _ in range(group):
            work()
        times.append((time.perf_counter() - start) / group)
    return float(np.median(times))


@click.command()
@case_argument()
@click.option(
    "--batch", type=click.IntRange(1), default=10_000, show_default=True, help="States in a batch."
)
@backend_option
@passes_option
@json_option
def bench(case: Path, batch: int, backend: str | None, passes: str, as_json: bool) -> None:
    """Time the routines of CASE: one call from Python, and one state of a batch."""
    arm = load_case(case)
    with working() as report:
        model = pipeline.build(arm, backend, passes=passes, report=report)
    s = random_states(arm, batch)
    calls = {
        "inverse": (s.q, s.qd, s.qdd),
        "direct": (s.q, s.qd, s.qdd),
        "inertia": (s.q,),
        "bias": (s.q, s.qd),
        "gravity": (s.q,),
        "jacobian": (s.q,),
    }
    found = {}
    for name, arguments in calls.items():
        routine = getattr(model, name)
        single = [a[0].copy() for a in arguments]
        found[name] = {
            "call_us": 1e6 * _per_call(partial(routine, *single)),
            "state_ns": 1e9 * _per_call(partial(routine, *arguments)) / batch,
        }
    if as_json:
        print_json({"case": arm.name, "backend": model.backend, "batch": batch, "times": found})
        return
    rows = [[n, f"{t['call_us']:.2f}", f"{t['state_ns']:.0f}"] for n, t in found.items()]
    columns = ["routine", "one call [us]", "one state of a batch [ns]"]
    print_table(f"{arm.name}: {model.backend}, batches of {batch}", columns, rows)


COMMANDS = (build, verify, bench)
