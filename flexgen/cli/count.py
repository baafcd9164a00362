"""`flexgen count`: operations of the generated code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from .. import pipeline
from ..formulations.routines import ROUTINES
from .common import (
    case_argument,
    formulation_option,
    json_option,
    load_case,
    passes_option,
    print_json,
    print_table,
)


@click.command()
@case_argument()
@click.option(
    "--routine",
    "-r",
    "routines",
    type=click.Choice(ROUTINES),
    multiple=True,
    help="Which routine; may be repeated; default: all.",
)
@formulation_option
@passes_option
@json_option
def count(
    case: Path, routines: tuple[str, ...], formulation: str, passes: str, as_json: bool
) -> None:
    """Count multiplications, additions and trigonometric calls of the routines of CASE.

    `*` and `/` are multiplications, binary `+` and `-` additions; signs and arithmetic
    between constants are free; the path is the longest chain of dependent operations.
    """
    arm = load_case(case)
    found = {
        r: pipeline.program(arm, r, formulation=formulation, passes=passes).count()
        for r in routines or ROUTINES
    }
    if as_json:
        tables = {r: asdict(c) | {"total": c.total} for r, c in found.items()}
        print_json({"case": arm.name, "passes": passes, "counts": tables})
        return
    rows = [
        [r, *(str(x) for x in (c.mul, c.add, c.total, c.div, c.trig, c.path))]
        for r, c in found.items()
    ]
    columns = ["routine", "mul", "add", "total", "of it div", "trig", "path"]
    print_table(f"{arm.name}: operations, passes {passes}", columns, rows)


COMMANDS = (count,)
