"""King's recursion as printed, beam by beam with inertia tensors: slow, plain, separate.

Equations of El-Rayyes (1990), chapter 2.5, with the misprints removed: I, c, g of the bent beam
about the centre of the straight one. Linear rotation, no torsion coupling, no foreshortening;
tip bodies in the tip frame, hubs in the link frame. Shapes are those of the energy oracle.
"""

import numpy as np
from energy_oracle import bending, torsion

Z = np.array([0.0, 0.0, 1.0])
UNIT = np.eye(3)


def rotation(alpha, theta):
    ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0.0, sa, ca]])


class Bent:
    """One beam at one state: shape integrals by quadrature and the sums of the thesis."""

    def __init__(self, beam, x, xd, xdd):
        nx, ny, nz = beam.modes
        n, self.a, self.M = max(ny, nz), beam.length, beam.mass
        nodes, weights = np.polynomial.legendre.leggauss(60)
        s, w = (nodes + 1) / 2, weights / 2
        Y = np.array([bending(beam, n, p, 0) for p in s]).T
        self.e, self.b = self.M * Y @ w, self.M * self.a * Y @ (w * (s - 0.5))
        self.m = self.M * (Y * w) @ Y.T
        curved = np.array([bending(beam, n, p, 2) for p in s]).T
        self.k = (curved * w) @ curved.T / self.a**3
        self.tip, self.slope = bending(beam, n, 1.0, 0), bending(beam, n, 1.0, 1) / self.a
        X, dX = (np.array([torsion(beam, nx, p, d) for p in s]).T for d in (0, 1))
        self.mx = beam.polar_inertia * self.a * (X * w) @ X.T
        self.kx = beam.GJ / self.a * (dX * w) @ dX.T
        self.twist, self.stiff = torsion(beam, nx, 1.0, 0), (beam.EIz, beam.EIy)
        self.modes = [(1, k) for k in range(ny)] + [(2, k) for k in range(nz)]
        self.x, self.xd, self.xdd = (v[:nx] for v in (x, xd, xdd))
        self.d, self.dd, self.ddd = (v[nx:] for v in (x, xd, xdd))

    def total(self, values, rates):
        """Sum of value_k delta u over the bending modes."""
        pairs = zip(self.modes, rates, strict=True)
        return sum((values[k] * r * UNIT[u] for (u, k), r in pairs), np.zeros(3))

    def turn(self, twists, bends):
        slopes = self.total(self.slope, bends)
        return np.array([self.twist @ twists if len(twists) else 0.0, -slopes[2], slopes[1]])

    def g(self, k):
        return self.b[k] * UNIT[0] + self.total(self.m[k], self.d)

    def inertia(self):
        D = np.zeros((3, 3))
        D[0, 0] = self.M * self.a**2 / 12.0
        for (u, k), x in zip(self.modes, self.d, strict=True):
            D[u] += x * self.g(k)
        D[0, 1:] = D[1:, 0]
        return np.trace(D) * UNIT - D


