"""Sines and cosines of sums by the addition theorems, for code that is to run fast.

On today's processors a sine costs as much as a hundred products, so where sin and cos of a
and b are there anyway, two products and an addition give sin(a + b). The count of operations
grows and that of calls falls: this is no pass of `clear`, it is applied before compiling.
"""

from __future__ import annotations

from ..graph.node import Expr, make
from ..graph.program import ADDITIONS, Program, rebuild

Pair = tuple[Expr, Expr]  # sine and cosine of an angle


def addition(program: Program) -> Program:
    """The program without the sines and cosines of sums that others can give."""
    calls: dict[Expr, dict[str, Expr]] = {}
    for e in program.nodes():
        if e.kind in ("sin", "cos"):
            calls.setdefault(e.args[0], {})[e.kind] = e
    pairs = {x: (both["sin"], both["cos"]) for x, both in calls.items() if len(both) == 2}

    made: dict[Expr, Pair] = {}
    for e in program.nodes():
        if e.kind in ADDITIONS:
            a, b = (made.get(x) or pairs.get(x) for x in e.args)
            if a is not None and b is not None:
                made[e] = _sum(a, b) if e.kind == "add" else _difference(a, b)

    def rule(e: Expr, args: tuple[Expr, ...]) -> Expr:
        if e.kind in ("sin", "cos") and e.args[0] in made:
            return made[e.args[0]][e.kind == "cos"]
        return make(e.kind, args)

    return rebuild(program, rule)


def _sum(a: Pair, b: Pair) -> Pair:
    (sa, ca), (sb, cb) = a, b
    return sa * cb + ca * sb, ca * cb - sa * sb


def _difference(a: Pair, b: Pair) -> Pair:
    (sa, ca), (sb, cb) = a, b
    return sa * cb - ca * sb, ca * cb + sa * sb
