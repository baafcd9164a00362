"""Pose and Jacobian of the last frame by the outward recursion.

v, w   (3,)  velocity of origin i and angular velocity of link i per unit joint rate
"""

import numpy as np

from ..manipulator.frames import frames
from .newton_euler import cross


def pose(arm, q):
    """Rotation (3, 3) and origin (3,) of the last frame in the base."""
    R, x = np.eye(3), np.zeros(3)
    for f in frames(arm, q):
        x = x + R @ (f.r + f.R @ f.p)
        R = R @ f.R
    return R, x


def transformation(arm, q):
    """(4, 4) matrix of the last frame in the base."""
    R, x = pose(arm, q)
    return np.vstack([np.column_stack([R, x]), [0.0, 0.0, 0.0, 1.0]])


def jacobian(arm, q):
    """(6, n) matrix that maps qd to [v; w] of the last frame, in the last frame."""
    columns = []
    for link, f in zip(arm.links, frames(arm, q), strict=True):
        columns = [(f.R.T @ (v + cross(w, f.r)), f.R.T @ w) for v, w in columns]
        if link.joint == "prismatic":
            columns.append((f.axis, np.zeros(3)))
        else:
            columns.append((np.zeros(3), f.axis))
        columns = [(v + cross(w, f.p), w) for v, w in columns]
    return np.array([np.concatenate(c) for c in columns]).T
