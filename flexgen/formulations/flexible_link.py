"""What a recursion needs to know of a link, flexible or not, and how a beam is bent.

An arm comes in; one `Segment` per link goes out, numbers only. A rigid link is one without
modes: then the root is the origin of its frame, the only field is 1, and nothing bends.

    root    the point where the beam begins; origin of the link frame if there are no modes
    field   scalar function of the position along the beam: 1, eta, Y_k, -S_kl
    c       (3,)    coefficient of a field: points of the link are root + sum field * c
    G, t            integrals of products of fields by mass, and fields at the tip
    h, J            first moment and inertia of what is fixed at the root, about the root
    phi     (3,)    slopes and twist of the tip
    E       (3, 3)  rotation of the deflected tip
    r, p            T = r 1 + skew(p) turns rates of phi into angular velocities

Rotation of the tip, exact (Cayley): E = (1 - skew(phi)/2)^-1 (1 + skew(phi)/2), and to first
order, as King and Book have it: E = 1 + skew(phi), T = 1.

Masses that sit at a tip are put into G, where they cost nothing, and so are those at the root
of the next link if that is where its joint is. This needs an orthogonal E; with the linear one
a mass at a tip moves to the next link instead.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..manipulator.arm import Body, body_about_com, join, steiner
from ..manipulator.beam import integrals
from ..manipulator.mapped import Mapped, mapped_array, mapped_body
from .newton_euler import cross

X = np.array([1.0, 0.0, 0.0])
NOISE = 1e-14  # entries of G this small, relative to their diagonal, are zero on paper


@dataclass(frozen=True, eq=False)
class Segment:
    """Numbers of one link; see the table of symbols."""

    start: Any  # (3,) root seen from the origin of the undeformed link frame
    G: Any  # (fields, fields)
    t: Any  # (fields,)
    h: Any  # (3,)
    J: Any  # (3, 3)
    tip: Body  # fixed to the deflected tip, without the mass that went elsewhere
    shapes: int
    pairs: tuple[tuple[int, int], ...]
    slope: Any  # (shapes,)
    twist: Any  # (torsion modes,) tip values
    polar_moment: Any  # (torsion modes,) 0 without torsion coupling
    polar_mass: Any  # (torsion modes, torsion modes)
    stiffness: Any  # (modes,) torsion, y, z
    damping: Any
    torsion: range  # coordinates
    y: range
    z: range


@dataclass(frozen=True, eq=False)
class Shape:
    """A bent link: coefficients of the fields and turn of the tip, with their rates."""

    c: list  # per field; the first, the root itself, is zero
    cd: list
    cdd: list
    E: Any
    r: Any
    p: Any
    nu: Any  # angular velocity of the tip relative to the link, in its axes
    nud: Any


@lru_cache(maxsize=64)
def segments(arm):
    """The links of an arm as the recursions see them."""
    if isinstance(arm, Mapped):
        return tuple(with_scalars(s, arm.scalar) for s in segments(arm.plain))
    linear = arm.assumptions.rotation == "linear"
    found, carried = [], 0.0
    for i, (link, at) in enumerate(zip(arm.links, arm.mode_ranges, strict=True)):
        segment = flexible(arm, link, at) if len(at.all) else rigid(arm, link)
        # what the tip before carries sits at the joint point of this link
        segment = with_mass(segment, carried, -(offset(link) + segment.start))
        carried = 0.0
        tip = segment.tip
        if linear and len(at.all):
            last = i + 1 == len(arm.links) or arm.links[i + 1].joint == "prismatic"
            if not last:
                carried, tip = tip.mass, Body(0.0, tip.moment, tip.inertia_origin)
        else:
            G = tidy(segment.G + tip.mass * np.outer(segment.t, segment.t))
            segment = changed(segment, G=G)
            tip = Body(0.0, tip.moment, tip.inertia_origin)
        found.append(changed(segment, tip=tip))

    # a mass at a joint point belongs to both links: take it where it costs nothing
    for i in reversed(range(1, len(found))):
        link, outer, inner = arm.links[i], found[i], found[i - 1]
        if link.joint == "prismatic" or arm.convention == "modified":
            continue
        if np.any(offset(link) + outer.start) or (linear and inner.shapes + len(inner.torsion)):
            continue
        mass = outer.G[0, 0]
        G = outer.G.copy()
        G[0, 0] = 0.0
        found[i] = changed(outer, G=G)
        found[i - 1] = changed(inner, G=tidy(inner.G + mass * np.outer(inner.t, inner.t)))
    return tuple(found)


def offset(link):
    """Joint point to the origin of a revolute link, in its frame."""
    alpha, d = link.dh.alpha, link.dh.d
    return np.array([link.dh.a, d * alpha.sin, d * alpha.cos])


def changed(segment, **new):
    """The segment with other values in some places."""
    return Segment(**{**vars(segment), **new})


def with_scalars(segment, scalar):
    """The segment with other scalars in place of its numbers."""
    arrays = {k: v for k, v in vars(segment).items() if isinstance(v, np.ndarray)}
    new = {k: mapped_array(v, scalar) for k, v in arrays.items()}
    return changed(segment, **new, tip=mapped_body(segment.tip, scalar))


def with_mass(segment, mass, at):
    """The segment with a point mass more, seen from the root."""
    if mass == 0.0:
        return segment
    G = segment.G.copy()
    G[0, 0] += mass
    return changed(segment, G=G, h=segment.h + mass * at, J=segment.J + steiner(mass, at))


def tidy(G):
    """G without rounding where masses cancel."""
    size = np.sqrt(np.abs(np.outer(np.diag(G), np.diag(G))))
    return np.where(np.abs(G) <= NOISE * size, 0.0, G)


def rigid(arm, link):
    """Segment of a link that does not bend, beam or not."""
    body = link.body
    if link.beam is not None:
        a, m = link.beam.length, link.beam.mass
        j = link.beam.polar_inertia * a if arm.assumptions.torsion_coupling else 0.0
        across = m * a * a / 12.0
        rod = body_about_com(m, np.array([-a / 2.0, 0.0, 0.0]), np.diag([j, across, across]))
        body = join(join(rod, body), link.tip)
    nothing = Body(0.0, np.zeros(3), np.zeros((3, 3)))
    none, empty = np.zeros(0), range(0)
    return Segment(
        np.zeros(3),
        np.array([[body.mass]]),
        np.ones(1),
        body.moment,
        body.inertia_origin,
        nothing,
        0,
        (),
        *(none,) * 3,
        np.zeros((0, 0)),
        *(none,) * 2,
        *(empty,) * 3,
    )


def flexible(arm, link, at):
    """Segment of a link with modes; the hub is moved to the root."""
    beam, body, assumed = link.beam, link.body, arm.assumptions
    known = integrals(beam, assumed.foreshortening)
    shapes = len(known.slope)
    # shortening is a motion along -x
    sign = np.where(np.arange(len(known.t)) < 2 + shapes, 1.0, -1.0)
    G, t = known.G * np.outer(sign, sign), known.t * sign
    G[0, 0] += body.mass
    s = beam.length * X
    h = body.moment + body.mass * s
    J = body.inertia_origin + steiner(body.mass, s)
    outer = np.outer(s, body.moment)
    J = J + 2.0 * (s @ body.moment) * np.eye(3) - outer - outer.T
    if assumed.torsion_coupling:
        J = J + known.polar * np.outer(X, X)
    return Segment(
        -s,
        G,
        t,
        h,
        J,
        link.tip,
        shapes,
        known.pairs,
        known.slope,
        known.twist,
        known.polar_moment * (1.0 if assumed.torsion_coupling else 0.0),
        known.polar_mass,
        known.stiffness,
        known.damping,
        at.torsion,
        at.y,
        at.z,
    )


def pick(x, at, size):
    """Coordinates of one direction, with zeros for shapes that it does not use."""
    return [x[at[k]] if k < len(at) else 0.0 for k in range(size)]


def shape(segment, rotation, q, qd, qdd):
    """How the link is bent at this state."""
    n = segment.shapes
    y, yd, ydd = (pick(x, segment.y, n) for x in (q, qd, qdd))
    z, zd, zdd = (pick(x, segment.z, n) for x in (q, qd, qdd))

    # fields eta (if there are shapes) and Y_k
    length = len(segment.t) - 1 - n - len(segment.pairs)
    fixed, still = [np.zeros(3), X][: 1 + length], [np.zeros(3)] * (1 + length)
    c = fixed + [np.array([0.0, y[k], z[k]]) for k in range(n)]
    cd = still + [np.array([0.0, yd[k], zd[k]]) for k in range(n)]
    cdd = still + [np.array([0.0, ydd[k], zdd[k]]) for k in range(n)]

    # fields -S_km: (y_k y_m + z_k z_m) e_x, half of it for k = m
    for k, m in segment.pairs:
        if k == m:
            s = 0.5 * (y[k] * y[k] + z[k] * z[k])
            sd = y[k] * yd[k] + z[k] * zd[k]
            sdd = y[k] * ydd[k] + z[k] * zdd[k] + yd[k] * yd[k] + zd[k] * zd[k]
        else:
            s = y[k] * y[m] + z[k] * z[m]
            sd = yd[k] * y[m] + y[k] * yd[m] + zd[k] * z[m] + z[k] * zd[m]
            sdd = ydd[k] * y[m] + y[k] * ydd[m] + zdd[k] * z[m] + z[k] * zdd[m]
            sdd = sdd + 2.0 * (yd[k] * yd[m] + zd[k] * zd[m])
        c.append(X * s)
        cd.append(X * sd)
        cdd.append(X * sdd)

    phi, phid, phidd = (turn(segment, x) for x in (q, qd, qdd))
    E, r, p = (first_order if rotation == "linear" else cayley)(phi)
    nu = r * phid + cross(p, phid)
    nud = r * phidd + cross(p, phidd) - (p @ phid) * nu
    return Shape(c, cd, cdd, E, r, p, nu, nud)


def turn(segment, x):
    """Twist and slopes of the tip, linear in the deflections `x` or their rates."""
    y, z = pick(x, segment.y, segment.shapes), pick(x, segment.z, segment.shapes)
    twist = sum((v * x[j] for v, j in zip(segment.twist, segment.torsion, strict=True)), 0.0)
    along_y = sum((v * s for v, s in zip(segment.slope, z, strict=True)), 0.0)
    along_z = sum((v * s for v, s in zip(segment.slope, y, strict=True)), 0.0)
    return np.array([twist, -along_y, along_z])


def first_order(phi):
    """E, r and p of the linear rotation."""
    x, y, z = phi
    return np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]]), 1.0, np.zeros(3)


def cayley(phi):
    """E, r and p of the exact rotation: E = 1 + 2 skew(p) + 2 skew(h) skew(p), h = phi / 2."""
    h = 0.5 * phi
    r = 1.0 / (1.0 + (h[0] * h[0] + h[1] * h[1] + h[2] * h[2]))
    p = r * h
    x, y, z = p + p
    hx, hy, hz = h
    E = np.array(
        [
            [1.0 - (hy * y + hz * z), hx * y - z, hx * z + y],
            [hx * y + z, 1.0 - (hx * x + hz * z), hy * z - x],
            [hx * z - y, hy * z + x, 1.0 - (hx * x + hy * y)],
        ]
    )
    return E, r, p
