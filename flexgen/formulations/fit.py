"""Arm with numbers -> closed form of its dynamics.

Every coefficient of the equation of motion is a polynomial in a known list of generators and
linear in the inertial parameters, so its values at random states determine it. Monomials are
taken cheapest first, and one that is a combination of those before it (s s + c c = 1) is left
out.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from . import composite_origin, origin
from .closed import Closed, dictionary, generators, monomial_value
from .lanes import bare, lanes
from .parameters import parameters, with_parameters

_DEPENDENT = 1e-8  # a monomial this close to the others is one of their combinations
_FITS = 1e-10  # largest residual, of the largest value
_ZERO = 1e-12  # of the largest coefficient
_STILL, _FREE = np.zeros(3), np.zeros(6)


class NoClosedForm(ValueError):
    """The coefficients are not polynomials of the degree tried."""


def coefficients(arm, q):
    """("H", i, j), ("B", i, j, k) and ("g", i) at the states q, by unit parameters of `arm`."""
    n, states = len(arm.links), lanes(q)
    rest, unit = np.zeros(n), np.eye(n)
    full = (10 * n, q.shape[1])

    def spread(x):
        return np.broadcast_to(bare(x), full).astype(np.longdouble)

    H = composite_origin.inertia(arm, states)
    table = {("H", i, j): spread(H[i, j]) for i in range(n) for j in range(i + 1)}

    def quadratic(qd):
        return [spread(x) for x in origin.inverse(arm, states, qd, rest, _STILL, _FREE)]

    single = [quadratic(e) for e in unit]
    for j in range(n):
        for k in range(j + 1):
            if j == k:
                for i in range(n):
                    table["B", i, j, j] = single[j][i]
                continue
            both = quadratic(unit[j] + unit[k])
            for i in range(n):
                table["B", i, j, k] = both[i] - single[j][i] - single[k][i]
    weight = origin.inverse(arm, states, rest, rest, np.asarray(arm.gravity), _FREE)
    return table | {("g", i): spread(weight[i]) for i in range(n)}


def moving(arm, q):
    """Joints whose variables some coefficient depends on."""
    before = coefficients(arm, q)
    scale = max(np.abs(v).max() for v in before.values())
    found = []
    for j in range(len(arm.links)):
        other = q.copy()
        other[j] += np.longdouble(0.7)
        after = coefficients(arm, other)
        if any(np.abs(after[k] - before[k]).max() > 1e-12 * scale for k in before):
            found.append(j)
    return found


def independent(columns):
    """Orthonormal basis of the columns, and which of them are kept in order of preference."""
    norms = np.sqrt((columns * columns).sum(axis=0))
    Q, kept = np.zeros((columns.shape[0], 0), dtype=np.longdouble), []
    for k in range(columns.shape[1]):
        v = columns[:, k] / norms[k]
        for _ in range(2):
            v = v - Q @ (Q.T @ v)
        size = np.sqrt(v @ v)
        if size > _DEPENDENT:
            Q = np.column_stack([Q, v / size])
            kept.append(k)
    return Q, kept


def solved(R, rhs):
    """R^-1 rhs for upper triangular R, in extended precision."""
    x = np.zeros(rhs.shape, dtype=np.longdouble)
    for k in reversed(range(len(rhs))):
        x[k] = (rhs[k] - R[k, k + 1 :] @ x[k + 1 :]) / R[k, k]
    return x


@dataclass(frozen=True, eq=False)
class Shape:
    """Coefficients as linear functions of the inertial parameters.

    `maps[key]` (monomials, 10 links) times the parameters gives the factors of the monomials.
    """

    monomials: tuple
    maps: dict


@dataclass(frozen=True)
class _Geometry:
    key: tuple
    arm: Any = field(compare=False)


def shape(arm, squares="sin"):
    """The shape of the closed form; it depends on the geometry only and is remembered."""
    key = (arm.convention, arm.gravity, tuple((k.joint, k.dh) for k in arm.links))
    return _shape(_Geometry(key, arm), squares)


@cache
def _shape(geometry, squares):
    n, size = len(geometry.arm.links), 10 * len(geometry.arm.links)
    units = lanes(np.eye(size, dtype=np.longdouble)[:, :, None])
    arm = with_parameters(geometry.arm, list(units))
    rng = np.random.default_rng(5)
    joints = moving(arm, rng.uniform(-1.5, 1.5, (n, 3)).astype(np.longdouble))
    monomials = dictionary(generators(arm, origin.groups(arm), joints), squares)
    states = len(monomials) + 20
    q = rng.uniform(-1.5, 1.5, (n, states)).astype(np.longdouble)
    values = [bare(monomial_value(m, lanes(q))) for m in monomials]
    columns = np.array([np.broadcast_to(v, states) for v in values], dtype=np.longdouble).T
    Q, kept = independent(columns)
    used = columns[:, kept]
    R = Q.T @ used
    maps = {}
    for key, value in coefficients(arm, q).items():
        X = solved(R, Q.T @ value.T)
        if np.abs(value.T - used @ X).max() > _FITS * max(1.0, np.abs(value).max()):
            raise NoClosedForm(f"{arm.name}: {key} is not a polynomial of degree two")
        X = np.where(np.abs(X) > _ZERO * max(1.0, np.abs(X).max()), X, np.longdouble(0.0))
        maps[key] = X
    return Shape(tuple(monomials[k] for k in kept), maps)


def fit(arm, squares="sin"):
    """The closed form of an arm with numbers as parameters.

    `squares` says which of s s and c c = 1 - s s is used. Raises `NoClosedForm` if the
    polynomials do not reproduce the dynamics.
    """
    form = shape(arm, squares)
    pi = np.array([float(x) for x in parameters(arm)], dtype=np.longdouble)
    functions, places = [], {"H": [], "B": [], "g": []}
    for key, X in form.maps.items():
        x, size = X @ pi, np.abs(X) @ np.abs(pi)
        terms = [
            (float(f"{c:.15g}"), m)
            for c, s, m in zip(x, size, form.monomials, strict=True)
            if abs(c) > _ZERO * s
        ]
        if terms:
            places[key[0]].append((key[1:], _place(functions, terms)))
    return Closed(
        len(arm.links),
        tuple(map(tuple, functions)),
        tuple(places["H"]),
        tuple(places["B"]),
        tuple(places["g"]),
    )


def _place(functions, terms):
    """(scale, index) of a function; one that is a multiple of an earlier one is not new."""
    for index, old in enumerate(functions):
        if [m for _, m in old] != [m for _, m in terms]:
            continue
        scale = terms[0][0] / old[0][0]
        pairs = zip(terms, old, strict=True)
        if all(abs(c - scale * d) <= 1e-13 * abs(c) for (c, _), (d, _) in pairs):
            return scale, index
    functions.append(terms)
    return 1.0, len(functions) - 1
