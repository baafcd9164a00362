"""Blocks of work of several candidates in turn -> median and quartiles of the time per unit.

The host of a virtual machine takes time away in slices of milliseconds. Blocks are shorter
than that, so a slice spoils one block and the median does not see it; the candidates take
turns, so that what slows the machine for a second slows all of them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Work = Callable[[int], float]  # number of units -> seconds that they took
BLOCK = 3e-4  # seconds of a block
MOST = 1000  # units of a block


@dataclass(frozen=True)
class Timing:
    """Seconds per unit: median, lower and upper quartile over the blocks."""

    median: float
    low: float
    high: float
    blocks: int
    units: int  # in a block


def interleave(
    works: Mapping[str, Work],
    rounds: int,
    report: Callable[[int], None] = lambda done: None,
    seconds: float = BLOCK,
) -> dict[str, Timing]:
    """Times of all `works`, `rounds` blocks each; `report` hears how many rounds are done."""
    units = {name: block_size(work, seconds) for name, work in works.items()}
    found: dict[str, list[float]] = {name: [] for name in works}
    order, draw = list(works), random.Random(1)
    for done in range(rounds):
        draw.shuffle(order)  # nobody is always behind the same neighbour
        for name in order:
            found[name].append(works[name](units[name]) / units[name])
        report(done + 1)
    return {name: summary(times, units[name]) for name, times in found.items()}


def summary(times: Sequence[float], units: int) -> Timing:
    """Median and quartiles."""
    low, median, high = np.quantile(times, [0.25, 0.5, 0.75])
    return Timing(float(median), float(low), float(high), len(times), units)


def block_size(work: Work, seconds: float) -> int:
    """Units that take about `seconds`; the first calls also warm caches and clocks."""
    count = 1
    work(count)
    while True:
        taken = min(work(count) for _ in range(2))
        if taken >= seconds / 4 or count >= MOST:
            return max(1, min(MOST, int(count * seconds / max(taken, 1e-9))))
        count *= 2


def calls(function: Callable[..., Any], *arguments: Any) -> Work:
    """Calls of a Python function with the same arguments, as work."""

    def work(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            function(*arguments)
        return time.perf_counter() - start

    return work
