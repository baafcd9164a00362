"""What the commands share: finding a case, options, writing files and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..formulations.routines import FORMULATIONS
from ..manipulator.arm import Manipulator
from ..manipulator.case import load
from ..pipeline import PASSES, ROUTINES
from ..search.halving import EFFORT
from ..shipped import case_path
from ..whole import whole

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Failed(Exception):
    """The work failed or a check does not hold: exit status 1."""


class CaseType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A case: a path, or the name of a shipped case; becomes the path."""

    name = "case"

    def convert(self, value: Any, param: Any, ctx: Any) -> Path:
        return case_path(str(value))


def case_argument(required: bool = True) -> Decorator:
    """The CASE argument."""
    return click.argument("case", type=CaseType(), required=required)


routine_option = click.option(
    "--routine",
    "-r",
    type=click.Choice(ROUTINES),
    default="inverse",
    show_default=True,
    help="Which routine.",
)
formulation_option = click.option(
    "--formulation",
    type=click.Choice(list(FORMULATIONS)),
    default="newton-euler",
    show_default=True,
    help="Which derivation of the equations.",
)
passes_option = click.option(
    "--passes",
    "-p",
    type=click.Choice(PASSES),
    default="full",
    show_default=True,
    help="How much is done for fewer operations.",
)
method_option = click.option(
    "--method",
    type=click.IntRange(2, 3),
    default=None,
    help="Inertia matrix by unit accelerations (2) or composite bodies (3); default: any form.",
)
effort_option = click.option(
    "--effort",
    type=click.IntRange(1),
    default=EFFORT,
    show_default=True,
    help="Work of a search; twice the effort, twice the time.",
)
generator_option = click.option(
    "--generator",
    type=click.Choice(["graph", "classic"]),
    default="graph",
    show_default=True,
    help="classic: the system of 1990 itself, f77, passes none or classic.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object to standard output."
)


def load_case(path: Path) -> Manipulator:
    """The arm of a case file."""
    return load(path)


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, allow_nan=True))


def print_table(title: str, columns: list[str], rows: list[list[str]], err: bool = False) -> None:
    """A table on standard output or standard error; numbers to the right."""
    table = Table(title=escape(title), title_justify="left")
    for k, name in enumerate(columns):
        table.add_column(escape(name), justify="left" if k == 0 else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    console = Console(highlight=False, stderr=err)
    console.width = max(console.width, 110)  # a table in a pipe is not squeezed
    console.print(table)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        with whole(path) as file:
            file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be written: {error.strerror}") from None
