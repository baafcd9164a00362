"""Mode shapes of a uniform beam that is clamped or pinned at its root, in x = eta / length.

Number of modes and what the tip carries come in; `Bending`, `Pinned` and `Torsion` go out, which
give shapes and derivatives at any x. Tip mass and inertia are relative to the beam's own mass,
mass length^2 and polar inertia, so a free tip is zero.

    b       wave number: Y'''' = b^4 Y
    Y       cosh bx - cos bx - sigma (sinh bx - sin bx), times `scale`
    X       sin bx, times `scale`
    mu, j   mass and rotary inertia at the tip: Y'''(1) = -b^4 mu Y(1), Y''(1) = b^4 j Y'(1)

Scaled so that int Y^2 + mu Y(1)^2 + j Y'(1)^2 = 1, which is scale 1 and Y(1) = +-2 for a free
tip, and int X^2 + nu X(1)^2 = 1/2. The curvature at the root is positive. No cosh is ever
formed, so any number of modes may be asked for (Bishop and Johnson 1960; Blevins 1979).

A link on a free joint has no moment at its root, which sums of clamped shapes meet only slowly.
`Pinned` shapes do: modes F of a beam with a pinned root and a free tip, less their slope at the
root, so that x = 0 is still at rest in the frame of the link:

    Y       F - F'(0) x,  F = -sin bx / |sin b| - s sinh bx / sinh b,  tan b = tanh b
    s       sign of sin b, (-1)^k; int F^2 = 1, F(1) = -2 s, int x F = 0

Their curvatures are orthogonal, int Y_k'' Y_l'' = b^4 or 0, they themselves are not:
int Y_k Y_l = (1 if k = l else 0) + F_k'(0) F_l'(0) / 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
NEAR_ROOT = 1.0  # below this b x, power series: sums of cosh and cos would cancel
SERIES = 24  # u^24/24! < 1e-23 for u < 1


@dataclass(frozen=True, eq=False)
class Bending:
    """Bending modes; `decay` is (1 - sigma) exp(b), which never overflows."""

    b: Array
    sigma: Array
    decay: Array
    scale: Array

    def __call__(self, x: ArrayLike, derivative: int = 0) -> Array:
        """Shapes or their derivatives by x, one row per mode: shape (modes, points)."""
        points = np.atleast_1d(np.asarray(x, dtype=float))
        rows = [
            _bent(u, b, sigma, decay, derivative) * scale * b**derivative
            for u, b, sigma, decay, scale in zip(
                np.multiply.outer(self.b, points),
                self.b,
                self.sigma,
                self.decay,
                self.scale,
                strict=True,
            )
        ]
        return np.array(rows).reshape(len(self.b), len(points))


@dataclass(frozen=True, eq=False)
class Pinned:
    """Modes of a pinned-free beam less their slope at the root."""

    b: Array
    sign: Array  # s
    wave: Array  # 1 / |sin b|

    @property
    def turn(self) -> Array:
        """-F'(0), the slope that is added to each mode."""
        e = np.exp(-self.b)
        slope: Array = self.b * (self.wave + self.sign * 2.0 * e / (1.0 - e * e))
        return slope

    def __call__(self, x: ArrayLike, derivative: int = 0) -> Array:
        """Shapes or their derivatives by x, one row per mode: shape (modes, points)."""
        points = np.atleast_1d(np.asarray(x, dtype=float))
        u = np.multiply.outer(self.b, points)
        b, sign, wave = self.b[:, None], self.sign[:, None], self.wave[:, None]
        e = np.exp(-b)
        rigid = self.turn[:, None] * (points if derivative == 0 else float(derivative == 1))
        side = (np.exp(u - b) - (-1.0) ** derivative * e * np.exp(-u)) / (1.0 - e * e)
        bent = wave * np.sin(u + 0.5 * math.pi * derivative) + sign * side
        far = rigid - b**derivative * bent
        # u - sin u = third - fifth and sinh u - u = third + fifth: u^3/3! + ..., u^5/5! + ...
        third, fifth = _powers(u, 3 - derivative), _powers(u, 1 - derivative)
        if derivative < 2:
            fifth = fifth - np.minimum(u, NEAR_ROOT) ** (1 - derivative)
        beside = sign * 2.0 * e / (1.0 - e * e)
        near = b**derivative * (wave * (third - fifth) - beside * (third + fifth))
        rows: Array = np.where(u < NEAR_ROOT, near, far)
        return rows


