"""Lagrange equations of flexible arms by differentiation of the energies.

An independent reference: points along every beam, each with its own position and velocity by
4x4 transformations; mode shapes from cosh, cos and roots found by bisection; no recursion, no
integral of a shape, no code of the package beyond the data of the arm.
"""

from functools import lru_cache

import casadi as ca
import numpy as np
from scipy.optimize import brentq

POINTS = 36


class Oracle:
    """Forces of one arm as a function of q, qd, qdd."""

    def __init__(self, arm, elastic=True):
        self.arm = arm
        q, qd, qdd = (ca.SX.sym(name, arm.n) for name in ("q", "qd", "qdd"))
        kinetic, potential = energies(arm, q, qd, elastic)
        p = ca.gradient(kinetic, qd)
        tau = ca.jtimes(p, q, qd) + ca.jtimes(p, qd, qdd)
        tau = tau - ca.gradient(kinetic, q) + ca.gradient(potential, q)
        self.force = ca.Function("force", [q, qd, qdd], [tau])
        self.matrix = ca.Function("matrix", [q], [ca.substitute(ca.jacobian(p, qd), qd, 0 * qd)])

    def inverse(self, q, qd, qdd):
        return np.array(self.force(q, qd, qdd)).ravel()

    def inertia(self, q):
        return np.array(self.matrix(q))


def energies(arm, q, qd, elastic):
    """Kinetic and potential energy."""
    kinetic, potential = ca.SX(0), ca.SX(0)
    g = ca.DM([*arm.gravity, 0.0])
    W = ca.SX.eye(4)
    at = len(arm.links)

    def rate(x):
        return ca.reshape(ca.jtimes(ca.vec(x), q, qd), x.shape)

    for i, link in enumerate(arm.links):
        W = W @ joint(link, q[i])
        Wd = rate(W)
        bodies = [(link.body, W, Wd)]
        if link.beam is not None:
            beam, (nx, ny, nz) = link.beam, link.modes
            dx, dy, dz = ca.vertsplit(q[at : at + nx + ny + nz], [0, nx, nx + ny, nx + ny + nz])
            at += nx + ny + nz
            spin = (W[:3, :3].T @ Wd[:3, :3])[2, 1]
            nodes, weights = np.polynomial.legendre.leggauss(POINTS)
            for x, w in zip((nodes + 1) / 2, weights / 2, strict=True):
                rigid = ca.vertcat((x - 1) * beam.length, 0, 0, 1)
                y = ca.dot(ca.DM(bending(beam, ny, x, 0)), dy)
                z = ca.dot(ca.DM(bending(beam, nz, x, 0)), dz)
                bent = ca.vertcat(0, y, z, 0)
                short = ca.vertcat(shortening(beam, x, dy, dz), 0, 0, 0)
                model = arm.assumptions.foreshortening
                v = [Wd @ part + W @ rate(part) for part in (rigid, bent, short)]
                if model == "full":
                    square, shift = ca.sumsqr(v[0] + v[1] + v[2]), rigid + bent + short
                elif model == "first-order":
                    # without terms of third and fourth order in the deflections
                    square = ca.sumsqr(v[0] + v[1]) + 2 * ca.dot(v[0], v[2])
                    shift = rigid + bent + short
                else:
                    square, shift = ca.sumsqr(v[0] + v[1]), rigid + bent
                kinetic += 0.5 * w * beam.mass * square
                potential -= w * beam.mass * ca.dot(g, W @ shift)
                twist = ca.dot(ca.DM(torsion(beam, nx, x, 0)), rate(dx))
                inertia = w * beam.polar_inertia * beam.length
                if arm.assumptions.torsion_coupling:
                    kinetic += 0.5 * inertia * (spin + twist) ** 2
                else:
                    kinetic += 0.5 * inertia * twist**2
                if elastic:
                    cy = ca.dot(ca.DM(bending(beam, ny, x, 2)), dy)
                    cz = ca.dot(ca.DM(bending(beam, nz, x, 2)), dz)
                    ct = ca.dot(ca.DM(torsion(beam, nx, x, 1)), dx)
                    bent_energy = (beam.EIz * cy**2 + beam.EIy * cz**2) / beam.length**3
                    potential += 0.5 * w * (bent_energy + beam.GJ * ct**2 / beam.length)
            W = W @ tip(arm, link, dx, dy, dz)
            bodies.append((link.tip, W, rate(W)))
        for body, pose, poserate in bodies:
            J = pseudo(body)
            kinetic += 0.5 * ca.trace(poserate @ J @ poserate.T)
            potential -= ca.dot(g, pose @ J[:, 3])
    return kinetic, potential


