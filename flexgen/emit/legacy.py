"""Routine -> FORTRAN 77 in the manner of the original system (El-Rayyes 1990).

Fixed form, columns 7 to 72, at most 19 continuation lines, names of at most six letters.
A routine has the three parts of the original:

    1  declarations: x001 for a constant, and every variable with its source:
       C1, S1, C23 sine and cosine, Q3 = TH(3), QD1 = THD(1), QF1 = THDD(1), W1 = -LD(1)
    2  intermediate terms: Z0001 sums, Y001 products used more than once, F001 functions
    3  the results

The load LD is what the arm exerts on the environment, so the wrench on the arm is -LD. Only
KTERM, the term J^T LD of the torques, takes LD as it is: the term is linear in the load.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..graph.node import FUNCTIONS
from ..graph.program import Program
from .names import check_language, free_name
from .routine import Array, Assignment, Element, Local, Negative, Number, Routine, leaves
from .schedule import schedule
from .write import comment, fill, listed, statement, summary

LENGTH = 6  # letters of a name
FIRST, LAST = 7, 72  # columns of a statement
CONTINUATIONS = 19


@dataclass(frozen=True)
class Legacy:
    """A subroutine of the original system: its name and its arguments in order."""

    name: str
    inputs: tuple[str, ...]  # names of our programs
    outputs: tuple[str, ...]  # names of the original
    flexible: str = ""  # the name for arms with flexible links, where it differs
    load: int = -1  # sign of LD in our wrench


LEGACY: Mapping[str, Legacy] = {
    "inverse": Legacy("NEDYN", ("q", "qd", "qdd", "wrench"), ("RES",), "FLEX"),
    "bias": Legacy("BVECT", ("q", "qd", "wrench"), ("RES",), "FLEXB"),
    "inertia": Legacy("HMAT", ("q",), ("H",), "FLEXH"),
    "direct": Legacy("HBMAT", ("q", "qd", "wrench"), ("H", "B"), "FLEXHB"),
    "gravity": Legacy("GTERM", ("q",), ("RES",)),
    "inertial": Legacy("HTERM", ("q", "qdd"), ("RES",)),
    "coriolis": Legacy("CTERM", ("q", "qd"), ("RES",)),
    "external": Legacy("KTERM", ("q", "wrench"), ("RES",), load=1),
    "jacobian": Legacy("JACOB", ("q",), ("JAC",)),
}
ARRAYS = {"q": "TH", "qd": "THD", "qdd": "THDD", "wrench": "LD"}
COPIES = {"q": "Q", "qd": "QD", "qdd": "QF", "wrench": "W"}

# letter and digits of the variables that have no name of their own
_COUNTED = {"sum": ("Z", 4), "product": ("Y", 3)}
_INDENT = "  "  # of continuation lines


def f77_text(
    programs: Sequence[Program],
    header: Sequence[str] = (),
    single: bool = False,
    flexible: bool = False,
) -> str:
    """Subroutines that compile alone, in double precision or, as the original, in REAL*4."""
    check_language(programs, (), "FORTRAN 77")
    lines = comment(header, "C     ", LAST)
    taken: set[str] = set()
    for program in programs:
        lines += _subroutine(schedule(program), single, flexible, taken)
    return "\n".join([*lines, ""])


@dataclass(frozen=True)
class _F77:
    single: bool
    arrays: Mapping[str, str]
    locals: Mapping[Local, str]
    constants: Mapping[float, str] = field(default_factory=dict)
    copies: Mapping[Element, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(
        default_factory=lambda: {name: name.upper() for name in FUNCTIONS}
    )

    def number(self, value: float) -> str:
        return self.constants.get(value) or _literal(value, self.single)

    def element(self, element: Element) -> str:
        if element in self.copies:
            return self.copies[element]
        index = ",".join(str(k + 1) for k in element.index)
        return self.arrays[element.array] + (f"({index})" if index else "")

    def local(self, local: Local) -> str:
        return self.locals[local]


def _subroutine(routine: Routine, single: bool, flexible: bool, taken: set[str]) -> list[str]:
    legacy = LEGACY.get(routine.name, Legacy(_plain(routine.name), (), ()))
    name = free_name((flexible and legacy.flexible) or legacy.name, taken, LENGTH)
    used = {name, *(function.upper() for function in FUNCTIONS)}
    arguments = _arguments(routine, legacy, used)
    arrays = {ours: array.name for ours, array in arguments.items()}
    kind = "REAL*4" if single else "DOUBLE PRECISION"
    inner = [a for a in routine.steps if isinstance(a.target, Local)]
    results = [a for a in routine.steps if isinstance(a.target, Element)]

    # what the statements read: constants and copies of inputs, and what all variables are called
    values = [a.value for a in (*inner, *results)]
    inside = [v for v in values if not isinstance(v.of if isinstance(v, Negative) else v, Number)]
    numbers = [x.value for v in inside for x in leaves(v) if isinstance(x, Number)]
    elements = {x for v in values for x in leaves(v) if isinstance(x, Element)}
    locals_ = _locals(routine.assignments, used)
    constants = _counted("x", 3, numbers, used)
    copies = _copies(routine.inputs, elements, used)
    source = _F77(single, arrays, locals_)
    style = _F77(single, arrays, locals_, constants, copies)

    lines = comment(summary(routine, name), "C     ", LAST)
    lines += _broken(listed(f"SUBROUTINE {name}(", [a.name for a in arguments.values()], ")", ","))
    lines += _broken([f"IMPLICIT {kind} (A-Z)"])
    shaped = [_shaped(a) for a in arguments.values() if a.shape]
    lines += _broken(listed(f"{kind} ", shaped, "", ",")) if shaped else []
    lines += ["C     constants"] if constants else []
    for value, constant in constants.items():
        lines += _broken([f"{constant} = {_literal(value, single)}"])
    lines += ["C     variables"] if routine.trig or copies else []
    lines += _statements(routine.trig, source)
    for element, copy in copies.items():
        minus = "-" if element.array == "wrench" and legacy.load < 0 else ""
        lines += _broken([f"{copy} = {minus}{source.element(element)}"])
    lines += ["C     intermediate terms"] if inner else []
    lines += _statements(inner, style)
    lines += ["C     results"]
    lines += _statements(results, style)
    return [*lines, "      RETURN", "      END"]


def _arguments(routine: Routine, legacy: Legacy, used: set[str]) -> dict[str, Array]:
    """Arguments by our names: those of the original in its order, then any others."""
    sizes = {a.name: a.shape for a in routine.inputs}
    n = next((s for ours, s in sizes.items() if ours in ("q", "qd", "qdd")), (1,))
    sizes = {ours: (6,) if ours == "wrench" else n for ours in legacy.inputs} | sizes
    outputs = [a.name for a in routine.outputs]
    theirs = dict(zip(outputs, legacy.outputs, strict=False))
    if len(theirs) != len(outputs):
        theirs = {}
    found = {}
    for ours, shape in (*sizes.items(), *((a.name, a.shape) for a in routine.outputs)):
        wanted = theirs.get(ours) or ARRAYS.get(ours) or _plain(ours)
        found[ours] = Array(free_name(wanted, used, LENGTH), shape)
    return found


def _locals(assignments: Iterable[Assignment], used: set[str]) -> dict[Local, str]:
    """Names of all variables: sums and products by number, C23 and the like as they are."""
    names: dict[Local, str] = {}
    numbers: dict[str, int] = {}
    for a in assignments:
        if not isinstance(a.target, Local):
            continue
        own = a.target.name.upper()
        by_joint = a.target.kind in ("angle", "cos", "sin") and not own.startswith("T")
        if by_joint and len(own) <= LENGTH and own.isalnum() and own not in used:
            names[a.target] = free_name(own, used, LENGTH)
            continue
        letter, digits = _COUNTED.get(a.target.kind, ("F", 3))
        names[a.target] = _next(letter, digits, numbers, used)
    return names


def _counted(letter: str, digits: int, values: Iterable[float], used: set[str]) -> dict[float, str]:
    numbers: dict[str, int] = {}
    return {v: _next(letter, digits, numbers, used) for v in dict.fromkeys(values)}


def _next(letter: str, digits: int, numbers: dict[str, int], used: set[str]) -> str:
    while True:
        numbers[letter] = numbers.get(letter, 0) + 1
        name = f"{letter}{numbers[letter]:0{digits}d}"
        if name.upper() not in used:
            used.add(name.upper())
            return name


def _copies(inputs: Iterable[Array], read: set[Element], used: set[str]) -> dict[Element, str]:
    """Variables QD1, QF1, ... of the inputs that are read; other inputs are read in place."""
    copies = {}
    for group in inputs:
        for k in range(group.shape[0]):
            element = Element(group.name, (k,))
            if element in read and group.name in COPIES:
                copies[element] = free_name(f"{COPIES[group.name]}{k + 1}", used, LENGTH)
    return copies


def _plain(name: str) -> str:
    return name.upper().replace("_", "")[:LENGTH]


def _shaped(array: Array) -> str:
    return f"{array.name}({','.join(str(max(size, 1)) for size in array.shape)})"


def _literal(value: float, single: bool) -> str:
    limits = np.finfo(np.float32)
    if single and value and not float(limits.tiny) <= value <= float(limits.max):
        raise ValueError(f"the constant {value!r} does not fit single precision")
    text = str(np.float32(value)) if single else repr(value)
    mantissa, _, exponent = text.partition("e")
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}{'E' if single else 'D'}{exponent.replace('+', '') or '0'}"


def _statements(assignments: Iterable[Assignment], style: _F77) -> list[str]:
    return [line for a in assignments for line in _broken(statement(a, style))]


def _broken(text: list[str]) -> list[str]:
    """A statement in fixed form."""
    lines = fill(text, LAST - FIRST + 1 - len(_INDENT))
    if len(lines) > CONTINUATIONS + 1:
        raise ValueError(f"a statement needs {len(lines)} lines: {lines[0]} ...")
    return [f"      {lines[0]}", *(f"     ${_INDENT}{line}" for line in lines[1:])]
