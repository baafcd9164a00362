"""Routine -> C99: one translation unit, one function for each program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ..graph.program import Program
from .names import check_language
from .routine import Array, Assignment, Element, Local, Routine
from .schedule import schedule
from .split import LONGEST, PART, split
from .write import comment, fill, listed, statement, summary

WIDTH = 100

# fmt: off
KEYWORDS = (
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "main", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while",
)
# fmt: on


def c_text(
    programs: Sequence[Program],
    header: Sequence[str] = (),
    longest: int = LONGEST,
    part: int = PART,
) -> str:
    """A translation unit; a routine of more than `longest` statements is cut into parts."""
    check_language(programs, (*KEYWORDS, "fabs"), "C")
    routines = [schedule(program) for program in programs]
    lines = _comment(header)
    lines += ["//", "// Matrices are row-major: element (i, j) of an m x n matrix is [i*n + j]."]
    lines += ["//"]
    for routine in routines:
        prototype = listed(f"void {routine.name}(", _parameters(routine), ");")
        lines += [f"// {line}" for line in _broken(prototype, "  ", WIDTH - 3)]
    lines += ["", "#include <math.h>"]
    for routine in routines:
        lines += ["", *_routine_lines(routine, longest, part)]
    return "\n".join([*lines, ""])


@dataclass(frozen=True)
class _C:
    shapes: Mapping[str, tuple[int, ...]]
    functions: Mapping[str, str]

    def number(self, value: float) -> str:
        return repr(value)

    def element(self, element: Element) -> str:
        flat = 0
        for size, k in zip(self.shapes[element.array], element.index, strict=True):
            flat = flat * size + k
        return f"{element.array}[{flat}]"

    def local(self, local: Local) -> str:
        return local.name


def _style(arrays: Iterable[Array]) -> _C:
    return _C({a.name: a.shape for a in arrays}, {"abs": "fabs"})


def _routine_lines(routine: Routine, longest: int, part: int) -> list[str]:
    about = _comment(summary(routine))
    if len(routine.assignments) <= longest:
        body = _body(routine.assignments, _style(routine.arrays))
        return about + _function(f"void {routine.name}", _parameters(routine), body)

    parts = split(routine, part)
    work = Array(parts.work, (parts.size,))
    style = _style((*routine.arrays, work))
    lines: list[str] = []
    calls = [f"    double {work.name}[{max(parts.size, 1)}];"]
    arguments = [a.name for a in (*routine.arrays, work)]
    parameters = [*_parameters(routine), _parameter(work)]
    for k, piece in enumerate(parts.parts, 1):
        name = f"{routine.name}_part{k}"
        lines += [*_function(f"static void {name}", parameters, _body(piece, style)), ""]
        calls += _broken(listed(f"{name}(", arguments, ");"), "    ")
    return lines + about + _function(f"void {routine.name}", _parameters(routine), calls)


def _body(assignments: Iterable[Assignment], style: _C) -> list[str]:
    lines = []
    for a in assignments:
        start = "const double " if isinstance(a.target, Local) else ""
        lines += _broken(statement(a, style, start, ";"), "    ")
    return lines


def _function(start: str, parameters: list[str], body: Iterable[str]) -> list[str]:
    return [*_broken(listed(f"{start}(", parameters, ")"), ""), "{", *body, "}"]


def _parameters(routine: Routine) -> list[str]:
    given = [f"const {_parameter(a)}" for a in routine.inputs]
    return given + [_parameter(a) for a in routine.outputs] or ["void"]


def _parameter(array: Array) -> str:
    return f"double {array.name}[restrict {max(prod(array.shape), 1)}]"


def _comment(lines: Iterable[str]) -> list[str]:
    # a backslash at the end, or its trigraph, would continue the comment on the next line
    written = comment(lines, "// ", WIDTH - 2)
    return [f"{line} ." if line.endswith(("\\", "??/")) else line for line in written]


def _broken(text: list[str], indent: str, width: int = WIDTH) -> list[str]:
    lines = fill(text, width - len(indent) - 4)
    return [f"{indent}{'' if k == 0 else '    '}{line}" for k, line in enumerate(lines)]
