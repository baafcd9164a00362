"""Mode shapes as motions of the centrelines, for pictures that move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry import POINTS, centrelines
from ..manipulator.arm import Manipulator
from .result import Array, ModalResult

STEP = 1e-6  # rad or m; the displacements are linear, so any small step will do


@dataclass(frozen=True, eq=False)
class ShapeLines:
    """Centrelines at rest, and their displacements for a unit of each mode."""

    rest: Array  # (links, points, 3) in m, in the base frame
    displacements: Array  # (modes, links, points, 3)


def shape_lines(arm: Manipulator, result: ModalResult, points: int = POINTS) -> ShapeLines:
    """Where every mode moves the points of every link, from base to tip.

    The arm at some moment of mode k is rest + amplitude cos(w t) displacements[k].
    """
    q = result.posture
    moved = []
    for shape in result.shapes.T:
        step = STEP / max(float(np.abs(shape).max()), 1e-300)
        ends = centrelines(arm, np.array([q + step * shape, q - step * shape]), points)
        moved.append((ends[0] - ends[1]) / (2.0 * step))
    return ShapeLines(centrelines(arm, q, points), np.array(moved))
