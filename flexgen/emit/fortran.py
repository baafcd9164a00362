"""Routine -> Fortran 2018: one module in free form, one pure subroutine for each program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..graph.program import Program
from .names import check_language
from .routine import Array, Assignment, Element, Local, Routine
from .schedule import schedule
from .split import LONGEST, PART, locals_of, split
from .write import comment, fill, listed, statement, summary

WIDTH = 100

_REAL = "real(real64)"


def module_text(
    programs: Sequence[Program],
    module: str = "dynamics",
    header: Sequence[str] = (),
    longest: int = LONGEST,
    part: int = PART,
) -> str:
    """A module; a routine of more than `longest` statements is cut into parts of `part`."""
    check_language(programs, ("real64", "iso_fortran_env", module.lower()), "the module")
    routines = [schedule(program) for program in programs]
    lines = comment(header, "! ", WIDTH)
    lines += [
        f"module {module}",
        "  use, intrinsic :: iso_fortran_env, only: real64",
        "  implicit none",
        "  private",
        *broken(listed("public :: ", [r.name for r in routines], ""), "  "),
        "",
        "contains",
    ]
    for routine in routines:
        lines += ["", *_routine_lines(routine, longest, part)]
    return "\n".join([*lines, "", f"end module {module}", ""])


def literal(value: float) -> str:
    """A number that reads back as the same."""
    mantissa, mark, exponent = repr(value).partition("e")
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}{mark}{exponent}_real64"


@dataclass(frozen=True)
class _Fortran:
    functions: Mapping[str, str] = field(default_factory=dict)

    def number(self, value: float) -> str:
        return literal(value)

    def element(self, element: Element) -> str:
        if not element.index:
            return element.array
        return f"{element.array}({','.join(str(k + 1) for k in element.index)})"

    def local(self, local: Local) -> str:
        return local.name


_STYLE = _Fortran()


def _routine_lines(routine: Routine, longest: int, part: int) -> list[str]:
    intents = {a: "in" for a in routine.inputs} | {a: "out" for a in routine.outputs}
    about = comment(summary(routine), "  ! ", WIDTH)
    if len(routine.assignments) <= longest:
        return about + _subroutine(routine.name, intents, routine.assignments)

    parts = split(routine, part)
    work = Array(parts.work, (parts.size,))
    arguments = [a.name for a in (*routine.inputs, work, *routine.outputs)]
    calls = []
    for k in range(1, len(parts.parts) + 1):
        calls += broken(listed(f"call {routine.name}_part{k}(", arguments, ")"), "    ")
    lines = about + _frame(routine.name, intents, [_declared(work)], calls)

    # a pure part may not touch the variables of its host: everything is an argument
    inside = {a: "in" for a in routine.inputs}
    inside |= {a: "inout" for a in (work, *routine.outputs)}
    for k, piece in enumerate(parts.parts, 1):
        lines += ["", *_subroutine(f"{routine.name}_part{k}", inside, piece)]
    return lines


def _subroutine(
    name: str, intents: Mapping[Array, str], assignments: Sequence[Assignment]
) -> list[str]:
    declared = fill(listed("", locals_of(assignments), ""), WIDTH - 24)
    body: list[str] = []
    for a in assignments:
        body += broken(statement(a, _STYLE), "    ")
    return _frame(name, intents, [f"{_REAL} :: {d.rstrip(',')}" for d in declared if d], body)


def _frame(
    name: str, intents: Mapping[Array, str], declared: Iterable[str], body: Iterable[str]
) -> list[str]:
    lines = broken(listed(f"pure subroutine {name}(", [a.name for a in intents], ")"), "  ")
    for array, intent in intents.items():
        lines.append(f"    {_declared(array, f', intent({intent})')}")
    lines += [f"    {line}" for line in declared]
    return [*lines, "", *body, f"  end subroutine {name}"]


def _declared(array: Array, attribute: str = "") -> str:
    shape = f"({','.join(map(str, array.shape))})" if array.shape else ""
    return f"{_REAL}{attribute} :: {array.name}{shape}"


def broken(text: list[str], indent: str) -> list[str]:
    """A statement on as many lines as it needs."""
    lines = fill(text, WIDTH - len(indent) - 4)
    marked = [f"{line} &" for line in lines[:-1]] + lines[-1:]
    return [f"{indent}{'' if k == 0 else '  '}{line}" for k, line in enumerate(marked)]
