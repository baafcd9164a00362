"""What an arm is: frozen data of links, joints and bodies. No dynamics.

Entries are floats for an arm read from a case. They may be any scalar (named strings,
symbols, numbers that count), since nothing here looks inside them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .angles import Angle

Array = NDArray[Any]
Convention = Literal["standard", "modified"]
JointType = Literal["revolute", "prismatic"]


def steiner(mass: Any, com: Array) -> Array:
    """What a point mass at `com` adds to the inertia about the origin: m (c.c 1 - c c^T)."""
    x, y, z = com
    xy, xz, yz = -mass * x * y, -mass * x * z, -mass * y * z
    xx, yy, zz = mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True, eq=False)
class Body:
    """Ten inertial parameters, both about the centre of mass and about the link frame.

    `com` and `inertia` are None for regrouped parameters, which belong to no real body.
    """

    mass: Any
    moment: Array  # first moment, mass times com
    inertia_origin: Array  # about the origin of the link frame
    com: Array | None = None
    inertia: Array | None = None  # about the centre of mass


def body_about_com(mass: Any, com: Array, inertia: Array) -> Body:
    """Body from its inertia about the centre of mass."""
    return Body(mass, mass * com, inertia + steiner(mass, com), com, inertia)


def body_about_origin(mass: Any, com: Array, inertia_origin: Array) -> Body:
    """Body from its inertia about the origin of the link frame."""
    inertia = inertia_origin - steiner(mass, com)
    return Body(mass, mass * com, inertia_origin, com, inertia)


def join(first: Body, second: Body) -> Body:
    """Two bodies fixed to one another, as one."""
    if second.mass == 0.0 and not np.any(second.inertia_origin):
        return first
    mass = first.mass + second.mass
    moment = first.moment + second.moment
    com = moment / mass if mass != 0.0 else np.zeros(3)
    origin = first.inertia_origin + second.inertia_origin
    return Body(mass, moment, origin, com, origin - steiner(mass, com))


@dataclass(frozen=True)
class DH:
    """Denavit-Hartenberg parameters of one joint; the variable adds to theta or d."""

    a: Any
    alpha: Angle
    d: Any
    theta: Angle


@dataclass(frozen=True)
class Limits:
    """Limits of a joint: range of q, largest |qd|, |qdd| and |tau|; None where not given."""

    q: tuple[float, float] | None = None
    qd: float | None = None
    qdd: float | None = None
    tau: float | None = None


@dataclass(frozen=True)
class Link:
    """One joint and the rigid body behind it."""

    joint: JointType
    dh: DH
    body: Body
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Manipulator:
    """A serial arm. `gravity` is the acceleration of gravity in the base frame."""

    name: str
    links: tuple[Link, ...]
    convention: Convention = "standard"
    gravity: tuple[Any, Any, Any] = (0.0, 0.0, -9.81)
    description: str = ""
    source: str = ""

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.links)
