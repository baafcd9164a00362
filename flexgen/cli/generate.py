"""`flexgen generate` and `flexgen show`: the code of a routine."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from .. import original, pipeline
from ..emit import DIALECTS, emit
from .common import (
    case_argument,
    effort_option,
    formulation_option,
    generator_option,
    load_case,
    method_option,
    passes_option,
    routine_option,
    write_text,
)
from .progress import searching


@click.command()
@case_argument()
@routine_option
@click.option(
    "--dialect",
    "-d",
    type=click.Choice(DIALECTS),
    default="f90",
    show_default=True,
    help="f90 free form module, f77 legacy fixed form, c C99, python NumPy.",
)
@passes_option
@effort_option
@method_option
@formulation_option
@generator_option
@click.option("--wrench", is_flag=True, help="Add the load at the tip as an input (LD in f77).")
@click.option(
    "--form",
    type=click.Choice(("scalar", "batch")),
    default="scalar",
    show_default=True,
    help="f90: one state, or many in vector instructions and threads.",
)
@click.option("--single", is_flag=True, help="f77: single precision, as the original had it.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="File to write; default: standard output.",
)
def generate(
    case: Path,
    routine: str,
    dialect: str,
    passes: str,
    effort: int,
    method: int | None,
    formulation: str,
    generator: str,
    wrench: bool,
    form: str,
    single: bool,
    output: Path | None,
) -> None:
    """Write the straight-line code of one routine of CASE.

    The header gives the case, the passes and the operation counts. The f77 text needs nothing
    but a Fortran compiler of any age:

    \b
      flexgen generate stanford -r inverse -d f77 -o nedyn.f && gfortran -std=legacy -c nedyn.f
    """  # noqa: D301
    arm = load_case(case)
    if form == "batch" and (dialect != "f90" or generator == "classic"):
        raise click.UsageError("the batch form is written in f90 only")
    try:
        if generator == "classic":
            _only_for_classic(dialect, passes)
            level = "none" if passes == "none" else "classic"
            text, _ = original.generate(arm, routine, level, method, wrench, single)
        else:
            with searching(passes == "search", f"{arm.name} {routine}") as progress:
                program = pipeline.program(
                    arm,
                    routine,
                    formulation=formulation,
                    passes=passes,
                    method=method,
                    wrench=wrench,
                    effort=effort,
                    progress=progress,
                )
            lines = pipeline.header(arm, formulation, passes, method)
            flexible = arm.flexible and dialect == "f77"  # FLEX, FLEXH, ... of the original
            if form == "batch":
                text = pipeline.batch_text([program], lines)
            else:
                text = emit([program], dialect, lines, single=single, flexible=flexible)
    except ValueError as error:  # choices that do not go together
        raise click.UsageError(str(error)) from None
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)


def _only_for_classic(dialect: str, passes: str) -> None:
    """The generator of 1990 writes f77, with its own passes or none."""
    source = click.get_current_context().get_parameter_source
    asked = ParameterSource.COMMANDLINE
    if dialect != "f77" and source("dialect") is asked:
        raise click.UsageError(f"the classic generator writes f77, not {dialect}")
    if passes not in ("none", "classic") and source("passes") is asked:
        raise click.UsageError(f"the classic generator has passes none and classic, not {passes}")


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
        click.echo(emit([found], "python", ()))


COMMANDS = (generate, show)
