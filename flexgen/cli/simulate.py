"""`flexgen simulate`: the motion of an arm over time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..manipulator.numbers import number
from ..simulate import Result, repeat, simulate
from ..simulate.case import read_simulate
from ..simulate.compiled import METHODS
from ..simulate.interpreted import SCIPY
from ..simulate.result import SUFFIXES
from .common import Failed, case_argument, json_option, passes_option, print_json, print_table

PATIENCE = 2.0  # seconds before a bar is shown


def _assignments(context: Any, parameter: Any, given: tuple[str, ...]) -> dict[str, float]:
    """NAME=VALUE, as often as wanted; a value may be an exact expression as in a case."""
    found = {}
    for text in given:
        name, mark, value = text.partition("=")
        try:
            try:
                found[name.strip()] = number(float(value))
            except ValueError:
                found[name.strip()] = number(value.strip())
        except ValueError as error:
            raise click.BadParameter(f"{text}: {error}") from None
        if not mark:
            raise click.BadParameter(f"{text}: NAME=VALUE is expected")
    return found


@contextmanager
def _bar(label: str) -> Iterator[Callable[[float], None]]:
    """A bar that comes up when the work takes longer."""
    columns = (TextColumn(label), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    task, began, shown = bar.add_task(label, total=1.0), time.perf_counter(), False

    def hear(fraction: float) -> None:
        nonlocal shown
        if not shown and time.perf_counter() - began > PATIENCE:
            bar.start()
            shown = True
        if shown:
            bar.update(task, completed=fraction)

    try:
        yield hear
    finally:
        if shown:
            bar.stop()


@click.command("simulate")
@case_argument()
@click.option("--duration", type=float, default=None, help="Seconds to simulate.")
@click.option("--step", type=float, default=None, help="Step, or largest step, in s.")
@click.option("--output-step", type=float, default=None, help="Time between outputs in s.")
@click.option("--method", type=click.Choice([*METHODS, *SCIPY]), default=None, help="Integrator.")
@click.option("--rtol", type=float, default=None, help="Relative tolerance of adaptive methods.")
@click.option("--atol", type=float, default=None, help="Absolute tolerance of adaptive methods.")
@click.option(
    "--set", "q", multiple=True, callback=_assignments, help="Initial coordinate, joint1=0.3."
)
@click.option(
    "--rate", "qd", multiple=True, callback=_assignments, help="Initial rate, joint1=0.3."
)
@click.option("--hold", multiple=True, help="A coordinate that stays where it starts.")
@click.option("--force", is_flag=True, help="Run RK4 beyond its limit of stability.")
@click.option("--output", "-o", type=click.Path(path_type=Path), default=None, help="File.")
@click.option("--plot", type=click.Path(path_type=Path), default=None, help="Picture of it.")
@passes_option
@json_option
def simulate_command(
    case: Path,
    duration: float | None,
    q: dict[str, float],
    qd: dict[str, float],
    hold: tuple[str, ...],
    output: Path | None,
    plot: Path | None,
    passes: str,
    as_json: bool,
    force: bool,
    **changes: Any,
) -> None:
    """Simulate CASE as its [simulate] table and the options say, or repeat a saved result.

    Results are written to .nc (NetCDF), .npz or .csv; given in place of CASE such a file is
    enough to repeat the run.
    """
    if output is not None and output.suffix not in SUFFIXES:
        raise click.UsageError(f"{output}: the name must end in one of {', '.join(SUFFIXES)}")
    for path in (output, plot):
        if path is not None and not path.parent.is_dir():
            raise click.UsageError(f"{path}: there is no such folder")
    if case.suffix in SUFFIXES:
        given = {"--duration": duration, "--set": q, "--rate": qd, "--hold": hold}
        if any(given.values()) or any(v is not None for v in changes.values()):
            raise click.UsageError(f"{case}: a saved run is repeated as it is, without options")
        if not case.is_file():
            raise click.UsageError(f"{case}: no such file")
        with _bar(case.stem) as progress:
            result = repeat(case, progress)
    else:
        arm, length, arguments = read_simulate(case)
        length = length if duration is None else duration
        if length is None:
            raise click.UsageError(f"{case}: simulate.duration is missing; give --duration")
        arguments |= {key: value for key, value in changes.items() if value is not None}
        arguments["q0"] = arguments["q0"] | q
        arguments["qd0"] = arguments["qd0"] | qd
        arguments["hold"] = (*arguments["hold"], *hold)
        text = case.read_text(encoding="utf-8")
        with _bar(arm.name) as progress:
            result = simulate(
                arm, length, **arguments, passes=passes, force=force, case=text, progress=progress
            )
    if output is not None:
        try:
            result.save(output)
        except OSError as error:
            raise click.UsageError(f"{output}: cannot be written: {error.strerror}") from None
    if plot is not None:
        _draw(result, plot)
    _tell(result, as_json)
    if not result.complete:
        raise Failed(f"incomplete: {result.dataset.attrs['reason']}")


def _draw(result: Result, path: Path) -> None:
    """The joints, and in a file beside it the deflections of flexible links."""
    from ..plots import deflections, save, time_histories

    save(time_histories(result.dataset), path)
    if any(str(name).startswith("link") for name in result.dataset["coordinate"].values):
        save(deflections(result.dataset), path.with_stem(f"{path.stem}-deflections"))


def _tell(result: Result, as_json: bool) -> None:
    """The short table, or the same as JSON."""
    about, numbers = result.dataset.attrs, result.statistics
    length, seconds = float(result.t[-1]), max(numbers["seconds"], 1e-9)
    names = [str(name) for name in result.dataset["coordinate"].values]
    if as_json:
        print_json(
            {
                "arm": about["arm"],
                "solver": about["solver"],
                "duration": length,
                "complete": result.complete,
                "reason": about["reason"],
                **numbers,
                "faster_than_real_time": length / seconds,
                "relative_drift": result.drift,
                "drifts": bool(about["drifts"]),
                "q": dict(zip(names, result.q[-1].tolist(), strict=True)),
                "qd": dict(zip(names, result.qd[-1].tolist(), strict=True)),
            }
        )
        return
    rows = [
        ["duration", f"{length:g} s"],
        ["steps", f"{numbers['steps']:.0f}, {numbers['rejected']:.0f} rejected"],
        ["evaluations", f"{numbers['evaluations']:.0f}"],
        ["processor time", f"{seconds:.4g} s"],
        ["faster than real time by", f"{length / seconds:.4g}"],
        ["energy drift, relative", f"{result.drift:.2e}"],
    ]
    for name, x, xd in zip(names, result.q[-1], result.qd[-1], strict=True):
        rows.append([f"{name}, rate", f"{x:.9g}, {xd:.9g}"])
    print_table(f"{about['arm']}: {about['solver']}", ["at the end", "value"], rows)


COMMANDS = (simulate_command,)
