"""The system of 1990 behind today's commands: routine names and levels of passes.

Manipulator -> FORTRAN 77 text with the statistics of the original post-processor, or the same
statements as a program of the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import legacy
from .emit.legacy import ARRAYS, LAST, LEGACY
from .emit.write import comment
from .graph.node import as_expr
from .graph.program import Input, Output, Program
from .manipulator.arm import Manipulator

LEVELS = {"none": "", "classic": legacy.PRESET}


def covers(arm: Manipulator, routine: str) -> bool:
    """Whether the original has this routine for this arm."""
    return routine in LEGACY and arm.convention == "standard" and not arm.flexible


def generate(
    arm: Manipulator,
    routine: str,
    passes: str = "classic",
    method: int | None = None,
    wrench: bool = False,
    single: bool = False,
) -> tuple[str, legacy.Report]:
    """Text and statistics of one routine as the original generator and CLEAR give it."""
    listing, report = _cleared(arm, routine, passes, method, wrench)
    last = report.rows[-1].counts
    about = (
        f"case {arm.name}, generator and passes of 1990: {LEVELS[passes] or 'none'}",
        f"{listing.name}: {last.mul} mul, {last.add + last.declared} add, {last.calls} trig",
    )
    lines = comment(about, "C     ", LAST)
    return "\n".join([*lines, legacy.fortran(listing, single=single)]), report


def program(
    arm: Manipulator, routine: str, method: int | None = None, wrench: bool = False
) -> Program:
    """What the original generator and CLEAR give, as a program with our inputs and outputs."""
    listing, _ = _cleared(arm, routine, "classic", method, wrench)
    return as_program(arm, routine, listing, wrench)


def as_program(
    arm: Manipulator, routine: str, listing: legacy.LegacyProgram, wrench: bool
) -> Program:
    """A listing read statement by statement into the graph."""
    names = [n for n in LEGACY[routine].inputs if n != "wrench" or wrench or routine == "external"]
    groups = tuple(Input(n, 6 if n == "wrench" else arm.n) for n in names)
    arguments: dict[str, Any] = {}
    for group in groups:
        sign = LEGACY[routine].load if group.name == "wrench" else 1
        entries = [sign * e for e in group.entries]
        arguments[ARRAYS[group.name]] = np.array(entries, dtype=object)
    values = [as_expr(v) for v in legacy.evaluate(listing, arguments).values()]
    outputs, at = [], 0
    for name, shape in _outputs(arm.n, routine):
        size = int(np.prod(shape))
        outputs.append(Output(name, shape, tuple(values[at : at + size])))
        at += size
    return Program(routine, groups, tuple(outputs))


def _outputs(n: int, routine: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    matrix, vector = ("h", (n, n)), ("b", (n,))
    return {
        "inertia": (matrix,),
        "direct": (matrix, vector),
        "bias": (vector,),
        "gravity": (("g", (n,)),),
        "coriolis": (("c", (n,)),),
        "jacobian": (("jac", (6, n)),),
    }.get(routine, (("tau", (n,)),))


def _cleared(
    arm: Manipulator, routine: str, passes: str, method: int | None, wrench: bool
) -> tuple[legacy.LegacyProgram, legacy.Report]:
    if routine not in LEGACY:
        raise ValueError(f"the classic generator has {', '.join(LEGACY)}, not {routine}")
    if arm.flexible:
        raise ValueError("the classic generator is for rigid arms")
    if passes not in LEVELS:
        raise ValueError(f"the classic generator has passes none and classic, not {passes}")
    source = legacy.generate(arm, LEGACY[routine].name, payload=wrench, method=method or 2)
    return legacy.clear(source, LEVELS[passes])
