"""A frequency response measured on the nonlinear model, against the linear one.

A small chirp is put into the nonlinear equations, which are integrated; the ratio of the
spectra of output and input is the response. Both are weighted with exp(-decay t), so that the
ratio is that at s = decay + i w: an arm without damping, or one that drifts away on its free
joints, has a spectrum there, and what is cut off at the end is as small as the weight.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..modal.posture import Holding, holding
from ..modal.result import Array
from ..model import Frame, Model
from .ports import DISPLACEMENTS, FORCES, port
from .result import ChirpCheck, FrfResult, Linear

SMALL = 1e-4  # rad or m, of the coordinate that moves most
LEFT = 1e-6  # weight at the end
SAMPLES = 24  # in the shortest period of the chirp
LONGEST = 200_000  # samples
BEYOND = 1.5  # the chirp goes on to this multiple of the band, where it fades out
PERIODS = 12  # of the lowest frequency in the whole record, of which the chirp is a quarter
RTOL = 1e-8


def chirp_check(
    model: Model,
    result: FrfResult,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    frame: Frame = "tip",
    band: tuple[float, float] | None = None,
) -> ChirpCheck:
    """Drive the nonlinear model with a chirp over `band` and compare with `result.linear`.

    The gains and the frame are those with which `result` was made; the band is its band unless
    given.
    """
    low, high = band or (float(result.frequency_hz[0]), float(result.frequency_hz[-1]))
    seconds, step = PERIODS / low, 1.0 / (SAMPLES * high)
    if seconds / step > LONGEST:
        raise ValueError(
            f"a chirp from {low:g} to {high:g} Hz needs {seconds / step:.0f} samples, more than "
            f"{LONGEST}; take a narrower band"
        )
    decay = -float(np.log(LEFT)) / seconds
    times = np.arange(0.0, seconds, step)
    sound = chirp(low, BEYOND * high, 0.25 * seconds)
    u = sound(times)

    amplitude = SMALL / _largest(result.linear, u, times)
    held = holding(model.arm, result.joints, kp, kd)
    force = _force(model, result, frame)
    q = _driven(
        model,
        result.posture,
        held,
        lambda t, q: amplitude * float(sound(t)) * force(q),
        times,
        2.0 * np.pi * high,
    )
    weight = np.exp(-decay * times)
    hertz = np.asarray(np.fft.rfftfreq(len(times), step), dtype=np.float64)
    inside = (hertz >= low) & (hertz <= high)
    U, Y = (
        np.fft.rfft(weight * z)[inside] for z in (amplitude * u, _seen(model, result, q, frame))
    )
    return ChirpCheck(
        amplitude=amplitude,
        largest=float(np.abs(q - result.posture).max()),
        decay=decay,
        seconds=float(seconds),
        frequency_hz=hertz[inside],
        measured=Y / U,
        linear=result.linear.response(decay + 2j * np.pi * hertz[inside]),
    )


def chirp(low: float, high: float, seconds: float) -> Callable[[ArrayLike], Array]:
    """From low to high frequency, ever louder since masses move ever less, with soft ends.

    Zero after `seconds`, and without impulse and its moment: what starts at rest stays near.
    """
    rate = np.log(high / low)

    def soft(x: Array) -> Array:
        edge: Array = np.sin(0.5 * np.pi * np.clip(16.0 * np.minimum(x, 1.0 - x), 0.0, 1.0)) ** 2
        return edge

    def wave(x: Array) -> Array:
        phase = 2.0 * np.pi * low * seconds * np.expm1(rate * x) / rate
        sound: Array = np.exp(rate * (x - 1.0)) * np.sin(phase)
        return sound

    x = np.linspace(0.0, 1.0, 100 * int(1.0 + seconds * high))
    powers = np.array([np.ones_like(x), x])
    mean, trend = np.linalg.solve((powers * soft(x)) @ powers.T, powers @ (soft(x) * wave(x)))

    def sound(t: ArrayLike) -> Array:
        x = np.clip(np.asarray(t, dtype=float) / seconds, 0.0, 1.0)
        found: Array = soft(x) * (wave(x) - mean - trend * x)
        return found

    return sound


def _largest(linear: Linear, u: Array, times: Array) -> float:
    """Largest coordinate under the input `u`, by the linear model."""
    from scipy.signal import lsim

    m = len(linear.b)
    A = np.block(
        [
            [np.zeros((m, m)), np.eye(m)],
            [-np.linalg.solve(linear.M, linear.K), -np.linalg.solve(linear.M, linear.C)],
        ]
    )
    B = np.concatenate([np.zeros(m), np.linalg.solve(linear.M, linear.b)])[:, None]
    C = np.eye(2 * m)[:m]
    _, y, _ = lsim((A, B, C, np.zeros((m, 1))), u, times)
    return float(np.abs(y).max())


def _force(model: Model, result: FrfResult, frame: Frame) -> Callable[[Array], Array]:
    """Generalized forces of a unit input, which depend on q for a force at the tip."""
    if result.input in FORCES:
        wrench = np.eye(6)[FORCES.index(result.input)]
        return lambda q: model.external(q, wrench, frame)
    row = port(model, result.posture, result.input, "input", frame).row
    return lambda q: row


def _seen(model: Model, result: FrfResult, q: Array, frame: Frame) -> Array:
    """The output at the states `q`, (times, n), as a deviation from rest."""
    if result.output not in DISPLACEMENTS:
        at = model.arm.coordinates.index(result.output)
        alone: Array = q[:, at] - result.posture[at]
        return alone
    k = DISPLACEMENTS.index(result.output)
    rest, now = model.pose(result.posture), model.pose(q)
    if k < 3:
        moved = now[:, :3, 3] - rest[:3, 3]
    else:  # R R0^T = 1 + skew(rotation), in base axes
        turn = now[:, :3, :3] @ rest[:3, :3].T
        moved = 0.5 * np.stack([turn[:, i, j] - turn[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))])
        moved = moved.T
    axes = rest[:3, :3] if frame == "tip" else np.eye(3)
    found: Array = moved @ axes[:, k % 3]
    return found


def _driven(
    model: Model,
    rest: Array,
    held: Holding,
    force: Callable[[float, Array], Array],
    times: Array,
    fastest: float,
) -> Array:
    """States (times, n) of the nonlinear model from rest, in units of SMALL inside."""
    from scipy.integrate import solve_ivp

    moving = list(held.moving)
    m, block = len(moving), np.ix_(moving, moving)
    hold = model.gravity(rest)

    def rates(t: float, z: Array) -> Array:
        q, qd = rest.copy(), np.zeros(model.n)
        q[moving] += SMALL * z[:m]
        qd[moving] = SMALL * z[m:]
        tau = hold - held.kp * (q - rest) - held.kd * qd + force(t, q)
        qdd = np.linalg.solve(model.inertia(q)[block], (tau - model.bias(q, qd))[moving])
        return np.concatenate([z[m:], qdd / SMALL])

    atol = RTOL * np.concatenate([np.ones(m), np.full(m, fastest)])
    found = solve_ivp(
        rates, (0.0, float(times[-1])), np.zeros(2 * m), "DOP853", times, rtol=RTOL, atol=atol
    )
    if not found.success:
        raise ValueError(f"the chirp could not be integrated: {found.message}")
    q = np.tile(rest, (len(times), 1))
    q[:, moving] += SMALL * found.y[:m].T
    return q
