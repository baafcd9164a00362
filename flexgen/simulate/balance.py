"""Energy of a run against the work done on it: a check that can fail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .signals import Array

LIMIT = 1e-3  # of the energy that was moved about


@dataclass(frozen=True, eq=False)
class Balance:
    """Energies over time; drift = kinetic + potential - what they began with - work."""

    kinetic: Array
    potential: Array
    torque: Array  # work of all generalized forces tau, held coordinates included
    wrench: Array
    damping: Array  # energy lost
    exchanged: Array  # brought in by payloads
    drift: Array

    @property
    def work(self) -> Array:
        """All that came in, less what was lost."""
        return self.torque + self.wrench - self.damping + self.exchanged

    @property
    def relative(self) -> float:
        """Largest drift over the energy that was moved about."""
        parts = (self.torque, self.wrench, self.damping, self.kinetic)
        moved = max(float(np.ptp(self.potential)), *(float(np.abs(p).max()) for p in parts))
        moved = max(moved, 1e-9 * float(np.abs(self.potential).max()))  # rounding of V
        return float(np.abs(self.drift).max()) / moved if moved > 0.0 else 0.0


def balance(
    kinetic: Array, potential: Array, integrals: Array, exchanged: Array, follow: bool
) -> Balance:
    """The balance of records; `exchanged` (T, 2): kinetic and potential energy of payloads.

    With `follow` the potential energy is what it was at the start plus the integrated power
    of gravity and springs: for equations that belong to no potential.
    """
    torque, wrench, damping, stored = integrals.T
    if follow:
        potential = potential[0] + stored + exchanged[:, 1]
    exchanged = exchanged.sum(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # NaN is a drift as well
        total = kinetic + potential
        drift = total - total[0] - (torque + wrench - damping + exchanged)
    return Balance(kinetic, potential, torque, wrench, damping, exchanged, drift)
