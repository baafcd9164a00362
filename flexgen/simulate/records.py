"""Columns of what an engine records at an output time, and of its state.

State: (t, q, qd, w), w being the work of tau, of the wrench, of damping and of gravity with
springs. Record: q, qd, qdd, tau, w, kinetic and potential energy, position of the tip.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from .signals import Array

INTEGRALS = 4


class Reason(IntEnum):
    """Why a stretch ended, with the numbers of `fortran/integrate.f90`."""

    DONE = 0
    NOT_FINITE = 1
    SINGULAR = 2
    STEP_TOO_SMALL = 3
    NO_CONVERGENCE = 4

    @property
    def text(self) -> str:
        """The same in words."""
        return _WORDS[self]


_WORDS = {
    Reason.DONE: "done",
    Reason.NOT_FINITE: "the state is not finite any more",
    Reason.SINGULAR: "the inertia matrix is not positive definite",
    Reason.STEP_TOO_SMALL: "the step that the tolerances ask for has become too small",
    Reason.NO_CONVERGENCE: "Newton's method does not converge; take a smaller step",
}


@dataclass(frozen=True)
class Layout:
    """Where things stand in a record of n coordinates."""

    n: int

    @property
    def width(self) -> int:
        """Length of a record."""
        return 4 * self.n + INTEGRALS + 2 + 3

    @property
    def state(self) -> int:
        """Length of a state with its time."""
        return 1 + 2 * self.n + INTEGRALS

    def split(self, records: Array) -> dict[str, Array]:
        """Records (T, width) by name."""
        n = self.n
        names = ["q", "qd", "qdd", "tau", "integrals", "kinetic", "potential", "tip"]
        sizes = [n, n, n, n, INTEGRALS, 1, 1, 3]
        parts = np.split(records, np.cumsum(sizes)[:-1], axis=1)
        found = dict(zip(names, parts, strict=True))
        for name in ("kinetic", "potential"):
            found[name] = found[name][:, 0]
        return found


@dataclass(frozen=True)
class Settings:
    """How an engine integrates."""

    method: str
    step: float  # largest step of an adaptive method
    rtol: float
    atol: float
    radius: float  # of the implicit method: spectral radius at infinite frequency


@dataclass
class Counts:
    """What an engine has done; it adds to them."""

    steps: float = 0.0
    rejected: float = 0.0
    evaluations: float = 0.0
    smallest: float = np.inf
