"""Checked tables of a case -> `Manipulator`, with the physics that tables cannot state.

A rigid link becomes one body; tip and payload of a flexible link go to its deflected tip.
Refused: a negative principal moment, an arm with no inertia at all. Told as an oddity: an
inertia that no real body has, a joint with nothing to move, for which the inertia matrix is
singular and only inverse dynamics has a meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .arm import (
    CONSISTENT,
    DH,
    KING,
    NOTHING,
    Array,
    Assumptions,
    Body,
    Limits,
    Link,
    Manipulator,
)
from .beam import Beam
from .bodies import (
    POINT,
    broken_triangle,
    exact,
    is_nothing,
    negative_moment,
    rigid_body,
    tensor,
    united,
)
from .faults import Place, fault, written
from .frames import frame
from .schema import (
    BeamTable,
    CaseTable,
    LimitsTable,
    LinkTable,
    ModelTable,
    PayloadTable,
    TensorTable,
)

BEYOND: Final = "beyond the range of doubles"
SMALLEST: Final = 1e-60  # of lengths cubed, masses, stiffnesses of a beam: no over- or underflow


def manipulator(file: str, case: CaseTable) -> tuple[Manipulator, tuple[str, ...]]:
    """The arm of a case, and what is odd about it."""
    oddities: list[str] = []
    links = []

    def checked(place: Place, body: Body) -> Body:
        try:
            reason = negative_moment(body)
        except OverflowError:
            reason = f"mass, centre of mass and inertia are {BEYOND}"
        if reason:
            raise fault(file, place, reason)
        odd = broken_triangle(body)
        if odd:
            oddities.append(f"{written(place)}: {odd}")
        return body

    for index, table in enumerate(case.link):
        payload = case.payload if index == len(case.link) - 1 else None
        fixed = [checked(*part) for part in _fixed(index, table)]
        ends = [checked(*part) for part in _ends(index, table, payload)]
        dh = DH(table.dh.a, table.dh.alpha, table.dh.d, table.dh.theta)
        limits = _limits(table.limits)
        if table.beam is None:
            links.append(Link(table.joint, dh, united([*fixed, *ends]), limits))
        else:
            beam = _beam(file, index, table.beam, dh.a)
            hub, tip = (_or_nothing(united(bodies)) for bodies in (fixed, ends))
            links.append(Link(table.joint, dh, hub, limits, beam, tip))
    if all(link.beam is None and is_nothing(link.body) for link in links):
        raise fault(file, ["link"], "no link has mass or inertia")
    arm = Manipulator(
        name=case.name,
        links=tuple(links),
        convention=case.convention,
        gravity=(case.gravity[0], case.gravity[1], case.gravity[2]),
        description=case.description,
        source=case.source,
        assumptions=_assumptions(case.model),
    )
    return arm, (*oddities, *_idle_joints(arm))


def _fixed(index: int, table: LinkTable) -> Iterator[tuple[Place, Body]]:
    """The bodies fixed in the undeformed frame, each with the place that describes it."""
    if table.mass is not None and table.com is not None and table.inertia is not None:
        body = rigid_body(table.mass, table.com, _tensor(table.inertia), table.inertia.about)
        yield ["link", index, "inertia"], body
    elif table.hub is None:
        yield ["link", index, "hub"], rigid_body(0.0, POINT, _tensor(None))
    else:
        hub = table.hub
        about = "com" if hub.inertia is None else hub.inertia.about
        body = rigid_body(hub.mass, hub.com, _tensor(hub.inertia), about)
        yield ["link", index, "hub", "inertia"], body


def _ends(
    index: int, table: LinkTable, payload: PayloadTable | None
) -> Iterator[tuple[Place, Body]]:
    """The bodies at the end of a link, which is the tip of a flexible one."""
    tip = rigid_body(table.tip_mass, POINT, _tensor(table.tip_inertia))
    yield ["link", index, "tip_inertia"], tip
    if payload is not None:
        inertia = _tensor(payload.inertia)
        yield ["payload", "inertia"], rigid_body(payload.mass, payload.com, inertia)


def _or_nothing(body: Body) -> Body:
    return NOTHING if is_nothing(body) else body


def _beam(file: str, index: int, table: BeamTable, length: float) -> Beam:
    """The beam of a link, refused where its numbers could overflow later on."""
    try:
        beam = _plain_beam(table, length)
        stiffness = max(beam.EIy, beam.EIz, beam.GJ, 1.0)
        scales = (length**3, beam.mass * length**2, stiffness * beam.mass)
        fits = all(SMALLEST < scale < 1.0 / SMALLEST for scale in scales)
    except (OverflowError, ValueError):  # ValueError: a product is zero after rounding
        fits = False
    if not fits:
        reason = f"length, mass and stiffness are {BEYOND}"
        raise fault(file, ["link", index, "beam"], reason)
    return beam


def _plain_beam(table: BeamTable, length: float) -> Beam:
    """Products of the numbers as written, each rounded once."""
    section, modes = table.section, table.modes
    mass, EIy, EIz, GJ = table.mass, table.EIy, table.EIz, table.GJ
    polar = table.polar_inertia
    if section is not None:
        E, A, Iy, Iz, a = exact([section.E, section.A, section.Iy, section.Iz, length])
        if table.density is not None:
            density = exact(table.density).item()
        else:
            assert table.mass is not None
            density = exact(table.mass).item() / (A * a)
        mass, EIy, EIz = float(density * A * a), float(E * Iy), float(E * Iz)
        polar = float(density * (Iy + Iz)) if polar is None else polar
        if section.G is not None and section.J is not None:
            GJ = float(exact(section.G).item() * exact(section.J).item())
    assert mass is not None
    return Beam(
        length=length,
        mass=mass,
        EIy=EIy or 0.0,
        EIz=EIz or 0.0,
        GJ=GJ or 0.0,
        polar_inertia=polar or 0.0,
        modes=(modes.torsion, modes.y, modes.z),
        shape=table.shape,
        damping_ratio=table.damping_ratio,
        boundary_mass=table.boundary_mass,
        boundary_inertia=table.boundary_inertia,
        boundary_polar=table.boundary_polar,
    )


def _assumptions(table: ModelTable | None) -> Assumptions:
    """The preset, with the switches that the file sets by themselves."""
    if table is None:
        return CONSISTENT
    preset = KING if table.assumptions == "king" else CONSISTENT
    return Assumptions(
        rotation=preset.rotation if table.rotation is None else table.rotation,
        torsion_coupling=(
            preset.torsion_coupling if table.torsion_coupling is None else table.torsion_coupling
        ),
        foreshortening=(
            preset.foreshortening if table.foreshortening is None else table.foreshortening
        ),
    )


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
        if any(one.beam is not None for one in arm.links[index:]):
            continue  # a beam has mass, and turns about an axis across it
        beyond = [one.body for one in arm.links[index:]]
        mass = any(body.mass for body in beyond)
        if link.joint == "prismatic":
            moved = mass
        elif index < arm.n_joints - 1:
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
