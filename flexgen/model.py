"""Model: what a user calls. Checks shapes, allocates results, hands on to compiled routines.

Every routine takes one state, shape (n,), or a batch, shape (B, n). The routines come as
plain functions (see `Routine`), so the same facade serves Fortran and NumPy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .calls import REAL, Array, Routine, call, real_array
from .graph.program import Counts
from .manipulator.arm import Manipulator

Frame = Literal["tip", "base"]
_CALLED = {"acceleration": "direct"}  # what users call a routine, where it is another name


class ModelWarning(UserWarning):
    """A state at which the model of the arm does not hold."""


@dataclass(frozen=True)
class Watch:
    """Objections to states of `direct`: none while qd . qd < calm, else what `look` says."""

    calm: float
    look: Callable[[Array, Array], str | None]


class _Counts(dict[str, Counts]):
    """Counts of the routines; those of a routine that is made on demand come on demand."""

    def __init__(self, known: Mapping[str, Counts], more: Callable[[str], Counts]) -> None:
        super().__init__(known)
        self._more = more

    def __missing__(self, name: str) -> Counts:
        self[name] = self._more(name)
        return self[name]


def _nothing_more(name: str) -> Any:
    raise KeyError(name)


class Model:
    """Dynamics of one arm: H(q) qdd + coriolis(q, qd) + gravity(q) = tau + J(q)^T wrench.

    Batches are computed in vector instructions, which may differ from the result for one
    state in the last digits; `strict=True` gives its very bits. `threads` shares a batch
    between processors. `out` takes the result: a float64 array of the right shape. Arrays
    (B, n) in C or in Fortran order are used where they stand, all in the same order; those in
    Fortran order, with the states fastest, need not be turned, which is faster.
    """

    def __init__(
        self,
        arm: Manipulator,
        routines: Mapping[str, Routine],
        counts: Mapping[str, Counts],
        backend: str,
        passes: str = "full",
        watch: Watch | None = None,
        more: Callable[[str], tuple[Routine, Counts]] = _nothing_more,
    ) -> None:
        """`watch` may object to states of `direct`; `more` makes routines when first called."""
        self.arm = arm
        self.name = arm.name
        self.n = arm.n
        self._shape = (arm.n,)
        self.backend = backend
        self.passes = passes
        self.counts: dict[str, Counts] = _Counts(counts, lambda name: self._made(name)[1])
        self._routines = dict(routines)
        self._one = {name: routine.one for name, routine in routines.items()}
        self._watch = watch
        self._more = more

    def __repr__(self) -> str:
        return f"Model({self.name!r}, n={self.n}, backend={self.backend!r})"

    def inverse(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench: ArrayLike | None = None,
        frame: Frame = "tip",
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """Torques tau that produce the accelerations qdd."""
        if wrench is None:
            found = self._quick("inverse", q, qd, qdd, out)
            if found is not None:
                return found
        tau = self._vector("inverse", (q, qd, qdd), out, threads, strict)
        if wrench is None:
            return tau
        # one state with many wrenches has as many torques
        return np.subtract(tau, self._load("inverse", q, wrench, frame), out=out)

    def direct(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        wrench: ArrayLike | None = None,
        frame: Frame = "tip",
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """Accelerations qdd under the torques tau."""
        if wrench is not None:
            load = self._load("direct", q, wrench, frame)
            tau = real_array("direct", "tau", tau, self.n) + load
        if self._watch is not None:
            self._look(self._watch, q, qd)
        found = self._quick("acceleration", q, qd, tau, out)
        if found is not None:
            return found
        return self._vector("acceleration", (q, qd, tau), out, threads, strict)

    def inertia(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, strict: bool = False
    ) -> Array:
        """Inertia matrix H(q), (n, n)."""
        return self._vector("inertia", (q,), out, threads, strict)

    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """Torques at zero acceleration: coriolis + gravity."""
        return self._vector("bias", (q, qd), out, threads, strict)

    def gravity(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, strict: bool = False
    ) -> Array:
        """Torques that hold the arm at rest."""
        return self._vector("gravity", (q,), out, threads, strict)

    def coriolis(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """Centrifugal and Coriolis torques, (n,)."""
        return self._vector("coriolis", (q, qd), out, threads, strict)

    def inertial(
        self,
        q: ArrayLike,
        qdd: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """H(q) qdd without forming H."""
        return self._vector("inertial", (q, qdd), out, threads, strict)

    def external(self, q: ArrayLike, wrench: ArrayLike, frame: Frame = "tip") -> Array:
        """J(q)^T wrench: torques that the environment's wrench on the last link amounts to."""
        return self._load("external", q, wrench, frame)

    def jacobian(
        self,
        q: ArrayLike,
        frame: Frame = "tip",
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """(6, n) map from qd to [v; omega] of the last frame, in that frame or the base."""
        jacobian = self._vector("jacobian", (q,), out, threads, strict)
        if _checked_frame("jacobian", frame) == "tip":
            return jacobian
        turn = self.pose(q)[..., :3, :3]
        jacobian[...] = np.concatenate(
            (turn @ jacobian[..., :3, :], turn @ jacobian[..., 3:, :]), axis=-2
        )
        return jacobian

    def jacobian_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> Array:
        """(6, n) rate of `jacobian` in the last frame: d[v; omega]/dt = J qdd + this qd."""
        return self._vector("jacobian_rate", (q, qd), out, threads, strict)

    def pose(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, strict: bool = False
    ) -> Array:
        """(4, 4) transformation of the last frame in the base frame."""
        return self._vector("pose", (q,), out, threads, strict)

    def inverse_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> tuple[Array, Array]:
        """Torques of `inverse` by q and by qd, (n, n) each; by qdd they are `inertia`."""
        by_q, by_qd = self._call("inverse_derivatives", (q, qd, qdd), out, threads, strict)
        return by_q, by_qd

    def direct_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        out: tuple[Array, Array, Array] | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> tuple[Array, Array, Array]:
        """Accelerations of `direct` by q, by qd and by tau, (n, n) each."""
        found = self._call("direct_derivatives", (q, qd, tau), out, threads, strict)
        by_q, by_qd, by_tau = found
        return by_q, by_qd, by_tau

    def linearise(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
        threads: int = 1,
        strict: bool = False,
    ) -> tuple[Array, Array]:
        """A (2n, 2n) and B (2n, n) of d/dt [dq; dqd] = A [dq; dqd] + B dtau at a state."""
        a, b = self._call("linearise", (q, qd, tau), out, threads, strict)
        return a, b

    def _load(self, routine: str, q: ArrayLike, wrench: ArrayLike, frame: Frame) -> Array:
        """J^T wrench for any routine that takes a wrench."""
        load = real_array(routine, "wrench", wrench, 6)
        if _checked_frame(routine, frame) == "base":
            turn = self.pose(q)[..., :3, :3].swapaxes(-1, -2)
            halves = np.stack([load[..., :3], load[..., 3:]], axis=-1)
            load = np.concatenate(np.moveaxis(turn @ halves, -1, 0), axis=-1)
        return self._vector("external", (q, load), None, 1, False)

    def _look(self, watch: Watch, q: ArrayLike, qd: ArrayLike) -> None:
        """Warn of a state that the model is not good for, the first time."""
        # one state, given as it must be: the case of a simulation loop, kept short
        given: Any = qd
        plain = type(given) is np.ndarray and given.dtype is REAL and given.ndim == 1
        if plain and given.dot(given) < watch.calm:
            return
        angles = real_array("direct", "q", q, self.n)
        rates = real_array("direct", "qd", qd, self.n)
        if not rates.size or (angles.ndim == rates.ndim == 2 and len(angles) != len(rates)):
            return
        objection = watch.look(angles, rates)
        if objection is not None:
            self._watch = None
            warnings.warn(objection, ModelWarning, stacklevel=3)

    def _quick(self, name: str, a: Any, b: Any, c: Any, out: Any) -> Array | None:
        """The vector of one state, where all is as it should be: the path of a simulation loop.

        The compiled routine looks at sizes and numbers itself. None sends the caller the long
        way, which tells what is wrong.
        """
        try:
            if (
                a.dtype is b.dtype is c.dtype is REAL
                and a.ndim == b.ndim == c.ndim == 1
                and (out is None or out.shape == self._shape)
                and not self._one[name](a, b, c, found := np.empty(self.n) if out is None else out)
            ):
                return found
        except (AttributeError, ValueError, TypeError):
            pass
        return None

    def _made(self, name: str) -> tuple[Routine, Counts]:
        """A routine that is made when first asked for."""
        routine, counts = self._more(name)
        self._routines[name] = routine
        self.counts[name] = counts
        return routine, counts

    def _vector(
        self, name: str, values: tuple[Any, ...], out: Array | None, threads: int, strict: bool
    ) -> Array:
        """The one result of a routine."""
        return self._call(name, values, None if out is None else (out,), threads, strict)[0]

    def _call(
        self,
        name: str,
        values: tuple[Any, ...],
        out: tuple[Array, ...] | None,
        threads: int,
        strict: bool,
    ) -> tuple[Array, ...]:
        """All results of a routine, whatever form the arguments have."""
        routine = self._routines.get(name) or self._made(name)[0]
        return call(_CALLED.get(name, name), routine, values, out, threads, strict)


def _checked_frame(routine: str, frame: Any) -> Frame:
    if frame not in ("tip", "base"):
        raise ValueError(f'{routine}: frame must be "tip" or "base", not {frame!r}')
    return "base" if frame == "base" else "tip"
