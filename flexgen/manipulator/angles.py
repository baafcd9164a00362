"""Angles whose sine and cosine are exact where the angle is.

A twist of a quarter turn must give a cosine of exactly zero, or every zero of the
kinematics is lost. `Angle` therefore carries the sine and the cosine with the value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = 24  # a turn in steps of 15 degrees: the angles that people mean exactly
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


@dataclass(frozen=True)
class Angle:
    """An angle in radians with its cosine and sine."""

    value: float
    cos: float
    sin: float

    @property
    def is_quarter(self) -> bool:
        """Whether it is a multiple of a quarter turn, so that cos and sin are 0 or +-1."""
        return abs(self.cos) in (0.0, 1.0)


def angle(value: float) -> Angle:
    """The angle `value`; the nearest double to a multiple of 15 degrees is that multiple."""
    step = math.tau / _STEPS
    k = round(value / step)
    if abs(value - k * step) > 4e-16 * max(1.0, abs(value)):
        return Angle(value, math.cos(value), math.sin(value))
    if k % 6 == 0:
        return Angle(value, *_QUARTERS[(k // 6) % 4])
    if k % 2 == 0:  # multiples of 30 degrees: one of the two is a half
        quarter, sixth = (k % 24) // 6, (k % 6) // 2
        short, long = 0.5, math.sqrt(3.0) / 2.0
        cos, sin = (long, short) if sixth == 1 else (short, long)
        for _ in range(quarter):
            cos, sin = -sin, cos
        return Angle(value, cos, sin)
    return Angle(value, math.cos(value), math.sin(value))
