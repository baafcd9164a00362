"""Names of variables: sums of joint angles, free names, and names that a language refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..graph.node import FUNCTIONS, Expr
from ..graph.program import Program

JOINTS = "q"  # the input that holds the joint variables
MAX_ANGLES = 9  # longest sum of angles that is named by its joints

Angle = tuple[tuple[int, int], ...]  # (sign, index) of each joint variable, positive first

_LONGEST = 52  # letters of a name, so that _part1234 still fits into Fortran's 63
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def joint_angles(nodes: Iterable[Expr]) -> dict[Expr, Angle]:
    """The nodes that are signed sums of different joint variables; arguments come first."""
    found: dict[Expr, Angle] = {}
    for e in nodes:
        if e.kind == "input" and e.value[0] == JOINTS:
            found[e] = ((1, e.value[1]),)
        elif e.kind == "neg" and e.args[0] in found:
            found[e] = _ordered((-s, k) for s, k in found[e.args[0]])
        elif e.kind in ("add", "sub") and all(a in found for a in e.args):
            sign = 1 if e.kind == "add" else -1
            left, right = found[e.args[0]], found[e.args[1]]
            terms = _ordered([*left, *((sign * s, k) for s, k in right)])
            if len({k for _, k in terms}) == len(terms) <= MAX_ANGLES:
                found[e] = terms
    return found


def angle_name(prefix: str, angle: Angle, size: int) -> str:
    """`c23` for the joints 2 and 3, `c2m3` for their difference; `c2_13` past nine joints."""
    parts = [f"{'m' if sign < 0 else ''}{k + 1}" for sign, k in angle]
    return prefix + ("" if size <= 9 else "_").join(parts)


def free_name(wanted: str, taken: set[str], length: int = 63) -> str:
    """`wanted`, shortened and numbered as needed; entered into `taken`, which is upper case."""
    name, number = wanted[:length], 1
    while name.upper() in taken:
        number += 1
        name = f"{wanted[: length - len(str(number))]}{number}"
    taken.add(name.upper())
    return name


def names_of(program: Program) -> list[str]:
    """The names that a program has given: its own and those of its arguments."""
    return [program.name, *(a.name for a in program.inputs), *(a.name for a in program.outputs)]


def checked(program: Program) -> Program:
    """The program if its names can be used; an output called as the routine is renamed.

    Names must be identifiers and differ in more than case, for Fortran's sake.
    """
    own = program.name.upper()
    taken = {name.upper() for name in names_of(program)}
    outputs = tuple(
        replace(out, name=free_name(f"{out.name}_out", taken)) if out.name.upper() == own else out
        for out in program.outputs
    )
    program = replace(program, outputs=outputs)
    seen: set[str] = set()
    for name in names_of(program):
        if not _IDENTIFIER.fullmatch(name) or len(name) > _LONGEST:
            raise ValueError(f"{program.name!r}: {name!r} cannot name a routine or an argument")
        if name.upper() in seen:
            raise ValueError(f"{program.name!r}: the name {name!r} is used twice")
        seen.add(name.upper())
    return program


def check_inputs(program: Program, nodes: Iterable[Expr]) -> None:
    """Refuse a program that reads what is not among its inputs."""
    sizes = {group.name: group.size for group in program.inputs}
    for e in nodes:
        if e.kind == "input" and not 0 <= e.value[1] < sizes.get(e.value[0], 0):
            raise ValueError(f"{program.name!r}: {e} is not an element of its inputs")


def check_language(programs: Sequence[Program], keywords: Iterable[str], language: str) -> None:
    """Refuse routines of one name, and names that mean something else in the language."""
    if not programs:
        raise ValueError("no routine to write")
    refused = {*keywords, *FUNCTIONS}
    seen: set[str] = set()
    for program in programs:
        if program.name.upper() in seen:
            raise ValueError(f"two routines are called {program.name!r}")
        seen.add(program.name.upper())
        for name in names_of(program):
            if name.lower() in refused:
                raise ValueError(f"{program.name!r}: {name!r} has a meaning in {language}")


def _ordered(terms: Iterable[tuple[int, int]]) -> Angle:
    return tuple(sorted(terms, key=lambda term: (-term[0], term[1])))
