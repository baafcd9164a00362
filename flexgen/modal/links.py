"""Beam data -> frequencies of each link alone, clamped at its root.

These are not frequencies of the arm, which depend on everything else as well, but they are what
a maker of links knows. Modal mass of a tip body with mass m, first moment m c and inertia J
about the tip, for tip values t and slopes s of the shapes:

    m t t^T + m c_x (t s^T + s t^T) + J s s^T
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..manipulator.arm import Link, Manipulator
from ..manipulator.beam import integrals
from .eigen import undamped
from .result import Array, LinkFrequencies


def link_frequencies(arm: Manipulator) -> tuple[LinkFrequencies, ...]:
    """Of every flexible link, in every direction in which it has modes."""
    return tuple(
        _alone(i, link, direction)
        for i, link in enumerate(arm.links, 1)
        for direction, count in zip(("torsion", "y", "z"), link.modes, strict=True)
        if count
    )


def _alone(i: int, link: Link, direction: str) -> LinkFrequencies:
    assert link.beam is not None
    known, tip = integrals(link.beam), link.tip
    J = np.diag(tip.inertia_origin).astype(float)
    twists, y, z = link.modes
    if direction == "torsion":
        name: Literal["torsion", "y", "z"] = "torsion"
        K = known.stiffness[:twists]
        M = known.polar_mass + J[0] * np.outer(known.twist, known.twist)
        own = np.full(twists, 0.5 * known.polar)
    else:
        name = "y" if direction == "y" else "z"
        count, first = (y, twists) if name == "y" else (z, twists + y)
        K = known.stiffness[first : first + count]
        t, s = known.t[2 : 2 + count], known.slope[:count]
        across = np.outer(t, s)
        M = known.G[2 : 2 + count, 2 : 2 + count] + tip.mass * np.outer(t, t)
        M = M + tip.moment[0] * (across + across.T) + J[2 if name == "y" else 1] * np.outer(s, s)
        own = np.full(count, link.beam.mass)
    squares, _ = undamped(M, np.diag(K))
    return LinkFrequencies(i, name, _hertz(K / own), _hertz(squares))


def _hertz(squares: Array) -> tuple[float, ...]:
    return tuple((np.sqrt(np.abs(squares)) / (2.0 * np.pi)).tolist())
