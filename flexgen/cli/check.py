"""`flexgen check`: read a case and say what it holds."""

from __future__ import annotations

from pathlib import Path

import click

from ..manipulator.case import read_case
from ..shipped import case_names
from .common import case_argument, json_option, print_json, print_table


@click.command()
@case_argument(required=False)
@json_option
def check(case: Path | None, as_json: bool) -> None:
    """Read CASE and print its table; without CASE, list the cases that come with flexgen."""
    if case is None:
        names = case_names()
        if as_json:
            print_json({"cases": names})
        else:
            click.echo("\n".join(names))
        return
    found = read_case(case)
    arm = found.manipulator
    rows = []
    for i, link in enumerate(arm.links, 1):
        dh, body = link.dh, link.body
        com = body.com if body.com is not None else body.moment
        mass, bends = body.mass, ""
        if link.beam is not None:
            mass = mass + link.beam.mass + link.tip.mass
            torsion, y, z = link.beam.modes
            bends = f"beam, modes {torsion} torsion, {y} y, {z} z"
        rows.append(
            [f"{i} {link.joint}"]
            + [f"{x:.6g}" for x in (dh.a, dh.alpha.value, dh.d, dh.theta.value, mass)]
            + [bends or ", ".join(f"{x:.5g}" for x in com)]
        )
    if as_json:
        print_json(
            {
                "name": arm.name,
                "n": arm.n,
                "convention": arm.convention,
                "gravity": list(arm.gravity),
                "joints": [link.joint for link in arm.links],
                "coordinates": list(arm.coordinates),
                "warnings": list(found.warnings),
            }
        )
        return
    columns = ["link", "a [m]", "alpha [rad]", "d [m]", "theta [rad]", "mass [kg]", "com [m]"]
    if arm.flexible:
        columns[-1] = "com [m] or beam"
    print_table(f"{arm.name}: {arm.description}", columns, rows)
    gravity = ", ".join(f"{x:g}" for x in arm.gravity)
    click.echo(f"{arm.convention} DH, {arm.n} coordinates, gravity ({gravity}) m/s2")
    if arm.source:
        click.echo(f"source: {arm.source}")


COMMANDS = (check,)
