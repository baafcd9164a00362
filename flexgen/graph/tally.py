"""A number that counts: what a formulation costs when it is run as it is written.

Every operation counts, those with zeros and ones too; signs are free. This is the "numerical"
column of the literature's tables, against which generated code is measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .node import is_array
from .program import Counts


class Meter:
    """Operations seen so far."""

    def __init__(self) -> None:
        self.mul = self.add = self.trig = self.div = 0

    def number(self, value: Any) -> Tally:
        """A number that reports to this meter."""
        return Tally(float(value), self)


class Tally:
    """A float that reports its operations."""

    __slots__ = ("meter", "value")

    def __init__(self, value: float, meter: Meter) -> None:
        self.value, self.meter = value, meter

    def _sum(self, value: float) -> Tally:
        self.meter.add += 1
        return Tally(value, self.meter)

    def _product(self, value: float) -> Tally:
        self.meter.mul += 1
        return Tally(value, self.meter)

    def _trig(self, value: float) -> Tally:
        self.meter.trig += 1
        return Tally(value, self.meter)

    def __add__(self, other: Any) -> Tally:
        return NotImplemented if is_array(other) else self._sum(self.value + _plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tally:
        return NotImplemented if is_array(other) else self._sum(self.value - _plain(other))

    def __rsub__(self, other: Any) -> Tally:
        return self._sum(_plain(other) - self.value)

    def __mul__(self, other: Any) -> Tally:
        return NotImplemented if is_array(other) else self._product(self.value * _plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tally:
        self.meter.div += 1
        return self._product(self.value / _plain(other))

    def __rtruediv__(self, other: Any) -> Tally:
        self.meter.div += 1
        return self._product(_plain(other) / self.value)

    def __neg__(self) -> Tally:
        return Tally(-self.value, self.meter)

    def sin(self) -> Tally:
        return self._trig(math.sin(self.value))

    def cos(self) -> Tally:
        return self._trig(math.cos(self.value))

    def __float__(self) -> float:
        return self.value


def _plain(x: Any) -> float:
    return x.value if isinstance(x, Tally) else float(x)


def run_counted(
    function: Callable[..., Any], inputs: Mapping[str, int], meter: Meter
) -> tuple[Any, Counts]:
    """(result, operations) of a function called on counting numbers 0.1, 0.2, ..."""
    before = (meter.mul, meter.add, meter.trig, meter.div)
    arguments = []
    for size in inputs.values():
        array = np.empty(size, dtype=object)
        array[:] = [meter.number(0.1 * (k + 1)) for k in range(size)]
        arguments.append(array)
    result = function(*arguments)
    after = (meter.mul, meter.add, meter.trig, meter.div)
    mul, add, trig, div = (b - a for a, b in zip(before, after, strict=True))
    return result, Counts(mul, add, trig, div)
