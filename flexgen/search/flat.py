"""Program -> numbered slots that the engine works on, and back.

A slot is (operation, a, b, sign of a, sign of b) and a constant. Signs are part of operands
and constants part of operations, as in the engine. Functions of inputs are leaves: always
there, free to use, never made anew.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.node import Expr, call, const, number
from ..graph.program import Program
from .engine import STATES
from .fingerprint import context, fingerprints

NONE, LEAF, ADD, MUL, SCALE, SHIFT, DIV, RECIP, FUNC = range(9)
_DIGITS = 50
_SEED = 1_984
Operand = tuple[int, int]  # slot and sign


@dataclass(frozen=True, eq=False)
class Flat:
    """A program as arrays; `outputs` has the slot, the sign and the index of each root."""

    code: np.ndarray[Any, Any]  # (n, 5) int32
    constant: np.ndarray[Any, Any]  # (n,)
    known: np.ndarray[Any, Any]  # (n, STATES, 2) values of leaves and functions
    expr: tuple[Expr, ...]  # what each slot was
    outputs: tuple[tuple[int, int, int], ...]


def _entry(e: Expr, at: dict[Expr, Operand], rows: list[tuple[list[int], float]]) -> Operand:
    """The operand for one inner node, with a new row for it."""
    numbers = [number(a) for a in e.args]
    refs = [at.get(a, (-1, 1)) for a in e.args]
    (a, sa), (b, sb) = refs[0], refs[-1]
    k, sign = 0.0, 1
    if len(e.args) == 1:
        leaf = rows[a][0][0] == LEAF
        code = [LEAF, -1, -1, 1, 1] if leaf else [FUNC, a, -1, sa, 1]
    elif e.kind in ("add", "sub"):
        sb = -sb if e.kind == "sub" else sb
        if numbers[1] is not None:
            k, code = numbers[1] * (-1 if e.kind == "sub" else 1), [SHIFT, a, -1, sa, 1]
        elif numbers[0] is not None:
            k, code = numbers[0], [SHIFT, b, -1, sb, 1]
        else:
            code = [ADD, a, b, sa, sb]
    elif numbers[0] is not None:
        k, sign = numbers[0], sb
        code = [SCALE if e.kind == "mul" else RECIP, b, -1, 1, 1]
    elif numbers[1] is not None:
        k, sign, code = numbers[1], sa, [SCALE, a, -1, 1, 1]
    else:
        sign, code = sa * sb, [MUL if e.kind == "mul" else DIV, a, b, 1, 1]
    rows.append((code, k))
    return len(rows) - 1, sign


def states_of(program: Program) -> list[dict[Expr, Any]]:
    """Values of all nodes at the states of the engine."""
    return fingerprints(program, STATES, _SEED, _DIGITS)


def flatten(program: Program, prints: Sequence[Mapping[Expr, Any]]) -> Flat:
    """Arrays of a program in which nodes equal in value are one node already."""
    at: dict[Expr, Operand] = {}
    rows: list[tuple[list[int], float]] = []
    exprs: list[Expr] = []
    for e in program.nodes():
        if number(e) is not None:
            continue
        if e.kind == "neg":
            slot, sign = at[e.args[0]]
            at[e] = slot, -sign
        elif e.kind == "input":
            rows.append(([LEAF, -1, -1, 1, 1], 0.0))
            at[e] = len(rows) - 1, 1
            exprs.append(e)
        else:
            at[e] = _entry(e, at, rows)
            exprs.append(e)
    known = np.zeros((len(rows), STATES, 2))
    mp = context(_DIGITS)
    for slot, e in enumerate(exprs):
        if rows[slot][0][0] in (LEAF, FUNC):
            for j, print_ in enumerate(prints):
                known[slot, j, 0] = high = float(print_[e])
                known[slot, j, 1] = float(print_[e] - mp.mpf(high))
    outputs = tuple((*at[r], i) for i, r in enumerate(program.roots) if number(r) is None)
    code = np.array([row for row, _ in rows], dtype=np.int32).reshape(-1, 5)
    return Flat(code, np.array([k for _, k in rows]), known, tuple(exprs), outputs)


def constants(program: Program) -> tuple[float, ...]:
    """Magnitudes of the constants of a program, in order, and a few plain numbers."""
    found = {float(e.value) for e in program.nodes() if e.kind == "const"}
    return tuple(sorted(found | {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0}))


def snapped(k: float, pool: Sequence[float]) -> float:
    """The known constant that `k` is up to rounding, else `k`."""
    size = abs(k)
    i = bisect_left(pool, size)
    for known in pool[max(0, i - 1) : i + 1]:
        if abs(known - size) <= 1e-14 * size:
            return known if k > 0 else -known
    return k


def rebuilt(
    program: Program,
    flat: Flat,
    code: np.ndarray[Any, Any],
    constant: np.ndarray[Any, Any],
    pool: Sequence[float],
) -> Program:
    """The program that slots stand for; leaves and functions keep their first slot."""
    made: dict[int, Expr] = {}
    roots = list(program.roots)
    for slot, sign, index in flat.outputs:
        stack = [slot]
        while stack:
            now = stack[-1]
            if now in made:
                stack.pop()
                continue
            op, a, b, sa, sb = (int(x) for x in code[now])
            if op == LEAF:
                made[now] = flat.expr[now]
                continue
            missing = [x for x in (a, b) if x >= 0 and x not in made]
            if missing:
                stack.append(missing[0])
                continue
            x = made[a] if sa > 0 else -made[a]
            y = made[b] if b >= 0 else const(snapped(float(constant[now]), pool))
            if op in (ADD, SHIFT):
                made[now] = x + (y if sb > 0 or op == SHIFT else -y)
            elif op in (MUL, SCALE):
                made[now] = x * y
            elif op == DIV:
                made[now] = x / y
            elif op == RECIP:
                made[now] = y / x
            else:
                made[now] = call(flat.expr[now].kind, x)
        roots[index] = made[slot] if sign > 0 else -made[slot]
    return program.with_roots(tuple(roots))
