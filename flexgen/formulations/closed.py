"""Closed form of the dynamics of a short arm: every coefficient as a sum of few monomials.

    tau_i = sum_j H_ij(q) qdd_j + sum_(j<=k) B_ijk(q) qd_j qd_k + g_i(q)

Every H_ij, B_ijk and g_i is a polynomial of low degree in sliding joints and in sines and
cosines of joint angles and of sums of parallel ones; `fit` finds its coefficients. For three
joints this beats any recursion (Neuman and Murray 1987).

A generator is ("cos" or "sin", first joint, last joint) or ("slide", joint, joint); a monomial
is a tuple of generators.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise, product

import numpy as np


@dataclass(frozen=True)
class Closed:
    """`functions` are lists of (coefficient, monomial); the rest says where each is used.

    Entries of `inertia`, `quadratic`, `gravity`: position -> (scale, index of function).
    """

    n: int
    functions: tuple
    inertia: tuple
    quadratic: tuple
    gravity: tuple


def generators(arm, first, joints):
    """Generators by group of parallel axes: [[cheap ones], ...]."""
    found = []
    for s in sorted(set(first)):
        members = [i for i in range(len(arm.links)) if first[i] == s and i in joints]
        if not members:
            continue
        if arm.links[s].joint == "prismatic":
            found.append([("slide", s, s)])
            continue
        # absolute angles from the base of the group, then the relative ones
        spans = [(s, e) for e in members] + [
            (a, e) for a in members if a > s for e in members if e >= a
        ]
        found.append([(kind, *span) for span in spans for kind in ("cos", "sin")])
    return found


def dictionary(groups, squares):
    """Monomials of degree two or less in every group, cheapest first."""
    per_group = []
    for group in groups:
        some = [(), *((g,) for g in group)]
        some += [m for m in combinations_with_replacement(group, 2)]
        per_group.append(some)
    every = [sum(parts, ()) for parts in product(*per_group)]
    other = "cos" if squares == "sin" else "sin"

    def preference(m):
        repeated = [a for a, b in pairwise(m) if a == b and a[0] == other]
        return len(m), len(repeated), m

    return sorted(every, key=preference)


def generator_value(generator, q):
    """The value of a generator over any scalar."""
    kind, a, e = generator
    if kind == "slide":
        return q[a]
    total = q[a]
    for k in range(a + 1, e + 1):
        total = total + q[k]
    return np.cos(total) if kind == "cos" else np.sin(total)


def monomial_value(monomial, q):
    """The value of a monomial over any scalar."""
    value = 1.0
    for g in monomial:
        value = value * generator_value(g, q)
    return value


def functions(closed, q):
    """Values of all functions over any scalar."""
    found = []
    for terms in closed.functions:
        total = 0.0
        for c, monomial in terms:
            total = total + monomial_value(monomial, q) * c
        found.append(total)
    return found


def inertia(closed, q):
    """H(q)."""
    F = functions(closed, q)
    H = np.zeros((closed.n, closed.n), dtype=object)
    for (i, j), (scale, k) in closed.inertia:
        H[i, j] = H[j, i] = scale * F[k]
    return H


def inverse(closed, q, qd, qdd, weight=True):
    """Torques H qdd + b, with or without gravity."""
    F = functions(closed, q)
    tau = inertia(closed, q) @ qdd
    for (i, j, k), (scale, f) in closed.quadratic:
        tau[i] = tau[i] + scale * F[f] * (qd[j] * qd[k])
    for (i,), (scale, f) in closed.gravity if weight else ():
        tau[i] = tau[i] + scale * F[f]
    return tau
