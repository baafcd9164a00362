"""Names of coordinates -> a posture, and what holds the joints there.

A posture is all coordinates of the arm. It comes as an array of them, of the joints alone, or
as numbers by name, the others being zero. Joints are held at the coordinate that their
actuator moves: the motor of an elastic joint, the joint itself of a rigid one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..manipulator.arm import Manipulator
from ..manipulator.faults import nearest, shown
from .result import Array, Joints

Posture = Mapping[str, float] | ArrayLike | None


def coordinate(arm: Manipulator, name: str) -> int:
    """Where the named coordinate stands; `link2.y1` is short for `link2.bend_y1`."""
    names = arm.coordinates
    short = {full.replace(".bend_", "."): full for full in names}
    try:
        return names.index(short.get(name, name))
    except ValueError:
        raise ValueError(f"unknown coordinate '{shown(name)}'; {nearest(name, names)}") from None


def posture(arm: Manipulator, given: Posture) -> Array:
    """All coordinates, from an array of all or of the joints, or from numbers by name."""
    q = np.zeros(arm.n)
    if given is None:
        return q
    if isinstance(given, Mapping):
        for name, value in given.items():
            q[coordinate(arm, name)] = value
    else:
        values = np.asarray(given, dtype=float)
        if values.shape not in ((arm.n,), (arm.n_joints,)):
            raise ValueError(
                f"a posture has {arm.n_joints} joints or {arm.n} coordinates, "
                f"not shape {values.shape}"
            )
        q[: len(values)] = values
    if not np.isfinite(q).all():
        raise ValueError("a posture must be finite")
    return q


def actuated(arm: Manipulator) -> tuple[int, ...]:
    """The coordinate that the actuator of each joint moves."""
    names = arm.coordinates
    return tuple(
        names.index(f"motor{i + 1}") if f"motor{i + 1}" in names else i for i in range(arm.n_joints)
    )


@dataclass(frozen=True, eq=False)
class Holding:
    """How the joints are held: `kp` and `kd` by coordinate, zero where nothing acts."""

    joints: Joints
    moving: tuple[int, ...]
    kp: Array
    kd: Array


def holding(
    arm: Manipulator, joints: Joints, kp: ArrayLike | None, kd: ArrayLike | None
) -> Holding:
    """What holds the joints; gains for all joints or one for each."""
    if joints not in ("locked", "free", "pd"):
        raise ValueError(f'joints must be "locked", "free" or "pd", not {joints!r}')
    if joints != "pd" and not (kp is None and kd is None):
        raise ValueError(f'gains belong to joints = "pd", not to "{joints}"')
    if joints == "pd" and kp is None:
        raise ValueError('joints = "pd" needs the gain kp')
    driven = list(actuated(arm))
    moving = [i for i in range(arm.n) if joints != "locked" or i not in driven]
    if not moving:
        raise ValueError('nothing can move: no link bends; take joints = "free" or "pd"')
    spread = [np.zeros(arm.n), np.zeros(arm.n)]
    for label, gains, target in zip(("kp", "kd"), (kp, kd), spread, strict=True):
        target[driven] = _gains(label, gains, arm.n_joints)
    return Holding(joints, tuple(moving), *spread)


def _gains(label: str, given: Any, joints: int) -> Array:
    values = np.asarray(0.0 if given is None else given, dtype=float)
    if values.shape not in ((), (1,), (joints,)):
        raise ValueError(f"{label} must be one number or {joints}, not shape {values.shape}")
    if not (np.isfinite(values).all() and (values >= 0.0).all()):
        raise ValueError(f"{label} must not be negative and must be finite")
    return np.broadcast_to(values, (joints,))
