"""The customised Newton-Euler code of the literature, as a stand-in for OpenSYMORO.

Khalil and Kleinfinger (1987): base inertial parameters (Gautier and Khalil 1990), bodies about
the link origins, one variable for every element that is not trivial, nothing computed twice.
OpenSYMORO has no released wheel; this is the same method from our own graph without any of our
passes. Direct dynamics are inertia matrix by composite bodies, bias and elimination.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from ..acceleration import eliminated
from ..graph.program import Program
from ..regroup.base import default_order
from ..start.choices import Start
from ..start.ways import start_program
from .candidate import Absent, Candidate
from .kernels import Workshop
from .problem import Problem
from .programs import candidate

FAMILY = "khalil"
FOOTNOTE = (
    "Khalil-style is a stand-in for OpenSYMORO, which has no released wheel: customised "
    "Newton-Euler on base inertial parameters, from our graph without our passes"
)


def program(p: Problem) -> Program:
    """The program of the literature."""
    start = Start(order=default_order(len(p.arm.links)), parallel=False)
    if p.routine == "inverse":
        return start_program(p.arm, "inverse", start)
    if p.routine == "direct":
        return eliminated(start_program(p.arm, "direct", start))
    raise Absent("the literature's customised code has no derivatives")


def scalar(shop: Workshop, p: Problem) -> Iterator[Candidate]:
    """Called from C for one state."""
    start = time.perf_counter()
    made = program(p)
    seconds = time.perf_counter() - start
    for dialect in ("c", "f90"):
        yield candidate(shop, p, f"Khalil-style {dialect}", FAMILY, made, dialect, seconds)
