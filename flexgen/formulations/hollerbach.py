"""Rigid inverse dynamics by 4x4 matrices: the recursive Lagrangian of Hollerbach (1980).

An independent derivation: no angular velocity and no cross product occurs. The original
system's DYNAM used it.

    A[i]          (4, 4)  transformation of frame i seen from frame i-1
    dA, ddA       (4, 4)  its first and second derivative by q[i]
    W, Wd, Wdd    (4, 4)  pose of frame i in the base and its time derivatives
    J             (4, 4)  pseudo-inertia: integral of x x^T dm, x = (position, 1), in frame i
    D             (4, 4)  inertia of links i..n against the accelerations Wdd, and the wrench
    c             (4,)    first moment of links i..n, in frame i
"""

import numpy as np

from ..manipulator.frames import frames

TURN = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
SLIDE = np.array([[0.0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])


def transform(frame):
    """4x4 matrix of a frame; its offset is r + R p."""
    R, offset = frame.R.matrix, frame.r + frame.R @ frame.p
    return np.vstack([np.column_stack([R, offset]), [0.0, 0.0, 0.0, 1.0]])


def pseudo_inertia(body):
    """4x4 second moments of a body about the origin of its frame."""
    J = body.inertia_origin
    second = np.eye(3) * (0.5 * (J[0, 0] + J[1, 1] + J[2, 2])) - J
    return np.vstack([np.column_stack([second, body.moment]), np.append(body.moment, body.mass)])


def rigid_inverse(W):
    """Inverse of a 4x4 pose."""
    R, x = W[:3, :3], W[:3, 3]
    return np.vstack([np.column_stack([R.T, -(R.T @ x)]), [0.0, 0.0, 0.0, 1.0]])


def wrench_matrix(wrench):
    """P such that trace(V P) is the power of the wrench, V = [skew(w) v; 0 0]."""
    f, (x, y, z) = wrench[:3], 0.5 * wrench[3:]
    zero = 0.0 * f[0]
    return np.array(
        [
            [zero, z, -y, zero],
            [-z, zero, x, zero],
            [y, -x, zero, zero],
            [f[0], f[1], f[2], zero],
        ]
    )


def inverse(arm, q, qd, qdd, gravity, wrench):
    """Joint torques that produce the accelerations `qdd` against gravity and the wrench."""
    n = len(arm.links)
    A = [transform(f) for f in frames(arm, q)]
    dA, ddA = [], []
    for i, link in enumerate(arm.links):
        Q = SLIDE if link.joint == "prismatic" else TURN
        # the joint acts on the left of a standard transformation, on the right of a modified
        step = (lambda M, Q=Q: Q @ M) if arm.convention == "standard" else (lambda M, Q=Q: M @ Q)
        dA.append(step(A[i]))
        ddA.append(step(dA[i]))

    # outward: poses and their time derivatives
    W, Wd, Wdd = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
    partial, inertia = [], []
    for i, link in enumerate(arm.links):
        partial.append(W @ dA[i])
        Wdd = (
            Wdd @ A[i]
            + (Wd @ dA[i]) * (2.0 * qd[i])
            + (W @ ddA[i]) * (qd[i] * qd[i])
            + partial[i] * qdd[i]
        )
        Wd = Wd @ A[i] + partial[i] * qd[i]
        W = W @ A[i]
        inertia.append(pseudo_inertia(link.body) @ Wdd.T)

    # inward: tau_i = trace(dW_i D_i) - gravity . dW_i c_i
    g = np.append(np.asarray(gravity), 0.0)
    D, c = -(wrench_matrix(wrench) @ rigid_inverse(W)), np.zeros(4)
    tau = []
    for i in reversed(range(n)):
        D = inertia[i] + D
        body = arm.links[i].body
        c = np.append(body.moment, body.mass) + c
        tau.append(np.sum(partial[i] * D.T) - g @ (partial[i] @ c))
        D, c = A[i] @ D, A[i] @ c
    return np.array(tau[::-1])
