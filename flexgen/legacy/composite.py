"""Method 3 of Walker and Orin (1982): the inertia matrix from composite bodies.

Links i..N move as one rigid body; in frame i, with the symbols of `mechanics`:

    M            mass of links i..N, a named constant (mc1; rm1 is its reciprocal)
    c    (3,)    M r
    r    (3,)    origin i-1 to the composite centre of mass
    K    (3, 3)  inertia about the composite centre of mass

    c_i = m_i (p + s) + M_{i+1} (p + A r_{i+1})
    K_i = J_i + m_i D(p + s - r_i) + A K_{i+1} A^T + M_{i+1} D(p + A r_{i+1} - r_i)
    D(u) = (u.u) 1 - u u^T,  A = A_{i+1}

    column j, R:  f = z x c,  n = K z + r x f      P:  f = M z,  n = c x z
    rows i < j:   f = A f,    n = A n + p x f      H_ij = z.n (R) or z.f (P)

The thesis only names the method, so the order is chosen here: sums from left to right, of
symmetric matrices the upper triangle, and M r is kept where it is needed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .mechanics import cross
from .naming import NamedLink, Names

Matrix = NDArray[Any]
Vector = NDArray[Any]


def symmetric(element: Callable[[int, int], Any]) -> Matrix:
    """The symmetric matrix with these elements, each written once, row by row."""
    upper = {(i, j): element(i, j) for i in range(3) for j in range(i, 3)}
    rows = [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
    return np.array(rows, dtype=object)


def spread(mass: Any, u: Vector) -> Matrix:
    """Mass times D(u): the inertia of a point at u."""
    xx, yy, zz = (u[j] * u[j] + u[k] * u[k] for j, k in ((1, 2), (0, 2), (0, 1)))
    diagonal = xx, yy, zz
    return symmetric(lambda i, j: mass * diagonal[i] if i == j else -(mass * (u[i] * u[j])))


def turned(A: Matrix, K: Matrix) -> Matrix:
    """A K A^T."""
    B = A @ K
    return symmetric(lambda i, j: B[i] @ A[j])


def plus(a: Matrix, b: Matrix) -> Matrix:
    """Sum of two symmetric matrices."""
    return symmetric(lambda i, j: a[i, j] + b[i, j])


def columns(
    names: Names, links: Sequence[NamedLink], masses: Sequence[float]
) -> dict[tuple[int, int], Any]:
    """Elements on and above the diagonal, by row and column from zero."""
    last = len(links) - 1
    elements: dict[tuple[int, int], Any] = {}
    M: Any = links[last].m
    r, K = links[last].sp, links[last].J
    c = M * r
    for j in range(last, -1, -1):
        if j < last:
            M, c, r, K = _joined(names, links, masses, j, M, r, K)
        elements |= _column(links, j, M, c, r, K)
    return elements


def _joined(
    names: Names,
    links: Sequence[NamedLink],
    masses: Sequence[float],
    j: int,
    M: Any,
    r: Vector,
    K: Matrix,
) -> tuple[Any, Vector, Vector, Matrix]:
    """The composite body of the links from `j` on, from that of the links beyond."""
    link, A = links[j], links[j + 1].A
    mass = sum(masses[j:])
    whole = names.constant(f"mc{j + 1}", mass)
    beyond = link.p + A @ r
    c = link.m * link.sp + M * beyond
    r = names.constant(f"rm{j + 1}", 1.0 / mass if mass else 0.0) * c
    own = plus(link.J, spread(link.m, link.sp - r))
    return whole, c, r, plus(plus(own, turned(A, K)), spread(M, beyond - r))


def _column(
    links: Sequence[NamedLink], j: int, M: Any, c: Vector, r: Vector, K: Matrix
) -> dict[tuple[int, int], Any]:
    """Column `j`, rows from `j` up to the base."""
    z = links[j].z
    if links[j].slides:
        f, n = M * z, cross(c, z)
    else:
        f = cross(z, c)
        n = K @ z + cross(r, f)
    found = {(j, j): (f if links[j].slides else n) @ z}
    for i in range(j - 1, -1, -1):
        A = links[i + 1].A
        f = A @ f
        n = A @ n + cross(links[i].p, f)
        found[i, j] = (f if links[i].slides else n) @ links[i].z
    return found
