"""M, C, K -> modes: undamped shapes, and the poles of the damped motion matched to them.

Coordinates that do not act on one another are solved apart, so that modes of equal frequency
in different planes do not mix. Undamped modes come from K phi = w^2 M phi; in their coordinates,
scaled to S = |w|, the damped motion is

    d/dt [S x; x'] = [[0, S], [-(w^2 + N)/S, -phi^T C phi]] [S x; x']

whose norm is the highest frequency; N is there only if K is not symmetric. A pole belongs to the
mode that its own shape has most of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .result import Array, Complex, Kind

APART = 1e-14  # couplings this small, relative to M and to the highest frequency, are rounding
ZERO = 1e-12  # squared frequencies this small, relative to the highest, are zero


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes in order of frequency: squares w^2, shapes of unit modal mass, poles."""

    squares: Array  # (modes,)
    shapes: Array  # (m, modes)
    poles: Complex  # (2, modes)
    kinds: tuple[Kind, ...]

    @property
    def frequencies_hz(self) -> Array:
        """Of vibrations; zero for the others."""
        found: Array = np.sqrt(np.where(self._vibrates, self.squares, 0.0)) / (2.0 * np.pi)
        return found

    @property
    def damping(self) -> Array:
        """-Re s / |s| of a complex pair; the same from sum and product of a real one."""
        total, product = self.poles.sum(axis=0).real, self.poles.prod(axis=0).real
        whole = self._vibrates & (product > 0.0)
        ratio = -0.5 * total / np.sqrt(np.where(whole, product, 1.0))
        return np.where(whole, ratio + 0.0, np.nan)

    @property
    def _vibrates(self) -> Array:
        return np.array([kind == "vibration" for kind in self.kinds])


def modes(M: Array, C: Array, K: Array) -> Modes:
    """All modes of M x'' + C x' + K x = 0."""
    m = len(M)
    squares, shapes, poles = np.zeros(m), np.zeros((m, m)), np.zeros((2, m), dtype=complex)
    at = 0
    for part in parts(M, C, K):
        block, columns = np.ix_(part, part), slice(at, at + len(part))
        stiffness = K[block]
        even = 0.5 * (stiffness + stiffness.T)
        squares[columns], own = undamped(M[block], even)
        shapes[part, columns] = own
        matrix = states(squares[columns], own.T @ C[block] @ own, own.T @ (stiffness - even) @ own)
        poles[:, columns] = _poles(squares[columns], matrix)
        at += len(part)
    limit = ZERO * np.abs(squares).max()
    order = np.argsort(np.where(np.abs(squares) <= limit, 0.0, squares), kind="stable")
    squares = squares[order]
    kinds = tuple(_kind(w, limit) for w in squares)
    return Modes(squares, _signed(M, shapes[:, order]), poles[:, order], kinds)


def undamped(M: Array, K: Array) -> tuple[Array, Array]:
    """Squared frequencies, ascending, and shapes of unit modal mass."""
    import scipy.linalg

    size = np.diag(M)
    if not (size > 0.0).all():
        raise ValueError("the inertia matrix is not positive definite here")
    size = 1.0 / np.sqrt(size)  # far apart, those of torsion and of joints
    scale = np.outer(size, size)
    try:
        squares, shapes = scipy.linalg.eigh(K * scale, M * scale)
    except scipy.linalg.LinAlgError:
        raise ValueError("the inertia matrix is not positive definite here") from None
    return squares, size[:, None] * shapes


def parts(M: Array, C: Array, K: Array) -> list[list[int]]:
    """Groups of coordinates that act on one another, each ascending."""
    size = np.sqrt(np.abs(np.diag(M)))
    scale = np.outer(size, size)
    rates = np.abs(K) / scale
    highest = float(rates.max(initial=0.0))
    coupled = np.abs(M) > APART * scale
    coupled |= rates > APART * highest
    damping = np.abs(C) / scale
    coupled |= damping > APART * max(float(damping.max(initial=0.0)), highest**0.5)
    left, found = list(range(len(M))), []
    while left:
        group, fresh = set(), {left[0]}
        while fresh:
            group |= fresh
            near = coupled[list(fresh)].any(axis=0) | coupled[:, list(fresh)].any(axis=1)
            fresh = set(np.flatnonzero(near).tolist()) - group
        found.append(sorted(group))
        left = [i for i in left if i not in group]
    return found


def _kind(square: float, limit: float) -> Kind:
    if abs(square) <= limit:
        return "rigid"
    return "vibration" if square > 0.0 else "unstable"


def _signed(M: Array, shapes: Array) -> Array:
    """Shapes whose most energetic coordinate is positive."""
    energy = np.abs(shapes * (M @ shapes))
    most = shapes[energy.argmax(axis=0), np.arange(shapes.shape[1])]
    return shapes * np.where(most < 0.0, -1.0, 1.0)


def states(squares: Array, damping: Array, odd: Array) -> Array:
    """The matrix of the damped motion in modal states S x and x'."""
    S = scales(squares)
    stiffness = (np.diag(squares) + odd) / S
    return np.block([[np.zeros_like(odd), np.diag(S)], [-stiffness, -damping]])


def scales(squares: Array) -> Array:
    """S: frequencies, and the highest in place of zeros."""
    size = np.sqrt(np.abs(squares))
    highest = float(size.max()) or 1.0
    found: Array = np.where(size > 1e-6 * highest, size, highest)
    return found


def _poles(squares: Array, matrix: Array) -> Complex:
    """The two poles of each mode; `matrix` is that of its states."""
    m = len(squares)
    lower = matrix[m:].copy()
    lower[:, :m] += np.diag(squares / scales(squares))
    if not lower.any():
        root = np.sqrt(squares.astype(complex))
        return np.array([1j * root, -1j * root])
    from scipy.optimize import linear_sum_assignment

    poles, vectors = np.linalg.eig(matrix)
    own = np.abs(vectors[:m] / scales(squares)[:, None]) ** 2
    own = own / own.sum(axis=0)

    # complex pairs first; the modes that are left share the real poles, two for each
    found = np.zeros((2, m), dtype=complex)
    pairs = np.flatnonzero(poles.imag > 0.0)
    rows, columns = linear_sum_assignment(own[:, pairs], maximize=True)
    found[0, rows] = poles[pairs[columns]]
    found[1, rows] = poles[pairs[columns]].conj()
    slow = np.repeat(np.setdiff1d(np.arange(m), rows), 2)
    real = np.flatnonzero(poles.imag == 0.0)
    rows, columns = linear_sum_assignment(own[np.ix_(slow, real)], maximize=True)
    found[rows % 2, slow[rows]] = poles[real[columns]]
    return found
