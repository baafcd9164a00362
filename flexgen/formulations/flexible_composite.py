"""Inertia matrix of flexible arms by composite bodies: method 3 of Walker and Orin (1982).

When one coordinate of link i alone accelerates, everything behind the tip of link i moves as
one body. Its inertia is carried inward, and each column of H is a sweep over link i alone, the
wrench of which is then carried inward for the rows of the links before.

    m, h, D          mass, first moment and second moments int x x^T dm of the composite body
    M, K             what a linear rotation E of a tip adds, as E E^T is not 1; zero otherwise
    f, n             (3,) force and moment: f = m v + alpha x h + M v + K alpha,
                     n = h x v + J alpha + K^T v, J = tr(D) 1 - D
    v, alpha         (3,) acceleration of the point of reference, angular acceleration
    c, B, A, E, r, p, R, o, z as in `king` and `flexible_link`
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..manipulator.frames import frames
from .flexible_link import segments, shape
from .king import deflected, modal_rows, modes
from .newton_euler import cross

UNIT = np.eye(3)
NONE = np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class Composite:
    """A body, or several that move as one; see the table of symbols."""

    m: Any = 0.0
    h: Any = None
    D: Any = None
    M: Any = None
    K: Any = None


NOTHING = Composite(0.0, np.zeros(3), NONE, NONE, NONE)


def inertia(arm, q):
    """The inertia matrix H(q)."""
    rest, linear = np.zeros(arm.n), arm.assumptions.rotation == "linear"
    parts, chain = segments(arm), frames(arm, q)
    bent = [shape(s, arm.assumptions.rotation, q, rest, rest) for s in parts]
    turns = [UNIT, *(b.E for b in bent)]
    R = [deflected(E, f.R) for E, f in zip(turns, chain, strict=False)]
    o = [f.p + s.start for f, s in zip(chain, parts, strict=True)]
    slide = [link.joint == "prismatic" for link in arm.links]
    H = np.zeros((arm.n, arm.n), dtype=np.result_type(np.asarray(q), float))

    body = NOTHING
    for i in reversed(range(len(parts))):
        s, b, z = parts[i], bent[i], chain[i].axis
        flexible = len(modes(s)) > 0

        # what hangs on the tip, in link frame i
        load = NOTHING
        if i + 1 < len(parts):
            turn = R[i + 1] if flexible else chain[i + 1].R
            load = turned(turn.factors, body, flexible, linear)
            load = shifted(load, chain[i + 1].r)
        load = joined(load, turned((b.E,), fixed(s.tip), True, linear))
        if linear and flexible:
            load = stretched(load, b.E)

        # columns of the deflections, then of the joint: wrenches at the joint point
        columns = []
        for j, row, f, n in mode_columns(arm.n, s, b, load):
            for k in modes(s):
                if k >= j:
                    H[k, j] = H[j, k] = row[k]
            columns.append((j, f, n + cross(o[i], f)))
        body = shifted(whole(s, b, load), o[i])
        if slide[i]:
            f, n = body.m * z + body.M @ z, cross(body.h, z) + body.K.T @ z
        else:
            f, n = cross(z, body.h) + body.K @ z, moment(body.D, z)
        columns.append((i, f, n))
        for j, f, n in columns:
            H[i, j] = H[j, i] = z @ (f if slide[i] else n)

        # inward: what the links before feel
        for k in reversed(range(i)):
            s, b, z = parts[k], bent[k], chain[k].axis
            reach = tip_of(s, b) + o[k]
            passed = []
            for j, f, n in columns:
                f, n = R[k + 1] @ f, R[k + 1] @ n
                n = n + cross(chain[k + 1].r, f)
                row = [0.0] * arm.n
                modal_rows(row, s, b, np.outer(s.t, f), b.r * n - cross(b.p, n), 0.0, rest)
                for a in modes(s):
                    H[a, j] = H[j, a] = row[a]
                n = n + cross(reach, f)
                H[k, j] = H[j, k] = z @ (f if slide[k] else n)
                passed.append((j, f, n))
            columns = passed
    return H


def mode_columns(size, s, b, load):
    """Per deflection: coordinate, its modal rows, force and moment about the root."""
    G = s.G + load.m * np.outer(s.t, s.t)
    unit = np.eye(size)

    # a unit rate of slope or twist of the tip, about each axis
    alpha = [b.r * e + cross(b.p, e) for e in UNIT]
    pull = [cross(x, load.h) + load.K @ x for x in alpha]
    bend = [moment(load.D, x) for x in alpha]
    for j, axis, value, B in directions(s, b):
        v = s.t @ np.array(B)
        f = value * pull[axis] + load.M @ v
        n = value * bend[axis] + cross(load.h, v) + load.K.T @ v
        A = G @ np.array(B) + np.outer(s.t, f)
        row = [0.0] * size
        modal_rows(row, s, b, A, b.r * n - cross(b.p, n), 0.0, unit[j])
        for c, driven in zip(b.c[1:], A[1:], strict=True):
            n = n + cross(c, driven)
        if j in s.torsion:
            n = n + s.polar_moment[s.torsion.index(j)] * UNIT[0]
        yield j, row, A[0], n


def directions(s, b):
    """Per deflection: coordinate, axis and size of the turn of the tip, change of the fields."""
    still = [np.zeros(3)] * len(s.t)
    for k, j in enumerate(s.torsion):
        yield j, 0, s.twist[k], still
    first = len(s.t) - s.shapes - len(s.pairs)
    for across, axis, sign, at in ((1, 2, 1.0, s.y), (2, 1, -1.0, s.z)):
        for k, j in enumerate(at):
            B = list(still)
            B[first + k] = UNIT[across]
            for place, pair in enumerate(s.pairs):
                if k in pair:
                    other = pair[1] if pair[0] == k else pair[0]
                    B[first + s.shapes + place] = UNIT[0] * b.c[first + other][across]
            yield j, axis, sign * s.slope[k], B


def tip_of(s, b):
    """Root to tip of a link."""
    return s.t @ np.array(b.c)


def whole(s, b, load):
    """The link and its load, about the root."""
    G = s.G + load.m * np.outer(s.t, s.t)
    c, p = np.array(b.c), tip_of(s, b)
    v = G @ c + np.outer(s.t, load.h)
    # int x x^T dm = sum c_j v_j^T + h p^T; rows of x first, where the fields are simplest
    D = second_moments(s.J) + load.D + upper([*c, load.h], [*v, p])
    return spread(Composite(G[0, 0], v[0] + s.h, D, load.M, load.K), p)


def shifted(body, s):
    """The body about a point from which the old one is seen at `s`."""
    e = body.h + 0.5 * body.m * s
    D = body.D + upper([s, e], [e, s])
    return spread(Composite(body.m, body.h + body.m * s, D, body.M, body.K), s)


def spread(body, s):
    """What M and K add at a point from which the old one is seen at `s`."""
    lever = skew(s)
    rows, arm = body.M @ lever, lever @ body.K
    J = arm + arm.T - lever @ rows
    return Composite(body.m, body.h, body.D + second_moments(J), body.M, body.K - rows)


def joined(one, two):
    """Two bodies about the same point as one."""
    sums = (x + y for x, y in zip(vars(one).values(), vars(two).values(), strict=True))
    return Composite(*sums)


def fixed(body):
    """A rigid body as a composite of one."""
    return Composite(body.mass, body.moment, second_moments(body.inertia_origin), NONE, NONE)


def turned(factors, body, bent, linear):
    """The body in the axes before a rotation; its first factor holds the turn of a bent tip."""
    h, D, M, K = body.h, body.D, body.M, body.K
    for place, f in reversed(list(enumerate(factors))):
        h, M, K = f @ h, f @ M @ f.T, f @ K @ f.T
        if place > 0 or not bent:
            D = about_axis(f, D)
        elif linear:
            D = second_moments(f @ tensor(D) @ f.T)
        else:
            D = orthogonal(f, D)
    return Composite(body.m, h, D, M, K)


def stretched(body, E):
    """What a linear E = 1 + skew(phi) does beyond a rotation: E E^T = 1 + phi.phi 1 - phi phi^T.

    E skew(h) E^T = skew(k + phi (phi.k)) with k = E h, which `turned` has already formed.
    """
    phi = np.array([E[2, 1], E[0, 2], E[1, 0]])
    M = body.m * ((phi @ phi) * UNIT - np.outer(phi, phi))
    return Composite(body.m, body.h + phi * (phi @ body.h), body.D, body.M + M, body.K)


def about_axis(f, D):
    """The product f D f^T for a turn about an axis k, which keeps D_kk and the trace."""
    k = next(a for a in range(3) if np.all(f[a] == UNIT[a]))
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = f[i, i], f[j, i]
    d, x = D[i, i] - D[j, j], D[i, j] + D[i, j]
    e1, e2 = s * (s * d + c * x), s * (c * d - s * x)
    new = D.astype(np.result_type(D, f))
    new[i, i], new[j, j] = D[i, i] - e1, D[j, j] + e1
    new[i, j] = new[j, i] = D[i, j] + e2
    new[i, k] = new[k, i] = c * D[i, k] - s * D[j, k]
    new[j, k] = new[k, j] = s * D[i, k] + c * D[j, k]
    return new


def orthogonal(f, D):
    """The product f D f^T; what is added to the diagonal stays, and so does the trace."""
    d = D[0, 0]
    y, z = D[1, 1] - d, D[2, 2] - d
    rest = np.array([[0.0, D[0, 1], D[0, 2]], [D[0, 1], y, D[1, 2]], [D[0, 2], D[1, 2], z]])
    full = symmetric(f @ rest @ f.T)
    full[2, 2] = y + z - full[0, 0] - full[1, 1]
    return full + d * UNIT


def moment(D, alpha):
    """J alpha with J = tr(D) 1 - D."""
    return tensor(D) @ alpha


def tensor(D):
    """Inertia tensor of second moments."""
    x, y, z = D[0, 0], D[1, 1], D[2, 2]
    return np.array(
        [
            [y + z, -D[0, 1], -D[0, 2]],
            [-D[0, 1], x + z, -D[1, 2]],
            [-D[0, 2], -D[1, 2], x + y],
        ]
    )


def second_moments(J):
    """Second moments of an inertia tensor, from its upper triangle."""
    half = 0.5 * (J[0, 0] + J[1, 1] + J[2, 2])
    return symmetric(half * UNIT - J)


def upper(rows, columns):
    """Sum of the products row column^T where it is symmetric, from its upper triangle."""
    total = [
        [sum(r[i] * c[j] for r, c in zip(rows, columns, strict=True)) for j in range(3)]
        for i in range(3)
    ]
    return symmetric(np.array(total))


def symmetric(full):
    """The symmetric matrix with this upper triangle."""
    return np.array([[full[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def skew(s):
    """Matrix of the vector product s x."""
    return np.array([[0.0, -s[2], s[1]], [s[2], 0.0, -s[0]], [-s[1], s[0], 0.0]])
