"""An arm that takes up or lays down a payload at some time: Manipulator -> Manipulator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..manipulator.arm import Manipulator, body_about_com, join
from ..manipulator.bodies import is_nothing
from ..model import Model
from .signals import Array

Grasp = Literal["moving", "resting"]


@dataclass(frozen=True, eq=False)
class Payload:
    """From `time` on the arm carries this, in place of what it took up before.

    Args:
        time: when the hand closes.
        mass: of the payload; 0 lays down what was carried.
        com: its centre of mass in the last frame.
        inertia: (3, 3) about its centre of mass, in the axes of the last frame.
        grasp: "moving": the payload moves with the hand when it is taken up (it was grasped
            at rest relative to the hand, or stood on what moves with it), so that qd does not
            jump. "resting": it is at rest in the base and jerked along: qd jumps so that the
            generalized momentum H qd is kept, and energy is lost, as in a plastic impact.
    """

    time: float
    mass: float
    com: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike = ((0.0,) * 3,) * 3
    grasp: Grasp = "moving"

    def __post_init__(self) -> None:
        numbers = [self.time, self.mass, *np.ravel(self.com), *np.ravel(self.inertia)]
        if not np.isfinite(np.array(numbers, dtype=float)).all():
            raise ValueError("payload: finite numbers are expected")
        if self.mass < 0.0 or np.shape(self.com) != (3,) or np.shape(self.inertia) != (3, 3):
            raise ValueError("payload: mass >= 0, com (3,) and inertia (3, 3) are expected")
        if np.linalg.eigvalsh(np.array(self.inertia, float)).min() < -1e-12:
            raise ValueError("payload: a principal moment is negative")
        if self.grasp not in ("moving", "resting"):
            raise ValueError(f'payload: grasp must be "moving" or "resting", not {self.grasp!r}')


def loaded(arm: Manipulator, payload: Payload) -> Manipulator:
    """The arm with the payload fixed to its last frame; of a flexible link, to its tip."""
    com, inertia = np.array(payload.com, float), np.array(payload.inertia, float)
    body = body_about_com(float(payload.mass), com, inertia)
    if is_nothing(body):
        return arm
    last = arm.links[-1]
    if last.beam is None:
        last = replace(last, body=join(last.body, body))
    else:
        last = replace(last, tip=join(last.tip, body))
    return replace(arm, links=(*arm.links[:-1], last))


def after_impact(
    before: Model, after: Model, held: NDArray[np.bool_], q: Array, qd: Array
) -> Array:
    """Rates after a payload at rest was taken up: H_after qd = H_before qd for what is free."""
    free = ~held
    momentum = (before.inertia(q) @ qd)[free]
    H = after.inertia(q)
    new = qd.copy()
    rest = momentum - H[np.ix_(free, held)] @ qd[held]
    new[free] = np.linalg.solve(H[np.ix_(free, free)], rest)
    return new
