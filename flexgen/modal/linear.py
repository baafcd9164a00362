"""Model and posture -> M x'' + C x' + K x = f about the posture at rest.

    M   inertia matrix                    K   derivative of the torques at rest by q, and kp
    C   derivative of the torques by qd, at rest, and kd

What gives way to gravity before that is a choice, `sag`:

    all     everything that moves: the arm rests where gravity(q) is what its actuators give,
            kp (wanted - q) under control, nothing at free joints and for deflections
    links   deflections only; constant torques keep the joints where they are
    none    nothing; constant forces keep the deflections too

Newton's method finds it. With |eigenvalues| of K in place of its eigenvalues every step goes
downhill, so that an arm with free joints ends up hanging, not standing on its head.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ..model import Model, ModelWarning
from .posture import Holding, actuated
from .result import Array, Sag

STEPS = 200
LARGEST_STEP = 0.5  # rad or m, of any coordinate in one step
SETTLED = 1e-11  # residual of an equilibrium, relative to the loads that cancel in it
SYMMETRIC = 1e-8  # asymmetry of K that is rounding


class NoEquilibrium(ValueError):
    """No posture at rest was found."""


@dataclass(frozen=True, eq=False)
class Linearised:
    """M x'' + C x' + K x = f for the moving coordinates, about `q` held by `hold`."""

    q: Array  # (n,)
    hold: Array  # (n,)
    moving: tuple[int, ...]
    M: Array
    C: Array
    K: Array


def linearised(model: Model, q: Array, held: Holding, sag: Sag) -> Linearised:
    """The linear model about where the arm rests when it is put at `q`."""
    if sag not in ("all", "links", "none"):
        raise ValueError(f'sag must be "all", "links" or "none", not {sag!r}')
    free = [i for i in held.moving if sag == "all" or i not in actuated(model.arm)]
    at = q if sag == "none" or not free else equilibrium(model, q, held, free)
    K, C = _stiffness(model, at, held)
    block = np.ix_(held.moving, held.moving)
    K, C, M = K[block], C[block], model.inertia(at)[block]
    uneven = _asymmetry(K, M)
    if uneven > SYMMETRIC:
        warnings.warn(
            f"{model.arm.name}: the stiffness matrix is not symmetric, by {uneven:.1e} of its "
            "size: linear rotations of tips under load have no potential energy; shapes and "
            "frequencies are those of its symmetric part",
            ModelWarning,
            stacklevel=3,
        )
    else:
        K = 0.5 * (K + K.T)
    return Linearised(at, model.gravity(at), held.moving, M, C, K)


def _asymmetry(K: Array, M: Array) -> float:
    """Largest |K - K^T|, relative to the entries of both rows and a little of the largest."""
    size = 1.0 / np.sqrt(np.diag(M))
    K = K * np.outer(size, size)
    rows = np.abs(K).max(axis=1)
    scale = np.sqrt(np.outer(rows, rows)) + 1e-4 * rows.max() + np.finfo(float).tiny
    return float((np.abs(K - K.T) / scale).max())


def equilibrium(model: Model, wanted: Array, held: Holding, moving: list[int]) -> Array:
    """Where the arm rests when its actuators aim at `wanted` and only `moving` gives way."""
    q = wanted.copy()
    for _ in range(STEPS):
        K, _ = _stiffness(model, q, held)
        load = model.gravity(q)
        rest = (load + held.kp * (q - wanted))[moving]
        K = K[np.ix_(moving, moving)]
        # forces that cancel: load against stiffness times deflection, of which a thousandth counts
        # even at zero; the rounding of the largest is in all
        scale = np.abs(load[moving]) + np.abs(K) @ (np.abs(q[moving]) + 1e-3)
        if (np.abs(rest) <= SETTLED * (scale + 1e-4 * scale.max())).all():
            return q
        step = _downhill(K, model.inertia(q)[np.ix_(moving, moving)], rest)
        q[moving] += step * min(1.0, LARGEST_STEP / np.abs(step).max())
    raise NoEquilibrium(
        f"{model.arm.name}: no posture at rest within {STEPS} steps; the largest force left is "
        f"{np.abs(rest).max():.3g} at {model.arm.coordinates[moving[int(np.abs(rest).argmax())]]}"
    )


def _downhill(K: Array, M: Array, rest: Array) -> Array:
    """Newton's step with eigenvalues turned positive, and away from zero."""
    import scipy.linalg

    size = 1.0 / np.sqrt(np.diag(M))
    squares, shapes = scipy.linalg.eigh(
        0.5 * (K + K.T) * np.outer(size, size), M * np.outer(size, size)
    )
    shapes = size[:, None] * shapes
    force = shapes.T @ rest
    floor = 1e-12 * np.abs(squares).max() + np.finfo(float).tiny
    # where there is no stiffness at all the step is as long as allowed
    floor = max(floor, float(np.abs(force).max()) * 1e-3)
    step: Array = -shapes @ (force / np.maximum(np.abs(squares), floor))
    return step


def _stiffness(model: Model, q: Array, held: Holding) -> tuple[Array, Array]:
    """K and C of all coordinates, with the gains."""
    still = np.zeros(model.n)
    by_q, by_qd = model.inverse_derivatives(q, still, still)
    return by_q + np.diag(held.kp), by_qd + np.diag(held.kd)
