"""Nodes that are equal in value become one node.

This finds what no rule was written for: s*s + c*c is 1, the entries of a rotated tensor that
vanish, the same angular velocity computed along two paths. Two nodes are taken for one when
they agree up to sign to 3e-13 at random states, evaluated in many digits; the result is
confirmed at other states.
"""

from __future__ import annotations

from typing import Any

from ..graph.node import Expr, const, make
from ..graph.program import Program
from .fingerprint import fingerprints
from .verify import verify_exact

SAME = 3e-13  # as in the engine
_STATES, _DIGITS, _SEED = 5, 40, 1_990


class _Classes:
    """Representatives of nodes by value: bins of a rounded magnitude, neighbours included."""

    def __init__(self) -> None:
        self.bins: dict[int, list[tuple[list[Any], Expr]]] = {}

    @staticmethod
    def _bin(x: Any) -> int:
        mantissa, exponent = x.man_exp if hasattr(x, "man_exp") else (0, 0)
        bits = int(mantissa).bit_length()
        shift = bits - 36
        top = int(mantissa) >> shift if shift > 0 else int(mantissa) << -shift
        return (exponent + bits) * (1 << 36) + top

    def find(self, value: list[Any]) -> tuple[int, Expr] | None:
        first = self._bin(abs(value[0]))
        for at in (first, first - 1, first + 1):
            for other, e in self.bins.get(at, ()):
                sign = 1 if (other[0] > 0) == (value[0] > 0) else -1
                pairs = zip(other, value, strict=True)
                if all(abs(a - sign * b) <= SAME * abs(a) for a, b in pairs):
                    return sign, e
        return None

    def add(self, value: list[Any], e: Expr) -> None:
        self.bins.setdefault(self._bin(abs(value[0])), []).append((value, e))


def merge_equal(program: Program) -> Program:
    """The program with nodes of equal value merged, constants and zeros put in.

    The program itself comes back if nothing is gained or the check does not hold.
    """
    prints = fingerprints(program, _STATES, _SEED, _DIGITS)
    classes = _Classes()
    new: dict[Expr, Expr] = {}
    for e in program.nodes():
        value = [p[e] for p in prints]
        if e.kind in ("const", "neg"):
            new[e] = make(e.kind, (new[a] for a in e.args)) if e.args else e
            continue
        size = [max((abs(p[a]) for a in e.args), default=0.0) for p in prints]
        if e.args and all(abs(x) <= 1e-14 * s for x, s in zip(value, size, strict=True)):
            new[e] = const(0.0)
        elif e.args and all(abs(x - value[0]) <= SAME * abs(value[0]) for x in value):
            new[e] = const(float(value[0]))
        elif any(x == 0 for x in value):
            new[e] = make(e.kind, (new[a] for a in e.args)) if e.args else e
        else:
            found = classes.find(value)
            if found is not None:
                new[e] = found[1] if found[0] > 0 else -found[1]
            else:
                new[e] = make(e.kind, (new[a] for a in e.args)) if e.args else e
                classes.add(value, new[e])
    merged = program.with_roots(tuple(new[r] for r in program.roots))
    if merged.count().total > program.count().total or merged.roots == program.roots:
        return program
    return merged if verify_exact(program, merged).passed else program
