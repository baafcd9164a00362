"""Statements of the original system: a name and a sum of at most two signed products.

    Z0012 = Z0006*dl2 - S2*g            parts only
    Z0009 = sy2*(-Z0002 - Y004)         common factors, after factoring

Comes in: text or factors. Goes out: frozen statements whose text is the Fortran right away.
Names follow El-Rayyes (1990), section 3.2: a constant begins with a lower-case letter (or is
a number), a variable with an upper-case letter, and that is all CLEAR knows about a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Factors = tuple[str, ...]

_NAME = r"[A-Za-z]\w*(?:\(\d+(?:,\d+)?\))?|\d+"
_FACTORED = re.compile(r"([^()+-]+(?:\(\d[\d,]*\))?)\*\((?P<sum>.*)\)")


def is_constant(name: str) -> bool:
    """Whether a factor is known off-line: lower-case first letter, or a number."""
    return not name[0].isupper()


def is_dummy(name: str) -> bool:
    """Whether the name is a Z or Y, made by the generator or by CLEAR: no output."""
    return re.fullmatch(r"[ZY]\d+", name) is not None


def last_number(letter: str, names: Iterable[str]) -> int:
    """The highest number that a name of this letter has, zero if there is none."""
    found = (re.fullmatch(rf"{letter}(\d+)", name) for name in names)
    return max((int(match[1]) for match in found if match), default=0)


@dataclass(frozen=True)
class Product:
    """A signed product of factors; no factors means one."""

    sign: int
    factors: Factors

    def __neg__(self) -> Product:
        return Product(-self.sign, self.factors)

    @property
    def body(self) -> str:
        """The text without its sign."""
        return "*".join(self.factors) or "1"

    @property
    def mul(self) -> int:
        """Number of multiplications."""
        return max(len(self.factors) - 1, 0)


def total(parts: tuple[Product, ...]) -> str:
    """The text of a sum of products; an empty sum is zero."""
    if not parts:
        return "0"
    text = ("-" if parts[0].sign < 0 else "") + parts[0].body
    return text + "".join((" - " if p.sign < 0 else " + ") + p.body for p in parts[1:])


@dataclass(frozen=True)
class Statement:
    """`target` = product of `common` times the sum of `parts`; no parts means zero."""

    target: str
    parts: tuple[Product, ...]
    common: Factors = ()

    def __str__(self) -> str:
        body = total(self.parts)
        return f"{self.target} = " + (
            "*".join((*self.common, f"({body})")) if self.common else body
        )

    @property
    def mul(self) -> int:
        """Number of multiplications."""
        return len(self.common) + sum(p.mul for p in self.parts)

    @property
    def add(self) -> int:
        """Number of additions."""
        return max(len(self.parts) - 1, 0)

    @property
    def products(self) -> tuple[Factors, ...]:
        """The factors of the parts, then the common ones if there are any."""
        parts = tuple(p.factors for p in self.parts)
        return (*parts, self.common) if self.common else parts

    @property
    def names(self) -> Factors:
        """Every factor on the right-hand side."""
        return tuple(name for factors in self.products for name in factors)


def settled(target: str, parts: tuple[Product, ...], common: Factors = ()) -> Statement:
    """A statement whose common factors are outside only where there is a sum inside."""
    if len(parts) == 1 and common:
        parts = (Product(parts[0].sign, common + parts[0].factors),)
    return Statement(target, parts, common if len(parts) > 1 else ())


def read(text: str) -> Statement:
    """The statement that `text` spells; the inverse of `str`."""
    target, _, body = text.replace(" ", "").partition("=")
    factored = _FACTORED.fullmatch(body)
    common: Factors = ()
    if factored:
        common, body = tuple(factored[1].split("*")), factored["sum"]
    if body == "0":
        return Statement(target, ())
    pattern = rf"[+-]?(?:{_NAME})(?:\*(?:{_NAME}))*"
    pieces = re.findall(pattern, body)
    if not target or not body or "".join(pieces) != body or len(pieces) > 2:
        raise ValueError(f"not a sum of at most two products: {text.strip()!r}")
    parts = tuple(
        Product(-1 if piece[0] == "-" else 1, tuple(piece.lstrip("+-").split("*")))
        for piece in pieces
    )
    return Statement(target, parts, common)
