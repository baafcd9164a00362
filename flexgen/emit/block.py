"""Routine -> Fortran over a block of states: the vector form of a routine.

Every state is a lane. An argument has a column for each entry, q(ld, 6) with the states of the
block in its first rows, entries of a matrix row by row. Sines and cosines come first, an array
for each, by `sincos`; then one loop over the lanes holds all other statements, which the
compiler turns into vector instructions. A long routine is cut into such loops: what lives from
one loop to the next is a column of a work array.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..graph.program import Program
from .fortran import WIDTH, broken, literal
from .routine import Array, Assignment, Call, Element, Local, Routine, Term, relocate
from .schedule import schedule
from .split import locals_of, split
from .write import comment, fill, listed, pieces, statement, summary

SUFFIX = "_block"
GUARDS = ("pivots", "diagonal")  # outputs that stay with the caller of the block
LONGEST = 2000  # statements of one loop
PART = 1000  # and of each loop of a routine that is cut: what lives on costs time

_REAL = "real(real64)"
_TRIG, _UNUSED = "functions", "unused"


def blocks_text(
    programs: Sequence[Program],
    module: str = "blocks",
    header: Sequence[str] = (),
    longest: int = LONGEST,
    part: int = PART,
) -> str:
    """A module with a subroutine `NAME_block(ld, inputs, outputs)` for each program."""
    routines = [schedule(program) for program in programs]
    lines = comment(header, "! ", WIDTH)
    lines += [
        f"module {module}",
        "  use, intrinsic :: iso_fortran_env, only: real64",
        "  use batch, only: lanes",
        "  use trig, only: sincos",
        "  implicit none",
        "  private",
        *broken(listed("public :: ", [f"{r.name}{SUFFIX}" for r in routines], ""), "  "),
        "",
        "contains",
    ]
    for routine in routines:
        if len(routine.steps) <= longest:
            lines += ["", *_in_one(routine)]
        else:
            lines += ["", *_in_parts(routine, part)]
    return "\n".join([*lines, "", f"end module {module}", ""])


@dataclass(frozen=True)
class _Lane:
    """How a statement of the loop over lanes is written; `arrays` have an entry a lane."""

    shapes: Mapping[str, tuple[int, ...]]
    arrays: frozenset[str] = frozenset()
    index: str = "l"
    functions: Mapping[str, str] = field(default_factory=dict)

    def number(self, value: float) -> str:
        return literal(value)

    def element(self, element: Element) -> str:
        place = 0
        for k, size in zip(element.index, self.shapes[element.array], strict=True):
            place = place * size + k
        return f"{element.array}({self.index},{place + 1})"

    def local(self, local: Local) -> str:
        if local.name not in self.arrays:
            return local.name
        return local.name if self.index == ":" else f"{local.name}({self.index})"


def _in_one(routine: Routine) -> list[str]:
    trig, angles = _trig_arrays(routine.trig)
    names = [a.target.name for a in (*angles, *trig) if isinstance(a.target, Local)]
    style = _Lane({a.name: a.shape for a in routine.arrays}, frozenset(names))
    calls = _sincos(trig, style)
    arrays = [*names, *([_UNUSED] if any(_UNUSED in c for c in calls) else [])]
    declared = [f"{_REAL} :: {d.rstrip(',')}" for d in _lines([f"{n}(lanes)" for n in arrays])]
    body = [*_loop(angles, style), *calls, *_loop(routine.steps, style)]
    return _subroutine(routine, declared, body)


def _in_parts(routine: Routine, part: int) -> list[str]:
    trig, angles = _trig_arrays(routine.trig)
    kept = [a.target for a in (*angles, *trig) if isinstance(a.target, Local)]
    places = {local: Element(_TRIG, (k,)) for k, local in enumerate(kept)}
    moved = [
        [
            Assignment(places[a.target], relocate(a.value, places))
            for a in some
            if isinstance(a.target, Local)
        ]
        for some in (angles, trig)
    ]
    parts = split(replace(routine, trig=()), part)
    between = (Array(_TRIG, (max(1, len(kept)),)), Array(parts.work, (max(1, parts.size),)))
    style = _Lane({a.name: a.shape for a in (*routine.arrays, *between)})
    calls = _sincos(moved[1], style)

    declared = [f"{_REAL} :: {a.name}(lanes,{a.shape[0]})" for a in between]
    declared += [f"{_REAL} :: {_UNUSED}(lanes)"] if any(_UNUSED in c for c in calls) else []
    arguments = ["ld", *(a.name for a in (*routine.inputs, *between, *routine.outputs))]
    body = [*_loop(moved[0], style), *calls]
    for k in range(1, len(parts.parts) + 1):
        body += broken(listed(f"call {routine.name}{SUFFIX}{k}(", arguments, ")"), "    ")
    lines = _subroutine(routine, declared, body)
    for k, piece in enumerate(parts.parts, 1):
        steps = [Assignment(a.target, relocate(a.value, places)) for a in piece]
        lines += ["", *_subroutine(routine, [], _loop(steps, style), k, between)]
    return lines


def _trig_arrays(assignments: Sequence[Assignment]) -> tuple[list[Assignment], list[Assignment]]:
    """Sines and cosines of elements and variables, and the sums that they are taken of."""
    trig: list[Assignment] = []
    angles: list[Assignment] = []
    sums: dict[Term, Local] = {}
    for a in assignments:
        if not isinstance(a.value, Call):
            angles.append(a)
            continue
        argument = a.value.argument
        if not isinstance(argument, Element | Local):
            if argument not in sums:
                sums[argument] = Local("angle", f"angle{len(sums) + 1}")
                angles.append(Assignment(sums[argument], argument))
            argument = sums[argument]
        trig.append(Assignment(a.target, Call(a.value.function, argument)))
    return trig, angles


def _sincos(trig: Sequence[Assignment], style: _Lane) -> list[str]:
    """A call for each angle; of a sine or cosine alone the other is not used."""
    whole, start = replace(style, index=":"), replace(style, index="1")
    both: dict[str, dict[str, str]] = {}
    for a in trig:
        assert isinstance(a.value, Call)
        # columns of arguments have other lengths: the first element stands for the column
        argument = a.value.argument
        place = start if isinstance(argument, Element) else whole
        (angle,) = pieces(argument, place)
        target = whole.local(a.target) if isinstance(a.target, Local) else start.element(a.target)
        both.setdefault(angle, {})[a.value.function] = target
    return [
        f"    call sincos(lanes, {angle}, {found.get('sin', _UNUSED)}, {found.get('cos', _UNUSED)})"
        for angle, found in both.items()
    ]


def _loop(assignments: Sequence[Assignment], style: _Lane) -> list[str]:
    """The statements for every lane; variables of one lane alone belong to the loop's body."""
    if not assignments:
        return []
    own = [name for name in locals_of(assignments) if name not in style.arrays]
    lines = ["    !$omp simd", "    do l = 1, lanes", "      block"]
    lines += [f"        {_REAL} :: {d.rstrip(',')}" for d in _lines(own)]
    for a in assignments:
        lines += broken(statement(a, style), "        ")
    return [*lines, "      end block", "    end do"]


