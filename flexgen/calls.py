"""Arguments in whatever form -> one call of a compiled routine -> results.

One state and a batch that are given as they should be need no more than a look: a
simulation loop spends its time here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
REAL = np.dtype(np.float64)


@dataclass(frozen=True)
class Routine:
    """A routine over flat arrays.

    `one(*inputs, *outputs)` is for one state, `many(states, columns, threads, strict, *inputs,
    *outputs)` for a batch, state after state or, with `columns`, with the states fastest.
    Both return 0, or k when argument k holds a number that is not finite, or -k when the
    inertia matrix of state k is not positive definite.
    """

    one: Callable[..., int]
    many: Callable[..., int]
    inputs: tuple[tuple[str, int], ...]
    shapes: tuple[tuple[int, ...], ...]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of the inputs of one state."""
        return tuple(size for _, size in self.inputs)


def call(
    name: str,
    routine: Routine,
    values: tuple[Any, ...],
    out: tuple[Array, ...] | None,
    threads: int,
    strict: bool,
) -> tuple[Array, ...]:
    """All results of a routine, whatever form the arguments have."""
    if threads.__class__ is not int or threads < 1:
        raise ValueError(f"{name}: threads must be a number from 1 on, not {threads!r}")

    # one state as it should be, then a batch, by states or by columns: no more than a look
    first = values[0]
    if type(first) is np.ndarray and first.ndim == 1:
        for value, size in zip(values, routine.sizes):  # noqa: B905
            if type(value) is not np.ndarray or value.dtype is not REAL:
                break
            if value.shape != (size,):
                break
        else:
            results = (
                tuple(map(np.empty, routine.shapes))
                if out is None
                else _results(name, routine, (), out, columns=False)
            )
            places = [r if r.ndim == 1 else r.ravel() for r in results]
            return _good(name, routine, routine.one(*values, *places), results)
    elif type(first) is np.ndarray and first.ndim == 2:
        states = first.shape[0]
        columns = not first.flags.c_contiguous
        flat = []
        for value, size in zip(values, routine.sizes):  # noqa: B905
            if type(value) is not np.ndarray or value.dtype is not REAL:
                break
            if value.shape != (states, size):
                break
            turned = value.T if columns else value
            if not turned.flags.c_contiguous:
                break
            flat.append(turned.ravel())
        if len(flat) == len(values):
            return _many(name, routine, states, columns, flat, out, threads, strict)

    arrays = [
        real_array(name, label, value, size)
        for (label, size), value in zip(routine.inputs, values, strict=True)
    ]
    if all(a.ndim == 1 for a in arrays):
        results = _results(name, routine, (), out, columns=False)
        code = routine.one(*arrays, *(r.reshape(-1) for r in results))
        return _good(name, routine, code, results)
    columns = all(a.flags.f_contiguous for a in arrays if a.ndim == 2)
    states, flat = _batch(name, routine, arrays, columns)
    return _many(name, routine, states, columns, flat, out, threads, strict)


def _many(
    name: str,
    routine: Routine,
    states: int,
    columns: bool,
    flat: list[Array],
    out: tuple[Array, ...] | None,
    threads: int,
    strict: bool,
) -> tuple[Array, ...]:
    """The results for a batch; an `out` in the other order is filled from a copy."""
    results = _results(name, routine, (states,), out, columns)
    fits = [_states_last(r) if columns else r for r in results]
    places = [r.ravel() if r.flags.c_contiguous else np.empty(r.size) for r in fits]
    code = routine.many(states, columns, threads, strict, *flat, *places) if states else 0
    for r, place in zip(fits, places, strict=True):
        if not r.flags.c_contiguous:
            r[...] = place.reshape(r.shape)
    return _good(name, routine, code, results)


def real_array(routine: str, label: str, value: ArrayLike, size: int) -> Array:
    """The argument as float64, (size,) or (B, size); ValueError says what is wrong with it."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "fiu":
            raise TypeError(f"entries of type {given.dtype}")
        array = given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{routine}: {label} must hold real numbers: {error}") from None
    if given.ndim not in (1, 2) or given.shape[-1] != size:
        raise ValueError(
            f"{routine}: {label} must have shape ({size},) or (B, {size}), not {given.shape}"
        )
    return array


def _batch(
    name: str, routine: Routine, arrays: list[Array], columns: bool
) -> tuple[int, list[Array]]:
    """Length and flat arrays of one order; a single state goes with all of the batch."""
    length = next(len(a) for a in arrays if a.ndim == 2)
    flat = []
    for a in arrays:
        if a.ndim == 2 and len(a) != length:
            labels = [label for label, _ in routine.inputs]
            given = ", ".join(f"{x} {a.shape}" for x, a in zip(labels, arrays, strict=True))
            raise ValueError(f"{name}: the batches differ in length: {given}")
        if a.ndim == 1:
            a = np.broadcast_to(a, (length, len(a)))
        flat.append(np.ascontiguousarray(a.T if columns else a).reshape(-1))
    return length, flat


def _states_last(array: Array) -> Array:
    return array.T if array.ndim == 2 else np.moveaxis(array, 0, -1)


def _results(
    name: str,
    routine: Routine,
    lead: tuple[int, ...],
    out: tuple[Array, ...] | None,
    columns: bool,
) -> tuple[Array, ...]:
    """Arrays for the results, new or those of the caller."""
    if out is None:
        if columns:
            return tuple(np.moveaxis(np.empty((*s, *lead)), -1, 0) for s in routine.shapes)
        return tuple(np.empty((*lead, *shape)) for shape in routine.shapes)
    if len(out) != len(routine.shapes):
        raise ValueError(f"{name}: out must be {len(routine.shapes)} arrays, not {len(out)}")
    for array, shape in zip(out, routine.shapes, strict=True):
        fits = isinstance(array, np.ndarray) and array.shape == (*lead, *shape)
        if not (fits and array.dtype == REAL and array.flags.writeable):
            raise ValueError(f"{name}: out must be a float64 array of shape {(*lead, *shape)}")
        if not lead and not array.flags.c_contiguous:
            raise ValueError(f"{name}: out must be contiguous")
    return out


def _good(name: str, routine: Routine, code: int, results: tuple[Array, ...]) -> tuple[Array, ...]:
    """The results, if the code says so."""
    if not code:
        return results
    if code > 0:
        raise ValueError(f"{name}: {routine.inputs[code - 1][0]} must be finite")
    raise ValueError(f"{name}: the inertia matrix is not positive definite at state {-code - 1}")
