"""Inertia matrix from parameters about the link origins: composite bodies and unit motions.

The links behind joint `hold` become composite bodies (method 3 of Walker and Orin 1982); the
joints up to `hold` are given unit accelerations with the composite body held in the frame of
link `hold` (method 2). `hold` = 1 is method 3, `hold` = n method 2. Parallel axes are grouped
as in `origin`.

    m, h, J   mass, first moment and inertia about origin i of links i..n, in frame i
    w, a      (3,) angular acceleration of a link and acceleration of its origin
    f, n      (3,) force and moment of links i..n, at origin i or at the joint point of link i
"""

import numpy as np

from ..manipulator.frames import frames
from .newton_euler import cross
from .origin import groups, swing


def turned(R, J):
    """R J R^T for a product of elementary rotations, each about x or z."""
    for E in reversed(R.factors):
        axis = 2 if E.shape == (3, 3) and E[2, 2] == 1.0 and not np.any(E[2, :2] != 0.0) else 0
        i, k = (0, 1) if axis == 2 else (1, 2)
        c, s = E[i, i], E[k, i]
        other = 3 - i - k
        d, x = J[i, i] - J[k, k], J[i, k] + J[i, k]
        e, g = s * (s * d + c * x), s * (c * d - s * x)
        new = np.empty((3, 3), dtype=object)
        new[i, i], new[k, k] = J[i, i] - e, J[k, k] + e
        new[i, k] = new[k, i] = J[i, k] + g
        new[other, other] = J[other, other]
        new[i, other] = new[other, i] = c * J[i, other] - s * J[k, other]
        new[k, other] = new[other, k] = s * J[i, other] + c * J[k, other]
        J = new
    return J


def moved(m, h, J, s):
    """First moment and inertia about a point from which the old origin is seen at `s`."""
    e = h + 0.5 * m * s
    new = np.empty((3, 3), dtype=object)
    twice = [e[i] * s[i] + e[i] * s[i] for i in range(3)]
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        new[i, i] = J[i, i] + (twice[j] + twice[k])
        new[i, j] = new[j, i] = J[i, j] - (e[i] * s[j] + e[j] * s[i])
    return h + m * s, new


class Chain:
    """Frames of an arm, with its groups of parallel axes."""

    def __init__(self, arm, q, parallel=True):
        found = frames(arm, q)
        self.R, self.r, self.p, self.z = zip(*((f.R, f.r, f.p, f.axis) for f in found), strict=True)
        self.first = groups(arm, parallel)
        self.S = [self.R[i] if s == i else swing(arm, q, s, i) for i, s in enumerate(self.first)]
        self.slide = [link.joint == "prismatic" for link in arm.links]

    def inward(self, wrenches, last, stop=0):
        """Generalized forces of joints last..stop from wrenches at the origins of links."""
        f, n, base, twist = np.zeros(3), np.zeros(3), None, 0.0
        forces = {}
        for i in reversed(range(stop, last + 1)):
            if i in wrenches:
                f, n = f + wrenches[i][0], n + wrenches[i][1]
            n = n + cross(self.p[i], f)
            if self.slide[i]:
                forces[i] = self.z[i] @ f
            else:
                twist = self.z[i] @ n + twist
                forces[i] = twist
            sent = self.S[i] @ n
            base = sent if base is None else base + sent
            f = self.R[i] @ f
            if self.first[i] == i:
                n, base, twist = base, None, 0.0
            else:
                n = np.zeros(3)
            n = n + cross(self.r[i], f)
        return forces

    def unit(self, j, last):
        """(w, a) of links j..last when joint j alone accelerates, and all are at rest."""
        if self.slide[j]:
            w, a = np.zeros(3), self.z[j] * 1.0
        else:
            w, a = self.z[j] * 1.0, cross(self.z[j], self.p[j])
        motion = {j: (w, a)}
        for i in range(j + 1, last + 1):
            a = self.R[i].T @ (a + cross(w, self.r[i]))
            s = self.first[i]
            if s > j:
                w = self.S[i].T @ motion[s - 1][0]
            elif not self.slide[j]:  # inside the group of joint j its axis is that of all
                w = self.z[i] * 1.0
            a = a + cross(w, self.p[i])
            motion[i] = (w, a)
        return motion


def jacobian(arm, q, parallel=True):
    """(6, n) matrix that maps qd to [v; w] of the last frame, in the last frame.

    Velocities of unit rates are accelerations of unit accelerations at rest.
    """
    chain, last = Chain(arm, q, parallel), len(arm.links) - 1
    columns = []
    for j in range(last + 1):
        w, v = chain.unit(j, last)[last]
        columns.append(np.concatenate([v, w]))
    return np.array(columns).T


def inertia(arm, q, hold=1, below=True, parallel=True):
    """The inertia matrix H(q); `below` says which half comes from the unit motions."""
    size = len(arm.links)
    chain = Chain(arm, q, parallel)
    H = np.empty((size, size), dtype=object)

    # composite bodies, tip to joint `hold`
    m, h, J = 0.0, np.zeros(3), np.zeros((3, 3))
    for j in reversed(range(hold - 1, size)):
        body = arm.links[j].body
        m, h, J = m + body.mass, h + body.moment, J + body.inertia_origin
        if j == hold - 1:
            break
        w, a = chain.unit(j, j)[j]
        forces = chain.inward({j: wrench(m, h, J, w, a)}, j)
        for i, value in forces.items():
            H[i, j] = H[j, i] = value
        h, J = moved(m, h, J, chain.p[j])
        h, J = chain.R[j] @ h, turned(chain.R[j], J)
        h, J = moved(m, h, J, chain.r[j])

    # unit motions of the joints up to `hold`
    last = hold - 1
    bodies = {
        i: (link.body.mass, link.body.moment, link.body.inertia_origin)
        for i, link in enumerate(arm.links[:last])
    }
    bodies[last] = (m, h, J)
    for j in range(hold):
        motion = chain.unit(j, last)
        wrenches = {i: wrench(*bodies[i], *motion[i]) for i in motion}
        forces = chain.inward(wrenches, last, j if below else 0)
        for i, value in forces.items():
            if (i >= j) if below else (i <= j):
                H[i, j] = H[j, i] = value
    return H


def wrench(m, h, J, w, a):
    """Force and moment at the origin that give a body at rest the accelerations w and a."""
    return m * a + cross(w, h), J @ w + cross(h, a)
