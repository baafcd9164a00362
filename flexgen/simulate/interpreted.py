"""The engine in Python: for torques that are functions, methods of SciPy, no compiler.

The state and the records are those of the compiled engine; accelerations come from the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..emit import load_python, python_text
from ..manipulator.arm import Manipulator
from ..model import Model
from .drive import Drive
from .library import potential_program
from .records import INTEGRALS, Counts, Layout, Reason, Settings
from .signals import Array

SCIPY = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
# what stands for our own methods where Fortran cannot help
STANDS_FOR = {"dopri5": "RK45", "implicit": "Radau"}


class Singular(ValueError):
    """The inertia matrix is not positive definite."""


class Interpreted:
    """An arm, driven; `state` moves on with `advance`."""

    def __init__(
        self,
        model: Model,
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
        self._model, self._n, self._drive, self._settings = model, arm.n, drive, settings
        self._damping, self._follow = damping, follow
        self._layout = Layout(arm.n)
        self._held = np.array(drive.held)
        self._potential = load_python(python_text([potential_program(arm)]))["potential"]
        self._end = np.inf

    def restart(self) -> None:
        """Nothing is remembered between stretches."""

    def _at(self, t: float, y: Array) -> tuple[Array, Array, Array, Array, Array]:
        """q, qd, qdd, tau and the load of the wrench at a state."""
        n, drive, model, held = self._n, self._drive, self._model, self._held
        q, qd, qdd = y[:n].copy(), y[n : 2 * n].copy(), np.zeros(n)
        before = t >= self._end  # what follows a jump belongs to the next stretch
        if held.any():
            for value, order in ((q, 0), (qd, 1), (qdd, 2)):
                value[held] = drive.motion(t, order, before=before)[held]
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            raise FloatingPointError
        tau = drive.torques(model, t, q, qd, before)
        load = drive.load(model, t, q, before)
        if not np.isfinite(tau + load).all():
            raise FloatingPointError
        if not held.any():
            return q, qd, model.direct(q, qd, tau + load), tau, load
        H, b = model.inertia(q), model.bias(q, qd)
        free = ~held
        rest = (tau + load - b)[free] - H[np.ix_(free, held)] @ qdd[held]
        try:
            np.linalg.cholesky(H[np.ix_(free, free)])
        except np.linalg.LinAlgError:
            raise Singular from None
        qdd[free] = np.linalg.solve(H[np.ix_(free, free)], rest)
        tau[held] = (H @ qdd + b - load)[held]
        return q, qd, qdd, tau, load

    def _rate(self, t: float, y: Array) -> Array:
        self.counts.evaluations += 1
        q, qd, qdd, tau, load = self._at(t, y)
        stored = self._model.gravity(q) @ qd if self._follow else 0.0
        return np.array([*qd, *qdd, tau @ qd, load @ qd, self._damping @ (qd * qd), stored])

    def _record(self, t: float, y: Array) -> Array:
        q, qd, qdd, tau, _ = self._at(t, y)
        v = np.reshape(self._potential(q), 1)
        kinetic = 0.5 * (qd @ self._model.inertia(q) @ qd)
        tip = self._model.pose(q)[:3, 3]
        w = y[2 * self._n : 2 * self._n + INTEGRALS]
        return np.concatenate([q, qd, qdd, tau, w, [kinetic], v, tip])

    def advance(self, times: Array, start: float, end: float) -> tuple[Array, Reason]:
        """Records at `times`, as far as they were reached; `start` to `end` is without jumps."""
        self._end = end
        records: list[Array] = []
        go = self._rk4 if self._settings.method == "rk4" else self._scipy
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                reason = go(times, records)
        except FloatingPointError:
            reason = Reason.NOT_FINITE
        except Singular:
            reason = Reason.SINGULAR
        except ValueError as error:
            if "positive definite" not in str(error):
                raise
            reason = Reason.SINGULAR
        width = self._layout.width
        return np.array(records).reshape(len(records), width), reason

    def _rk4(self, times: Array, records: list[Array]) -> Reason:
        f, counts = self._rate, self.counts
        for end in times:
            t, y = self.state[0], self.state[1:].copy()
            parts = int(np.ceil((end - t) / self._settings.step * (1.0 - 1e-9)))
            h = (end - t) / max(parts, 1)
            for j in range(parts):
                at = t + j * h
                k1 = f(at, y)
                k2 = f(at + h / 2, y + h / 2 * k1)
                k3 = f(at + h / 2, y + h / 2 * k2)
                k4 = f(at + h if j + 1 < parts else end, y + h * k3)
                y = y + h / 6 * (k1 + 2 * (k2 + k3) + k4)
                if not np.isfinite(y).all():
                    return Reason.NOT_FINITE
                counts.steps += 1
                counts.smallest = min(counts.smallest, h)
                self.state[0], self.state[1:] = at + h, y
            self.state[0] = end
            records.append(self._record(end, y))
        return Reason.DONE

    def _scipy(self, times: Array, records: list[Array]) -> Reason:
        import scipy.integrate

        s, counts = self._settings, self.counts
        start, y = float(self.state[0]), self.state[1:].copy()
        done = 0
        while done < len(times) and times[done] <= start:
            records.append(self._record(start, y))
            done += 1
        if done == len(times):
            return Reason.DONE
        kind = getattr(scipy.integrate, STANDS_FOR.get(s.method, s.method))
        solver: Any = kind(
            self._rate, start, y, float(times[-1]), rtol=s.rtol, atol=s.atol, max_step=s.step
        )
        while solver.status == "running":
            solver.step()
            if solver.status == "failed":
                return Reason.STEP_TOO_SMALL
            counts.steps += 1
            counts.smallest = min(counts.smallest, float(solver.step_size))
            dense = solver.dense_output()
            while done < len(times) and times[done] <= solver.t:
                records.append(self._record(float(times[done]), dense(times[done])))
                done += 1
            self.state[0], self.state[1:] = solver.t, solver.y
            if not np.isfinite(solver.y).all():
                return Reason.NOT_FINITE
        return Reason.DONE
