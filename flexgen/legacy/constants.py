"""Pass C of CLEAR: constants that can be computed off-line.

El-Rayyes (1990), section 3.2.3, with the details that his counts and figure 3.5 imply:

    Z = V*c1 +- V*c2   -> V*x###  with x### = c1 +- c2; a missing constant is 1
    Z = V*c1*c2        -> V*x###  with x### = c1*c2
    x### = 0           deletes its term, and every term that uses a statement left empty

Equal formulas share one x###. Of two constants of unlike sign the positive one comes first,
so that no sign is left outside (x002 = j32 - j12); two negative ones keep the minus outside.
An emptied statement stays in its line as Z = 0: the locations of table 3.4 count it. Run U
again to drop it. Afterwards the factors of every product are in ASCII order.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from .program import Constant, LegacyProgram
from .statement import (
    Factors,
    Product,
    Statement,
    is_constant,
    last_number,
    settled,
    total,
)

ROUNDING = 1e-12  # a difference below this part of its terms is zero


class _Table:
    """Values of the constants, and the new ones by formula."""

    def __init__(self, program: LegacyProgram) -> None:
        known = [d for d in program.declarations if isinstance(d, Constant)]
        self.values = {d.name: d.value for d in known}
        self.formulas = {d.formula: d.name for d in known if d.formula}
        self.number = last_number("x", self.values)
        self.new: list[Constant] = []

    def value(self, factors: Factors) -> float:
        return prod(self._one(name) for name in factors)

    def _one(self, name: str) -> float:
        if name.isdigit():
            return float(name)
        if name not in self.values:
            raise ValueError(f"constant {name} has no value")
        return self.values[name]

    def name(self, formula: str, value: float) -> str:
        if formula not in self.formulas:
            self.number += 1
            constant = Constant(f"x{self.number:03d}", value, formula)
            self.new.append(constant)
            self.values[constant.name] = value
            self.formulas[formula] = constant.name
        return self.formulas[formula]


def constants(program: LegacyProgram) -> LegacyProgram:
    """Fold constants, and delete what they make zero."""
    table = _Table(program)
    empty: set[str] = set()
    statements = []
    for statement in program.statements:
        folded = _folded(statement, table, empty)
        if not folded.parts:
            empty.add(folded.target)
        statements.append(folded)
    used = {name for s in statements for name in s.names}
    return replace(
        program,
        declarations=(*program.declarations, *(c for c in table.new if c.name in used)),
        statements=tuple(statements),
    )


def _folded(statement: Statement, table: _Table, empty: set[str]) -> Statement:
    if empty.intersection(statement.common):
        return Statement(statement.target, ())
    parts = tuple(p for p in statement.parts if not empty.intersection(p.factors))
    parts = _merged(parts, table)
    found = settled(statement.target, parts, statement.common)
    done = tuple(Product(p.sign, _product(p.factors, table)) for p in found.parts)
    return Statement(found.target, done, _product(found.common, table))


def _merged(parts: tuple[Product, ...], table: _Table) -> tuple[Product, ...]:
    """Two parts with the same variables as one."""
    if len(parts) < 2:
        return parts
    (variables, first), (others, second) = (_split(p.factors) for p in parts)
    if variables != others:
        return parts
    ordered = (Product(parts[0].sign, first), Product(parts[1].sign, second))
    if ordered[0].sign < ordered[1].sign:
        ordered = ordered[::-1]
    outside = ordered[0].sign
    if outside < 0:
        ordered = (-ordered[0], -ordered[1])
    values = [p.sign * table.value(p.factors) for p in ordered]
    if abs(sum(values)) <= ROUNDING * max(map(abs, values)):
        return ()
    return (Product(outside, (*variables, table.name(total(ordered), sum(values)))),)


def _product(factors: Factors, table: _Table) -> Factors:
    """The factors in ASCII order, two or more constants as one."""
    variables, fixed = _split(factors)
    if len(fixed) > 1:
        fixed = (table.name("*".join(fixed), table.value(fixed)),)
    return tuple(sorted(variables + fixed))


def _split(factors: Factors) -> tuple[Factors, Factors]:
    """Variables and constants, each in ASCII order."""
    ordered = sorted(factors)
    return (
        tuple(name for name in ordered if not is_constant(name)),
        tuple(name for name in ordered if is_constant(name)),
    )
