"""Joint variables that the torques do not depend on.

The first joint on a vertical axis, and the last one when its body is a rotor: symmetric about
the joint axis. They may be given any value, so one is given that makes the frame simple.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..formulations import origin
from ..manipulator.arm import Manipulator
from ..regroup.base import Purpose
from .known import Known, known

_STATES = 3


def still(arm: Manipulator, purpose: Purpose) -> dict[int, float]:
    """Joints whose variable has no effect, each with the value to use for it."""
    found = {}
    for j in _without_effect(known(arm), purpose):
        link = arm.links[j]
        plain = link.joint == "prismatic" or link.dh.theta.is_quarter
        found[j] = 0.0 if plain else -link.dh.theta.value
    return found


@cache
def _without_effect(key: Known, purpose: Purpose) -> tuple[int, ...]:
    arm = key.arm
    n = len(arm.links)
    rng = np.random.default_rng(7)
    speed = purpose in ("inverse", "bias", "coriolis")
    growth = purpose in ("inverse", "inertia")
    weight = np.asarray(arm.gravity, dtype=float) * (purpose in ("inverse", "bias", "gravity"))
    free = list(range(n))
    for _ in range(_STATES):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, n))
        rates = qd * speed, qdd * growth
        tau = origin.inverse(arm, q, *rates, weight, np.zeros(6))
        noise = 1e-12 * float(np.abs(tau).max(initial=1.0))
        for j in list(free):
            turned = q.copy()
            turned[j] += 0.8
            change = origin.inverse(arm, turned, *rates, weight, np.zeros(6)) - tau
            if np.abs(change).max() > noise:
                free.remove(j)
    return tuple(free)
