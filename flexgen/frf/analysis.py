"""Model, input and output -> `FrfResult`, from the linear model about a posture at rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..modal.eigen import parts
from ..modal.linear import linearised
from ..modal.posture import Posture, holding, posture
from ..modal.result import Array, Joints, Sag
from ..model import Frame, Model
from .ports import Port, port
from .result import FrfResult, Linear
from .zeros import poles_and_zeros

POINTS = 400
WIDE = (0.2, 2.0)  # the band without a wish: from and to these multiples of the frequencies


def frf(
    model: Model,
    input: str,
    output: str,
    q: Posture = None,
    joints: Joints = "free",
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    sag: Sag = "links",
    band: tuple[float, float] | None = None,
    points: int = POINTS,
    frame: Frame = "tip",
) -> FrfResult:
    """Response of one output to one input about a posture at rest; see `ports` for their names.

    Args:
        model: The built arm.
        input: Where the force enters: a coordinate, or "tip.fx" .. "tip.mz".
        output: What is looked at: a coordinate, or "tip.x" .. "tip.rz".
        q: Posture, by name or as an array of all coordinates or of the joints; default zero.
        joints: "locked", "free", or "pd" with the gains `kp` and `kd`.
        kp: Gains on the positions of the actuators, one for all or one each.
        kd: Gains on their rates.
        sag: What gives way to gravity before: "links", their deflections, while constant torques
            keep the joints at the given angles; "all" that moves; or "none".
        band: Lowest and highest frequency in Hz; default: around those of the arm.
        points: Number of frequencies, spaced evenly on a logarithmic scale.
        frame: Axes of the tip: those of the last frame, "tip", or of the "base".
    """
    arm = model.arm
    held = holding(arm, joints, kp, kd)
    about = linearised(model, posture(arm, q), held, sag)
    into = port(model, about.q, input, "input", frame)
    out = port(model, about.q, output, "output", frame)
    linear = _taking_part(arm.coordinates, about.moving, (about.M, about.C, about.K), into, out)
    poles, zeros = poles_and_zeros(linear)
    frequency = _frequencies(band, points, np.abs(poles))
    return FrfResult(
        arm=arm.name,
        joints=joints,
        posture=about.q,
        input=into.name,
        output=out.name,
        units=f"{out.unit}/({into.unit})" if " " in into.unit else f"{out.unit}/{into.unit}",
        frequency_hz=frequency,
        response=linear.response(2j * np.pi * frequency),
        poles=poles,
        zeros=zeros,
        linear=linear,
    )


def _taking_part(
    names: tuple[str, ...],
    moving: tuple[int, ...],
    matrices: tuple[Array, Array, Array],
    into: Port,
    out: Port,
) -> Linear:
    """The coordinates that the input moves and the output sees, by what acts on what."""
    b, c = into.row[list(moving)], out.row[list(moving)]
    seen: list[int] = []
    for part in parts(*matrices):
        if _counts(b[part], into.row) and _counts(c[part], out.row):
            seen += part
    if not seen:
        raise ValueError(f"{into.name} does not reach {out.name} in this posture")
    seen.sort()
    block = np.ix_(seen, seen)
    M, C, K = (matrix[block] for matrix in matrices)
    return Linear(tuple(names[moving[i]] for i in seen), M, C, K, b[seen], c[seen])


def _counts(part: Array, whole: Array) -> bool:
    """Whether a part of a row is more than rounding."""
    return bool(np.abs(part).max() > 1e-13 * np.abs(whole).max())


def _frequencies(band: tuple[float, float] | None, points: int, poles: Array) -> Array:
    if band is None:
        hertz = poles[poles > 1e-6 * poles.max()] / (2.0 * np.pi)
        low, high = (hertz.min(), hertz.max()) if hertz.size else (1.0, 1.0)
        band = (WIDE[0] * float(low), WIDE[1] * float(high))
    low, high = band
    if not 0.0 < low < high < np.inf:
        raise ValueError(f"a band goes from above 0 to a higher frequency, not {low:g} to {high:g}")
    if points < 2:
        raise ValueError(f"a response needs at least 2 points, not {points}")
    return np.geomspace(low, high, points)
