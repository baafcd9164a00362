"""Pass F of CLEAR: a factor of both parts of a statement goes outside.

    Z0009 = -Z0002*sy2 - Y004*sy2  ->  Z0009 = sy2*(-Z0002 - Y004)

Each saves one multiplication. All common factors go out; a part left without factors is 1.
"""

from __future__ import annotations

from dataclasses import replace

from .program import LegacyProgram
from .statement import Factors, Product, Statement


def factoring(program: LegacyProgram) -> LegacyProgram:
    """Factor every statement of two parts."""
    return replace(program, statements=tuple(_factored(s) for s in program.statements))


def _factored(statement: Statement) -> Statement:
    if len(statement.parts) < 2:
        return statement
    first, second = statement.parts
    common: list[str] = []
    left, right = list(first.factors), list(second.factors)
    for name in first.factors:
        if name in right:
            common.append(name)
            left.remove(name)
            right.remove(name)
    parts = (Product(first.sign, tuple(left)), Product(second.sign, tuple(right)))
    outside: Factors = (*statement.common, *common)
    return Statement(statement.target, parts, outside) if common else statement
