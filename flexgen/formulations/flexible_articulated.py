"""Direct dynamics of flexible arms in O(n): articulated bodies with beams as links.

Link i has its joint variable and its deflections as coordinates. The inertia of the link and
of all behind it, over the twist of its root and its coordinates, is eliminated coordinate by
coordinate (L D L^T); what is left is the articulated inertia that the tip before carries. The
forces at zero acceleration come from `king`, the generalised mass of a link alone from
`flexible_composite`, so that H qdd = tau - bias is solved exactly as it stands there. That
includes the linear rotation of a tip: E^T turns accelerations outward and E turns forces
inward, so a load is seen through E as E M E^T whether E is orthogonal or not.

    M, K, J      articulated inertia, see `articulated_body`
    x, alpha     (3,) acceleration of the point of reference and angular acceleration
    f, n         (3,) force and moment that the free coordinates further out hand on
    v, axis      tip per unit of a deflection: its motion v, its turn T e_axis times `size`
    T            (3, 3) 1 + skew(half): rates of slopes and twist, times r, to angular velocities
    start        acceleration of a coordinate if no coordinate before it in the chain moved
    E, R, r, p   as in `king` and `flexible_link`; standard convention
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..manipulator.frames import rotation_x, rotation_z, turned
from . import flexible_composite, king
from .articulated_body import (
    NOTHING,
    UNIT,
    Articulated,
    X,
    Z,
    about,
    along,
    congruent,
    moved,
    released,
    with_body,
    without,
)
from .flexible_composite import (
    directions,
    fixed,
    mode_columns,
    skew,
    stretched,
    tensor,
    tip_of,
    whole,
)
from .flexible_link import segments, shape
from .flexible_link import turn as slopes
from .king import modes
from .newton_euler import cross


@dataclass(frozen=True, eq=False)
class Deflection:
    """A deflection set free: what drives it, and how it moves the tip."""

    j: int
    pivot: Any
    share: Any  # 1 / pivot
    force: Any  # at the root, of a unit acceleration
    moment: Any
    by_force: Any  # the same divided by the pivot
    by_moment: Any
    rows: dict  # coordinate -> inertia, with the deflections that are set free later
    scales: dict  # the same divided by the pivot
    v: Any  # motion of the tip, then its turn
    axis: int
    size: Any


def acceleration(arm, q, qd, tau, gravity, wrench):
    """Accelerations of all coordinates under the forces `tau`, and the pivots."""
    held = king.inverse(arm, q, qd, np.zeros(arm.n), gravity, wrench)
    return solve(arm, q, np.asarray(tau) - held)


def solve(arm, q, force):
    """The solution of H(q) qdd = force, and the pivots, in the order of the coordinates.

    All pivots are positive if and only if H is positive definite.
    """
    if arm.convention != "standard":
        raise ValueError("articulated beams need the standard convention")
    rest, parts, links = np.zeros(arm.n), segments(arm), arm.links
    linear = arm.assumptions.rotation == "linear"
    bent = [shape(s, arm.assumptions.rotation, q, rest, rest) for s in parts]
    half = [np.zeros(3) if linear else 0.5 * slopes(s, q) for s in parts]
    turns = [turned(link, x) for link, x in zip(links, q, strict=False)]
    E = [UNIT, *(b.E for b in bent)]
    R = [E[i] @ rotation_z(*turns[i]) for i in range(len(parts))]
    Rx = [rotation_x(link.dh.alpha.cos, link.dh.alpha.sin) for link in links]
    slide = [link.joint == "prismatic" for link in links]
    d = [(link.dh.d + q[i] * slide[i]) * UNIT[Z] for i, link in enumerate(links)]
    # a beam begins at its joint; a rigid link is described at its end
    a = [0.0 if modes(s) else link.dh.a for s, link in zip(parts, links, strict=True)]
    start, pivots = [None] * arm.n, [None] * arm.n
    bends, joints = [None] * len(parts), [None] * len(parts)

    # inward: one coordinate after the other set free
    load, f, n = NOTHING, np.zeros(3), np.zeros(3)
    for i in reversed(range(len(parts))):
        s, b = parts[i], bent[i]
        last = i + 1 == len(parts)
        load = seen(load, None if last else turns[i + 1], s, b, linear)
        bends[i], inertia = deflections(arm.n, s, b, half[i], load)
        twisting = n - cross(half[i], n)
        waiting = {k.j: force[k.j] - (k.v @ f + k.size * twisting[k.axis]) for k in bends[i]}
        n = n + cross(tip_of(s, b), f)
        for k in bends[i]:
            pivots[k.j], start[k.j] = k.pivot, waiting[k.j] * k.share
            for later, mass in k.rows.items():
                waiting[later] = waiting[later] - mass * start[k.j]
            f, n = f + k.force * start[k.j], n + k.moment * start[k.j]

        # to the axes of the joint
        f, n = Rx[i] @ f, Rx[i] @ n
        n = n + cross(a[i] * UNIT[X], f)
        inertia = about(inertia, X, Rx[i][1, 1], Rx[i][2, 1])
        joints[i] = j = released(along(inertia, X, a[i]), slide[i])
        pivots[i] = j.pivot
        start[i] = (force[i] - (f if slide[i] else n)[Z]) * j.share
        f, n = f + j.force * start[i], n + j.moment * start[i]
        if slide[i]:  # a free joint carries its own force and no more
            f = np.array([*f[:Z], force[i]])
        else:
            n = np.array([*n[:Z], force[i]])
        n = R[i] @ (n + cross(d[i], f))
        f = R[i] @ f
        load = along(j.left, Z, d[i][Z])

    # outward: the coordinates move, and what is behind them with them
    qdd, x, alpha = [None] * arm.n, np.zeros(3), np.zeros(3)
    for i, (b, j) in enumerate(zip(bent, joints, strict=True)):
        x, alpha = R[i].T @ x, R[i].T @ alpha
        x = x + cross(alpha, d[i])
        qdd[i] = start[i] - (j.by_force @ x + j.by_moment @ alpha)
        if slide[i]:
            x = x + qdd[i] * UNIT[Z]
        else:
            alpha = alpha + qdd[i] * UNIT[Z]
        x = Rx[i].T @ (x + cross(alpha, a[i] * UNIT[X]))
        alpha = Rx[i].T @ alpha
        for k in reversed(bends[i]):
            driven = k.by_force @ x + k.by_moment @ alpha
            for later, scale in k.scales.items():
                driven = driven + scale * qdd[later]
            qdd[k.j] = start[k.j] - driven
        rates = sum((qdd[k.j] * k.size * UNIT[k.axis] for k in bends[i]), np.zeros(3))
        x = x + cross(alpha, tip_of(parts[i], b))
        x = x + sum((qdd[k.j] * k.v for k in bends[i]), np.zeros(3))
        alpha = alpha + rates + cross(half[i], rates)
    return np.array(qdd), np.array(pivots)


def seen(load, turn, s, b, linear):
    """What hangs on a tip, in link axes: the chain behind it and the body fixed to it."""
    if len(modes(s)) == 0:
        return load if turn is None else about(load, Z, *turn)
    if turn is not None:
        load = congruent(b.E @ rotation_z(*turn), load)
    body = flexible_composite.turned((b.E,), fixed(s.tip), True, linear)
    body = stretched(body, b.E) if linear else body
    load = with_body(load, body.m, body.h, tensor(body.D))
    return Articulated(load.M + body.M, load.K, load.J)


def deflections(size, s, b, half, load):
    """The deflections of a link, set free one after the other, and what is left at the root."""
    moves, forces, mass, inertia = loaded(size, s, b, half, load)
    found, waiting = [], [move[0] for move in moves]
    for j, axis, turn, v in moves:
        waiting = waiting[1:]
        (f, n), share = forces[j], 1.0 / mass[j, j]
        by = f * share, n * share
        rows = {k: mass[j, k] for k in waiting}
        scales = {k: rows[k] * share for k in waiting}
        for k in waiting:
            forces[k] = forces[k][0] - scales[k] * f, forces[k][1] - scales[k] * n
            for m in waiting:
                if m >= k:
                    mass[k, m] = mass[k, m] - scales[k] * rows[m]
        inertia = without(inertia, f, n, *by)
        found.append(Deflection(j, mass[j, j], share, f, n, *by, rows, scales, v, axis, turn))
    return found, inertia


def loaded(size, s, b, half, load):
    """Generalised mass of a link and its load, over its deflections and the twist of its root.

    Gives the deflections (coordinate, axis, size, v), their forces and moments at the root,
    their masses (the upper triangle), and the inertia about the root.
    """
    tip, T = tip_of(s, b), UNIT + skew(half)
    pull, bend = load.K @ T, load.J @ T
    at_root, bent = bend + skew(tip) @ pull, T.T @ bend
    inertia, alone = moved(load, tip), whole(s, b, flexible_composite.NOTHING)
    moves = [(j, axis, turn * b.r, s.t @ np.array(B)) for j, axis, turn, B in directions(s, b)]
    own = mode_columns(size, s, b, flexible_composite.NOTHING)
    forces, mass = {}, {}
    for (j, axis, turn, v), (_, row, f, n) in zip(moves, own, strict=True):
        drawn, twisted = load.M @ v + turn * pull[:, axis], pull.T @ v + turn * bent[:, axis]
        forces[j] = f + drawn, n + inertia.K.T @ v + turn * at_root[:, axis]
        for k, other, amount, way in moves:
            if k >= j:
                mass[j, k] = row[k] + way @ drawn + amount * twisted[other]
    return moves, forces, mass, with_body(inertia, alone.m, alone.h, tensor(alone.D))
