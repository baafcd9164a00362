"""The engine in Fortran: a chunk of output times is one call."""

from __future__ import annotations

import numpy as np

from ..manipulator.arm import Manipulator
from .drive import Drive
from .library import Run, call
from .records import Counts, Layout, Reason, Settings
from .signals import Array, Signal, constant

METHODS = {"rk4": 1, "dopri5": 2, "implicit": 3}


class Compiled:
    """An arm, driven, as compiled code sees it; `state` moves on with `advance`."""

    def __init__(
        self,
        run: Run,
        arm: Manipulator,
        drive: Drive,
        settings: Settings,
        state: Array,
        counts: Counts,
        damping: Array,
        follow: bool,
    ) -> None:
        self.state = state.copy()
        self.counts = counts
        self._run, self._layout = run, Layout(arm.n)
        loaded, base = drive.wrench is not None, drive.frame == "base"
        self._choices = np.array(
            [METHODS[settings.method], drive.law, loaded, base, follow, arm.n_joints],
            dtype=np.intc,
        )
        self._settings = settings
        self._held = np.array(drive.held, dtype=np.intc)
        self._gains = np.array([drive.kp, drive.kd])
        self._damping = damping
        wrench = constant(np.zeros(6)) if drive.wrench is None else drive.wrench
        signals: tuple[Signal, ...] = (drive.torque, drive.reference, wrench, drive.motion)
        self._signals = [np.ascontiguousarray(a) for s in signals for a in (s.breaks, s.parts)]
        self._memory = np.zeros(2 + arm.n)

    def restart(self) -> None:
        """Forget what the integrator remembers: something jumps here."""
        self._memory[:] = 0.0

    def advance(self, times: Array, start: float, end: float) -> tuple[Array, Reason]:
        """Records at `times`, as far as they were reached; `start` to `end` is without jumps."""
        records = np.empty((len(times), self._layout.width))
        s, c = self._settings, self.counts
        numbers = np.array([s.step, s.rtol, s.atol, s.radius, start, end])
        counts = np.array([c.steps, c.rejected, c.evaluations, c.smallest])
        answer = np.zeros(2, dtype=np.intc)
        fixed = (self._choices, numbers, self._held, self._gains, self._damping)
        moving = (self.state, self._memory, counts, records, answer)
        call(self._run, *fixed, np.ascontiguousarray(times), *self._signals, *moving)
        c.steps, c.rejected, c.evaluations, c.smallest = counts.tolist()
        return records[: answer[0]], Reason(int(answer[1]))
