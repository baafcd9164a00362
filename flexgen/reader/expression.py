"""A Fortran expression -> its value: an integer, a float, or a node of the graph.

The same walk counts the operations of the text: `*` and `/` are multiplications, binary `+`
and `-` additions, arithmetic between literals is free.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np
from fparser.two import Fortran2003 as F

from ..graph.node import Expr, as_expr, call
from .errors import ReadError

Value = int | float | Expr
Lookup = Callable[[str, tuple[int, ...] | None], Value]

_INTRINSICS = {
    "sin": "sin", "dsin": "sin", "cos": "cos", "dcos": "cos", "tan": "tan", "dtan": "tan",
    "sqrt": "sqrt", "dsqrt": "sqrt", "exp": "exp", "dexp": "exp", "log": "log", "dlog": "log",
    "asin": "asin", "dasin": "asin", "acos": "acos", "dacos": "acos", "atan": "atan",
    "datan": "atan", "abs": "abs", "dabs": "abs",
}  # fmt: skip
_CONVERSIONS = ("real", "dble", "float")


class Reader:
    """Evaluates expressions of one subroutine and tallies their operations."""

    def __init__(self, lookup: Lookup, arrays: Container[str] = ()) -> None:
        self.lookup = lookup
        self.arrays = arrays
        self.mul = 0
        self.add = 0

    def value(self, node: Any, line: int | None) -> Value:
        """The value of an expression."""
        return self._walk(node, line)[0]

    def subscripts(self, node: Any, line: int | None) -> tuple[int, ...]:
        """Subscripts of an array element, which must be constant integers."""
        listed = node.children if isinstance(node, F.Section_Subscript_List) else [node]
        found = []
        for entry in listed:
            value, _ = self._walk(entry, line)
            if not isinstance(value, int):
                raise ReadError(line, f"a subscript must be a constant integer, not {entry}")
            found.append(value)
        return tuple(found)

    def _walk(self, node: Any, line: int | None) -> tuple[Value, bool]:
        """Value, and whether the text is made of literals only."""
        if isinstance(node, F.Int_Literal_Constant):
            return int(node.children[0]), True
        if isinstance(node, F.Real_Literal_Constant):
            return real_literal(node), True
        if isinstance(node, F.Parenthesis):
            return self._walk(node.children[1], line)
        if isinstance(node, F.Name):
            return self.lookup(str(node).lower(), None), False
        if isinstance(node, F.Part_Ref | F.Structure_Constructor):
            name, arguments = node.children
            return self._named(str(name).lower(), arguments, line), False
        if isinstance(node, F.Intrinsic_Function_Reference):
            name, arguments = node.children
            return self._function(str(name).lower(), arguments, line), False
        parts = list(getattr(node, "children", ()))
        if len(parts) == 2 and parts[0] in ("-", "+"):
            value, literal = self._walk(parts[1], line)
            return (-value if parts[0] == "-" else value), literal
        if len(parts) == 3 and parts[1] in ("+", "-", "*", "/", "**"):
            return self._binary(parts[0], parts[1], parts[2], line)
        raise ReadError(line, f"cannot treat the expression {node}")

    def _named(self, name: str, arguments: Any, line: int | None) -> Value:
        if name in _INTRINSICS or name in _CONVERSIONS:
            return self._function(name, arguments, line)
        if name not in self.arrays:
            raise ReadError(line, f"cannot treat the function {name}")
        return self.lookup(name, self.subscripts(arguments, line))

    def _function(self, name: str, arguments: Any, line: int | None) -> Value:
        listed = list(getattr(arguments, "children", [arguments]))
        if name in _CONVERSIONS:
            value, _ = self._walk(listed[0], line)
            return float(value) if isinstance(value, int) else value
        if name not in _INTRINSICS or len(listed) != 1:
            raise ReadError(line, f"cannot treat the function {name}")
        value, _ = self._walk(listed[0], line)
        return call(_INTRINSICS[name], as_expr(value))

    def _binary(self, left: Any, sign: str, right: Any, line: int | None) -> tuple[Value, bool]:
        a, first = self._walk(left, line)
        b, second = self._walk(right, line)
        literal = first and second
        if sign == "**":
            return self._power(a, b, literal, line), literal
        if not literal:
            if sign in "+-":
                self.add += 1
            else:
                self.mul += 1
        if sign == "+":
            return a + b, literal
        if sign == "-":
            return a - b, literal
        if sign == "*":
            return a * b, literal
        try:
            if isinstance(a, int) and isinstance(b, int):
                return int(np.trunc(a / b)), literal  # Fortran's integer division
            return a / b, literal
        except ZeroDivisionError:
            raise ReadError(line, "division by zero") from None

    def _power(self, a: Value, b: Value, literal: bool, line: int | None) -> Value:
        if isinstance(b, float) and (2 * b) == int(2 * b) and b != int(b):
            self.mul += 0 if literal else _power_cost(abs(int(2 * b)))
            return call("sqrt", as_expr(a)) ** int(2 * b)
        if isinstance(b, float) and b == int(b):
            b = int(b)
        if not isinstance(b, int):
            raise ReadError(line, "a power must be a whole or half number")
        self.mul += 0 if literal else _power_cost(abs(b)) + (b < 0)
        if isinstance(a, int) and b < 0:
            return int(a**b) if abs(a) == 1 else 0
        return a**b


def _power_cost(n: int) -> int:
    """Multiplications of an integer power by repeated squaring."""
    return max(0, n.bit_length() - 1 + n.bit_count() - 1)


def real_literal(node: Any) -> float:
    """Value of a real literal at the precision that its spelling gives it."""
    digits, kind = str(node.children[0]).lower(), node.children[1]
    if "d" in digits:
        return float(digits.replace("d", "e"))
    if kind is None or str(kind).lower() in ("4", "real32", "sp"):
        return float(np.float32(digits))
    return float(digits)