@dataclass(frozen=True, eq=False)
class Torsion:
    """Torsion modes."""

    b: Array
    scale: Array

    def __call__(self, x: ArrayLike, derivative: int = 0) -> Array:
        """Shapes or their derivatives by x, one row per mode: shape (modes, points)."""
        points = np.atleast_1d(np.asarray(x, dtype=float))
        wave = np.sin(np.multiply.outer(self.b, points) + 0.5 * math.pi * derivative)
        rows: Array = wave * (self.scale * self.b**derivative)[:, None]
        return rows


@lru_cache(maxsize=64)
def bending(n: int, mass: float = 0.0, inertia: float = 0.0) -> Bending:
    """The first `n` bending modes with this relative mass and rotary inertia at the tip."""
    _not_negative(n, mass, inertia)
    if mass == inertia == 0.0:
        found = [_free(k) for k in range(1, n + 1)]
    else:
        roots = [loaded(k, mass, inertia) for k in range(1, n + 1)]
        found = [(b, math.cos(b), math.sin(b)) for b in roots]
    data = [(b, *_constants(b, c, s, mass)) for b, c, s in found]
    b, sigma, decay = np.array(data).reshape(n, 3).T
    plain = Bending(b, sigma, decay, np.ones(n))
    if mass == inertia == 0.0:
        return plain
    x, w = gauss(points_for(n))
    total = plain(x) ** 2 @ w + mass * plain(1.0)[:, 0] ** 2 + inertia * plain(1.0, 1)[:, 0] ** 2
    return Bending(b, sigma, decay, 1.0 / np.sqrt(total))


@lru_cache(maxsize=64)
def pinned(n: int) -> Pinned:
    """The first `n` elastic modes of a pinned-free beam less their slope at the root."""
    _not_negative(n)
    k = np.arange(1, n + 1)
    middle = (k + 0.25) * math.pi
    # b = middle + small with tan(small) = (tanh b - 1) / (tanh b + 1) = -exp(-2b)
    small = np.zeros(n)
    for _ in range(30):
        small = -np.arctan(np.exp(-2.0 * (middle + small)))
    b = middle + small
    sign = np.where(k % 2, -1.0, 1.0)
    return Pinned(b, sign, np.sqrt(1.0 + np.tanh(b) ** -2.0))


@lru_cache(maxsize=64)
def torsion(n: int, inertia: float = 0.0) -> Torsion:
    """The first `n` torsion modes with this relative polar inertia at the tip."""
    _not_negative(n, inertia)
    free = [(k - 0.5) * math.pi for k in range(1, n + 1)]
    if inertia == 0.0:
        return Torsion(np.array(free), np.ones(n))

    def tip(b: float) -> float:  # X'(1) = b^2 nu X(1)
        return math.cos(b) - b * inertia * math.sin(b)

    b = np.array([_root(tip, upper - 0.5 * math.pi, upper) for upper in free])
    # int sin^2 bx = 1/2 - sin(2b) / 4b
    total = 0.5 - np.sin(2.0 * b) / (4.0 * b) + inertia * np.sin(b) ** 2
    return Torsion(b, np.sqrt(0.5 / total))


def loaded(k: int, mu: float, j: float) -> float:
    """Wave number k of a beam with a body at its tip.

    A mass or an inertia more lowers every frequency, but not below the next lower one of the
    beam whose tip it fixes (Rayleigh), so brackets come from simpler beams one after the other.
    """

    def clamped(b: float) -> float:  # (1 - cosh cos) / cosh
        if b < NEAR_ROOT:
            return 4.0 * _sech(b) * _quartic(b, 4)
        return _sech(b) - math.cos(b)

    def guided(b: float) -> float:  # (sinh cos + cosh sin) / cosh
        return math.tanh(b) * math.cos(b) + math.sin(b)

    def pinned(b: float) -> float:  # (sinh cos - cosh sin) / cosh
        if b < NEAR_ROOT:
            return -4.0 * _sech(b) * _quartic(b, 3)
        return math.cos(b) * math.tanh(b) - math.sin(b)

    def massive(b: float) -> float:
        return _sech(b) + math.cos(b) + b * mu * pinned(b)

    def without_slope(b: float) -> float:  # tip with mass mu and infinite inertia
        return b * mu * clamped(b) - guided(b)

    def both(b: float) -> float:
        return massive(b) - b**3 * j * (guided(b) - b * mu * clamped(b))

    half = 0.5 * math.pi
    top = _free(k)[0]
    if mu > 0.0:
        pin = _root(pinned, (2 * k - 2) * half, (2 * k - 1) * half) if k > 1 else 0.0
        top = _root(massive, pin, top)
    if j == 0.0:
        return top
    if k == 1:
        return _root(both, 0.0, top)
    low = _root(guided, (2 * k - 3) * half, (2 * k - 2) * half)
    if mu > 0.0:
        tiny = 1e-3 * (1.0 + mu) ** -0.25  # a root there tends to (12 / mu)^(1/4)
        held = _root(clamped, (2 * k - 4) * half, (2 * k - 2) * half) if k > 2 else tiny
        low = _root(without_slope, held, low)
    return _root(both, low, top)


