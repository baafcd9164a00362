"""`flexgen report`: one HTML page about an arm."""

from __future__ import annotations

import time
import webbrowser
from pathlib import Path

import click

from .. import pipeline
from ..manipulator.case import load
from ..report import LEVELS, report
from .common import case_argument, json_option, print_json, write_text
from .progress import working
from .run import backend_option


@click.command("report")
@case_argument()
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="The page; default: NAME-report.html.",
)
@click.option(
    "--simulate",
    "simulation",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="A result of `flexgen simulate` to show (.nc, .npz, .csv).",
)
@click.option(
    "--levels",
    default=",".join(LEVELS),
    show_default=True,
    help="Passes whose operations are counted, separated by commas; none of them if empty.",
)
@click.option(
    "--passes",
    "-p",
    type=click.Choice(pipeline.PASSES),
    default="full",
    show_default=True,
    help="Passes of the model that is checked and simulated.",
)
@click.option(
    "--states",
    type=click.IntRange(0, 100_000),
    default=200,
    show_default=True,
    help="Random states of the verification; 0 leaves it out.",
)
@backend_option
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
@json_option
def report_command(
    case: Path,
    output: Path | None,
    simulation: Path | None,
    levels: str,
    passes: str,
    states: int,
    backend: str | None,
    show: bool,
    as_json: bool,
) -> None:
    """Write one HTML page about CASE: data, operations, checks, modes and a moving picture.

    The page needs no network and no other file. It shows the simulation of `--simulate` or of
    the table [simulate] of the case; a case without either gets a sweep of its joints.

    \b
      flexgen report two_link_flexible -o arm.html --open
      flexgen simulate mine.toml -o run.nc; flexgen report mine.toml --simulate run.nc
    """  # noqa: D301
    chosen = [level.strip() for level in levels.split(",") if level.strip()]
    strange = [level for level in chosen if level not in pipeline.PASSES]
    if strange:
        raise click.UsageError(f"levels are {', '.join(pipeline.PASSES)}, not {strange[0]!r}")
    if 0 < states < 20:
        raise click.UsageError("--states: 20 or more, or 0 for no verification")
    start = time.perf_counter()
    arm = load(case)
    target = output or Path(f"{arm.name}-report.html")
    if not target.resolve().parent.is_dir():  # before the work, not after it
        raise click.UsageError(f"{target}: cannot be written: no such directory")
    with working() as tell:
        model = pipeline.build(arm, backend, passes=passes, report=tell)
        text = report(
            case,
            model=model,
            simulation=simulation,
            levels=chosen,
            states=states,
            progress=tell,
        )
    write_text(target, text)
    seconds, size = time.perf_counter() - start, len(text.encode())
    if as_json:
        print_json({"case": arm.name, "file": str(target), "bytes": size, "seconds": seconds})
    else:
        click.echo(f"{target}: {size / 1e6:.2f} MB, {seconds:.1f} s")
    if show:
        webbrowser.open(target.resolve().as_uri())


COMMANDS = (report_command,)
