"""Motion over time: joints and their torques, and deflections of the links.

A dataset has `q`, `qd` and `tau` over (time, coordinate). Coordinates are named as the arm
names them: joint1, ..., link2.twist1, link2.bend_y1, ..., and anything else moves with the
joints (motors).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..manipulator.arm import Manipulator
from .style import blank, house_style, legend, strokes

if TYPE_CHECKING:
    import xarray

TIME: Final = "time [s]"
PANELS: Final = (
    ("q", "position", "rad"),
    ("qd", "rate", "rad/s"),
    ("tau", "torque", "N m"),
)
SLIDING: Final = {"rad": "m", "rad/s": "m/s", "N m": "N"}


def time_histories(
    dataset: xarray.Dataset, title: str = "", arm: Manipulator | None = None
) -> Figure:
    """Joint positions, rates and torques over time, one below the other.

    With the arm known, its sliding joints have units of their own; without, all joints turn.
    """
    names = [str(c) for c in dataset["coordinate"].values]
    joints = [k for k, name in enumerate(names) if not name.startswith("link")]
    links = () if arm is None else arm.links
    slide = {f"joint{i}" for i, link in enumerate(links, 1) if link.joint == "prismatic"}
    panels = [p for p in PANELS if p[0] in dataset]
    with house_style():
        figure = blank(0.6 + 1.75 * len(panels))
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (variable, label, unit) in zip(axes, panels, strict=True):
            units = {SLIDING[unit] if names[k] in slide else unit for k in joints}
            mixed = len(units) > 1
            for order, k in enumerate(joints):
                own = SLIDING[unit] if names[k] in slide else unit
                text = f"{names[k]} [{own}]" if mixed else names[k]
                values = dataset[variable].values[:, k]
                ax.plot(dataset["time"].values, values, label=text, **strokes(order))
            ax.set_ylabel(f"{label} [{', '.join(sorted(units, reverse=True))}]")
        _finish(figure, axes, title)
        legend(axes[0], outside=True)
    return figure


def deflections(dataset: xarray.Dataset, title: str = "") -> Figure:
    """Modal coordinates of the flexible links over time: bending in m, torsion in rad."""
    names = [str(c) for c in dataset["coordinate"].values]
    groups = [
        ("bending [m]", [k for k, name in enumerate(names) if ".bend" in name]),
        ("torsion [rad]", [k for k, name in enumerate(names) if ".twist" in name]),
    ]
    groups = [group for group in groups if group[1]]
    if not groups:
        raise ValueError("the dataset has no deflections: no link is flexible")
    with house_style():
        figure = blank(0.6 + 2.0 * len(groups))
        axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (label, members) in zip(axes, groups, strict=True):
            for order, k in enumerate(members):
                values = dataset["q"].values[:, k]
                ax.plot(dataset["time"].values, values, label=names[k], **strokes(order))
            ax.set_ylabel(label)
            legend(ax, outside=True)
        _finish(figure, axes, title)
    return figure


def _finish(figure: Figure, axes: np.ndarray[tuple[int], np.dtype[np.object_]], title: str) -> None:
    last: Axes = axes[-1]
    last.set_xlabel(TIME)
    last.margins(x=0.01)
    figure.align_ylabels(list(axes))
    if title:
        axes[0].set_title(title, loc="left")
