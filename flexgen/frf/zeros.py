"""Poles and transmission zeros of one input and one output.

A zero is an s at which some motion x = x0 exp(st), u = u0 exp(st) leaves the output at rest. The
system is reduced by orthogonal transformations until its input acts on its output directly
(Emami-Naeini and Van Dooren 1982, for one input and one output):

    x' = A x + B u, y = C x:   y = 0 means that one state is zero, and so is its rate,
                               which is the output of a system with one state less

and then the zeros are the eigenvalues of A - B C / d. So infinite zeros never appear, and none
has to be told from a large one.
"""

from __future__ import annotations

import numpy as np

from ..modal.eigen import modes, scales, states
from ..modal.result import Array, Complex
from .result import Linear

NOTHING = 1e-12  # entries this small, relative to what they came from, are zero


def poles_and_zeros(linear: Linear) -> tuple[Complex, Complex]:
    """Sorted by magnitude, in rad/s."""
    found = modes(linear.M, linear.C, linear.K)
    # modal states, whose matrix is as large as the highest frequency
    size, shapes = scales(found.squares), found.shapes
    top = float(size.max())
    odd = 0.5 * shapes.T @ (linear.K - linear.K.T) @ shapes
    A = states(found.squares, shapes.T @ linear.C @ shapes, odd)
    B = np.concatenate([np.zeros(len(size)), shapes.T @ linear.b])
    C = np.concatenate([linear.c @ shapes / size, np.zeros(len(size))])
    zeros = transmission_zeros(A / top, B / np.linalg.norm(B), C / np.linalg.norm(C)) * top
    return _tidy(found.poles.ravel(), top), _tidy(zeros, top)


def transmission_zeros(A: Array, B: Array, C: Array) -> Complex:
    """Finite zeros of x' = A x + B u, y = C x, with A of about unit size, B and C of unit norm."""
    d = 0.0
    while abs(d) <= NOTHING:
        size = float(np.linalg.norm(C))
        if size <= NOTHING:
            raise ValueError("the input does not reach the output")
        # the last of the new states is the output
        C = C / size
        reflected = C.copy()
        reflected[-1] += 1.0 if C[-1] >= 0.0 else -1.0
        reflected /= np.linalg.norm(reflected)
        H = np.eye(len(A)) - 2.0 * np.outer(reflected, reflected)
        A, B = H @ A @ H, H @ B
        A, B, C, d = A[:-1, :-1], B[:-1], A[-1, :-1], float(B[-1])
    zeros: Complex = np.linalg.eigvals(A - np.outer(B, C) / d).astype(complex)
    return zeros


def _tidy(roots: Complex, top: float) -> Complex:
    """Sorted by magnitude to 7 digits; parts that are rounding are zero."""
    small = 1e-9 * np.maximum(np.abs(roots), 1e-6 * top)
    real = np.where(np.abs(roots.real) > small, roots.real, 0.0)
    imag = np.where(np.abs(roots.imag) > small, roots.imag, 0.0)
    size = np.array([float(f"{x:.6e}") for x in np.hypot(real, imag)])
    order = np.lexsort((imag, real, size))
    return (real + 1j * imag)[order]
