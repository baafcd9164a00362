"""Where the links of an arm are: deflected frames and centrelines in the base frame.

Manipulator and coordinates (n,) or (T, n) come in; arrays of positions go out. A link is drawn
as the two steps of its Denavit-Hartenberg row, the offset d along the joint axis and the length
a along the common normal; a flexible link bends along the second of them:

    root + (eta - s(eta)) e_x + sum_k Y_k(eta) (y_k e_y + z_k e_z),
    s(eta) = 1/2 sum_kl (y_k y_l + z_k z_l) int_0^eta Y_k' Y_l',   0 without foreshortening

in the undeformed link frame, and its tip turns as the mechanics of the arm has it, linear or
exact. So the last point of the last centreline is where `pose` has the tip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .formulations.flexible_link import cayley, first_order, segments, turn
from .manipulator.arm import Link, Manipulator
from .manipulator.beam import bending_shapes
from .manipulator.frames import frame
from .manipulator.modes import gauss, points_for, torsion

Array = NDArray[np.float64]
POINTS = 21


@dataclass(frozen=True, eq=False)
class Line:
    """What the centreline of one link is made of, at every sampled point of it.

    `offset` and `along` run from 0 to 1, first along the joint axis, then along the link (the
    other way about in the modified convention). `Y`, `S` and `X` are bending shapes, integrals
    of products of their slopes and torsion shapes; `turn` (3, n) maps the coordinates to
    twist and slopes of the tip.
    """

    offset: Array  # (points,)
    along: Array  # (points,)
    Y: Array  # (shapes, points)
    S: Array  # (shapes, shapes, points)
    X: Array  # (torsion modes, points)
    turn: Array  # (3, n)


@lru_cache(maxsize=32)
def lines(arm: Manipulator, points: int = POINTS) -> tuple[Line, ...]:
    """Tables of all centrelines of an arm, sampled at `points` points each."""
    if points < 3:
        raise ValueError(f"a centreline needs at least 3 points, not {points}")
    found = []
    for link, segment in zip(arm.links, segments(arm), strict=True):
        first, second = _steps(arm, link, points)
        offset, along = (first, second) if arm.convention == "standard" else (second, first)
        beam, (twists, ny, nz) = link.beam, link.modes
        n = max(ny, nz)
        Y: Array = np.zeros((0, points))
        S: Array = np.zeros((0, 0, points))
        X: Array = np.zeros((0, points))
        if beam is not None and n:
            a, shapes = beam.length, bending_shapes(beam, n)
            Y, S = shapes(along), np.zeros((n, n, points))
            if arm.assumptions.foreshortening != "off":
                x, w = gauss(points_for(n))
                for k, end in enumerate(along):
                    slopes = shapes(end * x, 1)
                    S[:, :, k] = end * (slopes * w) @ slopes.T / a
        if beam is not None and twists:
            X = torsion(twists, beam.boundary_polar / (beam.polar_inertia * beam.length))(along)
        found.append(Line(offset, along, Y, S, X, _turn(arm, segment)))
    return tuple(found)


def centrelines(
    arm: Manipulator, q: ArrayLike, points: int = POINTS, exaggeration: float = 1.0
) -> Array:
    """Points along every link, (links, points, 3) or (T, links, points, 3), from base to tip.

    `exaggeration` multiplies the deflections and leaves the joints as they are.
    """
    states, single = _states(arm, q, exaggeration)
    found = np.stack([line for line, _, _ in _walk(arm, states, points)], axis=1)
    return found[0] if single else found


def frames(arm: Manipulator, q: ArrayLike, exaggeration: float = 1.0) -> Array:
    """Frames of the deflected tips of all links, (links, 4, 4) or (T, links, 4, 4).

    The last is `model.pose`. A linear rotation makes axes that are not quite of unit length.
    """
    states, single = _states(arm, q, exaggeration)
    found = np.zeros((len(states), len(arm.links), 4, 4))
    found[..., 3, 3] = 1.0
    for i, (_, R, x) in enumerate(_walk(arm, states, 3)):
        found[:, i, :3, :3] = R
        found[:, i, :3, 3] = x
    return found[0] if single else found


def reach(arm: Manipulator, q: ArrayLike) -> float:
    """Largest distance of any point of the arm from the base, over all states `q`."""
    return float(np.linalg.norm(centrelines(arm, q), axis=-1).max())


def _states(arm: Manipulator, q: ArrayLike, exaggeration: float) -> tuple[Array, bool]:
    states = np.array(q, dtype=float)
    if states.ndim not in (1, 2) or states.shape[-1] != arm.n:
        raise ValueError(f"q must have shape ({arm.n},) or (T, {arm.n}), not {states.shape}")
    for at in arm.mode_ranges:
        states[..., at.all.start : at.all.stop] *= exaggeration
    return np.atleast_2d(states), states.ndim == 1


def _steps(arm: Manipulator, link: Link, points: int) -> tuple[Array, Array]:
    """How far each point has gone along the first and the second step of the link."""
    steps = [link.joint == "prismatic" or link.dh.d != 0.0, link.dh.a != 0.0]
    if arm.convention == "modified":
        steps.reverse()
    corner = 0 if not steps[0] else points - 1 if not steps[1] else max(1, points // 4)
    if corner == 0:  # nothing to go first: the whole of it is the second step
        return np.ones(points), np.linspace(0.0, 1.0, points)
    first = np.append(np.linspace(0.0, 1.0, corner + 1), np.ones(points - 1 - corner))
    second = np.append(np.zeros(corner), np.linspace(0.0, 1.0, points - corner))
    if corner == points - 1:
        second[-1] = 1.0
    return first, second


def _turn(arm: Manipulator, segment: Any) -> Array:
    unit = np.eye(arm.n)
    return np.array([turn(segment, e) for e in unit], dtype=float).T


def _walk(arm: Manipulator, states: Array, points: int) -> Iterator[tuple[Array, Array, Array]]:
    """Centreline (T, points, 3), rotation (T, 3, 3) and tip (T, 3) of one link after another."""
    turned: Any = first_order if arm.assumptions.rotation == "linear" else cayley
    R: Array = np.broadcast_to(np.eye(3), (len(states), 3, 3))
    x: Array = np.zeros((len(states), 3))
    for i, (link, line) in enumerate(zip(arm.links, lines(arm, points), strict=True)):
        joint = states[:, i]
        d = link.dh.d + joint if link.joint == "prismatic" else np.full(len(states), link.dh.d)
        turn_i = np.array([frame(link, v, arm.convention).R.matrix for v in joint], dtype=float)
        R_before, R = R, R @ turn_i

        # d along the joint axis, a along the common normal, with the deflections
        standard = arm.convention == "standard"
        axis, normal = (R_before[..., 2], R[..., 0]) if standard else (R[..., 2], R_before[..., 0])
        path = x[:, None] + (d[:, None] * line.offset)[..., None] * axis[:, None]
        path = path + (link.dh.a * line.along)[:, None] * normal[:, None]
        if len(arm.mode_ranges[i].all):
            path = path + np.einsum("tij,tpj->tpi", R, _bent(arm, i, line, states))
            phi = states @ line.turn.T
            R = R @ np.array([turned(v)[0] for v in phi])
        x = path[:, -1]
        yield path, R, x


def _bent(arm: Manipulator, i: int, line: Line, states: Array) -> Array:
    """Displacements (T, points, 3) of a beam in its undeformed frame."""
    at, n = arm.mode_ranges[i], len(line.Y)
    y, z = np.zeros((len(states), n)), np.zeros((len(states), n))
    y[:, : len(at.y)] = states[:, at.y.start : at.y.stop]
    z[:, : len(at.z)] = states[:, at.z.start : at.z.stop]
    short = sum(np.einsum("tk,tl,klp->tp", w, w, line.S) for w in (y, z))
    return np.stack([-0.5 * np.asarray(short), y @ line.Y, z @ line.Y], axis=-1)
