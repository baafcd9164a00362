"""Rigid direct dynamics in O(n): articulated bodies, after Featherstone (1983).

Accelerations are taken in two parts: those at qdd = 0, with gravity and the products of rates,
and what qdd adds to them. The first part gives forces as in Newton-Euler, the second sees
nothing but inertias, so that no inertia is multiplied with products of rates.

Link k is described in the axes of its joint, z along the joint, about a point O of the joint
that belongs to the link. From one link to the next there are then four steps, each along or
about one axis: Rx and Tx by numbers, Rz and Tz with the joint variable in one of them. Bodies
are regrouped: what may as well belong to the link before is moved there (Gautier and Khalil
1990).

    m, h, J    mass, first moment and inertia of a link about O
    w, wd, U   angular velocity, angular acceleration and acceleration field at qdd = 0
    a          (3,) acceleration of O at qdd = 0, gravity included
    F, N       (3,) what these accelerations of a link take, about O
    f, n       (3,) force and moment at O on the link and all behind it
    pivot      articulated inertia of a joint, positive
    start      acceleration of a joint if the link before did not move but as at qdd = 0
    x, alpha   (3,) what qdd adds to a and wd
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..manipulator.frames import rotation_x, rotation_z, turned
from .articulated_body import ACROSS, NOTHING, UNIT, X, Z, about, along, released, with_body
from .composite import rotated, shifted
from .newton_euler import cross, spin
from .origin import euler

STRAIGHT = (1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Station:
    """A joint: the steps from the axes of the link before to its own."""

    slide: bool
    twist: tuple[Any, Any]  # Rx: cosine and sine
    a: Any  # Tx
    turn: tuple[Any, Any]  # Rz
    d: Any  # Tz

    def outward(self, v):
        """A vector of the link before, in the axes of the joint."""
        return rotation_z(*self.turn).T @ (rotation_x(*self.twist).T @ v)

    def inward(self, v):
        """A vector in the axes of the joint, in those of the link before."""
        return rotation_x(*self.twist) @ (rotation_z(*self.turn) @ v)


def stations(arm, q):
    """The joints, and Rx and Tx from the last one to the last frame.

    Both conventions go through the same steps; they differ in which link a and alpha belong to.
    """
    own = [((link.dh.alpha.cos, link.dh.alpha.sin), link.dh.a) for link in arm.links]
    none = (STRAIGHT, 0.0)
    steps = [none, *own] if arm.convention == "standard" else [*own, none]
    found = []
    for link, (twist, a), x in zip(arm.links, steps, q, strict=False):
        slide = link.joint == "prismatic"
        found.append(Station(slide, twist, a, turned(link, x), link.dh.d + x * slide))
    return found, steps[-1]


def bodies(arm):
    """Regrouped m, h and J of the links.

    Of a link that turns, the part that is symmetric about the axis of its joint and does not
    resist a turn about it can belong to the link before, as can J of a link that slides.
    """
    at, _ = stations(arm, np.zeros(len(arm.links)))
    found = []
    for link in arm.links:
        body = link.body.mass, link.body.moment, link.body.inertia_origin
        if arm.convention == "standard":
            body = before(body, (link.dh.alpha.cos, link.dh.alpha.sin), link.dh.a)
        found.append(body)
    for k in reversed(range(1, len(found))):
        m, h, J = found[k]
        if at[k].slide:
            found[k] = m, h, np.zeros((3, 3))
            m, h, J = 0.0, np.zeros(3), rotated(rotation_z(*at[k].turn), J)
        else:
            around = J[1, 1] * np.diag(ACROSS)
            found[k] = 0.0, h * ACROSS, J - around
            h, J = shifted(m, h * UNIT[Z], around, at[k].d * UNIT[Z])
        given = before((m, h, J), at[k].twist, at[k].a)
        found[k - 1] = tuple(x + y for x, y in zip(found[k - 1], given, strict=True))
    return found


def before(body, twist, a):
    """The body seen from before Tx and Rx."""
    m, h, J = body
    Rx = rotation_x(*twist)
    return (m, *shifted(m, Rx @ h, rotated(Rx, J), a * UNIT[X]))


def acceleration(arm, q, qd, tau, gravity, wrench):
    """Accelerations of the joints under the forces `tau`, and the pivots."""
    at, (twist, reach) = stations(arm, q)
    body, size = bodies(arm), len(at)

    # outward: velocities, accelerations at qdd = 0 and what they take
    w, wd, a, U = np.zeros(3), np.zeros(3), -np.asarray(gravity), np.zeros((3, 3))
    F, N = [], []
    for (m, h, J), s, rate in zip(body, at, qd, strict=True):
        a = s.outward(a + s.a * U[:, X])
        w, wd = s.outward(w), s.outward(wd)
        if s.slide:
            a = a + 2.0 * cross(w, rate * UNIT[Z])
        else:
            wd = wd + cross(w, rate * UNIT[Z])
            w = w + rate * UNIT[Z]
        U = spin(w, wd)
        a = a + s.d * U[:, Z]
        F.append(m * a + U @ h)
        N.append(euler(J, w, wd, U) + cross(h, a))

    # inward: articulated inertias and forces, one joint after the other set free
    Rx = rotation_x(*twist)
    f, n = Rx @ -wrench[:3], Rx @ -wrench[3:]
    n = n + cross(reach * UNIT[X], f)
    inertia, joints, start = NOTHING, [None] * size, [None] * size
    for k in reversed(range(size)):
        s, f, n = at[k], f + F[k], n + N[k]
        joints[k] = j = released(with_body(inertia, *body[k]), s.slide)
        start[k] = (tau[k] - (f if s.slide else n)[Z]) * j.share
        f, n = f + j.force * start[k], n + j.moment * start[k]
        if s.slide:  # a free joint carries its own force and no more
            f = np.array([*f[:Z], tau[k]])
        else:
            n = np.array([*n[:Z], tau[k]])
        n = s.inward(n + cross(s.d * UNIT[Z], f))
        f = s.inward(f)
        n = n + cross(s.a * UNIT[X], f)
        inertia = about(along(j.left, Z, s.d), Z, *s.turn)
        inertia = along(about(inertia, X, *s.twist), X, s.a)

    # outward: the joints move, and what is behind them with them
    x, alpha, qdd = np.zeros(3), np.zeros(3), []
    for s, j, alone in zip(at, joints, start, strict=True):
        x = s.outward(x + cross(alpha, s.a * UNIT[X]))
        alpha = s.outward(alpha)
        x = x + cross(alpha, s.d * UNIT[Z])
        qdd.append(alone - (j.by_force @ x + j.by_moment @ alpha))
        if s.slide:
            x = x + qdd[-1] * UNIT[Z]
        else:
            alpha = alpha + qdd[-1] * UNIT[Z]
    return np.array(qdd), np.array([j.pivot for j in joints])
