"""Checked tables of a case -> `Manipulator`, with the physics that tables cannot state.

Refused: a negative principal moment, an arm with no inertia at all. Told as an oddity: an
inertia that no real body has, a joint with nothing to move, for which the inertia matrix is
singular and only inverse dynamics has a meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from .arm import DH, Array, Body, Limits, Link, Manipulator
from .bodies import (
    POINT,
    broken_triangle,
    is_nothing,
    negative_moment,
    rigid_body,
    tensor,
    united,
)
from .faults import Place, fault, written
from .frames import frame
from .schema import CaseTable, LimitsTable, LinkTable, PayloadTable, TensorTable


def manipulator(file: str, case: CaseTable) -> tuple[Manipulator, tuple[str, ...]]:
    """The arm of a case, and what is odd about it."""
    oddities: list[str] = []
    links = []
    for index, table in enumerate(case.link):
        payload = case.payload if index == len(case.link) - 1 else None
        bodies = []
        for place, body in _parts(index, table, payload):
            reason = negative_moment(body)
            if reason:
                raise fault(file, place, reason)
            odd = broken_triangle(body)
            if odd:
                oddities.append(f"{written(place)}: {odd}")
            bodies.append(body)
        dh = DH(table.dh.a, table.dh.alpha, table.dh.d, table.dh.theta)
        links.append(Link(table.joint, dh, united(bodies), _limits(table.limits)))
    if all(is_nothing(link.body) for link in links):
        raise fault(file, ["link"], "no link has mass or inertia")
    arm = Manipulator(
        name=case.name,
        links=tuple(links),
        convention=case.convention,
        gravity=(case.gravity[0], case.gravity[1], case.gravity[2]),
        description=case.description,
        source=case.source,
    )
    return arm, (*oddities, *_idle_joints(arm))


def _parts(
    index: int, table: LinkTable, payload: PayloadTable | None
) -> Iterator[tuple[Place, Body]]:
    """The bodies fixed to a link, each with the place that describes it."""
    link: Place = ["link", index]
    about = table.inertia.about
    yield [*link, "inertia"], rigid_body(table.mass, table.com, _tensor(table.inertia), about)
    yield [*link, "tip_inertia"], rigid_body(table.tip_mass, POINT, _tensor(table.tip_inertia))
    if payload is not None:
        inertia = _tensor(payload.inertia)
        yield ["payload", "inertia"], rigid_body(payload.mass, payload.com, inertia)


def _tensor(table: TensorTable | None) -> Array:
    if table is None:
        return tensor(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return tensor(table.xx, table.yy, table.zz, table.xy, table.xz, table.yz)


def _limits(table: LimitsTable) -> Limits:
    q = None if table.q is None else (table.q[0], table.q[1])
    return Limits(q, table.qd, table.qdd, table.tau)


def _idle_joints(arm: Manipulator) -> Iterator[str]:
    """Joints whose own entry of the inertia matrix is zero in every posture."""
    for index, link in enumerate(arm.links):
        beyond = [one.body for one in arm.links[index:]]
        mass = any(body.mass for body in beyond)
        if link.joint == "prismatic":
            moved = mass
        elif index < arm.n - 1:
            moved = mass or not all(map(is_nothing, beyond))
        else:
            moved = _about_axis(link, arm) > 0.0
        if not moved:
            place = written(["link", index])
            yield f"{place}: the joint moves no inertia, so the inertia matrix is singular"


def _about_axis(link: Link, arm: Manipulator) -> float:
    """Inertia of the last link about its own revolute axis."""
    place, body = frame(link, 0.0, arm.convention), link.body
    assert body.com is not None
    # point masses on the axis have none: |axis x lever|^2 m + axis . I axis
    lever = place.p + body.com
    across = lever - place.axis * (place.axis @ lever)
    return float(body.mass * (across @ across) + place.axis @ body.inertia @ place.axis)
