"""A motion to look at: that of a simulation, or a sweep of the joints where there is none.

Arm and model -> `Motion`. In the sweep the joints follow smooth curves, one after another; the
rest of a flexible arm (links, joints behind elastic drives) answers as its equations say,

    H_ff x_f'' = -H_fd x_d'' - bias_f(q, q'),    f free, d driven

from the deflection at rest, as if the drives were strong enough for anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.integrate import solve_ivp

from ..geometry import Array, centrelines
from ..manipulator.arm import Manipulator
from ..modal.posture import actuated
from ..model import Model

PIECE: Final = (2.0, 12.0)  # seconds that one joint takes there and back, at least and at most
PERIODS: Final = 8.0  # of the slowest vibration in that time
SAMPLES: Final = 2000
LARGEST: Final = 0.08  # deflection that is aimed at, relative to the size of the arm
ANGLE, SLIDE = 0.7, 0.25  # how far a joint goes, rad and m, where no limits say otherwise
STEP: Final = 1e-6  # of central differences
LIVELY: Final = 12.0  # Hz: faster vibrations are first shown slowed down
SWEEP: Final = (
    "Joint sweep, made up for this page because the case has no simulation: one joint after "
    "another moves there and back on a smooth curve, whatever torque it takes."
)
ANSWER: Final = (
    " The links vibrate as their equations of motion say, from their rest under gravity."
)


@dataclass(frozen=True, eq=False)
class Motion:
    """Coordinates over time, and what to say about them."""

    time: Array  # (T,) s
    q: Array  # (T, n)
    label: str
    note: str
    speed: float = 1.0  # to begin with


def from_dataset(dataset: Any, arm: Manipulator, note: str = "") -> Motion:
    """The motion of a simulation."""
    names = tuple(str(c) for c in dataset["coordinate"].values)
    if names != arm.coordinates:
        raise ValueError(
            f"the simulation has the coordinates {', '.join(names)}; "
            f"{arm.name} has {', '.join(arm.coordinates)}"
        )
    time = np.asarray(dataset["time"].values, dtype=float)
    q = np.asarray(dataset["q"].transpose("time", "coordinate").values, dtype=float)
    if len(time) < 2 or not np.all(np.isfinite(q)) or np.any(np.diff(time) <= 0.0):
        raise ValueError("a motion needs two moments or more, in order, and finite coordinates")
    text = note or "Simulation of the arm."
    return Motion(time, q, "Simulation", text, _speed(arm, time, q))


def sweep(arm: Manipulator, model: Model) -> Motion:
    """The sweep of all joints, with the answer of the links and of elastic joints.

    Slow enough for the slowest vibration, and smaller where the links would bend too much.
    """
    driven = list(actuated(arm))
    free = [k for k in range(arm.n) if k not in driven]
    if not free:
        path = Sweep(arm, PIECE[0])
        return Motion(path.time, path.coordinates(driven), "Joint sweep", SWEEP)
    rest, hertz = _rest(arm, model, driven, free)
    piece = float(np.clip(PERIODS / hertz if hertz > 0.0 else np.inf, *PIECE))
    path = Sweep(arm, piece)
    for _ in range(8):
        q = path.coordinates(driven)
        q[:, free] = _answer(arm, model, path, rest, driven, free)
        straight = centrelines(arm, q, 3, exaggeration=0.0)
        moved = float(np.abs(centrelines(arm, q, 3) - straight).max())
        sag = float(np.abs(centrelines(arm, q[:1], 3) - straight[:1]).max())
        if moved <= 2.0 * sag + LARGEST * float(np.ptp(straight.reshape(-1, 3), axis=0).max()):
            break
        path = replace(path, scale=0.5 * path.scale)
    return Motion(path.time, q, "Joint sweep", SWEEP + ANSWER, _speed(arm, path.time, q))


@dataclass(frozen=True)
class Sweep:
    """Positions of the drives over time: one after the other, at last all at once."""

    arm: Manipulator
    piece: float  # s
    scale: float = 1.0

    @property
    def time(self) -> Array:
        """Moments to look at."""
        pieces = self.arm.n_joints + (self.arm.n_joints > 1)
        return np.linspace(0.0, self.piece * pieces, SAMPLES + 1)

    def coordinates(self, driven: list[int]) -> Array:
        """All coordinates at all moments, (T, n), with the driven ones alone in motion."""
        q = np.zeros((SAMPLES + 1, self.arm.n))
        q[:, driven] = [self(t)[0] for t in self.time]
        return q

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations of the drives."""
        count = self.arm.n_joints
        w = 2.0 * np.pi / self.piece
        q, qd, qdd = np.zeros((3, count))
        for i in range(count):
            q[i], far = _range(self.arm, i)
            far *= self.scale
            for number in {i, count if count > 1 else 0}:
                s = t - self.piece * number
                if 0.0 <= s <= self.piece:
                    # sin^3: position, rate and acceleration begin and end at zero
                    sine, cosine = np.sin(w * s), np.cos(w * s)
                    q[i] += far * sine**3
                    qd[i] += far * 3.0 * w * sine**2 * cosine
                    qdd[i] += far * 3.0 * w * w * (2.0 * sine * cosine**2 - sine**3)
        return q, qd, qdd


