"""Derivatives of rigid inverse dynamics by composite bodies that move.

Turning joint j, or giving it a rate, moves links j..n as one. A system of particles at r, with
rates rr, whose reference point gets da more acceleration and which turns by b more angular
velocity, gets

    a(r) + da + e x r + 2 b x rr        e = dwd + w x b, the same for all links behind joint j

so that its wrench changes by what mass M, moments h, J and the rates of the moments give:

    df = M da + e x h + 2 b x hh        hh = int rr dm
    dn = h x da + J e + 2 L b           L = tr(K) 1 - K, K = int rr r^T dm

In the frame before joint j, with the motion w, U, a of link j-1 there, a unit of the joint gives

    revolute     q:  da = a x z   e = U z        b = w x z     and turns the wrench: z x f, z x n
                 qd: da = 0       e = 2 (w x z)  b = z
    prismatic    q:  da = U z     e = b = 0                    and moves the force: n by z x f
                 qd: da = 2 (w x z)

Column j goes inward as a wrench. Row i is a linear function of the motion of any link before
it, alpha.da + beta.e + 2 gamma.b, that goes inward as three vectors, of which alpha and beta
are column i of method 3 of Walker and Orin (1982). See Carpentier and Mansard (2018), Singh,
Russell and Wensing (2022) for the same derivatives by spatial vectors in one frame.

    M, h, J, K, hh   of links i..n about a point, in one frame
    f, n             force and moment on links i..n about that point
"""

import numpy as np

from ..manipulator.frames import frames
from .composite_origin import moved
from .newton_euler import cross, spin
from .origin import euler


def turned(R, A):
    """R A R^T for a product of elementary rotations, each about x or z."""
    for E in reversed(R.factors):
        i, k = (1, 2) if E.shape == (3, 3) and _about_x(E) else (0, 1)
        o = 3 - i - k
        c, s = E[i, i], E[k, i]
        d, x = A[i, i] - A[k, k], A[i, k] + A[k, i]
        e, g = s * (s * d + c * x), s * (c * d - s * x)
        new = np.empty((3, 3), dtype=object)
        new[i, i], new[k, k] = A[i, i] - e, A[k, k] + e
        new[i, k], new[k, i] = A[i, k] + g, A[k, i] + g
        new[o, o] = A[o, o]
        new[i, o], new[k, o] = c * A[i, o] - s * A[k, o], s * A[i, o] + c * A[k, o]
        new[o, i], new[o, k] = c * A[o, i] - s * A[o, k], s * A[o, i] + c * A[o, k]
        A = new
    return A


def _about_x(E):
    return not np.any(E[0, 1:] != 0.0) and bool(np.all(E[0, 0] == 1.0))


class Composite:
    """Links i..n as one system of particles, with rows and columns of the joints behind."""

    def __init__(self):
        self.M, self.h, self.J = 0.0, np.zeros(3), np.zeros((3, 3))
        self.K, self.hh = np.zeros((3, 3)), np.zeros(3)
        self.f, self.n = np.zeros(3), np.zeros(3)
        self.rows = {}  # joint -> alpha, beta, gamma
        self.columns = {}  # (joint, "q" or "qd") -> df, dn

    def add(self, body, w, U, a, wd):
        """Take a link in, at its origin."""
        m, h, J = body.mass, body.moment, body.inertia_origin
        S = 0.5 * np.trace(J) * np.eye(3) - J
        self.M, self.h, self.J = self.M + m, self.h + h, self.J + J
        self.K = self.K + np.array([cross(w, S[:, k]) for k in range(3)]).T
        self.hh = self.hh + cross(w, h)
        self.f = self.f + (m * a + U @ h)
        self.n = self.n + (euler(J, w, wd, U) + cross(h, a))

    def shift(self, s, u):
        """Refer to a point from which the present one is seen at s, at the velocity u."""
        h = self.hh
        self.hh = self.hh + self.M * u
        self.h, self.J = moved(self.M, self.h, self.J, s)
        self.K = self.K + np.outer(h, s) + np.outer(u, self.h)
        self.n = self.n + cross(s, self.f)
        for j, (alpha, beta, gamma) in self.rows.items():
            self.rows[j] = alpha, beta + cross(s, alpha), gamma + cross(u, alpha)
        for j, (df, dn) in self.columns.items():
            self.columns[j] = df, dn + cross(s, df)

    def turn(self, R):
        """Express in the frame that sees the present one at the rotation R."""
        self.h, self.hh, self.f, self.n = R @ self.h, R @ self.hh, R @ self.f, R @ self.n
        self.J, self.K = turned(R, self.J), turned(R, self.K)
        self.rows = {j: tuple(R @ x for x in row) for j, row in self.rows.items()}
        self.columns = {j: tuple(R @ x for x in pair) for j, pair in self.columns.items()}


