"""`flexgen modal`: frequencies, damping and shapes of an arm; options that `frf` shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from .. import pipeline
from ..manipulator.arm import Manipulator
from ..manipulator.numbers import number
from ..manipulator.schema import MOST_MODES
from ..modal import Convergence, ModalResult, convergence, modal, shape_lines
from ..modal.schema import HeldTable, ModalTable, read_table
from ..model import Model
from .common import case_argument, json_option, print_json, print_table
from .progress import working

plot_option = click.option(
    "--plot", type=click.Path(path_type=Path), default=None, help="Picture: .png, .svg or .pdf."
)


def _value(text: str) -> float:
    """A number or an exact expression as in a case."""
    try:
        return number(float(text))
    except ValueError:
        return number(text.strip())


def _posture(context: Any, parameter: Any, given: str | None) -> dict[str, float]:
    found = {}
    for part in given.split(",") if given else ():
        name, mark, value = part.partition("=")
        try:
            if not mark:
                raise ValueError("NAME=VALUE is expected")
            found[name.strip()] = _value(value)
        except ValueError as error:
            raise click.BadParameter(f"{part}: {error}") from None
    return found


def _gains(context: Any, parameter: Any, given: str | None) -> list[float] | None:
    try:
        return None if given is None else [_value(part) for part in given.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{given}: {error}") from None


def held_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--posture, --joints, --kp, --kd and --sag, which override the table of the case."""
    for option in (
        click.option("--no-sag", "sag", flag_value="none", help="Nothing gives way."),
        click.option("--sag-links", "sag", flag_value="links", help="Only deflections do."),
        click.option(
            "--sag", "sag", flag_value="all", default=None, help="All that moves gives way first."
        ),
        click.option("--kd", callback=_gains, help="Gain on rates, for all joints or each: 2,1."),
        click.option("--kp", callback=_gains, help="Gain on positions, the same."),
        click.option("--joints", type=click.Choice(["locked", "free", "pd"]), default=None),
        click.option("--posture", callback=_posture, help="joint1=0.3,joint2=pi/4; others zero."),
    ):
        command = option(command)
    return command


def held_arguments(
    table: HeldTable,
    posture: dict[str, float],
    joints: str | None,
    kp: list[float] | None,
    kd: list[float] | None,
    sag: str | None,
) -> dict[str, Any]:
    """Arguments of `modal` and `frf`: those of the case, overridden by the options."""
    found: dict[str, Any] = {"q": table.posture | posture}
    wanted = joints or table.joints
    if wanted is not None:
        found["joints"] = wanted
    if wanted == "pd":
        found |= {"kp": table.kp, "kd": table.kd}
    for key, value in (("kp", kp), ("kd", kd), ("sag", sag or table.sag)):
        if value is not None:
            found[key] = value
    return found


def quick_model(arm: Manipulator) -> Model:
    """A model of a few evaluations: not compiled, and without passes."""
    return pipeline.build(arm, "numpy", passes="none")


def listed(values: Any) -> Any:
    """Numbers for JSON: null where there is none, complex ones as [re, im]."""
    if isinstance(values, np.ndarray):
        return [listed(value) for value in values]
    if isinstance(values, complex):
        return [values.real, values.imag]
    return float(values) if math.isfinite(values) else None


def check_folder(path: Path | None) -> None:
    """Refuse a picture that could not be written, before the work."""
    if path is not None and not path.parent.is_dir():
        raise click.UsageError(f"{path}: there is no such folder")


