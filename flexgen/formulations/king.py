"""Inverse dynamics of flexible arms by angular velocities, after King (1988).

Newton-Euler with beams as links: the link frame follows the joint, the deflected tip carries
the next joint. With the linear rotation of the tip this is the recursion of King, Gourishankar
and Rink (1987) that El-Rayyes (1990) generated code from; with the exact one it gives the
Lagrange equations of the model. Every point of a beam moves with scalar fields of its position
(`flexible_link`), so that no inertia tensor of the bent beam has to be formed. A rigid link is
one without modes, and then the algorithm is that of Luh, Walker and Paul (1980).

    R[i]     (3, 3)  rotation of link frame i seen from link frame i-1: E of link i-1 included
    o        (3,)    joint point to root of link i, in link frame i
    z[i]     (3,)    joint axis, in link frame i
    w, wd    (3,)    angular velocity and acceleration of link frame i
    U        (3, 3)  skew(wd) + skew(w)^2: acceleration field of link i
    a        (3,)    acceleration of origin i-1, then of the tip of link i, gravity included
    c, B     (3,)    coefficient of a field and the acceleration that belongs to it
    A        (3,)    force that drives a field: its inertia and the load of the tip
    F, N     (3,)    inertia force and moment of the body fixed to the tip, in the tip frame
    K        (3,)    moment of what is fixed at the root, about the root
    f, n     (3,)    force and moment of link i on link i+1 at the tip of link i, then of link
                     i-1 on link i at its joint point; in link frame i
"""

import numpy as np

from ..manipulator.frames import Rotation, frames
from .flexible_link import segments, shape
from .newton_euler import cross, spin
from .origin import euler


def deflected(E, R):
    """Rotation behind a tip that is turned by E: one product instead of two."""
    return Rotation(E @ R.factors[0], *R.factors[1:])


def inverse(arm, q, qd, qdd, gravity, wrench, elastic=1.0):
    """Forces of all coordinates that produce the accelerations `qdd`.

    `elastic` scales the stiffness of the links: zero leaves inertia forces, gravity, wrench
    and damping.
    """
    parts = segments(arm)
    bent = [shape(s, arm.assumptions.rotation, q, qd, qdd) for s in parts]
    chain = frames(arm, q)
    turns = [np.eye(3), *(b.E for b in bent)]
    R = [deflected(E, f.R) for E, f in zip(turns, chain, strict=False)]
    r, z = [f.r for f in chain], [f.axis for f in chain]
    o = [f.p + s.start for f, s in zip(chain, parts, strict=True)]
    slide = [link.joint == "prismatic" for link in arm.links]

    # outward: velocities and accelerations, base to tip
    w, wd, a = np.zeros(3), np.zeros(3), -np.asarray(gravity)
    U = np.zeros((3, 3))
    A, K, F, N, lateral = [], [], [], [], []
    for i, (s, b) in enumerate(zip(parts, bent, strict=True)):
        a = R[i].T @ (a + U @ r[i])
        w, wd = R[i].T @ w, R[i].T @ wd
        if slide[i]:
            a = a + z[i] * qdd[i] + 2.0 * cross(w, z[i] * qd[i])
        else:
            wd = wd + z[i] * qdd[i] + cross(w, z[i] * qd[i])
            w = w + z[i] * qd[i]
        U = spin(w, wd)
        B = [a + U @ o[i]]
        for c, cd, cdd in zip(b.c[1:], b.cd[1:], b.cdd[1:], strict=True):
            B.append(U @ c + 2.0 * cross(w, cd) + cdd)
        forces = s.G @ np.array(B)
        forces[0] = forces[0] + U @ s.h
        A.append(forces)

        # the sections of the beam turn about x: h e_x, h = sum of polar moments and twist rates
        spun, spund = (s.polar_moment @ [x[j] for j in s.torsion] for x in (qd, qdd))
        K.append(
            euler(s.J, w, wd, U) + cross(s.h, B[0]) + np.array([spund, spun * w[2], -spun * w[1]])
        )
        lateral.append(wd[0])

        # the tip, and what is fixed to it in its own frame
        a = s.t @ np.array(B)
        wd = wd + cross(w, b.nu) + b.nud
        w = w + b.nu
        Et, m, h, J = b.E.T, s.tip.mass, s.tip.moment, s.tip.inertia_origin
        at, wt, wdt = Et @ a, Et @ w, Et @ wd
        Ut = spin(wt, wdt)
        F.append(m * at + Ut @ h)
        N.append(euler(J, wt, wdt, Ut) + cross(h, at))

    # inward: forces and moments, tip to base
    tau = [None] * arm.n
    f, n = bent[-1].E @ -wrench[:3], bent[-1].E @ -wrench[3:]
    for i in reversed(range(len(parts))):
        s, b = parts[i], bent[i]
        f, n = f + b.E @ F[i], n + b.E @ N[i]
        force = [Aj + tj * f for Aj, tj in zip(A[i], s.t, strict=True)]
        modal_rows(tau, s, b, force, b.r * n - cross(b.p, n), lateral[i], qdd)
        for j, stiffness, damping in zip(modes(s), s.stiffness, s.damping, strict=True):
            tau[j] = tau[j] + elastic * stiffness * q[j] + damping * qd[j]
        n = n + K[i] + cross(o[i], force[0])
        for c, driven in zip(b.c[1:], force[1:], strict=True):
            n = n + cross(c, driven)
        f = force[0]
        tau[i] = z[i] @ (f if slide[i] else n)
        f, n = R[i] @ f, R[i] @ n
        n = n + cross(r[i], f)
    return np.array(tau)


def modes(segment):
    """Coordinates of the deflections of a link."""
    return (*segment.torsion, *segment.y, *segment.z)


def modal_rows(tau, s, b, force, n, turning, qdd):
    """Virtual work of the deflections: of the fields, and of the moment T^T n on the tip."""
    twisting = [qdd[j] for j in s.torsion]
    for k, j in enumerate(s.torsion):
        own = s.polar_mass[k] @ twisting + s.polar_moment[k] * turning
        tau[j] = own + s.twist[k] * n[0]
    first = len(s.t) - s.shapes - len(s.pairs)
    for axis, at, lever in ((1, s.y, n[2]), (2, s.z, -n[1])):
        for k, j in enumerate(at):
            tau[j] = force[first + k][axis] + s.slope[k] * lever
            for pair, driven in zip(s.pairs, force[first + s.shapes :], strict=True):
                if k in pair:
                    other = pair[1] if pair[0] == k else pair[0]
                    tau[j] = tau[j] + b.c[first + other][axis] * driven[0]
