"""The cheapest of a modest number of start programs, and a stream of them for a search.

Which parameters are eliminated decides a tenth of the count and cannot be told in advance, so
orders of elimination are tried: a hill climb on the count of the plain traced program, which
takes milliseconds. The best few are cleared and compared. All choices follow from the seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ..clear import clear
from ..formulations.fit import NoClosedForm
from ..graph.program import Program
from ..manipulator.arm import Manipulator
from ..regroup.base import canonical, default_order
from ..regroup.units import lengths
from .choices import Start
from .faithful import faithful
from .known import Known, known
from .merged import merged_and_clear
from .ways import SIGNATURES, start_program

CLOSED_LINKS = 3  # links that a closed form is tried for
MATRICES = ("inertia", "direct")
TRIALS = 40  # orders of elimination per form; fewer for large programs
WORK = 15_000  # operations traced in the trials of one form
LARGE = 400  # operations of a plain program from which on fewer ways are followed


@dataclass(frozen=True)
class Breadth:
    """How many ways are followed."""

    promising: float  # forms up to this multiple of the cheapest plain one
    finalists: int  # programs of every form that are cleared
    merged: int  # cleared programs that are also merged by value


BROAD, NARROW = Breadth(1.35, 2, 2), Breadth(1.05, 1, 1)


@dataclass(frozen=True)
class Candidate:
    """A way and the plain program it gives."""

    start: Start
    program: Program

    @property
    def cost(self) -> int:
        """Operations, with sines and cosines as ties."""
        counts = self.program.count()
        return 1000 * counts.total + counts.trig


def forms(arm: Manipulator, routine: str) -> list[Start]:
    """Ways that differ in more than the order of elimination."""
    n = len(arm.links)
    if routine == "jacobian":
        return [Start(), Start(parallel=False)]
    closed = list(range(min(n, CLOSED_LINKS) + 1))
    holds = range(1, min(n, 3) + 1) if routine in MATRICES else (1,)
    found = []
    for unit in lengths(arm)[:2]:
        for links in closed:
            for hold in holds if links < n else (1,):
                for below in (True, False) if hold > 1 else (True,):
                    found.append(Start(unit=unit, closed=links, hold=hold, below=below))
                    if links > 1:
                        found.append(replace(found[-1], squares="cos"))
        if routine not in ("gravity", "inertia"):
            found.append(Start(unit=unit, parallel=False))
    return found


def attempt(arm: Manipulator, routine: str, start: Start, wrench: bool) -> Candidate | None:
    """The program of a way; None where a closed form does not exist."""
    try:
        return Candidate(start, start_program(arm, routine, start, wrench))
    except NoClosedForm:
        return None


def shuffled(order: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    """The order with a few parameters moved."""
    new = list(order)
    for _ in range(rng.randint(1, 6)):
        moved = new.pop(rng.randrange(len(new)))
        new.insert(rng.randrange(len(new) + 1), moved)
    return tuple(new)


def climb(
    first: Candidate, trials: int, rng: random.Random, make: Callable[[Start], Candidate | None]
) -> list[Candidate]:
    """Candidates met on a walk over orders that never goes up, cheapest first."""
    seen: dict[tuple[object, ...], Candidate] = {first.program.roots: first}
    best = first
    for _ in range(trials):
        new = make(replace(best.start, order=shuffled(best.start.order, rng)))
        if new is None:
            continue
        seen.setdefault(new.program.roots, new)
        if new.cost <= best.cost:
            best = new
    return sorted(seen.values(), key=lambda c: c.cost)


def ranked(
    arm: Manipulator, routine: str, wrench: bool = False, trials: int = TRIALS, seed: int = 1
) -> tuple[Candidate, ...]:
    """Ways of a routine with their cleared programs, cheapest first; remembered."""
    return _ranked(known(arm), routine, wrench, trials, seed)


@lru_cache(maxsize=64)
def _ranked(
    key: Known, routine: str, wrench: bool, trials: int, seed: int
) -> tuple[Candidate, ...]:
    arm = key.arm
    order = default_order(len(arm.links))
    rng = random.Random(seed)
    purpose = SIGNATURES[routine].purpose
    made: dict[Start, Candidate | None] = {}

    def make(start: Start) -> Candidate | None:
        # many orders lead to the same parameters
        same = replace(start, order=canonical(arm, purpose, start.order))
        if same not in made:
            made[same] = attempt(arm, routine, same, wrench)
        found = made[same]
        return None if found is None else replace(found, start=start)

    plain = [make(replace(form, order=order)) for form in forms(arm, routine)]
    first = sorted((c for c in plain if c is not None), key=lambda c: c.cost)
    size = first[0].program.count().total
    breadth = NARROW if size > LARGE else BROAD
    if routine == "jacobian":
        found = first
    else:
        tries = min(trials, max(8, WORK // max(1, size)))
        walks = [climb(c, tries, rng, make) for c in _different(first, breadth.promising)]
        found = [c for walk in walks for c in walk[: breadth.finalists]]
    cleared = [replace(c, program=clear(c.program)) for c in found]
    cleared.sort(key=lambda c: c.cost)
    merged = [replace(c, program=merged_and_clear(c.program)) for c in cleared[: breadth.merged]]
    final = sorted([*merged, *cleared[breadth.merged :]], key=lambda c: c.cost)
    return tuple(c for c in final if faithful(arm, c.program))


def _different(candidates: list[Candidate], promising: float) -> list[Candidate]:
    """The cheapest for every number of closed links, unless far from the best."""
    limit = promising * candidates[0].cost + 20_000
    chosen: dict[int, Candidate] = {}
    for c in candidates:
        if c.cost <= limit:
            chosen.setdefault(c.start.closed, c)
    return list(chosen.values())


def cheapest(
    arm: Manipulator, routine: str, wrench: bool = False, trials: int = TRIALS, seed: int = 1
) -> Program:
    """The routine of a rigid arm with the fewest operations that a few seconds find."""
    if routine != "direct":
        return ranked(arm, routine, wrench, trials, seed)[0].program
    # matrix and bias have parameters of their own, and few common operations besides trig
    matrix = ranked(arm, "inertia", False, trials, seed)[0]
    bias = ranked(arm, "bias", wrench, trials, seed)[0]
    apart = start_program(arm, "direct", replace(bias.start, matrix=matrix.start), wrench)
    found = [merged_and_clear(clear(apart))]
    if len(arm.links) <= CLOSED_LINKS:  # a closed form shares more
        found.append(ranked(arm, "direct", wrench, trials, seed)[0].program)
    best = min(found, key=lambda p: (p.count().total, p.count().trig))
    if not faithful(arm, best):
        raise ArithmeticError(f"{arm.name}: the program of {routine} lost accuracy")
    return best


def plain_start(arm: Manipulator, routine: str, wrench: bool = False) -> Program:
    """One cheap form with the usual order of elimination, for arms that are too long to try."""
    return start_program(arm, routine, Start(order=default_order(len(arm.links))), wrench)


def start_programs(
    arm: Manipulator, routine: str, seed: int = 0, wrench: bool = False
) -> Iterator[Program]:
    """Endless stream of start programs for a search; every seed gives another."""
    rng = random.Random(seed)
    ways = forms(arm, routine)
    order = default_order(len(arm.links))
    while True:
        start = replace(rng.choice(ways), order=order)
        if routine == "direct" and rng.random() < 0.5:
            matrix = replace(rng.choice(forms(arm, "inertia")), order=order)
            start = replace(start, matrix=matrix)
        candidate = attempt(arm, routine, start, wrench)
        if candidate is None:
            continue

        def make(start: Start) -> Candidate | None:
            if start.matrix is not None:
                matrix = replace(start.matrix, order=shuffled(start.matrix.order, rng))
                start = replace(start, matrix=matrix)
            return attempt(arm, routine, start, wrench)

        trials = 0 if routine == "jacobian" else rng.randint(10, 2 * TRIALS)
        yield clear(climb(candidate, trials, rng, make)[0].program)
