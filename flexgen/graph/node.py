"""Hash-consed scalar expressions: equal means identical.

An `Expr` is made only by its operators and by `const` and `symbol`, which simplify as they
build and then look the node up in one table, so common subexpressions are shared by
construction. Normal form:

- binary sums `add`, `sub` and products `mul`, `div`; operands of commutative kinds and the
  two orders of `sub` are sorted by a structural digest, which does not depend on history;
- a sign is a `neg` node on the outside: never inside a product, never on both terms of a
  sum, never on a constant's value; it costs nothing;
- numbers fold: 0 and 1 vanish, c*(d*x) is (c*d)*x, (x + c) + d is x + (c + d).

Nothing is expanded, collected or reordered beyond that: such rewrites are passes.
"""

from __future__ import annotations

import hashlib
import math
import struct
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Final
from weakref import WeakValueDictionary

FUNCTIONS: Final = ("sin", "cos", "sqrt", "exp", "log", "tan", "asin", "acos", "atan", "abs")
COMMUTATIVE: Final = ("add", "mul")

_table: WeakValueDictionary[tuple[Any, ...], Expr] = WeakValueDictionary()
_making = threading.RLock()


class Expr:
    """One node; `kind` is const, input, neg, add, sub, mul, div or a function's name."""

    __slots__ = ("__weakref__", "args", "digest", "kind", "value")

    kind: str
    args: tuple[Expr, ...]
    value: Any  # the number of a const, (name, index) of an input, otherwise None
    digest: int

    def __add__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _add(self, as_expr(other))

    def __radd__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _add(as_expr(other), self)

    def __sub__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _add(self, _neg(as_expr(other)))

    def __rsub__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _add(as_expr(other), _neg(self))

    def __mul__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _mul(self, as_expr(other))

    def __rmul__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _mul(as_expr(other), self)

    def __truediv__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _div(self, as_expr(other))

    def __rtruediv__(self, other: Any) -> Expr:
        return NotImplemented if is_array(other) else _div(as_expr(other), self)

    def __neg__(self) -> Expr:
        return _neg(self)

    def __pos__(self) -> Expr:
        return self

    def __pow__(self, power: int) -> Expr:
        if not isinstance(power, int):
            raise TypeError("only integer powers; write the others with exp and log")
        return _power(self, power)

    def sin(self) -> Expr:
        return call("sin", self)

    def cos(self) -> Expr:
        return call("cos", self)

    def sqrt(self) -> Expr:
        return call("sqrt", self)

    def exp(self) -> Expr:
        return call("exp", self)

    def log(self) -> Expr:
        return call("log", self)

    def __repr__(self) -> str:
        if self.kind == "const":
            return repr(self.value)
        if self.kind == "input":
            name, index = self.value
            return f"{name}[{index}]"
        return f"{self.kind}({', '.join(map(repr, self.args))})"


def const(value: float) -> Expr:
    """The number `value`, a `neg` node around its magnitude where it is negative."""
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"a constant must be finite, not {value}")
    if value < 0.0:
        return _intern("neg", (_intern("const", (), -value),))
    return _intern("const", (), abs(value))  # abs turns -0.0 into 0.0


def symbol(name: str, index: int = 0) -> Expr:
    """Element `index` of the input array `name`."""
    return _intern("input", (), (name, index))


def as_expr(value: Any) -> Expr:
    """`value` itself if it is an expression, else the constant."""
    return value if isinstance(value, Expr) else const(value)


def is_array(value: Any) -> bool:
    """Whether an operation belongs to the array, which then works on its entries."""
    return bool(getattr(value, "shape", ()))


def number(e: Expr) -> float | None:
    """The value of a constant, sign included; None for anything else."""
    if e.kind == "const":
        return float(e.value)
    if e.kind == "neg" and e.args[0].kind == "const":
        return -float(e.args[0].value)
    return None


def split_sign(e: Expr) -> tuple[int, Expr]:
    """(sign, magnitude) with e = sign * magnitude and no outer `neg` left."""
    return (-1, e.args[0]) if e.kind == "neg" else (1, e)


def make(kind: str, args: Iterable[Expr]) -> Expr:
    """The simplified node of `kind` on `args`; rebuilds a node after its arguments changed."""
    a = tuple(args)
    if kind == "neg":
        return _neg(*a)
    if kind == "add":
        return _add(*a)
    if kind == "sub":
        return _add(a[0], _neg(a[1]))
    if kind == "mul":
        return _mul(*a)
    if kind == "div":
        return _div(*a)
    return call(kind, *a)


