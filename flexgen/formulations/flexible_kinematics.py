"""Pose and Jacobian of the deflected last frame by the outward recursion.

With the linear rotation of the tips the columns of the rotation are not quite of unit length,
and the Jacobian is the one that belongs to King's recursion: E^T stands for the inverse of E.

    v, w   (3,)  velocity of the tip and angular velocity per unit rate, in link frame i
    c, t, E, r, p, R, o as in `king` and `flexible_link`
"""

import numpy as np

from ..manipulator.frames import frames
from .flexible_composite import directions, tip_of
from .flexible_link import segments, shape
from .king import deflected
from .newton_euler import cross


def posture(arm, q):
    """Frames, segments and how they are bent, at rest."""
    rest = np.zeros(arm.n)
    parts = segments(arm)
    return frames(arm, q), parts, [shape(s, arm.assumptions.rotation, q, rest, rest) for s in parts]


def pose(arm, q):
    """Rotation (3, 3) and origin (3,) of the last frame in the base."""
    R, x = np.eye(3), np.zeros(3)
    for f, s, b in zip(*posture(arm, q), strict=True):
        turned = R @ f.R
        x = x + R @ f.r + turned @ (f.p + s.start + tip_of(s, b))
        R = turned @ b.E
    return R, x


def transformation(arm, q):
    """(4, 4) matrix of the last frame in the base."""
    R, x = pose(arm, q)
    return np.vstack([np.column_stack([R, x]), [0.0, 0.0, 0.0, 1.0]])


def jacobian(arm, q):
    """(6, n) matrix that maps qd to [v; w] of the last frame, in the last frame."""
    columns = {}
    E = np.eye(3)
    for i, (f, s, b) in enumerate(zip(*posture(arm, q), strict=True)):
        R = deflected(E, f.R)
        reach = f.p + s.start + tip_of(s, b)
        found = {j: (R.T @ (v + cross(w, f.r)), R.T @ w) for j, (v, w) in columns.items()}
        slide = arm.links[i].joint == "prismatic"
        found[i] = (f.axis, np.zeros(3)) if slide else (np.zeros(3), f.axis)
        columns = {j: (v + cross(w, reach), w) for j, (v, w) in found.items()}
        for j, axis, value, B in directions(s, b):
            e = value * np.eye(3)[axis]
            columns[j] = (s.t @ np.array(B), b.r * e + cross(b.p, e))
        E = b.E
    rows = [np.concatenate([E.T @ v, E.T @ w]) for _, (v, w) in sorted(columns.items())]
    return np.array(rows).T
