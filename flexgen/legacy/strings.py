"""The string algebra of the generators: scalars whose operators write statements.

El-Rayyes (1990), tables 3.2 and 3.3 and the dummy-variable rule of Kermack (1986):

    times   0 kills, 1 vanishes, signs multiply, else STR1*STR2 with the factors as they stand
    plus    0 vanishes, STR - STR is 0 if the two read the same, else a new Z####

A string that holds an addition, or more than six multiplications, is never kept: it becomes
the next Z#### and its assignment is appended to the tape. So a scalar is always one signed
product, a statement has at most two, and without long products the tape has one Z for each
addition. Nothing that is written is changed later; that is left to CLEAR.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .statement import Factors, Product, Statement

LONGEST = 6  # multiplications that a string may hold


@dataclass
class Tape:
    """The statements written so far."""

    statements: list[Statement] = field(default_factory=list)

    def scalar(self, sign: int = 1, factors: Factors = ()) -> Scalar:
        """A product as a scalar; sign 0 is zero and no factors are one."""
        return Scalar(self, sign, factors if sign else ())

    def name(self, name: str) -> Scalar:
        """A named scalar."""
        return self.scalar(1, (name,))

    def dummy(self, *parts: Product) -> Scalar:
        """The next Z####, which stands for the sum of `parts`."""
        target = f"Z{len(self.statements) + 1:04d}"
        self.statements.append(Statement(target, parts))
        return self.name(target)


@dataclass(frozen=True, eq=False)
class Scalar:
    """One signed product of names. Entries of numpy object arrays; numbers 0, 1, 2 mix in."""

    tape: Tape
    sign: int
    factors: Factors

    @property
    def product(self) -> Product:
        """The product itself."""
        return Product(self.sign, self.factors)

    def _lift(self, other: object) -> Scalar | None:
        if isinstance(other, Scalar):
            return other
        if isinstance(other, (int, float)) and other == int(other):
            sign, size = (other > 0) - (other < 0), abs(int(other))
            return self.tape.scalar(sign, (str(size),) if size > 1 else ())
        return None

    def __mul__(self, other: object) -> Scalar:
        right = self._lift(other)
        if right is None:
            return NotImplemented
        result = self.tape.scalar(self.sign * right.sign, self.factors + right.factors)
        return self.tape.dummy(result.product) if result.product.mul > LONGEST else result

    def __rmul__(self, other: object) -> Scalar:
        left = self._lift(other)
        return NotImplemented if left is None else left * self

    def __add__(self, other: object) -> Scalar:
        right = self._lift(other)
        if right is None:
            return NotImplemented
        if right.sign == 0:
            return self
        if self.sign == 0:
            return right
        if self.factors == right.factors and self.sign == -right.sign:
            return self.tape.scalar(0)
        return self.tape.dummy(self.product, right.product)

    def __radd__(self, other: object) -> Scalar:
        left = self._lift(other)
        return NotImplemented if left is None else left + self

    def __neg__(self) -> Scalar:
        return self.tape.scalar(-self.sign, self.factors)

    def __sub__(self, other: object) -> Scalar:
        right = self._lift(other)
        return NotImplemented if right is None else self + -right

    def __rsub__(self, other: object) -> Scalar:
        left = self._lift(other)
        return NotImplemented if left is None else left + -self