@lru_cache(maxsize=16)
def gauss(n: int) -> tuple[Array, Array]:
    """Points and weights of Gauss and Legendre on 0..1."""
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (x + 1.0), 0.5 * w


@lru_cache(maxsize=16)
def running_integral(n: int) -> Array:
    """(n, n) matrix that turns values at the Gauss points into integrals from 0 to each."""
    x, w = gauss(n)
    P = np.polynomial.legendre.legvander(2.0 * x - 1.0, n)
    order = np.arange(n)
    coefficients = (2 * order + 1)[:, None] * (P[:, :n] * w[:, None]).T
    # int_0^x P_m(2s - 1) ds = (P_{m+1} - P_{m-1}) / (2 (2m + 1)), with P_{-1} = -1
    before = np.column_stack([-np.ones(n), P[:, : n - 1]])
    matrix: Array = (P[:, 1:] - before) / (2.0 * (2 * order + 1)) @ coefficients
    return matrix


def points_for(n: int) -> int:
    """Gauss points that integrate products of four of the first `n` shapes to rounding."""
    return 48 + 8 * n


def _free(k: int) -> tuple[float, float, float]:
    """Wave number of a free tip, its cosine and sine: cos b = -1 / cosh b."""
    middle, sign = (k - 0.5) * math.pi, (-1.0) ** (k + 1)
    # b = middle + small with sin(small) = sign / cosh b; a contraction by less than a third
    small = 0.0
    for _ in range(60):
        small = math.asin(sign * _sech(middle + small))
    return middle + small, -sign * math.sin(small), sign * math.cos(small)


def _constants(b: float, c: float, s: float, mu: float) -> tuple[float, float]:
    """Sigma and (1 - sigma) exp(b) from the shear at the tip; c, s = cos b, sin b."""
    e = math.exp(-b)
    below = 1.0 + e * e + 2.0 * e * c + b * mu * (1.0 - e * e - 2.0 * e * s)
    above = 1.0 - e * e - 2.0 * e * s + b * mu * (1.0 + e * e - 2.0 * e * c)
    return above / below, 2.0 * (c + s + e + b * mu * (c - s - e)) / below


def _bent(u: Array, b: float, sigma: float, decay: float, d: int) -> Array:
    """Derivative `d` by u = b x of cosh u - cos u - sigma (sinh u - sin u)."""
    waves = (
        (-np.cos(u) + sigma * np.sin(u)),
        (np.sin(u) + sigma * np.cos(u)),
        (np.cos(u) - sigma * np.sin(u)),
        (-np.sin(u) - sigma * np.cos(u)),
    )
    sides = decay * np.exp(u - b) + (-1.0) ** d * (1.0 + sigma) * np.exp(-u)
    far = 0.5 * sides + waves[d % 4]
    near = 2.0 * (_powers(u, 2 - d) - sigma * _powers(u, 3 - d))
    return np.where(u < NEAR_ROOT, near, far)


def _powers(u: Array, first: int) -> Array:
    """Sum of u^m / m! over m = first mod 4."""
    small = np.minimum(u, NEAR_ROOT)
    total: Array = np.zeros_like(u)
    for m in range(first % 4, SERIES, 4):
        total = total + small**m / math.factorial(m)
    return total


def _quartic(b: float, first: int) -> float:
    """Sum of (-4)^i b^(4i + first) / (4i + first)!, to which sums of cosh and cos cancel."""
    return sum((-4.0) ** i * b ** (4 * i + first) / math.factorial(4 * i + first) for i in range(7))


def _sech(b: float) -> float:
    e = math.exp(-abs(b))
    return 2.0 * e / (1.0 + e * e)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Root between two points by halving, to the last bit; or the end that is one to rounding."""
    below, above = f(low), f(high)
    if below * above > 0.0:
        return low if abs(below) < abs(above) else high
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            return middle
        if f(middle) * below > 0.0:
            low = middle
        else:
            high = middle


def _not_negative(*numbers: float) -> None:
    if min(numbers) < 0:
        raise ValueError("number of modes, mass and inertia at the tip must not be negative")
