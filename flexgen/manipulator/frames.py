"""DH parameters -> rotation and offset of a frame. The only place that knows conventions.

standard: T = Rz(theta) Tz(d) Tx(a) Rx(alpha), the joint acts about z of frame i-1
modified: T = Rx(alpha) Tx(a) Rz(theta) Tz(d), the joint acts about z of frame i

What a formulation sees is the same for both:

    R       Rotation  frame i seen from frame i-1
    r       (3,)      origin i-1 to the joint point of link i, in frame i-1
    p       (3,)      the joint point of link i to origin i, in frame i
    axis    (3,)      joint axis, in frame i
    before  (3,)      joint axis, in frame i-1

The joint point is a point on the axis: origin i-1 (standard) or origin i (modified).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arm import Array, Convention, Link

Z = np.array([0.0, 0.0, 1.0])


class Rotation:
    """A rotation as a product of elementary ones; applied factor by factor.

    Two elementary rotations of a vector cost less than one with their product.
    """

    __array_ufunc__ = None  # let `array @ rotation` come here

    def __init__(self, *factors: Array) -> None:
        self.factors = factors

    @property
    def T(self) -> Rotation:
        """The inverse rotation."""
        return Rotation(*(f.T for f in reversed(self.factors)))

    def __matmul__(self, other: Array) -> Array:
        for f in reversed(self.factors):
            other = f @ other
        return other

    def __rmatmul__(self, other: Array) -> Array:
        for f in self.factors:
            other = other @ f
        return other

    @property
    def matrix(self) -> Array:
        """The 3x3 matrix."""
        return self @ np.eye(3)


@dataclass(frozen=True, eq=False)
class Frame:
    """Frame i seen from frame i-1; see the table of symbols above."""

    R: Rotation
    r: Array
    p: Array
    axis: Array
    before: Array


def rotation_z(c: Any, s: Any) -> Array:
    """Rotation about z by the angle with cosine c and sine s."""
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_x(c: Any, s: Any) -> Array:
    """Rotation about x by the angle with cosine c and sine s."""
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def turned(link: Link, q: Any) -> tuple[Any, Any]:
    """Cosine and sine of the joint angle theta."""
    theta = link.dh.theta
    if link.joint == "prismatic":
        return theta.cos, theta.sin
    if theta.is_quarter:  # exact zeros and ones: q keeps its own sine and cosine
        c, s = np.cos(q), np.sin(q)
        return theta.cos * c - theta.sin * s, theta.sin * c + theta.cos * s
    return np.cos(q + theta.value), np.sin(q + theta.value)


def frame(link: Link, q: Any, convention: Convention) -> Frame:
    """The frame of `link` when its joint variable is `q`."""
    a, alpha = link.dh.a, link.dh.alpha
    d = link.dh.d + q if link.joint == "prismatic" else link.dh.d
    ca, sa = alpha.cos, alpha.sin
    Rz, Rx = rotation_z(*turned(link, q)), rotation_x(ca, sa)
    tilted = np.array([0.0, sa, ca])
    if convention == "standard":
        return Frame(Rotation(Rz, Rx), np.zeros(3), np.array([a, d * sa, d * ca]), tilted, Z)
    r = np.array([a, -sa * d, ca * d])
    return Frame(Rotation(Rx, Rz), r, np.zeros(3), Z, np.array([0.0, -sa, ca]))


def frames(arm: Any, q: Any) -> list[Frame]:
    """All frames of an arm at the joint variables `q`."""
    return [frame(link, q[i], arm.convention) for i, link in enumerate(arm.links)]
