"""Time against size: arms of more and more joints or modes -> operations and times.

One pass over the numbers of a straight line costs a fixed time per operation as long as the
line fits into the caches, so the time per state should grow as the count does. Sines and
cosines are given apart, since each costs as much as many operations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from .. import pipeline
from ..clear.addition import addition
from ..emit import emit
from ..manipulator.arm import Manipulator
from ..manipulator.generic import generic_arm
from ..verify import worst
from .cores import one_core
from .kernels import Workshop
from .problem import ROUTINES, problem
from .programs import empty_cache, fortran_entry
from .rounds import interleave

JOINTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 50)
MODES = (1, 2, 3, 4, 5)
QUICK_JOINTS, QUICK_MODES = (2, 3, 4, 6), (1, 2)
STATES = 200  # of the comparison and of the timed loop


@dataclass(frozen=True)
class Size:
    """One arm of the series."""

    arm: str
    joints: int
    modes: int  # in each direction of a flexible link
    n: int
    routine: str
    multiplications: int
    additions: int
    trig: int
    generate: float
    compile: float
    seconds: float  # per state, median
    low: float
    high: float
    difference: float
    limit: float

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return self.multiplications + self.additions

    @property
    def per_operation(self) -> float:
        """Seconds per operation; sines and cosines are in the time, not in the count."""
        return self.seconds / self.operations

    @property
    def agrees(self) -> bool:
        """Whether the results are those of the mechanics on plain floats."""
        return bool(self.difference <= self.limit)


def with_modes(arm: Manipulator, count: int) -> Manipulator:
    """The arm with `count` modes in each direction in which a link is flexible."""
    links = []
    for link in arm.links:
        if link.beam is not None:
            twist, y, z = (count if m else 0 for m in link.beam.modes)
            link = replace(link, beam=replace(link.beam, modes=(twist, y, z)))
        links.append(link)
    return replace(arm, name=f"{arm.name}_{count}", links=tuple(links))


def series(
    flexible: Manipulator | None, quick: bool = False
) -> Iterator[tuple[Manipulator, int, int]]:
    """Arms with their numbers of joints and of modes in a direction, smallest first."""
    for n in QUICK_JOINTS if quick else JOINTS:
        yield generic_arm(n), n, 0
    if flexible is not None:
        for count in QUICK_MODES if quick else MODES:
            yield with_modes(flexible, count), flexible.n_joints, count


def measure(
    arm: Manipulator, joints: int, modes: int, routine: str, passes: str, rounds: int
) -> Size:
    """Generate, compile, compare and time one routine of one arm."""
    p = problem(arm, routine, STATES)
    start = time.perf_counter()
    with empty_cache():
        program = addition(pipeline.program(arm, ROUTINES[routine][1], passes=passes))
        text = emit([program], "f90")
    generate = time.perf_counter() - start
    shop = Workshop()
    try:
        built = shop.compile({"dynamics.f90": text, "kernel.f90": fortran_entry(program, p)})
        difference = worst(shop.values(p, built.library), p.answers)
        with one_core():
            (taken,) = interleave({"": shop.work(p, built.library)}, rounds).values()
    finally:
        shop.close()
    c = program.count()
    return Size(
        arm.name,
        joints,
        modes,
        arm.n,
        routine,
        c.mul,
        c.add,
        c.trig,
        generate,
        built.seconds,
        taken.median,
        taken.low,
        taken.high,
        difference if np.isfinite(difference) else float("inf"),
        p.limit,
    )


def growth(
    flexible: Manipulator | None,
    passes: str = "full",
    rounds: int = 101,
    quick: bool = False,
    routines: tuple[str, ...] = ("inverse", "direct"),
    report: Callable[[str, float], None] = lambda what, done: None,
) -> list[Size]:
    """All sizes; `report` hears what is worked on and which part of the work is done."""
    work = [(*step, routine) for step in series(flexible, quick) for routine in routines]
    weights = np.cumsum([0.0, *(arm.n**2 for arm, *_ in work)])
    found = []
    for k, (arm, joints, modes, routine) in enumerate(work):
        report(f"{arm.name}: {routine}", weights[k] / weights[-1])
        found.append(measure(arm, joints, modes, routine, passes, rounds))
    return found
