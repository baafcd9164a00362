"""`flexgen clear`: the post-processor alone, on anybody's straight-line Fortran."""

from __future__ import annotations

from pathlib import Path

import click

from ..foreign import LEVELS, clear_source
from ..reader import ReadError, read_source
from .common import Failed, json_option, passes_option, print_json, print_table, write_text
from .progress import searching

FIXED_SUFFIXES = (".f", ".for", ".ftn", ".f77")
LARGEST_FILE = 20_000_000  # bytes


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="File to write; default: standard output.",
)
@passes_option
@click.option("--only", default=None, help="Classic passes to run, by letter: U T C D F.")
@click.option(
    "--form",
    type=click.Choice(["fixed", "free"]),
    default=None,
    help="Default: by the ending, .f .for .ftn .f77 are fixed.",
)
@click.option("--effort", type=click.IntRange(1), default=None, help="Work of the search.")
@json_option
def clear(
    file: Path,
    output: Path | None,
    passes: str,
    only: str | None,
    form: str | None,
    effort: int | None,
    as_json: bool,
) -> None:
    """Write straight-line Fortran anew with fewer operations, and prove it.

    FILE holds subroutines of assignments, in fixed or free form: sin, cos, sqrt, exp, log,
    parameters, array elements with constant subscripts. Signatures stay as they are. Both
    versions are evaluated at random inputs and compared; loops, ifs and calls are an error
    that names the line.
    """
    fixed = form == "fixed" if form else file.suffix.lower() in FIXED_SUFFIXES
    try:
        source = read_source(_text(file), fixed)
    except ReadError as error:
        raise click.UsageError(f"{file}: {error}") from None
    if only is not None and passes not in LEVELS:
        raise click.UsageError("--only goes with the passes none or classic")
    with searching(passes == "search", str(file)) as progress:
        try:
            done = clear_source(source, passes, only, effort, progress)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if not done.proved:
        raise Failed(f"{file}: the new text does not agree with the old ({done.worst:.1e})")
    if output is not None:
        write_text(output, done.text)
    if as_json:
        report = {r.name: r.report.as_dict() for r in done.routines}
        print_json({"file": str(file), "worst": done.worst, "routines": report})
    elif output is None:
        click.echo(done.text, nl=False)
    if not as_json:
        for routine in done.routines:
            rows = [
                [r.label, *(str(x) for x in (r.counts.mul, r.counts.add, r.counts.total)),
                 "" if r.assignments is None else str(r.assignments)]
                for r in routine.report.rows
            ]  # fmt: skip
            columns = ["pass", "mul", "add", "total", "assignments"]
            title = f"{routine.name}: worst relative difference {routine.worst:.1e}"
            print_table(title, columns, rows, err=True)


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise click.UsageError(f"{file}: is larger than {LARGEST_FILE // 1_000_000} MB")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise click.UsageError(f"{file}: is not UTF-8 text") from None
    except OSError as error:
        raise click.UsageError(f"{file}: cannot be read: {error.strerror}") from None


COMMANDS = (clear,)
