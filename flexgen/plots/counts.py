"""Operations of every routine, level by level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from matplotlib.figure import Figure

from .style import COLOURS, blank, house_style


class Operations(Protocol):
    """Multiplications and additions of a routine."""

    @property
    def mul(self) -> int: ...
    @property
    def add(self) -> int: ...


def operation_counts(
    counts: Mapping[str, Mapping[str, Operations]], title: str = "", relative: bool = False
) -> Figure:
    """Bars of multiplications and additions, `counts[level][routine]`.

    With `relative` every routine is measured by its first level, so that small ones show too.
    """
    levels = list(counts)
    routines = list(dict.fromkeys(r for level in levels for r in counts[level]))
    if not routines:
        raise ValueError("there are no operations to show")
    thick = 0.8 / len(levels)
    with house_style():
        figure = blank(1.0 + 0.24 * len(routines) * max(len(levels), 2))
        ax = figure.subplots()
        for k, level in enumerate(levels):
            present = [j for j, r in enumerate(routines) if r in counts[level]]
            found = [counts[level][routines[j]] for j in present]
            whole = np.array([_base(counts, routines[j], relative) for j in present])
            mul, add = (
                np.array(x) / whole for x in ([c.mul for c in found], [c.add for c in found])
            )
            where = np.array(present) + (k - 0.5 * (len(levels) - 1)) * thick
            colour = COLOURS[k % len(COLOURS)]
            ax.barh(where, mul, 0.92 * thick, color=colour, label=f"{level}: multiplications")
            ax.barh(
                where,
                add,
                0.92 * thick,
                left=mul,
                color=colour,
                alpha=0.5,
                label=f"{level}: additions",
            )
            for y, x, c in zip(where, mul + add, found, strict=True):
                ax.annotate(
                    str(c.mul + c.add),
                    (x, y),
                    (3, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7,
                )
        ax.set_yticks(range(len(routines)), routines)
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.margins(x=0.1, y=0.02)
        ax.set_xlabel(f"operations, relative to {levels[0]}" if relative else "operations")
        columns = min(len(levels), 3)
        figure.legend(loc="outside lower center", ncols=columns)
        if title:
            ax.set_title(title, loc="left")
    return figure


def _base(counts: Mapping[str, Mapping[str, Operations]], routine: str, relative: bool) -> float:
    if not relative:
        return 1.0
    first = next(c[routine] for c in counts.values() if routine in c)
    return float(max(first.mul + first.add, 1))
