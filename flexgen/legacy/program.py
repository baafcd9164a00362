"""The program of the original system: declarations, statements, outputs; and its counts.

A declaration is a constant with its value (and, for a constant of CLEAR, its formula) or a
variable with its source: the sine or cosine of a sum of joint variables, or an element of an
argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .statement import Statement, is_dummy, read


@dataclass(frozen=True)
class Constant:
    """A named number; `formula` says how CLEAR made it from others."""

    name: str
    value: float
    formula: str = ""


@dataclass(frozen=True)
class Source:
    """A variable: `function` (COS, SIN or none) of a sum of +-1 times arguments, and an offset.

    Arguments are written as in Fortran: `TH(4)`.
    """

    name: str
    function: str
    terms: tuple[tuple[str, int], ...]
    offset: float = 0.0


Declaration = Constant | Source


@dataclass(frozen=True)
class Counts:
    """Operations of the statements; those of the declarations stand apart.

    The published counts are of the statements only. `calls` are the declared sines and
    cosines, `declared` the additions inside the declarations: sums of angles and offsets.
    """

    mul: int
    add: int
    assignments: int
    calls: int = 0
    declared: int = 0

    @property
    def total(self) -> int:
        """Multiplications and additions."""
        return self.mul + self.add


@dataclass(frozen=True)
class LegacyProgram:
    """One subroutine: `arguments` are dimensioned names, `outputs` the targets that count."""

    name: str
    arguments: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]


def listing(
    lines: Iterable[str], declarations: Iterable[Declaration] = (), name: str = "LISTING"
) -> LegacyProgram:
    """A program from statements as text; targets other than Z and Y are its outputs.

    The passes need every target to be assigned once, and before it is used.
    """
    statements = tuple(read(line) for line in lines)
    targets = [s.target for s in statements]
    for line, statement in enumerate(statements):
        if targets[line] in targets[:line] or set(statement.names) & set(targets[line:]):
            raise ValueError(f"{targets[line]} is assigned twice, or uses a later statement")
    outputs = tuple(s.target for s in statements if not is_dummy(s.target))
    return LegacyProgram(name, (), tuple(declarations), statements, outputs)


def counts(program: LegacyProgram) -> Counts:
    """Multiplications, additions and assignments of a program."""
    sources = [d for d in program.declarations if isinstance(d, Source)]
    return Counts(
        sum(s.mul for s in program.statements),
        sum(s.add for s in program.statements),
        len(program.statements),
        sum(1 for s in sources if s.function),
        sum(len(s.terms) - 1 + (s.offset != 0.0) for s in sources),
    )
