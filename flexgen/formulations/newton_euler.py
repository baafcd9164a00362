"""Rigid inverse dynamics: the recursive Newton-Euler algorithm.

Luh, Walker and Paul (1980), in link frames. Frames and levers are those of
`manipulator.frames`, so standard and modified DH read the same.

    R[i]    (3, 3)  rotation of frame i seen from frame i-1
    r[i]    (3,)    origin i-1 to the joint point of link i, in frame i-1
    p[i]    (3,)    joint point of link i to origin i, in frame i
    z[i]    (3,)    joint axis, in frame i
    w, wd   (3,)    angular velocity and acceleration of link i
    U       (3, 3)  skew(wd) + skew(w)^2: acceleration field of link i
    a, ac   (3,)    acceleration of origin i and of the centre of mass, gravity included
    F, N    (3,)    inertia force and moment of link i about its centre of mass
    f, n    (3,)    force and moment that link i-1 exerts on link i, at the joint point
    wrench  (6,)    force and moment on the last link at origin n, in frame n
"""

import numpy as np

from ..manipulator.frames import frames


def cross(a, b):
    """The vector product; `np.cross` needs numbers."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def spin(w, wd):
    """U = skew(wd) + skew(w)^2, so that U @ x = wd x x + w x (w x x)."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return np.array(
        [
            [-(zz + yy), xy - wd[2], xz + wd[1]],
            [xy + wd[2], -(zz + xx), yz - wd[0]],
            [xz - wd[1], yz + wd[0], -(yy + xx)],
        ]
    )


def inverse(arm, q, qd, qdd, gravity, wrench):
    """Joint torques that produce the accelerations `qdd` against gravity and the wrench."""
    R, r, p, z = zip(*((f.R, f.r, f.p, f.axis) for f in frames(arm, q)), strict=True)
    slide = [link.joint == "prismatic" for link in arm.links]

    # outward: velocities and accelerations, base to tip
    w, wd, a = np.zeros(3), np.zeros(3), -np.asarray(gravity)
    U = np.zeros((3, 3))
    F, N = [], []
    for i, link in enumerate(arm.links):
        a = R[i].T @ (a + U @ r[i])
        if slide[i]:
            w, wd = R[i].T @ w, R[i].T @ wd
            a = a + z[i] * qdd[i] + 2.0 * cross(w, z[i] * qd[i])
        else:
            w, wd = R[i].T @ w, R[i].T @ wd
            wd = wd + z[i] * qdd[i] + cross(w, z[i] * qd[i])
            w = w + z[i] * qd[i]
        U = spin(w, wd)
        a = a + U @ p[i]
        m, c, I = link.body.mass, link.body.com, link.body.inertia
        ac = a + U @ c
        F.append(m * ac)
        N.append(I @ wd + cross(w, I @ w))

    # inward: forces and moments, tip to base
    f, n, tau = -wrench[:3], -wrench[3:], []
    for i, link in reversed(list(enumerate(arm.links))):
        # here f, n act at origin i; move them to the joint point
        n = n + cross(p[i], f) + cross(p[i] + link.body.com, F[i]) + N[i]
        f = f + F[i]
        tau.append(z[i] @ (f if slide[i] else n))
        f, n = R[i] @ f, R[i] @ n
        n = n + cross(r[i], f)
    return np.array(tau[::-1])
