"""What a frequency response gives: response, poles and zeros from one input to one output.

The linear model behind it, about a posture at rest, is kept with it:

    M x'' + C x' + K x = b u,   y = c x

in the coordinates that take part, so that the response can be had at any s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..modal.result import Array, Complex, Joints


@dataclass(frozen=True, eq=False)
class Linear:
    """M x'' + C x' + K x = b u, y = c x, in the named coordinates."""

    coordinates: tuple[str, ...]
    M: Array
    C: Array
    K: Array
    b: Array
    c: Array

    def response(self, s: ArrayLike) -> Complex:
        """C (s^2 M + s C + K)^-1 b at every s."""
        points = np.atleast_1d(np.asarray(s, dtype=complex))
        found = np.zeros(len(points), dtype=complex)
        for k, at in enumerate(points):
            try:
                found[k] = self.c @ np.linalg.solve(at * at * self.M + at * self.C + self.K, self.b)
            except np.linalg.LinAlgError:  # at an undamped pole
                found[k] = np.inf
        return found


@dataclass(frozen=True, eq=False)
class FrfResult:
    """Response of `output` to `input`; frequencies in Hz, poles and zeros in rad/s."""

    arm: str
    joints: Joints
    posture: Array  # (n,) where the arm rests
    input: str
    output: str
    units: str  # of the response, such as "m/N"
    frequency_hz: Array  # (points,)
    response: Complex  # (points,)
    poles: Complex
    zeros: Complex
    linear: Linear

    @property
    def magnitude(self) -> Array:
        """Absolute value of the response."""
        return np.abs(self.response)

    @property
    def phase_deg(self) -> Array:
        """Phase of the response in degrees, without jumps of 360."""
        angles: Array = np.degrees(np.unwrap(np.angle(self.response)))
        return angles

    @property
    def non_minimum_phase(self) -> Complex:
        """Zeros in the right half plane: the output starts off the wrong way."""
        return self.zeros[right_half(self.zeros)]


def right_half(zeros: Complex) -> NDArray[np.bool_]:
    """Which zeros lie clearly to the right of the imaginary axis."""
    return zeros.real > 1e-6 * np.abs(zeros)


@dataclass(frozen=True, eq=False)
class ChirpCheck:
    """A chirp through the nonlinear model against the linear response, on a line Re s = decay.

    Input and output are weighted with exp(-decay t), so that neither leakage nor a lack of
    damping spoils the ratio of their spectra.
    """

    amplitude: float  # of the input
    largest: float  # coordinate that moved most, its amplitude
    decay: float  # 1/s
    seconds: float
    frequency_hz: Array
    measured: Complex
    linear: Complex

    @property
    def deviation(self) -> Array:
        """|measured - linear| / |linear| at every frequency."""
        return np.abs(self.measured - self.linear) / np.abs(self.linear)
