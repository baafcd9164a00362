"""Rigid inverse dynamics with inertias about the link origins: few operations.

Newton-Euler as in `newton_euler`, with three changes that save work when the program is
traced. Everything a body contributes comes from its ten parameters about the link origin
and from the entries of U (Khalil and Kleinfinger 1987), so regrouped parameters are allowed.
Consecutive parallel axes are one group: velocities go from the frame before the group to
every link of it with the sum of the angles, and moments go back the same way.

    S[i]    (3, 3)  rotation of frame i seen from the frame before the group of joint i
    w, wd   (3,)    angular velocity and acceleration of link i
    U       (3, 3)  skew(wd) + skew(w)^2: acceleration field of link i
    a       (3,)    acceleration of origin i, gravity included
    h, J            first moment and inertia of a body about origin i
    F, N    (3,)    inertia force of link i and its moment about origin i
    f       (3,)    force that link i-1 exerts on link i
    n       (3,)    moment about the joint point of what link i and its successors outside the
                    group need; links of the group itself send theirs to its base
"""

from dataclasses import replace

import numpy as np

from ..manipulator.angles import angle
from ..manipulator.frames import frame, frames
from .newton_euler import cross, spin


def euler(J, w, wd, U):
    """Moment of a body that turns about its origin: J wd + w x J w, from shared products."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    Jxx, Jyy, Jzz, Jxy, Jxz, Jyz = (J[i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return np.array(
        [
            Jxx * wd[0] + (Jzz - Jyy) * yz + Jyz * (zz - yy) * -1.0 + Jxz * U[1, 0] - Jxy * U[2, 0],
            Jyy * wd[1] + (Jxx - Jzz) * xz + Jxz * (xx - zz) * -1.0 + Jxy * U[2, 1] - Jyz * U[0, 1],
            Jzz * wd[2] + (Jyy - Jxx) * xy + Jxy * (yy - xx) * -1.0 + Jyz * U[0, 2] - Jxz * U[1, 2],
        ]
    )


def groups(arm, parallel=True):
    """First joint of the group of parallel revolute axes that each joint belongs to."""
    first = []
    for i, link in enumerate(arm.links):
        joined = False
        if parallel and i > 0 and link.joint == arm.links[i - 1].joint == "revolute":
            twist = (arm.links[i - 1] if arm.convention == "standard" else link).dh.alpha
            joined = twist.cos == 1.0
        first.append(first[i - 1] if joined else i)
    return first


def swing(arm, q, start, i):
    """Rotation of frame i seen from the frame before joint `start`, axes between parallel."""
    links = arm.links[start : i + 1]
    total = links[0].dh.theta if len(links) == 1 else angle(sum(k.dh.theta.value for k in links))
    link = links[-1] if arm.convention == "standard" else links[0]
    turn = q[start]
    for k in range(start + 1, i + 1):
        turn = turn + q[k]
    return frame(replace(link, dh=replace(link.dh, theta=total)), turn, arm.convention).R


def inverse(arm, q, qd, qdd, gravity, wrench, parallel=True):
    """Joint torques that produce the accelerations `qdd` against gravity and the wrench."""
    found = frames(arm, q)
    R, r, p, z = zip(*((f.R, f.r, f.p, f.axis) for f in found), strict=True)
    first = groups(arm, parallel)
    S = [R[i] if s == i else swing(arm, q, s, i) for i, s in enumerate(first)]
    slide = [link.joint == "prismatic" for link in arm.links]

    # outward: velocities and accelerations, base to tip
    a, U = -np.asarray(gravity), np.zeros((3, 3))
    w, wd = [np.zeros(3)], [np.zeros(3)]  # shifted by one: w[i] belongs to frame i-1
    F, N = [], []
    for i, link in enumerate(arm.links):
        a = R[i].T @ (a + U @ r[i])
        s = first[i]
        wi, wdi = S[i].T @ w[s], S[i].T @ wd[s]
        if slide[i]:
            a = a + z[i] * qdd[i] + 2.0 * cross(wi, z[i] * qd[i])
        else:
            rate, growth = qd[s], qdd[s]
            for k in range(s + 1, i + 1):
                rate, growth = rate + qd[k], growth + qdd[k]
            wdi = wdi + cross(wi, z[i] * rate) + z[i] * growth
            wi = wi + z[i] * rate
        U = spin(wi, wdi)
        a = a + U @ p[i]
        w.append(wi)
        wd.append(wdi)
        m, h, J = link.body.mass, link.body.moment, link.body.inertia_origin
        F.append(m * a + U @ h)
        N.append(euler(J, wi, wdi, U) + cross(h, a))

    # inward: forces and moments, tip to base
    f, n, tau = -wrench[:3], -wrench[3:], []
    base, twist = None, 0.0  # moment collected in the frame before the group, about its axis
    for i in reversed(range(len(arm.links))):
        f, n = f + F[i], n + N[i]
        n = n + cross(p[i], f)
        if slide[i]:
            tau.append(z[i] @ f)
        else:
            twist = z[i] @ n + twist
            tau.append(twist)
        sent = S[i] @ n
        base = sent if base is None else base + sent
        f = R[i] @ f
        if first[i] == i:
            n, base, twist = base, None, 0.0
        else:
            n = np.zeros(3)
        n = n + cross(r[i], f)
    return np.array(tau[::-1])
