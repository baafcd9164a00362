"""Model: what a user calls. Checks shapes, allocates results, hands on to compiled routines.

Every routine takes one state, shape (n,), or a batch, shape (B, n). The routines come as
plain functions (see `Routine`), so the same facade serves Fortran and NumPy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .graph.program import Counts

Array = NDArray[np.float64]
Frame = Literal["tip", "base"]
_REAL = np.dtype(np.float64)


@dataclass(frozen=True)
class Routine:
    """A routine over one state or a batch: `call(*inputs, out)` fills `out`, returns a code.

    Inputs are float64 arrays (size,) or (B, size), `out` is `shape` or (B, *shape). The code
    is 0, or k when argument k holds a number that is not finite, or -k when the inertia
    matrix of state k is not positive definite.
    """

    call: Callable[..., int]
    inputs: tuple[tuple[str, int], ...]
    shape: tuple[int, ...]

    @cached_property
    def single(self) -> tuple[tuple[int], ...]:
        """Shapes of the inputs of one state."""
        return tuple((size,) for _, size in self.inputs)


class ModelWarning(UserWarning):
    """A state at which the model of the arm does not hold."""


@dataclass(frozen=True)
class Watch:
    """Objections to states of `direct`: none while qd . qd < calm, else what `look` says."""

    calm: float
    look: Callable[[Array, Array], str | None]


class Model:
    """Dynamics of one arm: H(q) qdd + coriolis(q, qd) + gravity(q) = tau + J(q)^T wrench."""

    def __init__(
        self,
        name: str,
        n: int,
        routines: Mapping[str, Routine],
        counts: Mapping[str, Counts],
        backend: str,
        watch: Watch | None = None,
    ) -> None:
        """`watch` may object to states of `direct`; the user is warned once."""
        self.name = name
        self.n = n
        self.counts = dict(counts)
        self.backend = backend
        self._routines = dict(routines)
        self._watch = watch

    def __repr__(self) -> str:
        return f"Model({self.name!r}, n={self.n}, backend={self.backend!r})"

    def inverse(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench: ArrayLike | None = None,
        frame: Frame = "tip",
    ) -> Array:
        """Torques tau that produce the accelerations qdd."""
        tau = self._call("inverse", q, qd, qdd)
        return tau if wrench is None else tau - self._load("inverse", q, wrench, frame)

    def direct(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        wrench: ArrayLike | None = None,
        frame: Frame = "tip",
    ) -> Array:
        """Accelerations qdd under the torques tau."""
        if wrench is not None:
            load = self._load("direct", q, wrench, frame)
            tau = self._array("direct", "tau", tau, self.n) + load
        if self._watch is not None:
            self._look(self._watch, q, qd)
        return self._call("direct", q, qd, tau)

    def inertia(self, q: ArrayLike) -> Array:
        """Inertia matrix H(q), (n, n)."""
        return self._call("inertia", q)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Torques at zero acceleration: coriolis + gravity."""
        return self._call("bias", q, qd)

    def gravity(self, q: ArrayLike) -> Array:
        """Torques that hold the arm at rest."""
        return self._call("gravity", q)

    def coriolis(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Centrifugal and Coriolis torques, (n,)."""
        return self._call("coriolis", q, qd)

    def inertial(self, q: ArrayLike, qdd: ArrayLike) -> Array:
        """H(q) qdd without forming H."""
        return self._call("inertial", q, qdd)

    def external(self, q: ArrayLike, wrench: ArrayLike, frame: Frame = "tip") -> Array:
        """J(q)^T wrench: torques that the environment's wrench on the last link amounts to."""
        return self._load("external", q, wrench, frame)

    def _load(self, routine: str, q: ArrayLike, wrench: ArrayLike, frame: Frame) -> Array:
        """The same for any routine that takes a wrench."""
        load = self._array(routine, "wrench", wrench, 6)
        if _checked_frame(routine, frame) == "base":
            turn = self.pose(q)[..., :3, :3].swapaxes(-1, -2)
            halves = np.stack([load[..., :3], load[..., 3:]], axis=-1)
            load = np.concatenate(np.moveaxis(turn @ halves, -1, 0), axis=-1)
        return self._call("external", q, load)

    def jacobian(self, q: ArrayLike, frame: Frame = "tip") -> Array:
        """(6, n) map from qd to [v; omega] of the last frame, in that frame or the base."""
        jacobian = self._call("jacobian", q)
        if _checked_frame("jacobian", frame) == "tip":
            return jacobian
        turn = self.pose(q)[..., :3, :3]
        halves = turn @ jacobian[..., :3, :], turn @ jacobian[..., 3:, :]
        return np.concatenate(halves, axis=-2)

    def pose(self, q: ArrayLike) -> Array:
        """(4, 4) transformation of the last frame in the base frame."""
        return self._call("pose", q)

    def _look(self, watch: Watch, q: ArrayLike, qd: ArrayLike) -> None:
        """Warn of a state that the model is not good for, the first time."""
        # one state, given as it must be: the case of a simulation loop, kept short
        given: Any = qd
        plain = type(given) is np.ndarray and given.dtype is _REAL and given.ndim == 1
        if plain and given.dot(given) < watch.calm:
            return
        angles = self._array("direct", "q", q, self.n)
        rates = self._array("direct", "qd", qd, self.n)
        if not rates.size or (angles.ndim == rates.ndim == 2 and len(angles) != len(rates)):
            return
        objection = watch.look(angles, rates)
        if objection is not None:
            self._watch = None
            warnings.warn(objection, ModelWarning, stacklevel=3)

    def _call(self, name: str, *values: ArrayLike) -> Array:
        routine = self._routines[name]
        out: Array

        # one state, given as it must be: the case of a simulation loop, kept short
        for value, shape in zip(values, routine.single):  # noqa: B905
            if type(value) is not np.ndarray or value.dtype is not _REAL or value.shape != shape:
                break
        else:
            out = np.empty(routine.shape)
            code = routine.call(*values, out)
            if code:
                raise ValueError(_complaint(name, routine, code))
            return out

        arrays = [
            self._array(name, label, value, size)
            for (label, size), value in zip(routine.inputs, values, strict=True)
        ]
        if all(a.ndim == 1 for a in arrays):
            out = np.empty(routine.shape)
            code = routine.call(*arrays, out)
        else:
            arrays = self._batch(name, routine, arrays)
            out = np.empty((len(arrays[0]), *routine.shape))
            code = routine.call(*arrays, out) if len(arrays[0]) else 0
        if code:
            raise ValueError(_complaint(name, routine, code))
        return out

    @staticmethod
    def _array(routine: str, label: str, value: ArrayLike, size: int) -> Array:
        try:
            given = np.asarray(value)
            if given.dtype.kind not in "fiu":
                raise TypeError(f"entries of type {given.dtype}")
            array = np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{routine}: {label} must hold real numbers: {error}") from None
        if given.ndim not in (1, 2) or given.shape[-1] != size:
            raise ValueError(
                f"{routine}: {label} must have shape ({size},) or (B, {size}), not {given.shape}"
            )
        return array

    @staticmethod
    def _batch(name: str, routine: Routine, arrays: list[Array]) -> list[Array]:
        """One length for all; a single state goes with every member of the batch."""
        lengths = {len(a) for a in arrays if a.ndim == 2}
        if len(lengths) > 1:
            given = ", ".join(
                f"{label} {a.shape}" for (label, _), a in zip(routine.inputs, arrays, strict=True)
            )
            raise ValueError(f"{name}: the batches differ in length: {given}")
        (length,) = lengths
        return [
            a if a.ndim == 2 else np.ascontiguousarray(np.broadcast_to(a, (length, len(a))))
            for a in arrays
        ]


def _checked_frame(routine: str, frame: Any) -> Frame:
    if frame not in ("tip", "base"):
        raise ValueError(f'{routine}: frame must be "tip" or "base", not {frame!r}')
    return "base" if frame == "base" else "tip"


def _complaint(name: str, routine: Routine, code: int) -> str:
    if code > 0:
        return f"{name}: {routine.inputs[code - 1][0]} must be finite"
    return f"{name}: the inertia matrix is not positive definite at state {-code - 1}"
