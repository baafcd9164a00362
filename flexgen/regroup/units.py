"""The arm in another unit of length, chosen so that lengths become one.

With lengths in units of L, masses times L^2, first moments times L and gravity over L, every
inertia, energy and torque stays what it was. Only arms without prismatic joints: there a
joint variable would have to be scaled as well.
"""

from __future__ import annotations

from dataclasses import replace

from ..manipulator.arm import Body, Link, Manipulator


def lengths(arm: Manipulator) -> tuple[float, ...]:
    """Lengths that could serve as unit, the most frequent first; 1 is always among them."""
    if any(link.joint == "prismatic" for link in arm.links):
        return (1.0,)
    found = [abs(float(x)) for link in arm.links for x in (link.dh.a, link.dh.d) if x != 0.0]
    distinct = sorted(set(found), key=lambda x: (-found.count(x), -x))
    return (*distinct, *(() if 1.0 in distinct else (1.0,)))


def in_units(arm: Manipulator, length: float) -> Manipulator:
    """The arm with lengths in units of `length`: the same torques, other numbers."""
    if length == 1.0:
        return arm
    if any(link.joint == "prismatic" for link in arm.links):
        raise ValueError(f"{arm.name}: a prismatic joint fixes the unit of length")

    def scaled(link: Link) -> Link:
        dh = replace(link.dh, a=link.dh.a / length, d=link.dh.d / length)
        old = link.body
        body = Body(old.mass * length * length, old.moment * length, old.inertia_origin)
        return replace(link, dh=dh, body=body)

    x, y, z = arm.gravity
    gravity = (x / length, y / length, z / length)
    return replace(arm, links=tuple(map(scaled, arm.links)), gravity=gravity)