def _lines(names: Sequence[str]) -> list[str]:
    return [line for line in fill(listed("", names, ""), WIDTH - 28) if line]


def _subroutine(
    routine: Routine,
    declared: Iterable[str],
    body: Iterable[str],
    part: int | None = None,
    between: Sequence[Array] = (),
) -> list[str]:
    """The routine over a block, or one part of it."""
    name = f"{routine.name}{SUFFIX}{part or ''}"
    arguments = ["ld", *(a.name for a in (*routine.inputs, *between, *routine.outputs))]
    lines = comment(summary(routine), "  ! ", WIDTH) if part is None else []
    lines += broken(listed(f"pure subroutine {name}(", arguments, ")"), "  ")
    lines += ["    integer, intent(in) :: ld"]
    lines += [f"    {_REAL}, intent(in) :: {a.name}(ld,*)" for a in routine.inputs]
    lines += [f"    {_REAL}, intent(inout) :: {a.name}(lanes,{a.shape[0]})" for a in between]
    lines += [
        f"    {_REAL}, intent(inout) :: {a.name}({'lanes' if a.name in GUARDS else 'ld'},*)"
        for a in routine.outputs
    ]
    lines += [f"    {line}" for line in declared]
    body = list(body)
    if any("do l" in line for line in body):
        lines += ["    integer :: l"]
    return [*lines, "", *body, f"  end subroutine {name}"]
