"""The system of 1990 behind today's commands: routine names and levels of passes.

Manipulator -> FORTRAN 77 text and the statistics report of the original post-processor.
"""

from __future__ import annotations

from . import legacy
from .emit.legacy import LEGACY
from .manipulator.arm import Manipulator

LEVELS = {"none": "", "classic": legacy.PRESET}


def generate(
    arm: Manipulator,
    routine: str,
    passes: str = "classic",
    method: int | None = None,
    wrench: bool = False,
    single: bool = False,
) -> tuple[str, legacy.Report]:
    """Text and statistics of one routine as the original generator and CLEAR give it."""
    if routine not in LEGACY:
        raise ValueError(f"the classic generator has {', '.join(LEGACY)}, not {routine}")
    if passes not in LEVELS:
        raise ValueError(f"the classic generator has passes none and classic, not {passes}")
    source = legacy.generate(arm, LEGACY[routine].name, payload=wrench, method=method or 2)
    program, report = legacy.clear(source, LEVELS[passes])
    return legacy.fortran(program, single=single), report
