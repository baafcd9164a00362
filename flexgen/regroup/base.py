"""Base parameters: which combinations of inertial parameters the torques depend on.

Torques are linear in the parameters, tau = Y(q, qd, qdd) pi. A column of Y that is a fixed
combination of others, column_j = sum_k B_kj column_k, adds nothing: pi_j may be set to zero
if pi_k becomes pi_k + B_kj pi_j (Gautier and Khalil 1990; numerically Gautier 1991). Columns
are taken in a given order of preference, so that those named first to be eliminated are
eliminated wherever the motion allows it. What a purpose does not ask for (gravity alone, say)
leaves more columns free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np

from ..formulations import origin
from ..formulations.lanes import bare, lanes
from ..formulations.parameters import labels, parameters, with_parameters
from ..manipulator.arm import Array, Manipulator

Purpose = Literal["inverse", "bias", "gravity", "coriolis", "inertia"]
Inverse = Callable[..., Array]
# which of gravity, velocities and accelerations take part
_PARTS: dict[str, tuple[bool, bool, bool]] = {
    "inverse": (True, True, True),
    "bias": (True, True, False),
    "gravity": (True, False, False),
    "coriolis": (False, True, False),
    "inertia": (False, False, True),
}
_STATES = 40
_DIGITS = 15  # coefficients are polynomials in the DH data: decimals with few digits
_EPS = float(np.finfo(np.longdouble).eps)
DEPENDENT = 1e-9  # a column this close to the others, relative to itself, depends on them


@dataclass(frozen=True)
class BaseParameters:
    """`combinations[k]` pairs the parameters of base parameter `names[k]` with coefficients."""

    names: tuple[str, ...]
    combinations: tuple[tuple[tuple[str, float], ...], ...]
    values: tuple[float, ...]
    without_effect: tuple[str, ...]  # parameters that occur in no combination


def regressor(
    arm: Manipulator,
    purpose: Purpose = "inverse",
    inverse: Inverse = origin.inverse,
    seed: int = 1,
) -> Array:
    """Y at random states, one column per parameter: shape (n * states, 10 links).

    `inverse` may be of any kind that reads bodies by their ten parameters about the origin.
    """
    rng = np.random.default_rng(seed)
    n, size = arm.n, 10 * len(arm.links)
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, n, _STATES)).astype(np.longdouble)
    weight, speed, growth = _PARTS[purpose]
    # one row more, of zeros: what the torques are without bodies
    units = lanes(np.eye(size + 1, dtype=np.longdouble)[:size, :, None])
    tau = inverse(
        with_parameters(arm, list(units)),
        lanes(q),
        lanes(qd * speed),
        lanes(qdd * growth),
        np.array(arm.gravity if weight else (0.0, 0.0, 0.0), dtype=np.longdouble),
        np.zeros(6),
    )
    blocks = [np.broadcast_to(bare(t), (size + 1, _STATES)) for t in tau]
    return np.concatenate([(t[:size] - t[size]).T for t in blocks]).astype(np.longdouble)


class Columns:
    """Relations between the columns of a regressor, for any order of elimination."""

    def __init__(self, Y: Array) -> None:
        norms = np.sqrt((Y * Y).sum(axis=0))
        floor = DEPENDENT * norms.max(initial=0.0)
        self.dead = norms <= floor
        self.scale = np.where(self.dead, np.longdouble(1.0), norms)
        # only inner products matter: an orthonormal basis makes the columns short
        self.unit = np.where(self.dead, np.longdouble(0.0), Y / self.scale)
        self.unit = _compressed(self.unit)

    def kept(self, order: Sequence[int]) -> list[int]:
        """Columns that stay when those of `order` are eliminated first where possible."""
        return sorted(self._basis(order)[0])

    def relations(self, order: Sequence[int]) -> tuple[list[int], Array]:
        """Columns kept, and B with column_j = sum_k B[k, j] column_k."""
        kept, Q = self._basis(order)
        T = Q.T @ self.unit  # upper triangular on the kept columns
        B = _back(T[:, kept], T) * self.scale[None, :] / self.scale[kept][:, None]
        B[:, self.dead] = 0.0
        at = np.argsort(kept)
        return [kept[k] for k in at], B[at]

    def _basis(self, order: Sequence[int]) -> tuple[list[int], Array]:
        listed = list(order)
        rest = [j for j in range(self.unit.shape[1]) if j not in set(listed)]
        kept: list[int] = []
        rows, rank = self.unit.shape
        Q = np.zeros((rows, min(rows, rank)), dtype=np.longdouble)
        for j in reversed(listed + rest):
            if len(kept) == rows:
                break
            if self.dead[j]:
                continue
            v, basis = self.unit[:, j], Q[:, : len(kept)]
            for _ in range(2):  # twice is enough (Parlett)
                v = v - basis @ (basis.T @ v)
            norm = np.sqrt(v @ v)
            if norm > DEPENDENT:
                Q[:, len(kept)] = v / norm
                kept.append(j)
        return kept, Q[:, : len(kept)]


def _compressed(A: Array) -> Array:
    """R with R^T R = A^T A and as many rows as A has rank."""
    Q = np.zeros((A.shape[0], 0), dtype=np.longdouble)
    left = A.copy()
    for _ in range(A.shape[1]):
        norms = np.sqrt((left * left).sum(axis=0))
        best = int(np.argmax(norms))
        if norms[best] <= 1e3 * _EPS:
            break
        v = left[:, best]
        v = v - Q @ (Q.T @ v)
        v = v / np.sqrt(v @ v)
        Q = np.column_stack([Q, v])
        left = left - np.outer(v, v @ left)
    return Q.T @ A


def _back(R: Array, rhs: Array) -> Array:
    """R^-1 rhs for upper triangular R, in extended precision."""
    x = np.zeros((R.shape[1], rhs.shape[1]), dtype=np.longdouble)
    for k in reversed(range(R.shape[1])):
        x[k] = (rhs[k] - R[k, k + 1 :] @ x[k + 1 :]) / R[k, k]
    return x


@dataclass(frozen=True)
class _Geometry:
    """What the regressor depends on, as a key: bodies do not matter."""

    key: tuple[Any, ...]
    arm: Manipulator = field(compare=False)


@cache
def _columns(geometry: _Geometry, purpose: Purpose) -> Columns:
    return Columns(regressor(geometry.arm, purpose))


def columns(arm: Manipulator, purpose: Purpose = "inverse") -> Columns:
    """Columns of the regressor of a rigid arm; remembered, since bodies do not enter."""
    key = (arm.convention, arm.gravity, tuple((k.joint, k.dh) for k in arm.links))
    return _columns(_Geometry(key, arm), purpose)


def default_order(n: int) -> tuple[int, ...]:
    """Masses and moments towards the base: what the last links can give away goes first."""
    return tuple(10 * i + k for i in reversed(range(n)) for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9))


def base_parameters(
    arm: Manipulator, purpose: Purpose = "inverse", order: Sequence[int] | None = None
) -> BaseParameters:
    """Base parameters with the parameters of `order` eliminated first where possible."""
    names = labels(arm)
    kept, B = columns(arm, purpose).relations(
        default_order(len(arm.links)) if order is None else order
    )
    old = [_decimal(v) for v in parameters(arm)]
    combinations, values = [], []
    for k, row in zip(kept, B, strict=True):
        terms = [(j, clean(c)) for j, c in enumerate(row) if j == k or (j not in kept and clean(c))]
        combinations.append(tuple((names[j], 1.0 if j == k else c) for j, c in terms))
        products = [old[j] * (1 if j == k else _decimal(c)) for j, c in terms]
        values.append(_sum(products))
    used = {name for combination in combinations for name, _ in combination}
    return BaseParameters(
        tuple(names[k] for k in kept),
        tuple(combinations),
        tuple(values),
        tuple(name for name in names if name not in used),
    )


def canonical(arm: Manipulator, purpose: Purpose, order: Sequence[int]) -> tuple[int, ...]:
    """Eliminated parameters, then kept ones: equal for orders that lead to the same arm."""
    kept = columns(arm, purpose).kept(order)
    gone = [j for j in range(10 * len(arm.links)) if j not in set(kept)]
    return (*gone, *kept)


def regroup(
    arm: Manipulator, purpose: Purpose = "inverse", order: Sequence[int] | None = None
) -> Manipulator:
    """The arm with base parameters only: the same torques for `purpose`, other bodies."""
    base = base_parameters(arm, purpose, order)
    found = dict(zip(base.names, base.values, strict=True))
    return with_parameters(arm, [found.get(name, 0.0) for name in labels(arm)])


def clean(x: Any) -> float:
    """Rounded to the digits that can be trusted; dust is zero."""
    value = float(x)
    return 0.0 if abs(value) < 1e-13 else float(f"{value:.{_DIGITS}g}")


def _decimal(x: Any) -> Fraction:
    """The decimal that a number was written as, so that sums of data cancel exactly."""
    return Fraction(repr(float(x)))


def _sum(terms: Sequence[Fraction]) -> float:
    total = sum(terms, Fraction(0))
    largest = max((abs(t) for t in terms), default=Fraction(0))
    if abs(total) <= largest * Fraction(1, 10**13):
        return 0.0
    return float(f"{float(total):.{_DIGITS}g}")
