"""Program -> text: f90, f77, c or python.

`schedule` gives a program names and an order (`Routine`); one module for each dialect writes
it down. The text has exactly the operations that `Program.count` counts, and computes the
same numbers to the last bit where the language's sine and cosine do.

To add a dialect: a `Style` (see `write`), a function from programs to text, a line below.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.program import Program
from .c import c_text
from .fortran import module_text
from .legacy import f77_text
from .python import load_python, python_text
from .routine import Routine
from .schedule import schedule
from .split import LONGEST

__all__ = [
    "DIALECTS",
    "SUFFIXES",
    "Routine",
    "c_text",
    "emit",
    "f77_text",
    "load_python",
    "module_text",
    "python_text",
    "schedule",
]

SUFFIXES = {"f90": ".f90", "f77": ".f", "c": ".c", "python": ".py"}
DIALECTS = tuple(SUFFIXES)


def emit(
    programs: Sequence[Program],
    dialect: str,
    header: Sequence[str] = (),
    *,
    module: str = "dynamics",
    single: bool = False,
    flexible: bool = False,
    longest: int = LONGEST,
) -> str:
    """The text of programs in one dialect, headed by `header` as comment lines.

    Args:
        programs: what to write; names of routines must differ.
        dialect: one of `DIALECTS`.
        header: lines such as generator, case and passes; the counts are added to each routine.
        module: name of the module (f90).
        single: REAL*4 as in the original system instead of double precision (f77).
        flexible: name the routines as the original does for flexible links (f77).
        longest: statements of a routine beyond which it is cut into parts (f90, c).
    """
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect {dialect!r}: one of {', '.join(DIALECTS)}")
    if (single or flexible) and dialect != "f77":
        raise ValueError(f"single and flexible are choices of f77, not of {dialect}")
    if dialect == "f90":
        return module_text(programs, module, header, longest)
    if dialect == "f77":
        return f77_text(programs, header, single, flexible)
    if dialect == "c":
        return c_text(programs, header, longest)
    return python_text(programs, header)
