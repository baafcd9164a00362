"""The seeded search: Program -> Program with the same values and fewer operations.

Resubstitution, as in logic synthesis: a node is computed in another way from nodes that are
there already. The engine proposes; what leaves this module has been verified at fresh states
in many digits, and the program itself comes back if nothing better passes.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.evaluate import evaluate
from ..graph.node import Expr
from ..graph.program import Program
from .engine import library
from .flat import Flat, constants, flatten, rebuilt, states_of
from .merge import merge_equal
from .verify import verify_double, verify_exact
from .windows import cut, operations, put_back

SLICE = 2_000  # picks between two looks at `stop`
LARGE = 600  # operations from which on a program is searched window by window
WINDOW = 400  # operations of a window
WINDOW_PICKS = 10_000
DEVIATION = 1e-11  # allowed in double precision, relative to the outputs at a state
GROWTH = 100.0  # allowed where outputs nearly cancel: then the original is poor as well


@dataclass(frozen=True)
class Progress:
    """How far a search is; `best` is the count of the best program so far."""

    done: int
    picks: int
    current: float
    best: float


@dataclass(frozen=True)
class _Settings:
    weights: tuple[float, float]  # of multiplications and additions
    schedule: tuple[float, float, float]  # first and last temperature, share of triples
    stop: Callable[[], bool]


class _Run:
    """One search in the engine; slices of work, and the best program between them."""

    def __init__(self, flat: Flat, settings: _Settings, picks: int, seed: int) -> None:
        weights, schedule = np.array(settings.weights), np.array(settings.schedule)
        slots = np.array([o[0] for o in flat.outputs], dtype=np.int32)
        self.library = library()
        self.size = len(flat.code) + 24
        self.handle = self.library.search_new(
            len(flat.code),
            _ints(flat.code),
            _doubles(flat.constant),
            _doubles(flat.known),
            len(slots),
            _ints(slots),
            _doubles(weights),
            _doubles(schedule),
            picks,
            seed & 0xFFFF_FFFF_FFFF_FFFF,
        )
        if not self.handle:
            raise ValueError(f"a program of {len(flat.code)} nodes is too large for the search")

    def run(self, picks: int) -> float:
        return float(self.library.search_run(self.handle, picks))

    def best(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        code = np.zeros((self.size, 5), dtype=np.int32)
        constant = np.zeros((self.size, 2))
        self.library.search_best(self.handle, _ints(code), _doubles(constant))
        return code, constant[:, 0]

    def current(self) -> float:
        return float(self.library.search_cost(self.handle))

    def close(self) -> None:
        self.library.search_free(self.handle)
        self.handle = None


def _ints(array: np.ndarray[Any, Any]) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_int))


def _doubles(array: np.ndarray[Any, Any]) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _close(program: Program, candidate: Program) -> bool:
    """A quick look in double precision, at states that the engine did not see."""
    source = np.random.Generator(np.random.PCG64(5))
    arrays = [source.uniform(-2.0, 2.0, (64, group.size)) for group in program.inputs]
    with np.errstate(all="ignore"):
        pairs = zip(evaluate(program, *arrays), evaluate(candidate, *arrays), strict=True)
        for mine, other in pairs:
            good = np.isfinite(mine)
            scale = np.max(np.abs(mine), axis=0, initial=0.0, where=good)
            if np.any(good & ~(np.abs(mine - other) <= 1e-10 * scale)):
                return False
    return True


def anneal(
    program: Program,
    picks: int,
    seed: int = 1,
    *,
    temperature: tuple[float, float] = (0.4, 0.18),
    triple: float = 0.03,
    weights: tuple[float, float] = (1.0, 1.0),
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Program:
    """The program with fewest operations that `picks` trials find.

    Args:
        program: where to start; the result never counts more.
        picks: amount of work.
        seed: another seed, another search; the same one gives the same program.
        temperature: at the beginning and at the end, in operations.
        triple: share of picks that also try ways of three operations.
        weights: cost of a multiplication and of an addition.
        progress: called after every slice of work.
        stop: asked after every slice; True ends the search, as an interrupt does.
    """
    start = merge_equal(program)
    settings = _Settings(weights, (*temperature, triple), stop or (lambda: False))
    work = _windows if len(operations(start)) > LARGE else _whole
    found = [start]
    report = progress or (lambda _: None)
    with suppress(KeyboardInterrupt):  # keep what was found
        for candidate, state in work(start, picks, seed, settings):
            if candidate is not None:
                found.append(candidate)
            report(state)
    return _first_verified(program, found)


def _whole(
    start: Program,
    picks: int,
    seed: int,
    settings: _Settings,
    prints: Sequence[Mapping[Expr, Any]] | None = None,
) -> Iterator[tuple[Program | None, Progress]]:
    """Better and better programs, or None after a slice without one."""
    flat = flatten(start, states_of(start) if prints is None else prints)
    pool = constants(start)
    run = _Run(flat, settings, picks, seed)
    try:
        lowest, done = run.run(0), 0
        while done < picks and not settings.stop():
            part = min(SLICE, picks - done)
            best = run.run(part)
            done += part
            candidate = None
            if best < lowest:
                candidate = rebuilt(start, flat, *run.best(), pool)
                if prints is not None or _close(start, candidate):
                    run.library.search_confirm(run.handle)
                    lowest = best
                else:
                    run.library.search_refuse(run.handle)
                    candidate = None
            yield candidate, Progress(done, picks, run.current(), lowest)
    finally:
        run.close()


def _windows(
    start: Program, picks: int, seed: int, settings: _Settings
) -> Iterator[tuple[Program | None, Progress]]:
    """The same for a large program: one window after the other, at places that the seed gives."""
    places = random.Random(seed)
    now, done = start, 0
    weight = start.count().total
    while done < picks and not settings.stop():
        prints = states_of(now)
        nodes = operations(now)
        first = places.randrange(-WINDOW // 2, max(1, len(nodes) - WINDOW // 2))
        window = cut(now, nodes[max(0, first) : first + WINDOW], prints)
        part = min(WINDOW_PICKS, picks - done)
        best = None
        for found, _ in _whole(window.program, part, seed + done, settings, window.prints):
            best = found or best
        done += part
        candidate = None
        if best is not None:
            candidate = put_back(now, window, best)
            if candidate.count().total <= weight and _close(start, candidate):
                now, weight = candidate, candidate.count().total
            else:
                candidate = None
        yield candidate, Progress(done, picks, weight, weight)


def _first_verified(program: Program, found: Sequence[Program]) -> Program:
    """The last of `found` that passes all checks, else the program itself."""
    before = program.count().total
    for candidate in reversed(found):
        if candidate.count().total > before or not verify_exact(program, candidate).passed:
            continue
        rounding = verify_double(program, candidate, states=2_000)
        if rounding.worst <= DEVIATION or rounding.growth <= GROWTH:
            return candidate
    return program
