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
from .beam import Beam, Foreshortening

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


NOTHING = Body(0.0, np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True)
class Assumptions:
    """How flexible links are modelled.

    `rotation` of a deflected tip: its first order, as King and Book have it, or exact.
    `torsion_coupling`: whether the rotary inertia of the sections also turns with the link.
    `foreshortening`: whether bending draws the tip inwards, which stiffens a rotating beam.
    """

    rotation: Literal["linear", "cayley"] = "cayley"
    torsion_coupling: bool = True
    foreshortening: Foreshortening = "full"


CONSISTENT = Assumptions()
KING = Assumptions("linear", False, "off")


@dataclass(frozen=True)
class Link:
    """One joint and what is behind it.

    A rigid link is its `body`, and has no tip. A flexible link is its `beam`, along the x
    axis and as long as `dh.a`; `body` is then the hub, fixed in the undeformed link frame,
    and `tip` is fixed to the deflected tip, in the axes of the deflected frame.
    """

    joint: JointType
    dh: DH
    body: Body
    limits: Limits = field(default_factory=Limits)
    beam: Beam | None = None
    tip: Body = NOTHING

    def __post_init__(self) -> None:
        if self.beam is None:
            if self.tip is not NOTHING:
                raise ValueError("only a flexible link has a tip; join the body of a rigid one")
        elif self.joint == "prismatic":
            raise ValueError("a flexible link needs a revolute joint")
        elif self.beam.length != self.dh.a:
            raise ValueError("the length of a beam is the a of its link")

    @property
    def modes(self) -> tuple[int, int, int]:
        """Numbers of torsion, y and z modes."""
        return (0, 0, 0) if self.beam is None else self.beam.modes


@dataclass(frozen=True)
class Modes:
    """Where the deflections of one link stand among the coordinates."""

    torsion: range
    y: range
    z: range

    @property
    def all(self) -> range:
        """All of them."""
        return range(self.torsion.start, self.z.stop)


@dataclass(frozen=True)
class Manipulator:
    """A serial arm. `gravity` is the acceleration of gravity in the base frame.

    Coordinates are all joint variables in chain order, then link by link the deflections:
    torsion, y and z modes.
    """

    name: str
    links: tuple[Link, ...]
    convention: Convention = "standard"
    gravity: tuple[Any, Any, Any] = (0.0, 0.0, -9.81)
    description: str = ""
    source: str = ""
    assumptions: Assumptions = CONSISTENT

    def __post_init__(self) -> None:
        if self.convention != "standard" and any(link.beam for link in self.links):
            raise ValueError("flexible links need the standard convention")

    @property
    def n(self) -> int:
        """Number of all coordinates."""
        return len(self.links) + sum(sum(link.modes) for link in self.links)

    @property
    def n_joints(self) -> int:
        """Number of joint variables, which come first."""
        return len(self.links)

    @property
    def flexible(self) -> bool:
        """Whether any link is a beam, so that rigid formulations do not know all of the arm."""
        return any(link.beam is not None for link in self.links)

    @property
    def mode_ranges(self) -> tuple[Modes, ...]:
        """Where the deflections of each link stand, link by link."""
        found, at = [], len(self.links)
        for link in self.links:
            twist, y, z = link.modes
            ends = (at, at + twist, at + twist + y, at + twist + y + z)
            found.append(Modes(*(range(ends[i], ends[i + 1]) for i in range(3))))
            at = ends[-1]
        return tuple(found)

    @property
    def chain(self) -> tuple[int, ...]:
        """The coordinates from base to tip: joint 1, deflections of link 1, joint 2, ..."""
        return tuple(j for i, at in enumerate(self.mode_ranges) for j in (i, *at.all))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: joint1, ..., link2.twist1, link2.bend_y1, link2.bend_z1."""
        names = [f"joint{i}" for i in range(1, len(self.links) + 1)]
        for i, link in enumerate(self.links, 1):
            for kind, count in zip(("twist", "bend_y", "bend_z"), link.modes, strict=True):
                names += [f"link{i}.{kind}{k}" for k in range(1, count + 1)]
        return tuple(names)