def _range(arm: Manipulator, i: int) -> tuple[float, float]:
    """Middle and amplitude of a joint, within its limits."""
    link = arm.links[i]
    wide = SLIDE if link.joint == "prismatic" else ANGLE
    if link.limits.q is None:
        return (0.5 if link.joint == "prismatic" and not link.dh.d else 0.0), wide
    low, high = link.limits.q
    return 0.5 * (low + high), min(wide, 0.4 * (high - low))


def _answer(
    arm: Manipulator, model: Model, path: Sweep, rest: Array, driven: list[int], free: list[int]
) -> Array:
    """The free coordinates over time while the drives follow the sweep."""
    block, coupling = np.ix_(free, free), np.ix_(free, driven)

    def rates(t: float, x: Array) -> Array:
        q, qd = np.zeros((2, arm.n))
        q[driven], qd[driven], qdd = path(t)
        q[free], qd[free] = np.split(x, 2)
        H = model.inertia(q)
        force = H[coupling] @ qdd + model.bias(q, qd)[free]
        return np.concatenate([qd[free], -np.linalg.solve(H[block], force)])

    first = np.concatenate([rest, np.zeros(len(free))])
    time = path.time
    ends = (float(time[0]), float(time[-1]))
    found = solve_ivp(rates, ends, first, "LSODA", time, rtol=1e-5, atol=1e-8)
    if not found.success:
        raise ValueError(f"{arm.name}: the joint sweep could not be computed: {found.message}")
    return np.asarray(found.y[: len(free)].T)


def _rest(
    arm: Manipulator, model: Model, driven: list[int], free: list[int]
) -> tuple[Array, float]:
    """The free coordinates under gravity at the start of the sweep, and the lowest frequency.

    By Newton's method; the frequency is 0 where the arm does not vibrate about that state.
    """
    q = np.zeros(arm.n)
    q[driven] = [_range(arm, i)[0] for i in range(arm.n_joints)]
    q[: arm.n_joints] = q[driven]
    steps = STEP * np.eye(arm.n)[free]
    for _ in range(50):
        slope = [(model.gravity(q + h) - model.gravity(q - h))[free] / (2.0 * STEP) for h in steps]
        stiffness = np.array(slope).T
        change = np.linalg.solve(stiffness, model.gravity(q)[free])
        q[free] -= change
        if np.abs(change).max() < 1e-12:
            break
    squares = np.linalg.eigvals(np.linalg.solve(model.inertia(q)[np.ix_(free, free)], stiffness))
    return q[free], float(np.sqrt(max(squares.real.min(), 0.0))) / (2.0 * np.pi)


def _speed(arm: Manipulator, time: Array, q: Array) -> float:
    """How fast the motion is first shown: slowed down if the links vibrate fast."""
    bends = [k for at in arm.mode_ranges for k in at.all]
    if not bends:
        return 1.0
    moving = q[:, bends] - q[:, bends].mean(axis=0)
    most = moving[:, int(np.argmax(np.ptp(moving, axis=0)))]
    crossings = int(np.count_nonzero(np.diff(np.signbit(most))))
    hertz = 0.5 * crossings / float(time[-1] - time[0])
    return 0.1 if hertz > LIVELY else 0.25 if hertz > 0.3 * LIVELY else 1.0
