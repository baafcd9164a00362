"""`flexgen generate` and `flexgen show`: the code of a routine."""

from __future__ import annotations

from pathlib import Path

import click

from .. import pipeline
from ..emit import DIALECTS
from .common import (
    case_argument,
    formulation_option,
    load_case,
    method_option,
    passes_option,
    routine_option,
    write_text,
)


@click.command()
@case_argument()
@routine_option
@click.option(
    "--dialect", "-d", type=click.Choice(DIALECTS), default="f90", show_default=True,
    help="f90 free form module, f77 legacy fixed form, c C99, python NumPy.",
)
@passes_option
@method_option
@formulation_option
@click.option("--wrench", is_flag=True, help="Add the load at the tip as an input (LD in f77).")
@click.option("--single", is_flag=True, help="f77: single precision, as the original had it.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=None,
              help="File to write; default: standard output.")
def generate(
    case: Path, routine: str, dialect: str, passes: str, method: int | None, formulation: str,
    wrench: bool, single: bool, output: Path | None,
) -> None:
    """Write the straight-line code of one routine of CASE.

    The header gives the case, the passes and the operation counts. The f77 text needs nothing
    but a Fortran compiler of any age:

    \b
      flexgen generate stanford -r inverse -d f77 -o nedyn.f && gfortran -std=legacy -c nedyn.f
    """
    arm = load_case(case)
    text = pipeline.generate(
        arm, [routine], dialect, formulation=formulation, passes=passes, method=method,
        wrench=wrench, single=single,
    )
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)


@click.command()
@case_argument()
@routine_option
@formulation_option
@passes_option
def show(case: Path, routine: str, formulation: str, passes: str) -> None:
    """Print the program of a routine as traced and after the passes, with counts."""
    arm = load_case(case)
    for level in dict.fromkeys(("none", passes)):
        found = pipeline.program(arm, routine, formulation=formulation, passes=level)
        counts = found.count()
        click.echo(
            f"# {routine} of {arm.name}, passes {level}: "
            f"{counts.mul} mul, {counts.add} add, {counts.trig} trig, path {counts.path}"
        )
        click.echo(pipeline.emit([found], "python", ()))


COMMANDS = (generate, show)
