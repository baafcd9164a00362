"""Inverse dynamics of flexible arms by 4x4 matrices: the recursive Lagrangian of Book (1984).

An independent derivation of the model with the linear rotation of the tips: no angular
velocity and no vector product occurs. Frames are at the ends of the links, gravity is an
acceleration of the base, and the rotary inertia of twisted sections is added as King has it.
Without modes it is the recursion of Hollerbach (1980). These are the exact Lagrange equations
of a linear E, from which King's recursion differs in the modal rows to first order in the
deflections.

    T, dT, ddT       (4, 4)  transformation of link frame i seen from tip frame i-1, and its
                             derivatives by q[i]
    E, Ed, Edd       (4, 4)  tip frame seen from the link frame, 1 + sum of deflections, rates
    W, Wd, Wdd       (4, 4)  pose of the link frame in the base; V, Vd, Vdd of the tip frame
    c, cd, cdd       (4,)    coefficients of the fields that move the points x of a link
    C, P, S          (4, 4)  int x x^T, x xd^T, x xdd^T dm
    D                (4, 4)  inertia of the links outward against the accelerations, and wrench
"""

import numpy as np

from ..manipulator.arm import KING
from ..manipulator.frames import frames
from .flexible_composite import second_moments
from .flexible_link import segments, shape, turn
from .hollerbach import SLIDE, TURN, transform, wrench_matrix
from .king import modes


def inverse(arm, q, qd, qdd, gravity, wrench, elastic=1.0):
    """Forces of all coordinates that produce the accelerations `qdd`."""
    if arm.flexible and arm.assumptions != KING:
        raise ValueError(
            "the 4x4 recursion of Book has a linear rotation, no torsion coupling and no "
            'foreshortening: it needs assumptions = "king"'
        )
    parts = segments(arm)
    bent = [shape(s, "linear", q, qd, qdd) for s in parts]
    T = [transform(f) for f in frames(arm, q)]

    # outward: poses and their time derivatives
    V, Vd, Vdd = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
    Vdd[:3, 3] = -np.asarray(gravity)
    partial, link, tips, poses, sigma = [], [], [], [], {}
    E = [np.eye(4) + tip_matrix(s, b.c, q) for s, b in zip(parts, bent, strict=True)]
    for i, (s, b) in enumerate(zip(parts, bent, strict=True)):
        Q = SLIDE if arm.links[i].joint == "prismatic" else TURN
        on_left = arm.convention == "standard"
        dT = Q @ T[i] if on_left else T[i] @ Q
        ddT = Q @ dT if on_left else dT @ Q
        partial.append(V @ dT)
        W = V @ T[i]
        Wd = Vd @ T[i] + partial[i] * qd[i]
        Wdd = Vdd @ T[i] + (Vd @ dT) * (2.0 * qd[i])
        Wdd = Wdd + (V @ ddT) * (qd[i] * qd[i]) + partial[i] * qdd[i]
        poses.append(W)

        # integrals over the link; the root is the field 1
        c = [np.append(x, 0.0) for x in b.c]
        c[0] = np.append(s.start, 1.0)
        cd, cdd = ([np.append(x, 0.0) for x in rates] for rates in (b.cd, b.cdd))
        C = products(s.G, c, c) + fixed_at(s.start, s.h, s.J)
        P, S = products(s.G, c, cd), products(s.G, c, cdd)
        link.append(C @ Wdd.T + 2.0 * (P @ Wd.T) + S @ W.T)
        for j, field, axis in bending(s):
            drive = Wdd @ mixed(s.G[field], c) + 2.0 * (Wd @ mixed(s.G[field], cd))
            sigma[j] = W[:, axis] @ (drive + W @ mixed(s.G[field], cdd))
        for k, j in enumerate(s.torsion):
            sigma[j] = s.polar_mass[k] @ [qdd[x] for x in s.torsion]

        Ed, Edd = tip_matrix(s, b.cd, qd), tip_matrix(s, b.cdd, qdd)
        V, Vd, Vdd = W @ E[i], Wd @ E[i] + W @ Ed, Wdd @ E[i] + 2.0 * (Wd @ Ed) + W @ Edd
        tips.append(pseudo(s.tip.mass, s.tip.moment, s.tip.inertia_origin) @ Vdd.T)

    # inward: virtual work of every coordinate
    tau = [None] * arm.n
    axes = np.zeros((4, 4), dtype=V.dtype)
    axes[:3, :3] = V[:3, :3].T
    D = -(wrench_matrix(wrench) @ axes)
    for i in reversed(range(len(parts))):
        s = parts[i]
        D = tips[i] + D
        for j, M in directions(s):
            tau[j] = sigma[j] + np.sum((poses[i] @ M) * D.T)
        for j, stiffness, damping in zip(modes(s), s.stiffness, s.damping, strict=True):
            tau[j] = tau[j] + elastic * stiffness * q[j] + damping * qd[j]
        D = link[i] + E[i] @ D
        tau[i] = np.sum(partial[i] * D.T)
        D = T[i] @ D
    return np.array(tau)


def bending(s):
    """Per bending mode: coordinate, field and axis."""
    first = len(s.t) - s.shapes
    for axis, at in ((1, s.y), (2, s.z)):
        for k, j in enumerate(at):
            yield j, first + k, axis


def directions(s):
    """Per mode: coordinate and derivative of the tip matrix E by it."""
    for j in modes(s):
        c = [np.zeros(3)] * len(s.t)
        for other, field, axis in bending(s):
            if other == j:
                c[field] = np.eye(3)[axis]
        yield j, tip_matrix(s, c, {k: float(k == j) for k in modes(s)})


def tip_matrix(s, c, x):
    """Slopes, twist and deflection of the tip, linear in the deflections or their rates."""
    a, b, g = turn(s, x)
    first = len(s.t) - s.shapes
    w = sum((t * d for t, d in zip(s.t[first:], c[first:], strict=True)), np.zeros(3))
    return np.array([[0.0, -g, b, w[0]], [g, 0.0, -a, w[1]], [-b, a, 0.0, w[2]], [0.0] * 4])


def mixed(row, c):
    """Sum of coefficients with a row of G."""
    return sum(g * x for g, x in zip(row, c, strict=True))


def products(G, c, d):
    """Sum of G_jl c_j d_l^T."""
    return np.array(c).T @ G @ np.array(d)


def pseudo(m, h, J):
    """4x4 second moments of a body."""
    return np.vstack([np.column_stack([second_moments(J), h]), np.append(h, m)])


def fixed_at(start, h, J):
    """4x4 second moments of what is fixed at the root, its mass apart."""
    move = np.eye(4)
    move[:3, 3] = start
    return move @ pseudo(0.0, h, J) @ move.T
