"""Names of inputs and outputs -> rows of the linear model.

    joint1, link2.bend_y1, ...    input: the generalized force there; output: the coordinate
    tip.fx .. tip.fz              input: force on the last link at the origin of its frame
    tip.mx .. tip.mz              input: moment on it
    tip.x .. tip.z                output: displacement of that origin
    tip.rx .. tip.rz              output: small rotation of the last frame

Axes of the tip are those of the last frame at rest, or of the base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..manipulator.faults import nearest, shown
from ..modal.posture import coordinate
from ..modal.result import Array
from ..model import Frame, Model

FORCES = ("tip.fx", "tip.fy", "tip.fz", "tip.mx", "tip.my", "tip.mz")
DISPLACEMENTS = ("tip.x", "tip.y", "tip.z", "tip.rx", "tip.ry", "tip.rz")


@dataclass(frozen=True, eq=False)
class Port:
    """Where a force enters, or which combination of the coordinates comes out."""

    name: str
    row: Array  # (n,)
    unit: str


def port(model: Model, q: Array, name: str, side: Literal["input", "output"], frame: Frame) -> Port:
    """The named input or output at the posture `q`."""
    arm = model.arm
    at_tip = FORCES if side == "input" else DISPLACEMENTS
    if name in at_tip:
        k = at_tip.index(name)
        units = ("N", "N m") if side == "input" else ("m", "rad")
        return Port(name, model.jacobian(q, frame)[k], units[k >= 3])
    try:
        i = coordinate(arm, name)
    except ValueError:
        known = (*arm.coordinates, *at_tip)
        raise ValueError(f"unknown {side} '{shown(name)}'; {nearest(name, known)}") from None
    row = np.zeros(arm.n)
    row[i] = 1.0
    return Port(arm.coordinates[i], row, _unit(arm.links, arm.coordinates[i], side))


def _unit(links: tuple[object, ...], name: str, side: str) -> str:
    """Bending coordinates and prismatic joints are lengths, all others angles."""
    length = ".bend_" in name
    if name.startswith("joint"):
        length = getattr(links[int(name[5:]) - 1], "joint", "") == "prismatic"
    if side == "input":
        return "N" if length else "N m"
    return "m" if length else "rad"