def call(kind: str, x: Expr) -> Expr:
    """A function of one argument; odd and even ones take the sign out."""
    if kind not in FUNCTIONS:
        raise ValueError(f"unknown function {kind}")
    value = number(x)
    if value is not None:
        return const(abs(value) if kind == "abs" else getattr(math, kind)(value))
    sign, inner = split_sign(x)
    if sign < 0 and kind in ("sin", "tan", "asin", "atan"):
        return _neg(_intern(kind, (inner,)))
    if sign < 0 and kind in ("cos", "abs"):
        x = inner
    return _intern(kind, (x,))


def topological(roots: Iterable[Expr]) -> Iterator[Expr]:
    """Every node reachable from `roots` once, arguments first; a loop, since graphs are deep."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(r, False) for r in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args) if a not in seen)


def _intern(kind: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
    key = (kind, args, value)
    found = _table.get(key)
    if found is not None:
        return found
    with _making:  # two threads must not make one node twice
        found = _table.get(key)
        if found is not None:
            return found
        node = object.__new__(Expr)
        node.kind, node.args, node.value = kind, args, value
        node.digest = _digest(kind, args, value)
        _table[key] = node
        return node


def _digest(kind: str, args: tuple[Expr, ...], value: Any) -> int:
    parts = [kind.encode(), *(struct.pack("<Q", a.digest) for a in args)]
    if value is not None:
        parts.append(repr(value).encode())
    return int.from_bytes(hashlib.blake2b(b"|".join(parts), digest_size=8).digest(), "little")


def _neg(x: Expr) -> Expr:
    if x.kind == "neg":
        return x.args[0]
    if x.kind == "const" and x.value == 0.0:
        return x
    return _intern("neg", (x,))


def _add(x: Expr, y: Expr) -> Expr:
    cx, cy = number(x), number(y)
    if cx is not None and cy is not None:
        return const(cx + cy)
    if cx == 0.0:
        return y
    if cy == 0.0:
        return x
    if cx is not None:
        x, y, cy = y, x, cx
    if cy is not None:  # (z + c) + d = z + (c + d)
        sx, core = split_sign(x)
        if core.kind in ("add", "sub"):
            a, b = core.args
            if core.kind == "sub":
                b = _neg(b)
            for term, rest in ((a, b), (b, a)):
                c = number(term)
                if c is not None:
                    return _add(rest if sx > 0 else _neg(rest), const(sx * c + cy))
    (sx, a), (sy, b) = split_sign(x), split_sign(y)
    if a is b:
        return _mul(const(sx + sy), a)
    if b.digest < a.digest:
        (sx, a), (sy, b) = (sy, b), (sx, a)
    core = _intern("add" if sx == sy else "sub", (a, b))
    return core if sx > 0 else _neg(core)


def _mul(x: Expr, y: Expr) -> Expr:
    (sx, a), (sy, b) = split_sign(x), split_sign(y)
    if a.kind == "const":
        a, b = b, a
    if b.kind == "const":
        if a.kind == "const":
            product = const(a.value * b.value)
        elif b.value == 0.0:
            return b
        elif b.value == 1.0:
            product = a
        else:
            constant = next((t for t in a.args if t.kind == "const"), None)
            if a.kind == "mul" and constant is not None:  # c (d z) = (c d) z
                rest = a.args[0] if a.args[1] is constant else a.args[1]
                product = _mul(const(constant.value * b.value), rest)
            else:
                product = _intern("mul", _sorted(a, b))
    else:
        product = _intern("mul", _sorted(a, b))
    return product if sx == sy else _neg(product)


def _div(x: Expr, y: Expr) -> Expr:
    (sx, a), (sy, b) = split_sign(x), split_sign(y)
    if b.kind == "const":
        if b.value == 0.0:
            raise ZeroDivisionError("division by a constant zero")
        quotient = const(a.value / b.value) if a.kind == "const" else _mul(a, const(1.0 / b.value))
    elif a.kind == "const" and a.value == 0.0:
        return a
    elif a is b:
        quotient = const(1.0)
    else:
        quotient = _intern("div", (a, b))
    return quotient if sx == sy else _neg(quotient)


def _power(x: Expr, power: int) -> Expr:
    if power < 0:
        return _div(const(1.0), _power(x, -power))
    result, square = const(1.0), x
    while power:
        if power & 1:
            result = _mul(result, square)
        power >>= 1
        if power:
            square = _mul(square, square)
    return result


def _sorted(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    return (a, b) if a.digest <= b.digest else (b, a)
