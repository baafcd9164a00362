"""Energy over time, and how far it is from what the work done says it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from .histories import TIME
from .style import WARNING, blank, house_style, legend, strokes

if TYPE_CHECKING:
    import xarray


def energy(dataset: xarray.Dataset, title: str = "") -> Figure:
    """Kinetic and potential energy, their sum and the work done; below, the drift.

    A dataset has `kinetic` and `potential`, and may have `work` and `drift`, over (time).
    """
    time = dataset["time"].values
    kinetic, potential = dataset["kinetic"].values, dataset["potential"].values
    curves = [("kinetic", kinetic), ("potential", potential), ("total", kinetic + potential)]
    if "work" in dataset:
        curves.append(("work done", dataset["work"].values))
    below = "drift" in dataset
    with house_style():
        figure = blank(4.4 if below else 2.8)
        ratios = [2.2, 1.0] if below else [1.0]
        grid = {"height_ratios": ratios}
        axes = figure.subplots(len(ratios), 1, sharex=True, squeeze=False, gridspec_kw=grid)[:, 0]
        for k, (name, values) in enumerate(curves):
            axes[0].plot(time, values, label=name, **strokes(k) | {"linestyle": "-" * (1 + k // 3)})
        axes[0].set_ylabel("energy [J]")
        if below:
            axes[1].plot(time, dataset["drift"].values, color=WARNING, linewidth=1.0)
            axes[1].set_ylabel("drift [J]")
            axes[1].ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
        legend(axes[0], outside=True)
        axes[-1].set_xlabel(TIME)
        axes[-1].margins(x=0.01)
        figure.align_ylabels(list(axes))
        if title:
            axes[0].set_title(title, loc="left")
    return figure
