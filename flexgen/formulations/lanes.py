"""A scalar that is many numbers: one run of a formulation serves all states and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..manipulator.arm import Array


class Lanes:
    """Wraps an array so that object arrays take it for one scalar; shapes broadcast."""

    __slots__ = ("value",)

    def __init__(self, value: Array) -> None:
        self.value = value

    def __add__(self, other: Any) -> Lanes:
        if isinstance(other, np.ndarray):  # a vector of scalars: its entries come here
            return NotImplemented
        return Lanes(self.value + bare(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Lanes:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Lanes(self.value - bare(other))

    def __rsub__(self, other: Any) -> Lanes:
        return Lanes(bare(other) - self.value)

    def __mul__(self, other: Any) -> Lanes:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Lanes(self.value * bare(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Lanes:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Lanes(self.value / bare(other))

    def __rtruediv__(self, other: Any) -> Lanes:
        return Lanes(bare(other) / self.value)

    def __neg__(self) -> Lanes:
        return Lanes(-self.value)

    def sin(self) -> Lanes:
        """Called by `np.sin` on object arrays."""
        return Lanes(np.sin(self.value))

    def cos(self) -> Lanes:
        """Called by `np.cos` on object arrays."""
        return Lanes(np.cos(self.value))


def bare(x: Any) -> Any:
    """The number or array behind a scalar."""
    return x.value if isinstance(x, Lanes) else x


def lanes(rows: Array) -> Array:
    """Vector of scalars, one per row."""
    vector = np.empty(len(rows), dtype=object)
    vector[:] = [Lanes(row) for row in rows]
    return vector
