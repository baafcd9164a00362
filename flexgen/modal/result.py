"""What a modal analysis gives: frequencies, damping and shapes by named coordinate.

frequencies_hz   of the undamped vibration; 0 for rigid-body and unstable modes
damping          ratio -Re s / |s| of the damped one; above 1 where it does not vibrate,
                 nan for rigid-body and unstable modes
shapes           columns with unit modal mass; zero in the coordinates that are held
poles            eigenvalues of the damped motion, one column of two for each mode
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Joints = Literal["locked", "free", "pd"]
Sag = Literal["all", "links", "none"]
Kind = Literal["vibration", "rigid", "unstable"]


@dataclass(frozen=True)
class LinkFrequencies:
    """Frequencies in Hz of one link alone, clamped at its root, in one direction."""

    link: int  # counted from 1
    direction: Literal["torsion", "y", "z"]
    shapes_hz: tuple[float, ...]  # of the assumed shapes, with the boundary that they assume
    clamped_hz: tuple[float, ...]  # with the body that really sits at the tip


@dataclass(frozen=True, eq=False)
class ModalResult:
    """Modes of an arm about a posture at rest, in order of frequency."""

    arm: str
    joints: Joints
    coordinates: tuple[str, ...]
    moving: tuple[int, ...]  # coordinates that are not held
    posture: Array  # (n,) where the arm rests
    hold: Array  # (n,) torques that hold it there
    frequencies_hz: Array  # (modes,)
    damping: Array  # (modes,)
    shapes: Array  # (n, modes)
    poles: Complex  # (2, modes) in rad/s
    kinds: tuple[Kind, ...]
    labels: tuple[str, ...]  # coordinate that holds most of the kinetic energy of each mode
    shares: Array  # (n, modes) of the kinetic energy
    link_frequencies: tuple[LinkFrequencies, ...] = ()

    @property
    def rigid(self) -> int:
        """Number of rigid-body modes."""
        return self.kinds.count("rigid")


@dataclass(frozen=True)
class Convergence:
    """Frequencies in Hz with 1, 2, ... modes for each direction that bends or twists."""

    modes: tuple[int, ...]
    frequencies_hz: tuple[Array, ...]  # one array for each number of modes
