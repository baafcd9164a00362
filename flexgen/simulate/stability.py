"""Is the step small enough? Eigenvalues of the driven arm about its initial state.

The accelerations are linearised by differences, control included; what grows by itself (an
arm that stands upright) is no fault of the step and is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .signals import Array

Complex = NDArray[np.complex128]
Accelerations = Callable[[Array, Array], Array]  # of q and qd

SMALL = 1e-6  # difference, relative to 1 rad or m
ROUNDING = 1e-5  # of real parts, relative to the largest eigenvalue
ADVISED = 30.0  # steps in the shortest period, after El-Rayyes (1990)


@dataclass(frozen=True)
class Rates:
    """Eigenvalues of the linearised motion; `highest` is the largest frequency in rad/s."""

    values: Complex

    @property
    def highest(self) -> float:
        """Largest angular frequency."""
        return float(np.abs(self.values.imag).max(initial=0.0))

    @property
    def fastest(self) -> float:
        """Largest magnitude of an eigenvalue that does not grow."""
        return float(np.abs(self._decaying).max(initial=0.0))

    @property
    def _decaying(self) -> Complex:
        grows = self.values.real > ROUNDING * float(np.abs(self.values).max(initial=0.0))
        return self.values[~grows]

    def limit(self) -> float:
        """Largest step for which RK4 lets nothing grow that does not grow by itself."""
        values = self._decaying[np.abs(self._decaying) > 0.0]
        if not len(values):
            return np.inf
        # purely imaginary to rounding: exactly so
        largest = float(np.abs(values).max())
        values = np.where(np.abs(values.real) < ROUNDING * largest, 1j * values.imag, values)
        low, high = 0.0, 4.0 / largest
        for _ in range(60):
            middle = 0.5 * (low + high)
            grows = np.abs(_rk4(middle * values)).max() > 1.0 + 1e-12
            low, high = (low, middle) if grows else (middle, high)
        return low


def _rk4(z: Complex) -> Complex:
    """Growth of exp(z) by one step."""
    growth: Complex = 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))
    return growth


def rates(accelerations: Accelerations, free: NDArray[np.int_], q: Array, qd: Array) -> Rates:
    """Eigenvalues about a state; only the `free` coordinates move."""
    n, m = len(q), len(free)
    start = np.concatenate([q, qd])
    columns = []
    for at in (*free, *(n + free)):
        move = SMALL * np.eye(2 * n)[at]
        ends = [accelerations(state[:n], state[n:])[free] for state in (start + move, start - move)]
        columns.append((ends[0] - ends[1]) / (2.0 * SMALL))
    A = np.vstack([np.hstack([np.zeros((m, m)), np.eye(m)]), np.array(columns).T])
    values = np.linalg.eigvals(A) if np.isfinite(A).all() else np.zeros(0)
    return Rates(values.astype(np.complex128))
