"""Arrays of double-double numbers: about 31 digits, one number per state.

Error-free sums and products by Knuth and Dekker (1971); functions by multiple precision,
element by element. Fast enough to check a program of a thousand nodes at a hundred states
whenever a search has finished.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .fingerprint import context, functions

_DIGITS = 40
_SPLIT = 134217729.0  # 2**27 + 1
Floats = np.ndarray[Any, Any]


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _quick(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    s = a + b
    return s, b - (s - a)


def _split(a: Floats) -> tuple[Floats, Floats]:
    t = _SPLIT * a
    high = t - (t - a)
    return high, a - high


class Wide:
    """An array of numbers hi + lo."""

    __slots__ = ("hi", "lo")

    def __init__(self, hi: Any, lo: Any = 0.0) -> None:
        self.hi: Floats = np.asarray(hi, dtype=float)
        self.lo: Floats = np.asarray(lo, dtype=float)

    def __neg__(self) -> Wide:
        return Wide(-self.hi, -self.lo)

    def __add__(self, other: Wide) -> Wide:
        s, e = _two_sum(self.hi, other.hi)
        t, f = _two_sum(self.lo, other.lo)
        s, e = _quick(s, e + t)
        return Wide(*_quick(s, e + f))

    def __sub__(self, other: Wide) -> Wide:
        return self + -other

    def __mul__(self, other: Wide) -> Wide:
        p = self.hi * other.hi
        (ah, al), (bh, bl) = _split(self.hi), _split(other.hi)
        e = ((ah * bh - p) + ah * bl + al * bh) + al * bl
        return Wide(*_quick(p, e + (self.hi * other.lo + self.lo * other.hi)))

    def __truediv__(self, other: Wide) -> Wide:
        q = Wide(self.hi / other.hi)
        r = self - q * other
        correction = Wide(r.hi / other.hi)
        r = r - correction * other
        return q + correction + Wide(r.hi / other.hi)


def wide_functions() -> dict[str, Callable[[Wide], Wide]]:
    """The functions of the graph; not a number where they are not real."""
    mp = context(_DIGITS)

    def lifted(function: Callable[..., Any]) -> Callable[[Wide], Wide]:
        def apply(x: Wide) -> Wide:
            hi, lo = np.broadcast_arrays(x.hi, x.lo)
            found = np.full((2, *hi.shape), np.nan)
            for at in np.ndindex(hi.shape):
                try:
                    y = function(mp.mpf(float(hi[at])) + mp.mpf(float(lo[at])))
                except (ValueError, ZeroDivisionError):
                    continue
                if not isinstance(y, mp.mpc) and mp.isfinite(y):
                    found[(0, *at)] = float(y)
                    found[(1, *at)] = float(y - mp.mpf(float(y)))
            return Wide(found[0], found[1])

        return apply

    return {name: lifted(function) for name, function in functions(_DIGITS).items()}
