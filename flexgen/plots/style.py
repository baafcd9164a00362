"""What all pictures share: colours, line styles, sizes, and where a legend goes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import matplotlib
import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito (2008), without black and yellow, which vanish on dark and on light paper
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES: Final = ("-", "--", "-.", ":")
WARNING: Final = "#D55E00"
QUIET: Final = "#808080"
WIDTH: Final = 7.2  # inches: two columns of a journal
FEW: Final = 4  # entries that a legend inside the axes may have
SETTINGS: Final[dict[str, Any]] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.0,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "grid.alpha": 0.3,
    "grid.color": QUIET,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.4,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "svg.fonttype": "path",
    "svg.hashsalt": "flexgen",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Our settings inside, the caller's again outside."""
    with matplotlib.rc_context(), matplotlib.style.context(["default", SETTINGS]):
        yield


def blank(height: float, width: float = WIDTH) -> Figure:
    """An empty figure that no window and no global list knows of."""
    return Figure(figsize=(width, height), layout="constrained")


def strokes(k: int) -> dict[str, Any]:
    """Colour and dashes of line k: no two of the first 24 lines look the same."""
    dashes = DASHES[k // len(COLOURS) % len(DASHES)]
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": dashes}


def legend(axes: Axes, outside: bool = False) -> None:
    """Inside the axes if short, to the right of them if long or wanted; none without names."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return
    if len(labels) <= FEW and not outside:
        axes.legend(handles, labels, loc="best")
    else:
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
