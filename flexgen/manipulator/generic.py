"""Arms without special geometry, of any length, for scaling studies.

No twist is a multiple of a quarter turn, no offset and no inertial parameter is zero, and
every body is one that could be built, so nothing cancels that does not cancel in general.
(Offsets of the joint angles are zero: they choose where angles are counted from, no more.)
"""

from __future__ import annotations

import random

import numpy as np

from .angles import angle
from .arm import DH, Array, Convention, Link, Manipulator
from .bodies import rigid_body, rounded

DIGITS = 5  # decimals of every number


def generic_arm(n: int, seed: int = 0, convention: Convention = "standard") -> Manipulator:
    """An arm of `n` revolute joints; the first links of a longer arm are those of a shorter."""
    if n < 1:
        raise ValueError(f"an arm needs at least one joint, not {n}")
    draw = random.Random(seed)  # only .random(): the same on every machine and version
    links = tuple(_link(draw) for _ in range(n))
    return Manipulator(
        name=f"generic{n}" if convention == "standard" else f"generic{n}_modified",
        links=links,
        convention=convention,
        description=f"generic arm of {n} revolute joints, seed {seed}",
        source="made up for scaling studies; physically valid",
    )


def _link(draw: random.Random) -> Link:
    a, d = _either_sign(draw, 0.1, 0.5), _either_sign(draw, 0.05, 0.3)
    twist, mass = _either_sign(draw, 0.3, 1.2), _between(draw, 0.5, 5.0)
    com = [_either_sign(draw, 0.02, 0.2) for _ in range(3)]
    body = rounded(rigid_body(mass, com, _inertia(draw, mass)))
    return Link("revolute", DH(a, angle(twist), d, angle(0.0)), body)


def _inertia(draw: random.Random, mass: float) -> Array:
    """Inertia about the centre of mass: masses at +-r for three positions r, and a sphere."""
    second = np.eye(3) * (mass * 0.03**2)
    for _ in range(3):
        r = np.array([_either_sign(draw, 0.03, 0.15) for _ in range(3)])
        second = second + mass / 3.0 * np.outer(r, r)
    inertia: Array = np.round(np.trace(second) * np.eye(3) - second, DIGITS)
    # a product of inertia that happens to vanish would not be generic
    return inertia if np.all(np.abs(inertia) > 1e-4) else _inertia(draw, mass)


def _between(draw: random.Random, low: float, high: float) -> float:
    return round(low + (high - low) * draw.random(), DIGITS)


def _either_sign(draw: random.Random, low: float, high: float) -> float:
    return _between(draw, low, high) * (-1.0 if draw.random() < 0.5 else 1.0)
