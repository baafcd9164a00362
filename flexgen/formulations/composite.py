"""Inertia matrix by composite bodies: method 3 of Walker and Orin (1982).

Links j..n move as one rigid body when joint j alone accelerates.

    M, h, J   mass, first moment and inertia about origin i of the links i..n, in frame i
    s         (3,) old origin seen from the new one
    f, n      (3,) force and moment that accelerate the composite body
"""

import numpy as np

from ..manipulator.frames import frames
from .newton_euler import cross


def shifted(M, h, J, s):
    """Moments of a body about a point from which the old origin is seen at `s`."""
    e = h + 0.5 * M * s
    es = np.array([[e[i] * s[j] for j in range(3)] for i in range(3)])
    off = -(es + es.T)
    twice = [es[i, i] + es[i, i] for i in range(3)]
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        off[i, i] = twice[j] + twice[k]
    return h + M * s, J + off


def rotated(R, J):
    """R J R^T, symmetric by construction."""
    full = R @ J @ R.T
    return np.array([[full[max(i, j), min(i, j)] for j in range(3)] for i in range(3)])


def inertia(arm, q):
    """The inertia matrix H(q)."""
    size = len(arm.links)
    chain = frames(arm, q)
    slide = [link.joint == "prismatic" for link in arm.links]
    H = np.zeros((size, size), dtype=np.result_type(np.asarray(q), float))

    M, h, J = 0.0, np.zeros(3), np.zeros((3, 3))
    for j in reversed(range(size)):
        # composite body of links j..n about origin j
        body = arm.links[j].body
        M, h, J = M + body.mass, h + body.moment, J + body.inertia_origin

        # force and moment of a unit acceleration of joint j, at its joint point
        z, p = chain[j].axis, chain[j].p
        if slide[j]:
            f, n = M * z, cross(h, z)
        else:
            a = cross(z, p)
            f, n = M * a + cross(z, h), J @ z + cross(h, a)
        n = n + cross(p, f)
        H[j, j] = z @ (f if slide[j] else n)

        # inward: what the joints before it feel
        for i in reversed(range(j)):
            child = chain[i + 1]
            f, n = child.R @ f, child.R @ n
            n = n + cross(child.r, f) + cross(chain[i].p, f)
            H[i, j] = H[j, i] = chain[i].axis @ (f if slide[i] else n)

        # hand the composite body on to frame j-1
        h, J = shifted(M, h, J, p)
        h, J = chain[j].R @ h, rotated(chain[j].R, J)
        h, J = shifted(M, h, J, chain[j].r)
    return H