def inverse(arm, q, qd, qdd, gravity, wrench):
    """Forces of all coordinates."""
    cross, steps, n = np.cross, [], arm.n_joints
    w, wd, acc = np.zeros(3), np.zeros(3), -np.asarray(gravity)
    for i, link in enumerate(arm.links):
        slide, theta, d = link.joint == "prismatic", link.dh.theta.value, link.dh.d
        A = rotation(link.dh.alpha.value, theta if slide else theta + q[i])
        z = A.T @ Z
        p = link.dh.a * UNIT[0] + (d + q[i] if slide else d) * z
        if slide:
            w, wd, acc = A.T @ w, A.T @ wd, A.T @ (acc + Z * qdd[i])
            acc = acc + 2 * cross(w, z * qd[i])
        else:
            wd = A.T @ (wd + Z * qdd[i] + cross(w, Z * qd[i]))
            w, acc = A.T @ (w + Z * qd[i]), A.T @ acc
        acc = acc + cross(wd, p) + cross(w, cross(w, p))

        # the rigid body or hub about the origin of the link frame
        body = link.body
        F = body.mass * acc + cross(wd, body.moment) + cross(w, cross(w, body.moment))
        J = body.inertia_origin
        N = J @ wd + cross(w, J @ w) + cross(body.moment, acc)
        E, deflection, sigma, bent = UNIT, np.zeros(3), None, None
        if link.beam is not None:
            size = sum(link.modes)
            bent = Bent(link.beam, *(v[n : n + size] for v in (q, qd, qdd)))
            s = np.array([-bent.a / 2, 0.0, 0.0])
            ahat = acc + cross(wd, s) + cross(w, cross(w, s))
            force, moment, sigma = beam_forces(bent, w, wd, ahat)
            F, N = F + force, N + moment + cross(s, force)
            deflection = bent.total(bent.tip, bent.d)
            vd, vdd = bent.total(bent.tip, bent.dd), bent.total(bent.tip, bent.ddd)
            x, y, c = bent.turn(bent.x, bent.d)
            E = UNIT + np.array([[0.0, -c, y], [c, 0.0, -x], [-y, x, 0.0]])
            nu, nud = bent.turn(bent.xd, bent.dd), bent.turn(bent.xdd, bent.ddd)
            acc = acc + cross(wd, deflection) + cross(w, cross(w, deflection))
            acc = E.T @ (acc + 2 * cross(w, vd) + vdd)
            wd, w = E.T @ (wd + cross(w, nu) + nud), E.T @ (w + nu)
            n += size
        h, J = link.tip.moment, link.tip.inertia_origin
        Ft = link.tip.mass * acc + cross(wd, h) + cross(w, cross(w, h))
        Nt = J @ wd + cross(w, J @ w) + cross(h, acc)
        steps.append((A, z, p, slide, F, N, E, deflection, sigma, bent, Ft, Nt))

    f, m = -wrench[:3], -wrench[3:]
    joints, modal = [], []
    for A, z, p, slide, F, N, E, deflection, sigma, bent, Ft, Nt in reversed(steps):
        f, m = E @ (f + Ft), E @ (m + Nt)
        if bent is not None:
            rows = [bent.twist[k] * m[0] for k in range(len(bent.x))]
            lever = {1: m[2], 2: -m[1]}
            rows += [bent.tip[k] * f[u] + bent.slope[k] * lever[u] for u, k in bent.modes]
            modal.insert(0, sigma + np.array(rows))
        m = m + cross(p + deflection, f) + cross(p, F) + N
        f = f + F
        joints.insert(0, z @ (f if slide else m))
        f, m = A @ f, A @ m
    return np.concatenate([joints, *modal])


def beam_forces(bent, w, wd, ahat):
    """Force, moment about the centre of the straight beam, and modal forces."""
    cross = np.cross
    c, cd, cdd = (bent.total(bent.e, r) for r in (bent.d, bent.dd, bent.ddd))
    inertia = bent.inertia()
    F = bent.M * ahat + cross(wd, c) + cross(w, cross(w, c)) + 2 * cross(w, cd) + cdd
    N = inertia @ wd + cross(w, inertia @ w) + cross(c, ahat)
    sigma = list(bent.mx @ bent.xdd + bent.kx @ bent.x) if len(bent.x) else []
    for (u, k), rate, growth in zip(bent.modes, bent.dd, bent.ddd, strict=True):
        g, e = bent.g(k), UNIT[u]
        N = N + growth * cross(g, e) + 2 * rate * cross(g, cross(w, e))
        row = bent.e[k] * ahat @ e + wd @ cross(g, e) + (w @ g) * (w @ e) - (w @ w) * (g @ e)
        for (v, m), x, xd, xdd in zip(bent.modes, bent.d, bent.dd, bent.ddd, strict=True):
            row += 2 * w @ cross(UNIT[v], e) * xd * bent.m[k, m]
            if v == u:
                row += bent.m[k, m] * xdd + bent.stiff[u - 1] * bent.k[k, m] * x
        sigma.append(row)
    return F, N, np.array(sigma)
