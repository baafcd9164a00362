"""Functions of time that drive an arm: piecewise polynomials, so that Fortran can follow them.

Numbers come in (`constant`, `table`, `polynomial`); a `Signal` goes out. Before its first
piece and after its last a signal goes on with the polynomial of that piece; a table ends in
pieces that are constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Interpolation = Literal["linear", "cubic", "steps"]
INTERPOLATIONS = ("linear", "cubic", "steps")


@dataclass(frozen=True, eq=False)
class Signal:
    """Piece k begins at breaks[k]; parts[k, j, i] belongs to (t - breaks[k])**j of value i."""

    breaks: Array
    parts: Array
    jumps: tuple[float, ...] = ()  # where the value jumps

    @property
    def size(self) -> int:
        """Number of values."""
        return int(self.parts.shape[2])

    def __call__(self, t: ArrayLike, derivative: int = 0, *, before: bool = False) -> Array:
        """Values at one time, (m,), or at many, (T, m); at a jump what follows it, or `before`."""
        times = np.asarray(t, dtype=float)
        side: Literal["left", "right"] = "left" if before else "right"
        piece = np.clip(np.searchsorted(self.breaks, times, side) - 1, 0, len(self.breaks) - 1)
        after = (times - self.breaks[piece])[..., None]
        powers = self.parts.shape[1]
        total = np.zeros((*times.shape, self.size))
        for j in reversed(range(derivative, powers)):
            factor = float(np.prod(np.arange(j - derivative + 1, j + 1))) if derivative else 1.0
            total = total * after + factor * self.parts[piece, j]
        return total

    def breaks_of(self, derivative: int) -> list[float]:
        """Times at which the value or one of its first derivatives jumps."""
        found = set(self.jumps)
        for order in range(1, derivative + 1):
            after, before = self(self.breaks, order), self(self.breaks, order, before=True)
            size = 1e-9 * float(np.abs(after).max(initial=0.0))
            found |= set(self.breaks[(np.abs(after - before) > size).any(axis=1)].tolist())
        return sorted(found)

    def among(self, places: ArrayLike, size: int) -> Signal:
        """The signal as part of a longer one, zero elsewhere."""
        parts = np.zeros((*self.parts.shape[:2], size))
        parts[:, :, np.asarray(places, dtype=int)] = self.parts
        return Signal(self.breaks, parts, self.jumps)

    def plain(self) -> dict[str, Any]:
        """Numbers that tell all of it, for a file."""
        return {
            "breaks": self.breaks.tolist(),
            "parts": self.parts.tolist(),
            "jumps": list(self.jumps),
        }


def from_plain(numbers: dict[str, Any]) -> Signal:
    """The signal that `Signal.plain` told of."""
    breaks, parts = np.array(numbers["breaks"], float), np.array(numbers["parts"], float)
    return Signal(breaks, parts, tuple(numbers["jumps"]))


def constant(values: ArrayLike) -> Signal:
    """The same at all times."""
    return polynomial(np.atleast_1d(_finite(values, "constant"))[:, None])


def polynomial(coefficients: ArrayLike) -> Signal:
    """Row i holds c0, c1, c2, ... of value i: c0 + c1 t + c2 t**2 + ..."""
    rows = np.atleast_2d(_finite(coefficients, "polynomial"))
    if rows.ndim != 2 or not rows.size:
        raise ValueError("polynomial: one row of coefficients for each value is expected")
    return Signal(np.zeros(1), np.ascontiguousarray(rows.T)[None])


def table(times: ArrayLike, values: ArrayLike, interpolation: Interpolation = "linear") -> Signal:
    """Values (T, m), or (T,) for one, at times (T,); before and after them they stay.

    Two rows with the same time make a jump (not for cubic). "steps" keeps each row until the
    next.
    """
    t, v = _finite(times, "table: times"), _finite(values, "table: values")
    v = v[:, None] if v.ndim == 1 else v
    if interpolation not in INTERPOLATIONS:
        known = ", ".join(INTERPOLATIONS)
        raise ValueError(f"table: interpolation must be one of {known}, not {interpolation!r}")
    if t.ndim != 1 or v.ndim != 2 or len(t) != len(v) or not v.size:
        raise ValueError(f"table: {t.shape} times do not go with {v.shape} values")
    falls = np.flatnonzero(np.diff(t) < 0.0)
    if falls.size:
        row = int(falls[0]) + 2
        raise ValueError(f"table: time decreases in row {row}, to {t[row - 1]:g}")
    equal = np.flatnonzero(np.diff(t) == 0.0)
    if interpolation == "cubic" and (equal.size or len(t) < 2):
        raise ValueError("table: cubic interpolation needs two rows or more, at different times")
    if interpolation == "steps":
        last = np.append(np.diff(t) > 0.0, True)
        return Signal(t[last], v[last][:, None, :], tuple(t[last][1:].tolist()))
    if interpolation == "cubic":
        from scipy.interpolate import CubicSpline

        parts = np.ascontiguousarray(CubicSpline(t, v).c[::-1].transpose(1, 0, 2))
        starts = t[:-1]
    else:
        keep = np.diff(t) > 0.0
        starts = t[:-1][keep]
        slopes = np.diff(v, axis=0)[keep] / np.diff(t)[keep][:, None]
        parts = np.stack([v[:-1][keep], slopes], axis=1)
    ends = np.zeros((2, parts.shape[1], v.shape[1]))
    ends[:, 0] = v[0], v[-1]
    # any break will do for what is constant, as long as it comes before the table
    breaks = np.concatenate([[t[0] - 1.0], starts, [t[-1]]])
    jumps = tuple(t[equal].tolist())
    return Signal(breaks, np.concatenate([ends[:1], parts, ends[1:]]), jumps)


def _finite(values: ArrayLike, what: str) -> Array:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: numbers are expected") from None
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0]
        row = f" in row {place[0] + 1}" if array.ndim else ""
        raise ValueError(f"{what}: a number that is not finite{row}")
    return array