@click.command("modal")
@case_argument()
@held_options
@click.option(
    "--convergence",
    "most",
    type=click.IntRange(1, MOST_MODES),
    default=None,
    help="Also with 1, 2, ... N modes for each direction.",
)
@click.option(
    "--lines", type=click.IntRange(3), default=None, help="JSON: shapes at N points of each link."
)
@plot_option
@json_option
def modal_command(
    case: Path,
    most: int | None,
    lines: int | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Natural frequencies, damping and mode shapes of CASE about a posture at rest."""
    check_folder(plot)
    arm, table = read_table(case, "modal", ModalTable)
    arguments = held_arguments(table, **options)
    most = most or table.convergence
    with working() as report:
        report(f"{arm.name}: modes")
        result = modal(quick_model(arm), **arguments)
        settled = None
        if most is not None:
            report(f"{arm.name}: {most} modes for each direction")
            settled = convergence(arm, quick_model, most, **arguments)
    if plot is not None:
        from ..plots import mode_shapes, save

        save(mode_shapes(result, arm, title=arm.name), plot)
    if as_json:
        print_json(_json(arm, result, settled, lines))
    else:
        _tell(result, settled)


def _json(
    arm: Manipulator, result: ModalResult, settled: Convergence | None, lines: int | None
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "case": result.arm,
        "joints": result.joints,
        "coordinates": list(result.coordinates),
        "moving": [result.coordinates[i] for i in result.moving],
        "posture": listed(result.posture),
        "hold": listed(result.hold),
        "frequencies_hz": listed(result.frequencies_hz),
        "damping": listed(result.damping),
        "kinds": list(result.kinds),
        "labels": list(result.labels),
        "shapes": listed(result.shapes),
        "poles": listed(result.poles),
        "link_frequencies": [vars(one) for one in result.link_frequencies],
    }
    if settled is not None:
        rows = zip(settled.modes, settled.frequencies_hz, strict=True)
        found["convergence"] = {str(modes): listed(hertz) for modes, hertz in rows}
    if lines is not None:
        moved = shape_lines(arm, result, lines)
        found["lines"] = {"rest": listed(moved.rest), "modes": listed(moved.displacements)}
    return found


def _tell(result: ModalResult, settled: Convergence | None) -> None:
    names = result.coordinates
    rows = []
    for k, (hertz, damping, kind) in enumerate(
        zip(result.frequencies_hz, result.damping, result.kinds, strict=True)
    ):
        order = np.argsort(-np.abs(result.shares[:, k]), kind="stable")[:3]
        shares = [(names[i], 100.0 * result.shares[i, k]) for i in order]
        parts = [f"{name} {share:.0f} %" for name, share in shares if abs(share) >= 0.5]
        ratio = "" if math.isnan(damping) else f"{damping:.4g}"
        says = {
            "vibration": f"{hertz:.6g}",
            "rigid": "rigid body",
            "unstable": f"unstable, exp({result.poles[:, k].real.max():.3g} t)",
        }[kind]
        rows.append([str(k + 1), says, ratio, ", ".join(parts)])
    columns = ["mode", "frequency [Hz]", "damping ratio", "energy"]
    print_table(f"{result.arm}: joints {result.joints}", columns, rows)
    at = [f"{n}={x:.5g}" for n, x in zip(names, result.posture, strict=True) if x]
    click.echo("at rest at " + (", ".join(at) if at else "zero"))
    if result.link_frequencies:
        rows = [
            [f"{one.link} {one.direction}", str(k), f"{own:.6g}", f"{loaded:.6g}"]
            for one in result.link_frequencies
            for k, (own, loaded) in enumerate(zip(one.shapes_hz, one.clamped_hz, strict=True), 1)
        ]
        columns = ["link", "mode", "as its shapes assume [Hz]", "with its own tip [Hz]"]
        print_table("links alone, clamped: not frequencies of the arm", columns, rows)
    if settled is not None:
        rows = [
            [str(modes), ", ".join(f"{f:.6g}" for f in hertz[:8])]
            for modes, hertz in zip(settled.modes, settled.frequencies_hz, strict=True)
        ]
        columns = ["modes for each direction", "lowest frequencies of the arm [Hz]"]
        print_table("convergence", columns, rows)


COMMANDS = (modal_command,)
