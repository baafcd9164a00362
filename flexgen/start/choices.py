"""What can be chosen before a program is traced, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Start:
    """One way to write a routine.

    Links 1..closed are written in closed form, the others by recursion; the inertia matrix
    holds its composite body at link `hold` and takes one half of it from unit motions. The
    matrix of direct dynamics may be written in a way of its own, with other parameters.
    """

    order: tuple[int, ...] = ()  # inertial parameters, those to be eliminated first in front
    unit: float = 1.0  # of length
    parallel: bool = True  # group parallel axes
    closed: int = 0
    squares: Literal["sin", "cos"] = "sin"
    hold: int = 1
    below: bool = True
    matrix: Start | None = None
