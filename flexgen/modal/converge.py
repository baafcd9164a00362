"""How frequencies settle when every link gets more modes.

One arm with the most modes is enough: an arm with fewer modes is the same arm with the higher
ones held at zero, at rest and in motion, since its equations are those of the modes it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from numpy.typing import ArrayLike

from ..manipulator.arm import Link, Manipulator
from ..model import Model
from .eigen import modes
from .linear import linearised
from .posture import Holding, Posture, holding, posture
from .result import Convergence, Joints, Sag


def with_modes(arm: Manipulator, most: int) -> Manipulator:
    """The arm with `most` modes in every direction in which a link has any."""

    def more(link: Link) -> Link:
        if link.beam is None:
            return link
        torsion, y, z = (most if count else 0 for count in link.modes)
        return replace(link, beam=replace(link.beam, modes=(torsion, y, z)))

    return replace(arm, links=tuple(map(more, arm.links)))


def convergence(
    arm: Manipulator,
    build: Callable[[Manipulator], Model],
    most: int,
    q: Posture = None,
    joints: Joints = "locked",
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    sag: Sag = "all",
) -> Convergence:
    """Frequencies with 1, 2, ... `most` modes in each direction that has any.

    `build` makes the model of the arm with `most` modes; the other arguments are those of
    `modal`, and the posture must leave the deflections out.
    """
    if most < 1:
        raise ValueError(f"convergence needs at least one mode, not {most}")
    if not any(map(any, (link.modes for link in arm.links))):
        raise ValueError("convergence with the number of modes needs a flexible link")
    start = posture(arm, q)
    if start[arm.n_joints :].any():
        raise ValueError("convergence starts from a posture of joints, without deflections")
    large = with_modes(arm, most)
    model = build(large)
    wanted = posture(large, start[: arm.n_joints])
    whole = holding(large, joints, kp, kd)
    found = []
    for count in range(1, most + 1):
        higher = {
            k
            for ends in large.mode_ranges
            for r in (ends.torsion, ends.y, ends.z)
            for k in r[count:]
        }
        moving = tuple(i for i in whole.moving if i not in higher)
        about = linearised(model, wanted, Holding(joints, moving, whole.kp, whole.kd), sag)
        found.append(modes(about.M, about.C, about.K).frequencies_hz)
    return Convergence(tuple(range(1, most + 1)), tuple(found))
