"""Symmetric positive definite equations H x = r, over any scalar, without a square root.

H = L D L^T with ones on the diagonal of L. Written out for scalars that know zero when they
see it (expressions), nothing is computed for the zeros of H that elimination leaves.

    L  (n, n)  unit lower triangle
    d  (n,)    pivots, the diagonal of D
    e  (n,)    their reciprocals: one division each
"""

from collections.abc import Sequence

import numpy as np


def factorise(H, order: Sequence[int] | None = None):
    """L, d, e of the matrix with rows and columns in `order`; only one triangle is read."""
    order = range(len(H)) if order is None else order
    A = np.array([[H[max(i, j)][min(i, j)] for j in order] for i in order], dtype=object)
    n = len(A)
    L = np.full((n, n), 0.0, dtype=object)
    d, e = [], []
    for k in range(n):
        d.append(A[k, k])
        e.append(1.0 / A[k, k])
        L[k, k] = 1.0
        for i in range(k + 1, n):
            L[i, k] = A[i, k] * e[k]
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                A[i, j] = A[i, j] - L[i, k] * A[j, k]
    return L, d, e


def substitute(L, e, r):
    """X of L D L^T x = r."""
    n, x = len(r), list(r)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i, k] * x[k]
    x = [xi * ei for xi, ei in zip(x, e, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k, i] * x[k]
    return x


def solve(H, r, backward: bool = False):
    """X of H x = r with the pivots in the order of the unknowns.

    `backward` eliminates the last unknown first, which may leave more zeros.
    """
    order = list(reversed(range(len(r)))) if backward else list(range(len(r)))
    L, d, e = factorise(H, order)
    x = substitute(L, e, [r[i] for i in order])
    place = np.argsort(order)
    return np.array([x[i] for i in place]), np.array([d[i] for i in place])
