"""A search over several starts: short runs on all, longer ones on the best.

Programs with the same values -> the cheapest program found. Work is counted in picks, so the
result depends on starts, effort and seed alone, not on the speed of the machine or the number
of threads. The engine runs outside the interpreter's lock: threads keep all cores busy.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ..graph.program import Program
from .annealing import Progress, anneal
from .engine import library

RUNS = (24, 12, 6, 4, 2)  # runs of each round; every round has the same share of the work
UNIT = 10_000  # picks per unit of effort
EFFORT = 60  # units, unless told otherwise

# (temperatures, share of three-operation moves): no setting is best for all programs
SETTINGS = (
    ((0.4, 0.18), 0.03),
    ((0.35, 0.2), 0.1),
    ((0.5, 0.15), 0.03),
    ((0.35, 0.25), 0.3),
)


@dataclass(frozen=True)
class Status:
    """How far a search is: share of the work done, and the fewest operations so far."""

    done: float
    best: int


class Interrupted(Exception):
    """The search was stopped; `best` is the cheapest program so far, verified."""

    def __init__(self, best: Program) -> None:
        super().__init__("the search was interrupted")
        self.best = best


def cost(program: Program) -> tuple[int, int, int]:
    """What is made small: operations, then calls, then multiplications."""
    counts = program.count()
    return counts.total, counts.trig, counts.mul


def search(
    starts: Sequence[Program],
    effort: int = EFFORT,
    seed: int = 1,
    progress: Callable[[Status], None] | None = None,
) -> Program:
    """The cheapest program found; an interrupt raises `Interrupted` with the best so far."""
    library()  # says at once if there is no compiler
    pool = sorted(starts, key=cost)
    total = effort * UNIT
    halt = threading.Event()
    lock = threading.Lock()
    best, done = pool[0], 0

    def run(job: tuple[int, int, Program, int]) -> Program:
        nonlocal best, done
        number, picks, start, seed = job
        temperature, triple = SETTINGS[number % len(SETTINGS)]
        before = 0

        def tell(p: Progress) -> None:
            nonlocal before, done
            with lock:
                done, before = done + p.done - before, p.done
                if progress is not None:
                    progress(Status(min(1.0, done / total), best.count().total))

        found = anneal(
            start, picks, seed, temperature=temperature, triple=triple, progress=tell,
            stop=halt.is_set,
        )  # fmt: skip
        with lock:
            best = min(best, found, key=cost)
        return found

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as threads:
        try:
            for round_, runs in enumerate(RUNS):
                chosen = [pool[k % len(pool)] for k in range(runs)]
                jobs = [
                    (k, total // (len(RUNS) * runs), p, seed + 100 * round_ + k)
                    for k, p in enumerate(chosen)
                ]
                found = list(threads.map(run, jobs))
                kept = {p.roots: p for p in [*found, *pool]}
                pool = sorted(kept.values(), key=cost)[: RUNS[min(round_ + 1, len(RUNS) - 1)]]
        except KeyboardInterrupt:
            halt.set()
    if halt.is_set():
        raise Interrupted(best)
    return best
