"""Frequency response: magnitude and phase, with poles and zeros."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MultipleLocator, NullFormatter
from numpy.typing import NDArray

from .style import COLOURS, QUIET, WARNING, blank, house_style, legend

Complex = NDArray[np.complexfloating[Any, Any]]
NARROW = 30.0  # bands that end below this multiple of their beginning need more ticks


class Response(Protocol):
    """What is shown: frequencies in Hz, complex response, poles and zeros in rad/s."""

    @property
    def frequency_hz(self) -> NDArray[np.float64]: ...
    @property
    def response(self) -> Complex: ...
    @property
    def poles(self) -> Complex: ...
    @property
    def zeros(self) -> Complex: ...
    @property
    def units(self) -> str: ...


def frf(result: Response, title: str = "") -> Figure:
    """Magnitude in dB and phase in degrees over a logarithmic frequency axis.

    Poles and zeros stand at their |s| / 2 pi. Zeros in the right half plane, which no stable
    inverse can cancel, stand out.
    """
    frequency = np.asarray(result.frequency_hz)
    response = np.array(result.response)
    response[~np.isfinite(response)] = np.nan  # at an undamped pole
    with house_style():
        figure = blank(4.6)
        top, bottom = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [1.7, 1.0]})
        size = np.abs(response)
        decibel = 20.0 * np.log10(np.maximum(size, np.finfo(float).tiny))
        top.semilogx(frequency, decibel, color=COLOURS[0])
        phase = np.full(len(response), np.nan)
        finite = np.isfinite(response)
        phase[finite] = np.degrees(np.unwrap(np.angle(response[finite])))
        bottom.semilogx(frequency, phase, color=COLOURS[0])

        zeros, poles = np.asarray(result.zeros), np.asarray(result.poles)
        right = zeros.real > 1e-6 * np.abs(zeros)
        _mark(top, frequency, decibel, poles, "x", QUIET, "pole")
        _mark(top, frequency, decibel, zeros[~right], "o", COLOURS[2], "zero")
        _mark(top, frequency, decibel, zeros[right], "D", WARNING, "zero, non-minimum phase")
        for zero in _within(frequency, zeros[right]):
            for ax in (top, bottom):
                ax.axvline(zero, color=WARNING, linewidth=0.8, linestyle=":")

        top.set_ylabel(f"magnitude [dB re 1 {result.units}]")
        bottom.set_ylabel("phase [deg]")
        bottom.set_xlabel("frequency [Hz]")
        bottom.yaxis.set_major_locator(_steps_of_right_angles(phase))
        plain = FuncFormatter(lambda hertz, _: f"{hertz:g}")
        bottom.xaxis.set_major_formatter(plain)
        narrow = frequency[-1] < NARROW * frequency[0]
        bottom.xaxis.set_minor_formatter(plain if narrow else NullFormatter())
        if narrow:
            bottom.xaxis.set_minor_locator(LogLocator(subs=(2.0, 3.0, 5.0)))
        top.margins(x=0.0)
        figure.align_ylabels([top, bottom])
        legend(top)
        if title:
            top.set_title(title, loc="left")
    return figure


def _within(frequency: NDArray[np.float64], roots: Complex) -> NDArray[np.float64]:
    """Frequencies of roots inside the shown range, one of each pair."""
    found = np.abs(roots) / (2.0 * np.pi)
    inside = found[(found >= frequency[0]) & (found <= frequency[-1])]
    return np.unique(np.round(inside, 9))


def _mark(
    ax: Axes,
    frequency: NDArray[np.float64],
    decibel: NDArray[np.float64],
    roots: Complex,
    marker: str,
    colour: str,
    label: str,
) -> None:
    found = _within(frequency, roots)
    if len(found):
        finite = np.isfinite(decibel)
        height = np.interp(np.log(found), np.log(frequency[finite]), decibel[finite])
        face = "none" if marker == "o" else colour
        looks: dict[str, Any] = {"color": colour} if marker == "x" else {"edgecolors": colour}
        if marker != "x":
            looks["facecolors"] = face
        ax.scatter(found, height, s=34, marker=marker, label=label, zorder=3, **looks)


def _steps_of_right_angles(phase: NDArray[np.float64]) -> MultipleLocator:
    shown = phase[np.isfinite(phase)]
    span = float(np.ptp(shown)) if len(shown) else 0.0
    return MultipleLocator(90.0 if span <= 720.0 else 180.0)
