"""Exact derivatives of programs, by accumulation over the graph.

`jacobian(p, "q")` gives every output entry with respect to every entry of the input `q`, column
by column: `tangent` follows what one input moves. `by_rows` gives the same row by row: `adjoint`
follows what one output depends on, which costs less where there are few of them.

Both use nodes that are there: the derivative of a sine is the cosine of the program itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .node import Expr, call, const
from .program import Output, Program

_ZERO, _ONE = const(0.0), const(1.0)


def _partials(e: Expr) -> tuple[Expr, ...]:
    """Derivative of a node with respect to each of its arguments."""
    if e.kind == "add":
        return (_ONE, _ONE)
    if e.kind == "sub":
        return (_ONE, -_ONE)
    if e.kind == "neg":
        return (-_ONE,)
    x = e.args[0]
    if e.kind == "mul":
        return (e.args[1], x)
    if e.kind == "div":
        y = e.args[1]
        return (_ONE / y, -(e / y))
    rules = {
        "sin": lambda: call("cos", x),
        "cos": lambda: -call("sin", x),
        "tan": lambda: _ONE + e * e,
        "sqrt": lambda: const(0.5) / e,
        "exp": lambda: e,
        "log": lambda: _ONE / x,
        "asin": lambda: _ONE / call("sqrt", _ONE - x * x),
        "acos": lambda: -(_ONE / call("sqrt", _ONE - x * x)),
        "atan": lambda: _ONE / (_ONE + x * x),
        "abs": lambda: x / e,
    }
    return (rules[e.kind](),)


def tangent(program: Program, seeds: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
    """Derivative of every root when each input moves at the rate that `seeds` gives it."""
    rate: dict[Expr, Expr] = {}
    for e in program.nodes():
        if not e.args:
            rate[e] = seeds.get(e, _ZERO)
            continue
        if all(rate[a] is _ZERO for a in e.args):
            rate[e] = _ZERO
            continue
        total = _ZERO
        for a, partial in zip(e.args, _partials(e), strict=True):
            total = total + partial * rate[a]
        rate[e] = total
    return tuple(rate[r] for r in program.roots)


def adjoint(program: Program, weights: Sequence[Expr]) -> dict[Expr, Expr]:
    """Derivative of the weighted sum of all roots with respect to every node it depends on."""
    order = list(program.nodes())
    weight: dict[Expr, Expr] = {}
    for root, w in zip(program.roots, weights, strict=True):
        weight[root] = weight.get(root, _ZERO) + w
    for e in reversed(order):
        of_e = weight.get(e, _ZERO)
        if of_e is _ZERO or not e.args:
            continue
        for a, partial in zip(e.args, _partials(e), strict=True):
            if a.kind != "const":
                weight[a] = weight.get(a, _ZERO) + of_e * partial
    return weight


def jacobian(program: Program, *wrt: str, by_rows: bool = False) -> Program:
    """Derivatives of all outputs: output `tau` by input `q` is `dtau_dq`, one axis longer."""
    size = len(program.roots)
    rows: list[dict[Expr, Expr]] = []
    if by_rows:
        units = [[_ONE if k == i else _ZERO for k in range(size)] for i in range(size)]
        rows = [adjoint(program, unit) for unit in units]
    outputs = []
    for group in program.inputs:
        if group.name not in wrt:
            continue
        if by_rows:
            columns = [tuple(row.get(x, _ZERO) for row in rows) for x in group.entries]
        else:
            columns = [tangent(program, {x: _ONE}) for x in group.entries]
        at = 0
        for out in program.outputs:
            count = len(out.entries)
            entries = tuple(c[at + k] for k in range(count) for c in columns)
            name = f"d{out.name}_d{group.name}"
            outputs.append(Output(name, (*out.shape, group.size), entries))
            at += count
    return Program(f"{program.name}_derivatives", program.inputs, tuple(outputs))
