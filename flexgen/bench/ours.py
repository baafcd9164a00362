"""Our own candidates: generated Fortran and C from C, and the model from Python."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .. import pipeline
from ..clear.addition import addition
from ..graph.program import Program
from ..model import Model
from ..winners import file_of
from .candidate import Array, Candidate, Making
from .kernels import Workshop
from .problem import ROUTINES, Problem
from .programs import candidate, empty_cache
from .rounds import calls

FAMILY = "flexgen"


def program(p: Problem, passes: str) -> Program:
    """Our program of the problem's routine."""
    return pipeline.program(p.arm, ROUTINES[p.routine][1], passes=passes)


def searched(p: Problem) -> bool:
    """Whether a winner of a long search comes with the package."""
    part = "direct" if p.routine == "direct" else ROUTINES[p.routine][1]
    return not p.arm.flexible and file_of(p.arm, part).is_file()


def scalar(shop: Workshop, p: Problem) -> Iterator[Candidate]:
    """Called from C for one state; the first is what a model is made of."""
    seconds = 0.0
    with empty_cache():
        for passes in ("full", "search") if searched(p) else ("full",):
            start = time.perf_counter()
            found = program(p, passes)
            seconds += time.perf_counter() - start  # a search begins with the result of full
            ready = addition(found)
            if passes == "full" and ready.roots != found.roots:
                name = "flexgen f90 full, as a model has it"
                yield candidate(shop, p, name, FAMILY, ready, "f90", seconds)
            for dialect in ("f90", "c"):
                name = f"flexgen {dialect} {passes}"
                yield candidate(shop, p, name, FAMILY, found, dialect, seconds)


def model(p: Problem, passes: str = "full") -> Model:
    """The model of the arm, which may come from the cache."""
    return pipeline.build(p.arm, "fortran", passes=passes)


def one_call(p: Problem, built: Model) -> Iterator[Candidate]:
    """One call of the model from Python."""
    routine = getattr(built, p.routine)
    state = [x[0].copy() for x in (p.q, p.qd, p.u)]
    values = partial(_values, p, routine)
    yield Candidate(f"model.{p.routine}", FAMILY, "python", calls(routine, *state), values)
    if _takes(routine, "out"):
        into = partial(routine, out=_room(p, ()))
        yield Candidate(f"model.{p.routine}, out=", FAMILY, "python", calls(into, *state), values)


def _room(p: Problem, lead: tuple[int, ...], states_last: bool = False) -> Any:
    """Arrays for results: one, or a tuple for a routine that gives several."""
    shape = p.shape if len(p.shape) == 1 else p.shape[1:]
    count = 1 if len(p.shape) == 1 else p.shape[0]
    if states_last:
        arrays = tuple(np.moveaxis(np.empty((*shape, *lead)), -1, 0) for _ in range(count))
    else:
        arrays = tuple(np.empty((*lead, *shape)) for _ in range(count))
    return arrays[0] if len(p.shape) == 1 else arrays


def _values(p: Problem, routine: Callable[..., Any]) -> Array:
    return _flat(p, routine(p.q, p.qd, p.u))


def _flat(p: Problem, result: Any) -> Array:
    parts = result if isinstance(result, tuple) else (result,)
    return np.stack(parts, axis=1).reshape(len(parts[0]), -1)


def batch(p: Problem, built: Model, size: int, threads: tuple[int, ...]) -> Iterator[Candidate]:
    """Many states in one call, rows of the usual order and of Fortran's."""
    routine = getattr(built, p.routine)
    pick = np.arange(size) % len(p.q)
    for order in ("C", "F"):
        arrays = [np.asarray(x[pick], order=order) for x in (p.q, p.qd, p.u)]
        for count in threads:
            if count > 1 and not _takes(routine, "threads"):
                continue
            options: dict[str, Any] = {}
            if _takes(routine, "out"):
                options["out"] = _room(p, (size,), order == "F")
            if _takes(routine, "threads"):
                options["threads"] = count
            call = partial(routine, **options)
            label = f"model.{p.routine}, {order} order" + (f", {count} threads" * (count > 1))
            yield Candidate(
                label,
                FAMILY,
                "batch",
                calls(call, *arrays),
                partial(_batch_values, p, routine, order, count),
                Making(),
                size,
                count,
            )


def _batch_values(p: Problem, routine: Callable[..., Any], order: Any, threads: int) -> Array:
    options = {"threads": threads} if _takes(routine, "threads") else {}
    return _flat(p, routine(*(np.asarray(x, order=order) for x in (p.q, p.qd, p.u)), **options))


def _takes(routine: Callable[..., Any], name: str) -> bool:
    return name in inspect.signature(routine).parameters
