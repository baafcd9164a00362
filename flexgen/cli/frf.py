"""`flexgen frf`: the response of one output of an arm to one input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from .. import pipeline
from ..frf import ChirpCheck, FrfResult, chirp_check, frf
from ..frf.result import right_half
from ..frf.schema import FrfTable
from ..modal.schema import read_table
from .common import Failed, case_argument, json_option, print_json, print_table
from .modal import (
    check_folder,
    held_arguments,
    held_options,
    listed,
    plot_option,
    quick_model,
)
from .progress import working

SHOWN = 13  # frequencies in the table
AGREES = 0.01  # median deviation of a chirp


@click.command("frf")
@case_argument()
@click.option("--input", "into", default=None, help="joint1, link2.bend_y1, tip.fx .. tip.mz.")
@click.option("--output", "out", default=None, help="joint1, link2.bend_y1, tip.x .. tip.rz.")
@click.option("--from", "low", type=float, default=None, help="Lowest frequency in Hz.")
@click.option("--to", "high", type=float, default=None, help="Highest frequency in Hz.")
@click.option("--points", type=click.IntRange(2, 100_000), default=None, help="Frequencies.")
@click.option("--frame", type=click.Choice(["tip", "base"]), default=None, help="Axes of the tip.")
@held_options
@click.option(
    "--check",
    type=click.Choice(["chirp"]),
    default=None,
    help="Compare with a chirp through the nonlinear model.",
)
@plot_option
@json_option
def frf_command(
    case: Path,
    into: str | None,
    out: str | None,
    low: float | None,
    high: float | None,
    points: int | None,
    frame: str | None,
    check: str | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Frequency response of CASE from one input to one output, with poles and zeros.

    The arm is linear about a posture at rest. Zeros in the right half plane, which no stable
    inverse can cancel, are marked.
    """
    check_folder(plot)
    arm, table = read_table(case, "frf", FrfTable)
    into, out = into or table.input, out or table.output
    for name, key in ((into, "input"), (out, "output")):
        if name is None:
            raise click.UsageError(f"{case}: frf.{key} is missing; give --{key}")
    if (low is None) != (high is None):
        raise click.UsageError("--from and --to go together")
    arguments = held_arguments(table, **options)
    if low is not None and high is not None:
        arguments["band"] = (low, high)
    elif table.band is not None:
        arguments["band"] = (table.band[0], table.band[1])
    for key, value in (("points", points or table.points), ("frame", frame or table.frame)):
        if value is not None:
            arguments[key] = value
    chirp = None
    with working() as report:
        report(f"{arm.name}: linear model")
        result = frf(quick_model(arm), str(into), str(out), **arguments)
        if check is not None:
            report(f"{arm.name}: chirp through the nonlinear model")
            given = {key: arguments[key] for key in ("kp", "kd", "frame") if key in arguments}
            chirp = chirp_check(pipeline.build(arm, passes="none"), result, **given)
    if plot is not None:
        from ..plots import frf as picture
        from ..plots import save

        title = f"{arm.name}: {result.input} to {result.output}"
        save(picture(result, title=title), plot)
    if as_json:
        print_json(_json(result, chirp))
    else:
        _tell(result, chirp)
    if chirp is not None and not np.median(chirp.deviation) <= AGREES:
        raise Failed(
            f"the chirp deviates from the linear response by {np.median(chirp.deviation):.2g} in "
            f"the median, more than {AGREES:g}"
        )


def _json(result: FrfResult, chirp: ChirpCheck | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "case": result.arm,
        "joints": result.joints,
        "posture": listed(result.posture),
        "input": result.input,
        "output": result.output,
        "units": result.units,
        "frequency_hz": listed(result.frequency_hz),
        "magnitude": listed(result.magnitude),
        "phase_deg": listed(result.phase_deg),
        "poles": listed(result.poles),
        "zeros": listed(result.zeros),
        "non_minimum_phase": listed(result.non_minimum_phase),
    }
    if chirp is not None:
        found["chirp"] = {
            "amplitude": chirp.amplitude,
            "largest": chirp.largest,
            "seconds": chirp.seconds,
            "decay": chirp.decay,
            "median_deviation": float(np.median(chirp.deviation)),
            "largest_deviation": float(chirp.deviation.max()),
        }
    return found


def _tell(result: FrfResult, chirp: ChirpCheck | None) -> None:
    title = f"{result.arm}: {result.input} to {result.output}, joints {result.joints}"
    some = np.unique(np.linspace(0, len(result.frequency_hz) - 1, SHOWN).round().astype(int))
    columns = ["frequency [Hz]", f"magnitude [{result.units}]", "phase [deg]"]
    numbers = (result.frequency_hz[some], result.magnitude[some], result.phase_deg[some])
    rows = [[f"{f:.5g}", f"{m:.5g}", f"{p:.1f}"] for f, m, p in zip(*numbers, strict=True)]
    print_table(title, columns, rows)
    right = right_half(result.zeros)
    roots = [("pole", s, bool(s.real > 1e-6 * abs(s))) for s in result.poles]
    roots += [("zero", s, bool(bad)) for s, bad in zip(result.zeros, right, strict=True)]
    says = {"pole": "unstable", "zero": "non-minimum phase"}
    rows = [
        [kind, f"{s.real:.6g}", f"{s.imag:.6g}", f"{abs(s) / (2 * np.pi):.6g}", says[kind] * bad]
        for kind, s, bad in roots
        if s.imag >= 0.0  # one of each pair
    ]
    print_table(
        "poles and zeros, one of each pair",
        ["", "real [1/s]", "imaginary [rad/s]", "|s| / 2 pi [Hz]", ""],
        rows,
    )
    if chirp is not None:
        click.echo(
            f"chirp of {chirp.seconds:.3g} s through the nonlinear model, coordinates up to "
            f"{chirp.largest:.2g}: deviation {np.median(chirp.deviation):.2g} in the median, "
            f"{chirp.deviation.max():.2g} at most"
        )


COMMANDS = (frf_command,)
