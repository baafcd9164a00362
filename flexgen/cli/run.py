"""`flexgen build` and `verify`: compile an arm and use it."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from .. import pipeline
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
@click.option("--derivatives", is_flag=True, help="The derivatives as well, which are built first.")
@backend_option
@passes_option
@json_option
def verify(
    case: Path,
    states: int,
    seed: int,
    derivatives: bool,
    backend: str | None,
    passes: str,
    as_json: bool,
) -> None:
    """Check the compiled routines of CASE against all that is known independently.

    Graph against mechanics on floats, compiled against interpreted, Newton-Euler against the
    recursive Lagrangian, closure, sums of terms, symmetry and definiteness, power balance.
    """
    arm = load_case(case)
    with working() as report:
        model = pipeline.build(arm, backend, passes=passes, report=report)
        report(f"{arm.name}: checking {states} states")
        checks = list(all_checks(arm, model, states, seed, derivatives))
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


COMMANDS = (build, verify)
