"""Exact expressions of a case file: text -> exact number, in bounded time.

An expression is made of numbers, `pi`, `sqrt`, `sin`, `cos` and `+ - * / ** ( )`, with the
precedence that they have in mathematics (and in Python): `-2**2` is -4, `2**3**2` is 2**9.
It is read by the small parser below and nothing is ever handed to an evaluator of code. The
value is an exact SymPy number. (Only roots of what is not a fraction, and roots other than
square roots, are taken to 50 digits instead.) Length, nesting, exponents and the size of
exact numbers have limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Exact: TypeAlias = Any  # a SymPy number

LENGTH: Final = 200  # characters of an expression
DEPTH: Final = 30  # parentheses, signs and powers inside one another
EXPONENT: Final = 64
BITS: Final = 4096  # of the numerator and the denominator of an exact number
DIGITS: Final = 50  # of the decimal value of what is not a fraction
LARGEST: Final = 1e300

_TOKEN: Final = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>\*\*|[-+*/()])|(?P<space>[ \t]+)"
)


def parse(text: str) -> Exact:
    """The number that the expression `text` stands for."""
    if len(text) > LENGTH:
        raise ValueError(f"expression longer than {LENGTH} characters")
    return _Parser(text).whole()


def decimal(exact: Exact) -> Exact:
    """A number to compare: a fraction as it is; else decimal, or zero if not told from it."""
    if exact.is_Rational:
        return exact
    value = exact.evalf(DIGITS)
    return value if abs(value) > 1e-120 else value * 0


class _Parser:
    """Recursive descent, one method per level of precedence."""

    def __init__(self, text: str) -> None:
        import sympy  # slow to import, and not needed by every case

        self.sympy = sympy
        self.tokens: list[tuple[str, str]] = list(_tokens(text))
        self.position = 0
        self.depth = 0

    @property
    def next(self) -> str:
        return self.tokens[self.position][1]

    def take(self) -> tuple[str, str]:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def whole(self) -> Exact:
        value = self.sum()
        if self.next:
            raise ValueError(f"{self.next!r} is not expected there in an expression")
        return value

    def sum(self) -> Exact:
        value = self.product()
        while self.next in ("+", "-"):
            sign = self.take()[1]
            term = self.product()
            value = _bounded(value + term if sign == "+" else value - term)
        return value

    def product(self) -> Exact:
        value = self.signed()
        while self.next in ("*", "/"):
            sign = self.take()[1]
            factor = self.signed()
            if sign == "/" and decimal(factor) == 0:
                raise ValueError("division by zero")
            value = _bounded(value * factor if sign == "*" else value / factor)
        return value

    def signed(self) -> Exact:
        self.depth += 1
        if self.depth > DEPTH:
            raise ValueError(f"expression nested deeper than {DEPTH}")
        if self.next in ("+", "-"):
            value = -self.signed() if self.take()[1] == "-" else self.signed()
        else:
            value = self.power()
        self.depth -= 1
        return value

    def power(self) -> Exact:
        base = self.atom()
        if self.next != "**":
            return base
        self.take()
        return _power(base, self.signed())

    def atom(self) -> Exact:
        sort, text = self.take()
        if sort == "number":
            return _literal(text)
        if text == "pi":
            return self.sympy.pi
        if text in ("sqrt", "sin", "cos"):
            if self.next != "(":
                raise ValueError(f"{text} needs its argument in parentheses")
            self.take()
            return self.call(text, self.closed())
        if text == "(":
            return self.closed()
        if sort == "name":
            raise ValueError(f"{text!r} is not known: only pi, sqrt, sin and cos are")
        raise ValueError(f"{text!r} is not expected there" if text else "expression is incomplete")

    def closed(self) -> Exact:
        value = self.sum()
        if self.take()[1] != ")":
            raise ValueError("a closing parenthesis is missing")
        return value

    def call(self, name: str, argument: Exact) -> Exact:
        if name != "sqrt":
            return getattr(self.sympy, name)(argument)
        if decimal(argument) < 0:
            raise ValueError("square root of a negative number")
        return _root(argument, self.sympy.Rational(1, 2))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"{text[position]!r} is not allowed in an expression")
        if match.lastgroup != "space":
            yield str(match.lastgroup), match.group()
        position = match.end()
    yield "end", ""
    yield "end", ""  # so that one may always look one further


def _literal(text: str) -> Exact:
    import sympy

    digits, _, exponent = text.lower().partition("e")
    if abs(int(exponent or 0)) > 350 or not math.isfinite(float(text)):
        raise ValueError(f"{text} is out of range")
    return sympy.Rational(digits) * sympy.Integer(10) ** int(exponent or 0)


def _power(base: Exact, exponent: Exact) -> Exact:
    size = decimal(exponent)
    if abs(size) > EXPONENT:
        raise ValueError(f"exponent beyond {EXPONENT}")
    value = decimal(base)
    if value == 0 and size <= 0:
        raise ValueError("zero to a power that is not positive")
    if value < 0 and not exponent.is_Integer:
        raise ValueError("negative number to a power that is not whole")
    if base.is_Rational and max(_bits(base.p), _bits(base.q)) * abs(size) > BITS:
        raise ValueError("number too large in an expression")
    return _bounded(base**exponent if exponent.is_Integer else _root(base, exponent))


def _root(base: Exact, exponent: Exact) -> Exact:
    """Exact for square roots of fractions; roots of roots would grow without bound."""
    if base.is_Rational and exponent.is_Rational and exponent.q == 2:
        return base**exponent
    return decimal(base).evalf(DIGITS) ** decimal(exponent).evalf(DIGITS)


def _bits(integer: Any) -> int:
    return int(integer).bit_length()


def _bounded(exact: Exact) -> Exact:
    if exact.is_Rational and max(_bits(exact.p), _bits(exact.q)) > BITS:
        raise ValueError("number too large in an expression")
    if abs(decimal(exact)) > LARGEST:
        raise ValueError("number too large in an expression")
    return exact
