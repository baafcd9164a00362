"""A uniform beam and the integrals of its mode shapes: numbers only.

`Beam` comes in; `Integrals` go out. The beam lies on the x axis of its link frame, eta = 0 at
the root and eta = length at the tip. Its points move as a sum of scalar fields of eta, each
with a vector as coefficient:

    field     coefficient
    1         position of the root
    eta       e_x
    Y_k       (0, y_k, z_k): both directions of bending share the shape
    S_kl      -(1/2) (y_k y_l + z_k z_l) e_x, twice that for k < l: foreshortening,
              S_kl = int_0^eta Y_k' Y_l' ds

so that every integral over the beam is an entry of G, the integrals of products of two fields
by mass. Torsion adds the rotary inertia of the sections about the x axis. No shear, no rotary
inertia in bending.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from .modes import (
    Array,
    Bending,
    Pinned,
    bending,
    gauss,
    pinned,
    points_for,
    running_integral,
    torsion,
)

Shape = Literal["clamped-free", "clamped-mass", "pinned-free"]
Foreshortening = Literal["off", "first-order", "full"]


@dataclass(frozen=True)
class Beam:
    """A uniform beam; `modes` counts torsion, y and z modes.

    The shapes of "clamped-mass" are those of a beam that carries `boundary_mass`, with
    `boundary_inertia` against bending and `boundary_polar` against twist, at its tip. They
    choose the shapes only: what really sits at the tip belongs to the link. Those of
    "pinned-free" suit links on free joints; they twist as "clamped-free" does.
    """

    length: float
    mass: float
    EIy: float  # against deflection along z
    EIz: float  # against deflection along y
    GJ: float = 0.0
    polar_inertia: float = 0.0  # mass moment of the sections about x per length
    modes: tuple[int, int, int] = (0, 0, 0)
    shape: Shape = "clamped-free"
    damping_ratio: float = 0.0
    boundary_mass: float = 0.0
    boundary_inertia: float = 0.0
    boundary_polar: float = 0.0

    def __post_init__(self) -> None:
        if not (self.length > 0.0 and self.mass > 0.0):
            raise ValueError("a beam needs a positive length and mass")
        if min(self.modes) < 0 or len(self.modes) != 3:
            raise ValueError("a beam needs three numbers of modes, none negative")
        twist, y, z = self.modes
        for number, value, name in (
            (twist, self.GJ, "GJ"),
            (twist, self.polar_inertia, "polar_inertia"),
            (y, self.EIz, "EIz"),
            (z, self.EIy, "EIy"),
        ):
            if number and not value > 0.0:
                raise ValueError(f"a beam with such modes needs a positive {name}")
        load = (self.boundary_mass, self.boundary_inertia, self.boundary_polar)
        if self.shape != "clamped-mass" and any(load):
            raise ValueError('a boundary mass or inertia belongs to the shape "clamped-mass"')
        if min(load) < 0.0 or self.damping_ratio < 0.0:
            raise ValueError("boundary mass, inertia and damping must not be negative")

    @property
    def n(self) -> int:
        """Number of its modes."""
        return sum(self.modes)


@dataclass(frozen=True, eq=False)
class Integrals:
    """Integrals and tip values of a beam; fields in the order 1, eta, Y_k, S_kl."""

    G: Array  # (fields, fields) int N_j N_l dm
    t: Array  # (fields,) values at the tip
    slope: Array  # (shapes,) Y_k' at the tip
    pairs: tuple[tuple[int, int], ...]  # (k, l) of the fields S_kl
    twist: Array  # (torsion modes,) X_k at the tip
    polar: float  # j0, rotary inertia of the whole beam about x
    polar_moment: Array  # (torsion modes,) int X_k, weighted with the polar inertia
    polar_mass: Array  # (torsion modes, torsion modes) int X_k X_l, the same
    stiffness: Array  # (modes,) torsion, y, z
    damping: Array  # (modes,) 2 zeta sqrt(stiffness modal mass), the mass of F if pinned-free


def bending_shapes(beam: Beam, n: int) -> Bending | Pinned:
    """The first `n` bending shapes of a beam."""
    if beam.shape == "pinned-free":
        return pinned(n)
    M, a = beam.mass, beam.length
    return bending(n, beam.boundary_mass / M, beam.boundary_inertia / (M * a * a))


@lru_cache(maxsize=256)
def integrals(beam: Beam, foreshortening: Foreshortening = "full") -> Integrals:
    """Everything that the dynamics needs to know of a beam.

    "first-order" drops what is of third and fourth order in the deflections from the kinetic
    energy: int S_kl Y_m dm and int S_kl S_mn dm.
    """
    twists, ny, nz = beam.modes
    M, a = beam.mass, beam.length
    shapes = max(ny, nz)
    Y = bending_shapes(beam, shapes)
    pairs = tuple((k, m) for k in range(shapes) for m in range(k, shapes))
    pairs = () if foreshortening == "off" else pairs
    G, t, slope = _fields(beam, Y, pairs)
    if foreshortening == "first-order":
        G[2:, 2 + shapes :] = 0.0
        G[2 + shapes :, 2:] = 0.0

    polar = beam.polar_inertia * a
    X = torsion(twists, beam.boundary_polar / polar if polar else 0.0)
    tip: Any = X(1.0)[:, 0]
    # X'(1) = b^2 nu X(1): int X = (1 - X'(1) / (b scale)) scale / b
    whole = (X.scale - X(1.0, 1)[:, 0] / X.b) / X.b
    own: Array = 0.5 * np.eye(twists)
    if beam.boundary_polar:
        own = own - beam.boundary_polar / polar * np.outer(tip, tip)
    else:
        tip = (-1.0) ** np.arange(twists)

    stiffness = np.concatenate(
        [
            beam.GJ * X.b**2 / (2.0 * a),
            beam.EIz / a**3 * Y.b[:ny] ** 4,
            beam.EIy / a**3 * Y.b[:nz] ** 4,
        ]
    )
    modal = np.concatenate([0.5 * polar * np.ones(twists), M * np.ones(ny + nz)])
    damping = 2.0 * beam.damping_ratio * np.sqrt(stiffness * modal)
    return Integrals(G, t, slope, pairs, tip, polar, polar * whole, polar * own, stiffness, damping)


def _fields(
    beam: Beam, Y: Bending | Pinned, pairs: tuple[tuple[int, int], ...]
) -> tuple[Array, Array, Array]:
    """G, tip values and tip slopes."""
    M, a, n = beam.mass, beam.length, len(Y.b)
    x, w = gauss(points_for(n))
    slopes = Y(x, 1)
    running = running_integral(len(x))
    S: Any = [running @ (slopes[k] * slopes[m]) / a for k, m in pairs]
    values = np.array([np.ones_like(x), a * x, *Y(x), *S])
    G = M * (values * w) @ values.T
    G = 0.5 * (G + G.T)
    tips = [float(w @ (slopes[k] * slopes[m])) / a for k, m in pairs]
    t = np.array([1.0, a, *Y(1.0)[:, 0], *tips])
    slope = Y(1.0, 1)[:, 0] / a
    G[:2, :2] = M * np.array([[1.0, a / 2.0], [a / 2.0, a * a / 3.0]])
    if isinstance(Y, Pinned):
        # Y = F + turn x, and F is orthogonal to x
        e = np.exp(-Y.b)
        t[2 : 2 + n] = Y.turn - 2.0 * Y.sign
        slope = (Y.turn - 2.0 * Y.sign * Y.b / np.tanh(Y.b)) / a
        G[2 : 2 + n, 2 : 2 + n] = M * (np.eye(n) + np.outer(Y.turn, Y.turn) / 3.0)
        own = (Y.wave - Y.sign * 2.0 * e / (1.0 - e * e)) / Y.b
        G[0, 2 : 2 + n] = G[2 : 2 + n, 0] = M * (0.5 * Y.turn - own)
        G[1, 2 : 2 + n] = G[2 : 2 + n, 1] = M * a * Y.turn / 3.0
    elif beam.shape == "clamped-free":
        # closed forms, so that what is zero on paper is zero here
        sign = (-1.0) ** np.arange(n)
        t[2 : 2 + n] = 2.0 * sign
        slope = 2.0 * sign * Y.b * Y.sigma / a
        G[2 : 2 + n, 2 : 2 + n] = M * np.eye(n)
        G[0, 2 : 2 + n] = G[2 : 2 + n, 0] = 2.0 * M * Y.sigma / Y.b
        G[1, 2 : 2 + n] = G[2 : 2 + n, 1] = 2.0 * M * a / Y.b**2
    return G, t, slope
