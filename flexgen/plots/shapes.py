"""Mode shapes of an arm: its centrelines at rest, and moved as the mode moves them."""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..geometry import Array, centrelines
from ..manipulator.arm import Manipulator
from .style import COLOURS, QUIET, WIDTH, blank, house_style

LARGEST: Final = 0.1  # displacement shown, relative to the size of the arm
TINY: Final = 1e-6  # frequencies below this part of the highest are rigid motions
STEP: Final = 1e-6
COLUMNS: Final = 3
ELEVATION: Final = np.radians(28.0)  # of the eye above the x-y plane


class Modal(Protocol):
    """What is shown: frequencies and mode shapes about a posture."""

    @property
    def posture(self) -> NDArray[np.float64]: ...
    @property
    def frequencies_hz(self) -> NDArray[np.float64]: ...
    @property
    def shapes(self) -> NDArray[Any]: ...


def mode_shapes(result: Modal, arm: Manipulator, count: int = 6, title: str = "") -> Figure:
    """The first modes with a frequency, each in its own axes; both extremes of the motion.

    Arm and motion are seen in a plane of the base axes if they lie in one, else from above in
    parallel projection. Displacements are linear and scaled to show.
    """
    frequencies = np.asarray(result.frequencies_hz)
    shapes = np.asarray(result.shapes)
    highest = frequencies.max(initial=0.0)
    shown = [k for k in range(len(frequencies)) if frequencies[k] > TINY * highest][:count]
    if not shown:
        raise ValueError("no mode has a frequency: there is no shape to show")
    posture = np.asarray(result.posture, dtype=float)
    rest = centrelines(arm, posture)
    motions = [displacements(arm, posture, shapes[:, k]) for k in shown]
    flat = _plane(np.concatenate([rest[None], *(m[None] for m in motions)]))
    view = _oblique(rest) if flat is None else np.eye(3)[list(flat)]
    rows, columns = -(-len(shown) // COLUMNS), min(len(shown), COLUMNS)
    with house_style():
        figure = blank(0.3 + _height(rest @ view.T) * rows)
        for place, (k, motion) in enumerate(zip(shown, motions, strict=True), 1):
            ax = figure.add_subplot(rows, columns, place)
            _draw(ax, rest @ view.T, motion @ view.T)
            ax.set_title(f"mode {k + 1}: {frequencies[k]:.4g} Hz")
            if flat is None:
                ax.set_axis_off()
                _triad(ax, rest @ view.T, view)
            else:
                ax.set_xlabel(f"{'xyz'[flat[0]]} [m]")
                ax.set_ylabel(f"{'xyz'[flat[1]]} [m]")
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def displacements(arm: Manipulator, posture: Array, shape: NDArray[Any]) -> Array:
    """Displacements (links, points, 3) of a mode, the largest `LARGEST` of the arm's size.

    Of a complex shape, the moment is taken at which it moves most.
    """
    real = _real(shape)
    most = float(np.abs(real).max(initial=0.0))
    rest = centrelines(arm, posture)
    if most == 0.0:
        return np.zeros_like(rest)
    step = STEP / most
    motion = (centrelines(arm, posture + step * real) - centrelines(arm, posture - step * real)) / (
        2.0 * step
    )
    size = float(np.ptp(rest.reshape(-1, 3), axis=0).max())
    largest = float(np.linalg.norm(motion, axis=-1).max())
    # a twist about the centreline moves no point of it
    return motion * (LARGEST * size / largest) if largest > 1e-6 * most * size else 0.0 * motion


def _height(rest: Array) -> float:
    """Of one row of pictures, in inches."""
    wide, high = np.ptp(rest.reshape(-1, 2), axis=0)
    ratio = (high + LARGEST * wide) / max(wide, 1e-12)
    return float(np.clip(0.6 + ratio * WIDTH / COLUMNS, 1.3, 2.6))


def _draw(ax: Axes, rest: Array, motion: Array) -> None:
    """The arm at rest and at both extremes, as (links, points, 2)."""
    ax.plot(*rest.reshape(-1, 2).T, color=QUIET, linewidth=1.0, linestyle="--", zorder=1)
    for phase, alpha in ((-1.0, 0.35), (1.0, 1.0)):
        moved = rest + phase * motion
        ax.plot(*moved.reshape(-1, 2).T, color=COLOURS[0], linewidth=1.6, alpha=alpha, zorder=2)
    joints = (rest + motion)[:, 0]
    ax.plot(*joints.T, "o", color=COLOURS[1], markersize=3.5, zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)


def _oblique(rest: Array) -> Array:
    """(2, 3) parallel projection from above, from where the arm looks widest."""
    found = []
    for azimuth in np.radians(np.arange(15.0, 375.0, 30.0)):
        c, s = np.cos(azimuth), np.sin(azimuth)
        rise = np.sin(ELEVATION)
        view = np.array([[-s, c, 0.0], [-rise * c, -rise * s, np.cos(ELEVATION)]])
        across = rest.reshape(-1, 3) @ view[0]
        found.append((round(float(np.ptp(across)), 9), float(across.mean()), view))
    return max(found, key=lambda one: one[:2])[2]  # of two, the one with the base at the left


def _triad(ax: Axes, rest: Array, view: Array) -> None:
    """The base axes, an eighth of the picture long, beside the base."""
    length = float(np.ptp(rest.reshape(-1, 2), axis=0).max()) / 8.0
    for name, end in zip("xyz", length * view.T, strict=True):
        ax.plot([0.0, end[0]], [0.0, end[1]], color=QUIET, linewidth=0.8, zorder=0)
        ax.annotate(name, 1.35 * end, fontsize=7, ha="center", va="center", color=QUIET)


def _real(shape: NDArray[Any]) -> Array:
    if not np.iscomplexobj(shape):
        return np.asarray(shape, dtype=float)
    # |Re(s exp(i phi))| is largest at phi = -arg(sum s^2) / 2
    turn = np.exp(-0.5j * np.angle(np.sum(shape * shape)))
    return np.real(shape * turn)


def _plane(points: Array) -> tuple[int, int] | None:
    """The two base axes that the arm and all motions extend in, if there are but two.

    `points` holds the arm first and then motions, which are displacements.
    """
    spans = np.ptp(points[0].reshape(-1, 3), axis=0)
    spans = np.maximum(spans, 2.0 * np.abs(points[1:]).reshape(-1, 3).max(axis=0))
    order = np.argsort(-spans, kind="stable")
    if spans[order[2]] > 1e-3 * spans[order[0]]:
        return None
    first, second = sorted(int(i) for i in order[:2])
    return first, second