def joint(link, q):
    """Standard DH: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    theta, d = link.dh.theta.value, link.dh.d
    theta, d = (theta, d + q) if link.joint == "prismatic" else (theta + q, d)
    c, s, twist = ca.cos(theta), ca.sin(theta), link.dh.alpha.value
    cosine, sine = np.cos(twist), np.sin(twist)
    return ca.vertcat(
        ca.horzcat(c, -s * cosine, s * sine, link.dh.a * c),
        ca.horzcat(s, c * cosine, -c * sine, link.dh.a * s),
        ca.horzcat(0, sine, cosine, d),
        ca.horzcat(0, 0, 0, 1),
    )


def tip(arm, link, dx, dy, dz):
    """Deflected tip frame seen from the link frame."""
    nx, ny, nz = link.modes
    a = link.beam.length
    twist = ca.dot(ca.DM(torsion(link.beam, nx, 1.0, 0)), dx)
    sy = ca.dot(ca.DM(bending(link.beam, ny, 1.0, 1)), dy) / a
    sz = ca.dot(ca.DM(bending(link.beam, nz, 1.0, 1)), dz) / a
    y = ca.dot(ca.DM(bending(link.beam, ny, 1.0, 0)), dy)
    z = ca.dot(ca.DM(bending(link.beam, nz, 1.0, 0)), dz)
    u = 0 if arm.assumptions.foreshortening == "off" else shortening(link.beam, 1.0, dy, dz)
    S = ca.skew(ca.vertcat(twist, -sz, sy))
    one = ca.SX.eye(3)
    E = one + S
    if arm.assumptions.rotation == "cayley":
        E = ca.inv(one - S / 2) @ (one + S / 2)
    return ca.vertcat(ca.horzcat(E, ca.vertcat(u, y, z)), ca.DM([[0, 0, 0, 1]]))


def shortening(beam, x, dy, dz):
    """-(1/2) int_0^eta (w_y'^2 + w_z'^2) ds by points of its own."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    total = ca.SX(0)
    for d in (dy, dz):
        n = d.shape[0]
        if n:
            slopes = np.array([bending(beam, n, x * s, 1) for s in (nodes + 1) / 2])
            total -= 0.5 * d.T @ ca.DM(slopes.T * (weights / 2 * x / beam.length) @ slopes) @ d
    return total


def roots(f, n):
    """First `n` roots of a function, by its changes of sign on a fine grid."""
    grid = np.linspace(1e-3, (n + 1) * np.pi, 4001)
    values = f(grid)
    at = np.flatnonzero(values[:-1] * values[1:] < 0.0)[:n]
    return [brentq(f, grid[k], grid[k + 1], xtol=1e-15, rtol=1e-15) for k in at]


def textbook(b, x):
    """Clamped at the root: two functions of b x and their first three derivatives by x."""
    u = b * x
    ch, sh, c, s = np.cosh(u), np.sinh(u), np.cos(u), np.sin(u)
    one = (ch - c, b * (sh + s), b**2 * (ch + c), b**3 * (sh - s))
    two = (sh - s, b * (ch - c), b**2 * (sh + s), b**3 * (ch + c))
    return one, two


@lru_cache(maxsize=100)
def bending_modes(beam, n):
    """Wave number, coefficient of the second function and scale of each mode."""
    mass = beam.boundary_mass / beam.mass
    inertia = beam.boundary_inertia / (beam.mass * beam.length**2)

    def tip(b):
        one, two = textbook(b, 1.0)
        shear = [y[3] + b**4 * mass * y[0] for y in (one, two)]
        bend = [y[2] - b**4 * inertia * y[1] for y in (one, two)]
        return shear, bend

    def singular(b):
        shear, bend = tip(b)
        return (shear[0] * bend[1] - shear[1] * bend[0]) / np.cosh(b) ** 2

    nodes, weights = np.polynomial.legendre.leggauss(60)
    found = []
    for b in roots(singular, n):
        shear, _ = tip(b)
        s = shear[0] / shear[1]
        one, two = textbook(b, (nodes + 1) / 2)
        end = [y - s * z for y, z in zip(*textbook(b, 1.0), strict=True)]
        square = weights / 2 @ (one[0] - s * two[0]) ** 2
        total = square + mass * end[0] ** 2 + inertia * end[1] ** 2
        found.append((b, s, 1 / np.sqrt(total)))
    return found


def bending(beam, n, x, derivative):
    """Bending shapes or derivatives by eta / length."""
    if beam.shape == "pinned-free":
        return pinned(n, x, derivative)
    found = []
    for b, s, scale in bending_modes(beam, n):
        one, two = textbook(b, x)
        found.append(scale * (one[derivative] - s * two[derivative]))
    return np.array(found)


@lru_cache(maxsize=100)
def pinned_modes(n):
    """Wave number, coefficient of sinh and scale of each mode of a pinned-free beam."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    found = []
    for b in roots(lambda b: np.sin(b) - np.cos(b) * np.tanh(b), n):
        r = np.sin(b) / np.sinh(b)
        points = b * (nodes + 1) / 2
        found.append(
            (b, r, -1 / np.sqrt(weights / 2 @ (np.sin(points) + r * np.sinh(points)) ** 2))
        )
    return found


def pinned(n, x, derivative):
    """Modes of a pinned-free beam less their slope at the root."""
    found = []
    for b, r, scale in pinned_modes(n):
        u = b * x
        values = (
            np.sin(u) + r * np.sinh(u) - (1 + r) * u,
            b * (np.cos(u) + r * np.cosh(u) - (1 + r)),
            b**2 * (-np.sin(u) + r * np.sinh(u)),
        )
        found.append(scale * values[derivative])
    return np.array(found)


@lru_cache(maxsize=100)
def torsion_modes(beam, n):
    """Wave number and scale of each mode."""
    if not n:
        return []
    load = beam.boundary_polar / (beam.polar_inertia * beam.length)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    found = []
    for b in roots(lambda b: np.cos(b) - load * b * np.sin(b), n):
        square = weights / 2 @ np.sin(b * (nodes + 1) / 2) ** 2 + load * np.sin(b) ** 2
        found.append((b, np.sqrt(0.5 / square)))
    return found


def torsion(beam, n, x, derivative):
    """Torsion shapes or their first derivative by eta / length."""
    modes = torsion_modes(beam, n)
    return np.array([s * (b * np.cos(b * x) if derivative else np.sin(b * x)) for b, s in modes])


def pseudo(body):
    """Second moments of a rigid body about the origin of its frame."""
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(body.inertia_origin) * np.eye(3) - body.inertia_origin
    J[:3, 3] = J[3, :3] = body.moment
    J[3, 3] = body.mass
    return ca.DM(J)
