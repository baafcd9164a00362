"""What drives an arm: torque laws, wrenches and prescribed motion, in the order of its coordinates.

What a user gives (vectors, tables, `PD`, `ComputedTorque`, a function) comes in; a `Drive`
goes out. The same formulas stand in `fortran/drive.f90`; here they serve functions written in
Python, methods of SciPy and arms without a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..manipulator.arm import Manipulator
from ..manipulator.faults import nearest
from ..model import Frame, Model
from .signals import Array, Signal, constant

TorqueFunction = Callable[[float, Array, Array], ArrayLike]
NONE, PROPORTIONAL, COMPUTED = 0, 1, 2


@dataclass(frozen=True, eq=False)
class PD:
    """tau = feedforward + kp (r - q) + kd (rd - qd) at the joints.

    Gains are one number or one for each joint; the reference is a signal or a posture of the
    joints.
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: Signal | ArrayLike
    feedforward: Signal | ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """tau = feedforward + inverse(q, qd, rdd + kp (r - q) + kd (rd - qd)).

    For a flexible arm the inverse is taken with all deflections at zero and at rest, and only
    its joint torques are used: the torques of the arm with rigid links. Vibrations are neither
    seen nor damped, so the joints follow the reference only as far as these allow, and high
    gains can make a soft arm unstable.
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: Signal | ArrayLike
    feedforward: Signal | ArrayLike | None = None


Torque = Signal | ArrayLike | PD | ComputedTorque | TorqueFunction | None


@dataclass(frozen=True, eq=False)
class Drive:
    """All that drives an arm of n coordinates and m joints."""

    torque: Signal  # n values
    law: int
    reference: Signal  # m values
    kp: Array
    kd: Array
    wrench: Signal | None
    frame: Frame
    motion: Signal  # n values, used where `held`
    held: tuple[bool, ...]
    function: TorqueFunction | None = None

    def jumps(self, start: float, end: float) -> list[float]:
        """Times strictly between two at which a force or a prescribed acceleration jumps."""
        found = {*self.torque.jumps, *self.motion.breaks_of(2)}
        found |= set(self.reference.breaks_of(self.law))  # rates count for PD, all for computed
        if self.wrench is not None:
            found |= set(self.wrench.jumps)
        return sorted(t for t in found if start < t < end)

    def torques(self, model: Model, t: float, q: Array, qd: Array, before: bool = False) -> Array:
        """Tau at a state, but for what is held."""
        tau = self.torque(t, before=before)
        if self.function is not None:
            given = np.asarray(self.function(t, q.copy(), qd.copy()), dtype=float)
            if given.ndim != 1 or len(given) not in (len(q), len(self.kp)):
                raise ValueError(f"torque: the function returned the shape {given.shape}")
            tau[: len(given)] += given
        if self.law == NONE:
            return tau
        m = len(self.kp)
        r, rd, rdd = (self.reference(t, order, before=before) for order in range(3))
        x = self.kp * (r - q[:m]) + self.kd * (rd - qd[:m])
        if self.law == COMPUTED:
            straight, rates, wanted = np.zeros((3, len(q)))
            straight[:m], rates[:m], wanted[:m] = q[:m], qd[:m], rdd + x
            x = model.inverse(straight, rates, wanted)[:m]
        tau[:m] += x
        return tau

    def load(self, model: Model, t: float, q: Array, before: bool = False) -> Array:
        """Generalized forces of the wrench."""
        if self.wrench is None:
            return np.zeros(len(q))
        return model.external(q, self.wrench(t, before=before), self.frame)


def drive_of(
    arm: Manipulator,
    torque: Torque = None,
    wrench: Signal | ArrayLike | None = None,
    frame: Frame = "tip",
    hold: Iterable[str] = (),
    motion: Mapping[str, Signal] | None = None,
    start: Array | None = None,
) -> Drive:
    """What a user gave, checked against the arm; `start` is where held coordinates stay."""
    n, m = arm.n, arm.n_joints
    law, kp, kd = NONE, np.zeros(m), np.zeros(m)
    reference, function = constant(np.zeros(m)), None
    feed: Signal | ArrayLike | None = None
    if isinstance(torque, PD | ComputedTorque):
        law = PROPORTIONAL if isinstance(torque, PD) else COMPUTED
        kp, kd = _gains("kp", torque.kp, m), _gains("kd", torque.kd, m)
        reference = sized("reference", torque.reference, m, m)
        feed = torque.feedforward
    elif callable(torque) and not isinstance(torque, Signal):
        function = torque
    else:
        feed = torque
    if frame not in ("tip", "base"):
        raise ValueError(f'frame must be "tip" or "base", not {frame!r}')
    held, moved = _held(arm, hold, motion, np.zeros(n) if start is None else start)
    return Drive(
        torque=constant(np.zeros(n)) if feed is None else sized("torque", feed, n, m),
        law=law,
        reference=reference,
        kp=kp,
        kd=kd,
        wrench=None if wrench is None else sized("wrench", wrench, 6, 6),
        frame=frame,
        motion=moved,
        held=held,
        function=function,
    )


def sized(what: str, given: Signal | ArrayLike, size: int, joints: int) -> Signal:
    """A signal of `size` values; where only joints are given, the others are zero."""
    signal = given if isinstance(given, Signal) else constant(given)
    if signal.size == size:
        return signal
    if signal.size == joints:
        return signal.among(range(joints), size)
    wanted = f"{size}" if size == joints else f"{size} or {joints}"
    raise ValueError(f"{what}: {wanted} values are expected, not {signal.size}")


def _gains(what: str, given: ArrayLike, m: int) -> Array:
    gains = np.array(given, dtype=float)
    if gains.shape not in ((), (m,)) or not np.isfinite(gains).all():
        raise ValueError(f"{what}: one finite number or {m} are expected")
    return np.broadcast_to(gains, (m,)).copy()


def index(arm: Manipulator, name: str) -> int:
    """Where a coordinate stands."""
    if name not in arm.coordinates:
        hint = nearest(str(name), arm.coordinates)
        raise ValueError(f"{arm.name} has no coordinate '{name}'; {hint}")
    return arm.coordinates.index(name)


def _held(
    arm: Manipulator, hold: Iterable[str], motion: Mapping[str, Signal] | None, start: Array
) -> tuple[tuple[bool, ...], Signal]:
    """Which coordinates are held, and how they move."""
    hold = [hold] if isinstance(hold, str) else list(hold)
    signals = {at: constant(start[at]) for at in (index(arm, name) for name in hold)}
    for name, signal in (motion or {}).items():
        at = index(arm, name)
        if at in signals:
            raise ValueError(f"motion: {name} is held as well; say one of the two")
        if signal.size != 1 or signal.jumps:
            raise ValueError(f"motion: {name} needs one value without jumps")
        _is_smooth(name, signal)
        signals[at] = signal
    held = tuple(at in signals for at in range(arm.n))
    if all(held):
        raise ValueError("hold: nothing is left to move")
    return held, _joined(signals, arm.n)


def _is_smooth(name: str, signal: Signal) -> None:
    """Prescribed motion must have a rate everywhere it moves."""
    scale = np.abs(signal.parts[:, 1:2]).max(initial=0.0)
    for t in signal.breaks[2:-1]:
        jump = np.abs(signal(t, 1) - signal(t, 1, before=True)).max()
        if jump > 1e-6 * scale:
            raise ValueError(
                f"motion: the rate of {name} jumps at t = {t:g}; take cubic interpolation"
            )


def _joined(signals: Mapping[int, Signal], n: int) -> Signal:
    """Signals of single coordinates as one, on the union of their breaks."""
    if not signals:
        return constant(np.zeros(n))
    breaks = np.unique(np.concatenate([s.breaks for s in signals.values()]))
    powers = max(s.parts.shape[1] for s in signals.values())
    parts = np.zeros((len(breaks), powers, n))
    factorial = np.cumprod([1.0, *range(1, powers)])
    for at, signal in signals.items():
        for order in range(signal.parts.shape[1]):
            # Taylor's expansion at the new breaks; before its first one the first piece goes on
            parts[:, order, at] = signal(breaks, order)[:, 0] / factorial[order]
    return Signal(breaks, parts)
