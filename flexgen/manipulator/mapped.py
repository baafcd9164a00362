"""The same arm with other scalars: every number of its links passed through a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from .angles import Angle
from .arm import Array, Body, Link, Manipulator


@dataclass(frozen=True)
class Mapped(Manipulator):
    """An arm with other scalars, and what it was made from.

    Beams stay as they are: their integrals take numbers, and are mapped when they are known.
    """

    plain: Manipulator | None = None
    scalar: Callable[[Any], Any] = float


def mapped(arm: Manipulator, scalar: Callable[[Any], Any]) -> Mapped:
    """`arm` with `scalar(x)` in place of every length, twist, mass, moment and inertia.

    Offsets of revolute angles stay numbers: the kinematics looks at them for quarter turns.
    """
    links = tuple(_link(link, scalar) for link in arm.links)
    x, y, z = (scalar(g) for g in arm.gravity)
    values = {f.name: getattr(arm, f.name) for f in fields(Manipulator)}
    values |= {"links": links, "gravity": (x, y, z)}
    return Mapped(**values, plain=arm, scalar=scalar)


def _link(link: Link, scalar: Callable[[Any], Any]) -> Link:
    dh, alpha = link.dh, link.dh.alpha
    twist = Angle(alpha.value, scalar(alpha.cos), scalar(alpha.sin))
    if link.beam is not None:  # its length is a number
        return replace(link, dh=replace(dh, alpha=twist, d=scalar(dh.d)))
    dh = replace(dh, a=scalar(dh.a), alpha=twist, d=scalar(dh.d))
    return replace(link, dh=dh, body=mapped_body(link.body, scalar))


def mapped_body(body: Body, scalar: Callable[[Any], Any]) -> Body:
    """The body with other scalars."""
    moment, origin = (mapped_array(x, scalar) for x in (body.moment, body.inertia_origin))
    com, inertia = (
        None if x is None else mapped_array(x, scalar) for x in (body.com, body.inertia)
    )
    return Body(scalar(body.mass), moment, origin, com, inertia)


def mapped_array(values: Array, scalar: Callable[[Any], Any]) -> Array:
    """The array with other scalars."""
    found = np.empty(values.shape, dtype=object)
    for place in np.ndindex(values.shape):
        found[place] = scalar(values[place])
    return found