def inverse_derivatives(arm, q, qd, qdd, gravity):
    """Derivatives of the torques, [i, j] of tau_i by q_j, by qd_j and by qdd_j, and the torques.

    The derivative by qdd is the inertia matrix, z.beta; it and the torques come for nothing.
    """
    size, chain = len(arm.links), frames(arm, q)
    slide = [link.joint == "prismatic" for link in arm.links]
    standard = arm.convention == "standard"

    # outward: motion before every joint, in frame i-1 at the joint point, and of every link
    w, wd, U, a = np.zeros(3), np.zeros(3), np.zeros((3, 3)), -np.asarray(gravity)
    before, links = [], []
    for i, f in enumerate(chain):
        a = a + U @ f.r
        before.append((w, U, a))
        a, w, wd = f.R.T @ a, f.R.T @ w, f.R.T @ wd
        if slide[i]:
            a = a + f.axis * qdd[i] + 2.0 * cross(w, f.axis * qd[i])
        else:
            wd = wd + f.axis * qdd[i] + cross(w, f.axis * qd[i])
            w = w + f.axis * qd[i]
        U = spin(w, wd)
        a = a + U @ f.p
        links.append((w, U, a, wd))

    by_q, by_qd, H = (np.empty((size, size), dtype=object) for _ in range(3))
    tau = np.empty(size, dtype=object)
    c = Composite()
    for i in reversed(range(size)):
        f, z = chain[i], chain[i].before
        own, (w, U, a) = links[i], before[i]
        c.add(arm.links[i].body, *own)
        u = cross(own[0], f.p)
        c.shift(f.p, u + f.axis * qd[i] if slide[i] and standard else u)
        c.turn(f.R)
        for (j, name), (df, dn) in c.columns.items():
            (by_q if name == "q" else by_qd)[i, j] = z @ (df if slide[i] else dn)

        tau[i] = z @ (c.f if slide[i] else c.n)

        wz, Uz = cross(w, z), U @ z
        if slide[i]:
            c.rows[i] = c.M * z, cross(c.h, z), cross(c.hh, z)
            c.columns[i, "q"] = c.M * Uz, cross(c.h, Uz) + cross(z, c.f)
            da = wz + wz
            c.columns[i, "qd"] = c.M * da, cross(c.h, da)
            for j, (alpha, _, _) in c.rows.items():
                by_q[j, i], by_qd[j, i] = alpha @ Uz, alpha @ da
        else:
            L = (c.K[0, 0] + c.K[1, 1] + c.K[2, 2]) * np.eye(3) - c.K
            c.rows[i] = cross(z, c.h), c.J @ z, L.T @ z
            da, b = cross(a, z), wz + wz
            df = c.M * da + cross(Uz, c.h) + cross(b, c.hh) + cross(z, c.f)
            dn = cross(c.h, da) + c.J @ Uz + L @ b + cross(z, c.n)
            c.columns[i, "q"] = df, dn
            df, dn = cross(wz, c.h) + cross(z, c.hh), c.J @ wz + L @ z
            c.columns[i, "qd"] = df + df, dn + dn
            for j, (alpha, beta, gamma) in c.rows.items():
                by_q[j, i] = alpha @ da + beta @ Uz + gamma @ b
                by_qd[j, i] = 2.0 * (beta @ wz + gamma @ z)
        for j, row in c.rows.items():
            H[i, j] = H[j, i] = z @ row[0 if slide[i] else 1]
        u = cross(w, f.r)
        c.shift(f.r, u if standard or not slide[i] else u + z * qd[i])
    return by_q, by_qd, H, tau
