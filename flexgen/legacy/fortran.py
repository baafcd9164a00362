"""LegacyProgram -> Fortran 77, fixed form.

Statements in columns 7 to 72, at most 19 continuation lines, comments with C in column 1. Three
parts as in the original: declarations, statements, outputs (which come last in the
statements). Double precision; `single` is the original's REAL*4.
"""

from __future__ import annotations

from .program import Constant, Declaration, LegacyProgram, Source
from .statement import Factors, Product, Statement

WIDTH = 66  # columns 7 to 72
CONTINUATIONS = 19


def fortran(program: LegacyProgram, single: bool = False) -> str:
    """The subroutine as text; constants keep all digits of the precision."""
    kind = "REAL*4" if single else "REAL*8"
    names = ",".join(argument.partition("(")[0] for argument in program.arguments)
    lines = [
        *_wrapped(f"SUBROUTINE {program.name}({names})"),
        *_wrapped(f"IMPLICIT {kind}(A-Z)"),
    ]
    if program.arguments:
        lines += _wrapped(f"{kind} {','.join(program.arguments)}")
    for declaration in program.declarations:
        if isinstance(declaration, Constant) and declaration.formula:
            lines += _comment(f"{declaration.name} = {declaration.formula}")
        lines += _wrapped(f"{declaration.name} = {_value(declaration, single)}")
    for statement in program.statements:
        lines += _wrapped(_typed(statement, single))
    return "\n".join([*lines, *_wrapped("RETURN"), *_wrapped("END")]) + "\n"


def number(value: float, single: bool) -> str:
    """A literal: nine digits in single, seventeen (the shortest exact) in double precision."""
    text = f"{value:.9g}" if single else repr(float(value))
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa if "." in mantissa else mantissa + "."
    letter = "E" if single else "D"
    if single and not exponent:
        return mantissa
    return f"{mantissa}{letter}{int(exponent or 0)}"


def _value(declaration: Declaration, single: bool) -> str:
    if isinstance(declaration, Constant):
        return number(declaration.value, single)
    return _source(declaration, single)


def _source(source: Source, single: bool) -> str:
    text = "".join(("-" if w < 0 else "+") + element for element, w in source.terms)
    if source.offset:
        offset = number(source.offset, single)
        text += offset if offset.startswith("-") else f"+{offset}"
    text = text.removeprefix("+")
    return f"{source.function}({text})" if source.function else text


def _typed(statement: Statement, single: bool) -> str:
    """The statement with its integer factors as real numbers."""

    def real(factors: Factors) -> Factors:
        return tuple(number(float(f), single) if f.isdigit() else f for f in factors)

    parts = tuple(Product(p.sign, real(p.factors or ("1",))) for p in statement.parts)
    zero = (Product(1, real(("0",))),)
    return str(Statement(statement.target, parts or zero, real(statement.common)))


def _comment(text: str) -> list[str]:
    """A comment line, or several: nothing after column 72."""
    return [f"C  {piece}" for piece in _pieces(text, WIDTH)]


def _wrapped(text: str) -> list[str]:
    """A statement in columns 7 to 72, broken after an operator or comma."""
    first, *rest = _pieces(text, WIDTH)
    if len(rest) > CONTINUATIONS:
        raise ValueError(f"statement too long for fixed form: {text[:40]}...")
    marks = "123456789ABCDEFGHIJ"
    return [" " * 6 + first, *(f"     {marks[k]}{piece}" for k, piece in enumerate(rest))]


def _pieces(text: str, width: int) -> list[str]:
    """The text cut into pieces no wider than `width`."""
    pieces = []
    while len(text) > width:
        cut = max(text.rfind(mark, 0, width) for mark in "*+,( ") + 1
        if cut <= 0:
            raise ValueError(f"a name is too long for fixed form: {text[:width]}")
        pieces.append(text[:cut].rstrip())
        text = text[cut:]
    return [*pieces, text]
