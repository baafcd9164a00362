"""Kinetic and potential energy of rigid and flexible arms, over any scalar.

Positions and velocities of every body and of the fields of every beam (`manipulator.beam`),
summed by mass: no forces and no recursion inwards, so that the energies are a check of the
inverse dynamics. Where the tips of beams turn exactly (Cayley), and for rigid arms,

    gravity(q) = dV/dq     H(q) = d^2T/dqd^2

With the linear rotation of King and Book the kinetic energy is still that of H, but gravity
and Coriolis forces belong to no energy beyond first order in the deflections.

    W        (3, 3)  rotation of link frame i, then of its tip, in the base
    x        (3,)    joint point, then root and tip of link i, in the base
    v, w     (3,)    velocity of that point and angular velocity of link i, in link frame i
    c, cd    (3,)    coefficients of the fields of a beam and their rates (`flexible_link`)
    G, t             integrals of products of fields by mass, and fields at the tip
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..manipulator.beam import integrals
from ..manipulator.frames import frames
from .flexible_link import X, segments, shape
from .newton_euler import cross

NOTHING = np.zeros(3)


def potential(arm, q):
    """Energy of position in gravity, zero at the base, and of the bent beams."""
    g = np.asarray(arm.gravity)
    W, x = np.eye(3), np.zeros(3)
    height, elastic = 0.0, 0.0  # sum of mass times position along gravity
    for link, place, bent in zip(arm.links, frames(arm, q), bends(arm, q), strict=True):
        x = x + W @ place.r
        W = W @ place.R.matrix
        end = x + W @ place.p
        height = height + g @ (link.body.mass * end + W @ link.body.moment)
        if bent is None:
            x = end
            continue
        known, c, E = bent.known, bent.c, bent.E
        root = end - W @ np.array([link.beam.length, 0.0, 0.0])
        along = W @ sum((G * part for G, part in zip(known.G[0], c, strict=True)), NOTHING)
        height = height + g @ (link.beam.mass * root + along)
        for k, j in zip(known.stiffness, bent.at, strict=True):
            elastic = elastic + 0.5 * k * q[j] * q[j]
        x = root + W @ sum((t * part for t, part in zip(known.t, c, strict=True)), NOTHING)
        W = W @ E
        height = height + g @ (link.tip.mass * x + W @ link.tip.moment)
    return elastic - height


def kinetic(arm, q, qd):
    """Energy of motion."""
    total, v, w = 0.0, np.zeros(3), np.zeros(3)
    turn = np.eye(3)
    for i, (link, place, bent) in enumerate(
        zip(arm.links, frames(arm, q), bends(arm, q, qd), strict=True)
    ):
        R = turn @ place.R.matrix
        v = R.T @ (v + cross(w, turn @ place.r))
        w = R.T @ w
        if link.joint == "prismatic":
            v = v + place.axis * qd[i]
        else:
            w = w + place.axis * qd[i]
        v = v + cross(w, place.p)
        total = total + moving(link.body, v, w)
        turn = np.eye(3)
        if bent is None:
            continue
        known, a = bent.known, link.beam.length
        root = v - cross(w, np.array([a, 0.0, 0.0]))
        rates = [cross(w, c) + cd for c, cd in zip(bent.c, bent.cd, strict=True)]
        rates[0] = root
        rates = np.array(rates)
        total = total + 0.5 * np.sum(known.G * (rates @ rates.T))
        spun = np.array([qd[j] for j in bent.torsion])
        total = total + 0.5 * (spun @ (known.polar_mass @ spun) if len(spun) else 0.0)
        if arm.assumptions.torsion_coupling:
            total = total + w[0] * (0.5 * known.polar * w[0] + known.polar_moment @ spun)
        # on to the tip: its velocity stays in the axes of the link, as `turn` is
        v, w, turn = known.t @ rates, w + bent.nu, bent.E
        total = total + moving(link.tip, turn.T @ v, turn.T @ w)
    return total


@dataclass(frozen=True, eq=False)
class Bent:
    """How a beam is bent, with its own integrals: nothing of a neighbour is moved into them."""

    known: Any
    at: range  # its coordinates
    torsion: range
    c: list
    cd: list
    E: Any
    nu: Any


def bends(arm, q, qd=None):
    """How every link is bent; None where it is not."""
    rates = np.zeros(arm.n) if qd is None else qd
    for link, part, at in zip(arm.links, segments(arm), arm.mode_ranges, strict=True):
        if link.beam is None:
            yield None
            continue
        known = integrals(link.beam, arm.assumptions.foreshortening)
        sign = np.where(np.arange(len(known.t)) < 2 + len(known.slope), 1.0, -1.0)
        known = replace(known, G=known.G * np.outer(sign, sign), t=known.t * sign)
        if len(at.all):
            form = shape(part, arm.assumptions.rotation, q, rates, np.zeros(arm.n))
            c, cd, E, nu = form.c, form.cd, form.E, form.nu
        else:
            c, cd, E, nu = [NOTHING, X], [NOTHING, NOTHING], np.eye(3), NOTHING
        # a beam with torsion only has no field eta in the recursion
        lacking = len(known.t) - len(c)
        c = [*c[:1], X, *c[1:]] if lacking else c
        cd = [*cd[:1], NOTHING, *cd[1:]] if lacking else cd
        yield Bent(known, at.all, at.torsion, c, cd, E, nu)


def moving(body, v, w):
    """Energy of a rigid body whose frame moves with v and w, in the axes of the frame."""
    J = body.inertia_origin
    return 0.5 * body.mass * (v @ v) + v @ cross(w, body.moment) + 0.5 * (w @ (J @ w))
