"""The mechanics of the original generators, in their order of evaluation.

Luh, Walker and Paul (1980) as El-Rayyes (1990) evaluates it. The Z numbers of his listings and
the locations of his table 3.4 fix the order of the sums, as far as they reach. Entries are
strings, so that each addition writes one statement; on numbers it is plain dynamics.

    A[i]    (3, 3)  rotation of frame i seen from frame i-1
    p, s    (3,)    origin i-1 to origin i; origin i to the centre of mass; in frame i
    z       (3,)    joint axis A^T (0, 0, 1), in frame i
    m, J            mass; inertia about the centre of mass
    w, wd   (3,)    angular velocity and acceleration
    U       (3, 3)  skew(wd) + skew(w)^2
    v, vc   (3,)    acceleration of origin i and of the centre of mass, gravity included
    F, N    (3,)    inertia force and moment of link i
    f, n    (3,)    force and moment that link i-1 exerts on link i, at origin i-1
    load    (6,)    force and moment that the last link exerts on the environment
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .naming import NamedLink, vector

Vector = NDArray[Any]
AXIS = vector(0, 0, 1)
NOTHING = vector(0, 0, 0)


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def spin(w: Vector, wd: Vector) -> Vector:
    """U, the diagonal first and then the rest row by row."""
    x, y, z = w
    diagonal = -(z * z) - y * y, -(z * z) - x * x, -(y * y) - x * x
    first = -wd[2] + y * x, wd[1] + x * z
    second = wd[2] + x * y, -wd[0] + y * z
    third = -wd[1] + x * z, wd[0] + y * z
    return np.array(
        [
            [diagonal[0], *first],
            [second[0], diagonal[1], second[1]],
            [*third, diagonal[2]],
        ],
        dtype=object,
    )


def outward(
    links: Sequence[NamedLink], qd: Sequence[Any], qdd: Sequence[Any], base: Vector
) -> list[tuple[Vector, Vector]]:
    """Inertia force and moment of each link; `base` is the acceleration of the base."""
    w, wd, v = NOTHING, NOTHING, base
    loads = []
    for link, rate, acceleration in zip(links, qd, qdd, strict=True):
        At = link.A.T
        if link.slides:
            w, wd = At @ w, At @ wd
            U = spin(w, wd)
            v = At @ (AXIS * acceleration + v)
            v = v + 2 * cross(w, link.z * rate)
            v = v + U @ link.p
        else:
            before, w = w, At @ (w + AXIS * rate)
            terms = zip(wd, AXIS * acceleration, cross(before, AXIS * rate), strict=True)
            wd = At @ vector(*(x + y + z for x, y, z in terms))
            U = spin(w, wd)
            v = U @ link.p + At @ v
        vc = U @ link.s + v
        gyroscopic = cross(w, link.J @ w)
        loads.append((link.m * vc, link.J @ wd + gyroscopic))
    return loads


def inward(
    links: Sequence[NamedLink], loads: Sequence[tuple[Vector, Vector]], load: Vector
) -> list[Any]:
    """Joint torques from the loads of the links, tip to base."""
    f, n, A = load[:3], load[3:], np.array(np.eye(3, dtype=int), dtype=object)
    torques = []
    for link, (F, N) in reversed(list(zip(links, loads, strict=True))):
        outer, f = f, A @ f + F
        n = A @ (n + cross(A.T @ link.p, outer))
        own = N + cross(link.sp, F)
        n = own + n
        torques.append((f if link.slides else n) @ link.z)
        A = link.A
    return torques[::-1]


def sweep(
    links: Sequence[NamedLink],
    qd: Sequence[Any],
    qdd: Sequence[Any],
    base: Vector,
    load: Vector,
) -> list[Any]:
    """Inverse dynamics: the joint torques."""
    return inward(links, outward(links, qd, qdd, base), load)
