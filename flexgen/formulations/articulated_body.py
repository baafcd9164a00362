"""Articulated inertias: how they are seen from elsewhere, and what a free joint leaves of them.

An articulated inertia is that of a body with joints in it (Featherstone 1983): a symmetric
matrix without the structure of a rigid body, held in three blocks.

    M, K, J   (3, 3) blocks: f = M a + K alpha, n = K^T a + J alpha; M and J symmetric
    a, alpha  (3,)   acceleration of the point of reference, angular acceleration
    f, n      (3,)   force and moment that they take
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .flexible_composite import skew, symmetric

X, Y, Z = range(3)
UNIT = np.eye(3)
ALL, ACROSS = np.ones(3), 1.0 - UNIT[Z]


@dataclass(frozen=True, eq=False)
class Articulated:
    """An articulated inertia; see the table of symbols."""

    M: Any
    K: Any
    J: Any


@dataclass(frozen=True, eq=False)
class Release:
    """A joint set free: what drives it, and what is left of the inertia.

    `force` and `moment` accelerate the joint by one; `by_force` and `by_moment` are the same
    divided by the pivot, `share` is the reciprocal of the pivot.
    """

    pivot: Any
    share: Any
    force: Any
    moment: Any
    by_force: Any
    by_moment: Any
    left: Articulated


NOTHING = Articulated(*(np.zeros((3, 3)),) * 3)


def with_body(inertia, m, h, J):
    """The inertia with a rigid body more: mass, first moment, inertia."""
    return Articulated(inertia.M + m * UNIT, inertia.K - skew(h), inertia.J + J)


def released(inertia, slide):
    """The joint along (`slide`) or about z set free."""
    M, K, J = inertia.M, inertia.K, inertia.J
    force, moment, pivot = (M[Z], K[Z], M[Z, Z]) if slide else (K[:, Z], J[Z], J[Z, Z])
    share = 1.0 / pivot
    by_force, by_moment = force * share, moment * share
    # what is left does not resist the joint: exact zeros in its row and its column
    moves, turns = (ACROSS, ALL) if slide else (ALL, ACROSS)
    rest = without(inertia, force, moment, by_force, by_moment)
    left = Articulated(
        rest.M * np.outer(moves, moves),
        rest.K * np.outer(moves, turns),
        rest.J * np.outer(turns, turns),
    )
    one = by_force if slide else by_moment
    one = np.array([one[X], one[Y], 1.0])
    by_force, by_moment = (one, by_moment) if slide else (by_force, one)
    return Release(pivot, share, force, moment, by_force, by_moment, left)


def without(inertia, force, moment, by_force, by_moment):
    """What a coordinate leaves that takes force and moment, and these divided by its pivot."""
    return Articulated(
        symmetric(inertia.M - np.outer(force, by_force)),
        inertia.K - np.outer(force, by_moment),
        symmetric(inertia.J - np.outer(moment, by_moment)),
    )


def moved(inertia, s):
    """The inertia about a point from which the old one is seen at `s`."""
    S = skew(s)
    K = inertia.K - inertia.M @ S
    return Articulated(inertia.M, K, symmetric(inertia.J + S @ K + (S @ inertia.K).T))


def along(inertia, k, d):
    """The inertia about a point from which the old one is seen at `d` along axis k.

    K' = K - M S and J' = J + S K' + (S K)^T with S = skew(d e_k).
    """
    i, j = (k + 1) % 3, (k + 2) % 3
    M, K, J = inertia.M, inertia.K, inertia.J
    columns = {i: K[:, i] - d * M[:, j], j: K[:, j] + d * M[:, i], k: K[:, k]}
    new = np.array([columns[c] for c in range(3)]).T
    twice = K + new
    return Articulated(
        M,
        new,
        placed(
            k,
            J[i, i] - d * twice[j, i],
            J[j, j] + d * twice[i, j],
            J[k, k],
            J[i, j] + d * (K[i, i] - new[j, j]),
            J[i, k] - d * K[j, k],
            J[j, k] + d * K[i, k],
        ),
    )


def about(inertia, k, c, s):
    """The inertia in axes turned back about axis k; c and s belong to the turn.

    A turn keeps the trace and what is not symmetric of a 2x2 block; of the rest, two numbers
    turn by twice the angle.
    """
    if c == 0.0 or s == 0.0:  # a quarter turn only changes places
        return congruent(turn(k, c, s), inertia)
    i, j = (k + 1) % 3, (k + 2) % 3
    M, K, J = inertia.M, inertia.K, inertia.J
    ss, sc = s * s, s * c

    def block(A):
        d, x = A[i, i] - A[j, j], A[i, j] + A[j, i]
        lost, gained = ss * d + sc * x, sc * d - ss * x
        return A[i, i] - lost, A[j, j] + lost, A[k, k], A[i, j] + gained, A[j, i] + gained

    def pair(x, y):
        return c * x - s * y, s * x + c * y

    def both(A):
        ii, jj, kk, ij, _ = block(A)
        return placed(k, ii, jj, kk, ij, *pair(A[i, k], A[j, k]))

    ii, jj, kk, ij, ji = block(K)
    (ik, jk), (ki, kj) = pair(K[i, k], K[j, k]), pair(K[k, i], K[k, j])
    return Articulated(both(M), placed(k, ii, jj, kk, ij, ik, jk, ji, ki, kj), both(J))


def congruent(E, inertia):
    """E M E^T, E K E^T and E J E^T: the inertia in other axes."""
    M, K, J = (E @ A @ E.T for A in (inertia.M, inertia.K, inertia.J))
    return Articulated(symmetric(M), K, symmetric(J))


def placed(k, ii, jj, kk, ij, ik, jk, ji=None, ki=None, kj=None):
    """A matrix by its elements, i and j the axes after k; symmetric if the lower are not given."""
    if ji is None:
        ji, ki, kj = ij, ik, jk
    rows = np.array([[ii, ij, ik], [ji, jj, jk], [ki, kj, kk]])
    order = [(axis - k - 1) % 3 for axis in range(3)]
    return rows[np.ix_(order, order)]


def turn(k, c, s):
    """Rotation about axis k."""
    return placed(k, c, c, 1.0, -s, 0.0, 0.0, s, 0.0, 0.0)
