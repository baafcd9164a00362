"""A candidate: one way to compute a problem, ready to be timed and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from .rounds import Work

Array = NDArray[Any]
# called from C for one state; one call from Python; many states in one call from Python
Kind = Literal["scalar", "python", "batch"]


class Absent(Exception):
    """A program that cannot take part; the message is one line with the reason."""


@dataclass(frozen=True)
class Making:
    """What it took to make a candidate; None where there is nothing to make."""

    generate: float | None = None  # seconds from the arm to the text
    compile: float | None = None  # seconds from the text to the library
    operations: tuple[int, int, int] | None = None  # multiplications, additions, trig


@dataclass(frozen=True)
class Candidate:
    """`work(count)` computes `count` units of `states` states each and says how long it took."""

    name: str
    family: str
    kind: Kind
    work: Work
    values: Callable[[], Array]  # results at all states of the problem, one row each
    making: Making = Making()
    states: int = 1  # in a unit of work
    threads: int = 1
    note: str = ""
    same_arm: bool = True  # False: the program took other data, so its values differ
