"""SymPy in and out: programs as expressions for people, people's expressions as programs.

The mechanics and the optimiser never use SymPy; this is for reading, LaTeX, tests, and for
equations that somebody derived elsewhere and wants as fast code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from .node import FUNCTIONS, Expr, as_expr, call, const
from .program import Input, Output, Program

_TO_SYMPY = {name: getattr(sympy, "Abs" if name == "abs" else name) for name in FUNCTIONS}
_FROM_SYMPY = {function: name for name, function in _TO_SYMPY.items()}


def input_symbol(name: str, index: int) -> sympy.Symbol:
    """The SymPy symbol of an input element: q[0] is q1."""
    return sympy.Symbol(f"{name}{index + 1}", real=True)


def to_sympy(program: Program) -> dict[str, sympy.Array]:
    """Every output as an array of expressions in the input symbols, nothing shared.

    Expressions grow quickly: meant for small programs. `to_assignments` keeps the sharing.
    """
    values = _values(program, {})
    return {
        out.name: sympy.Array([values[e] for e in out.entries], out.shape)
        for out in program.outputs
    }


def to_assignments(
    program: Program,
) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], dict[str, sympy.Array]]:
    """(replacements, outputs) in the manner of `sympy.cse`: one symbol per shared node."""
    uses: dict[Expr, int] = {}
    for e in program.nodes():
        for a in e.args:
            uses[a] = uses.get(a, 0) + 1
    shared: dict[Expr, sympy.Symbol] = {}
    for e in program.nodes():
        if e.args and e.kind != "neg" and uses.get(e, 0) > 1:
            shared[e] = sympy.Symbol(f"x{len(shared)}", real=True)
    values = _values(program, shared)
    outputs = {
        out.name: sympy.Array([shared.get(e, values[e]) for e in out.entries], out.shape)
        for out in program.outputs
    }
    return [(symbol, values[e]) for e, symbol in shared.items()], outputs


def _values(program: Program, shared: Mapping[Expr, sympy.Symbol]) -> dict[Expr, Any]:
    values: dict[Expr, Any] = {}
    for e in program.nodes():
        args = [shared.get(a, values[a]) for a in e.args]
        if e.kind == "const":
            values[e] = _exact(e.value)
        elif e.kind == "input":
            values[e] = input_symbol(*e.value)
        elif e.kind == "neg":
            values[e] = -args[0]
        elif e.kind == "add":
            values[e] = args[0] + args[1]
        elif e.kind == "sub":
            values[e] = args[0] - args[1]
        elif e.kind == "mul":
            values[e] = args[0] * args[1]
        elif e.kind == "div":
            values[e] = args[0] / args[1]
        else:
            values[e] = _TO_SYMPY[e.kind](args[0])
    return values


def _exact(value: float) -> sympy.Expr:
    return sympy.Integer(int(value)) if value == int(value) else sympy.Float(value)


def from_sympy(
    outputs: Mapping[str, Any],
    inputs: Mapping[str, Sequence[sympy.Symbol]],
    name: str = "routine",
) -> Program:
    """A program from SymPy scalars, matrices or arrays; `inputs` groups and orders symbols."""
    groups = tuple(Input(label, len(symbols)) for label, symbols in inputs.items())
    known: dict[Any, Expr] = {}
    for group, symbols in zip(groups, inputs.values(), strict=True):
        known.update(zip(symbols, group.entries, strict=True))
    found = []
    for label, value in outputs.items():
        array = value if isinstance(value, sympy.NDimArray) else None
        if isinstance(value, sympy.MatrixBase):
            array = sympy.Array(value)
        shape = tuple(array.shape) if array is not None else (1,)
        flat = list(sympy.flatten(array.tolist())) if array is not None else [value]
        entries = tuple(_convert(sympy.sympify(x), known) for x in flat)
        found.append(Output(label, shape, entries))
    return Program(name, groups, tuple(found))


def _convert(root: sympy.Expr, known: dict[Any, Expr]) -> Expr:
    """One expression; a loop over a stack, since sums of SymPy may be deep."""
    stack = [root]
    while stack:
        x = stack[-1]
        if x in known:
            stack.pop()
            continue
        base_only = x.is_Pow and x.exp.is_number
        needed = [x.base] if base_only else list(x.args)
        missing = [] if x.is_number else [a for a in needed if a not in known]
        if missing:
            stack.extend(missing)
            continue
        known[x] = _node(x, known)
        stack.pop()
    return known[root]


def _node(x: sympy.Expr, known: Mapping[Any, Expr]) -> Expr:
    if x.is_number:
        return const(float(x))
    if x.is_Symbol:
        raise ValueError(f"symbol {x} is not among the inputs")
    if x.is_Add:
        total = const(0.0)
        for term in x.args:
            total = total + known[term]
        return total
    if x.is_Mul:
        above, below = const(1.0), const(1.0)
        for factor in x.args:
            if factor.is_Pow and factor.exp.is_Integer and factor.exp < 0:
                below = below * known[factor.base] ** int(-factor.exp)
            else:
                above = above * known[factor]
        return above / below
    if x.is_Pow:
        return _power(known, x)
    name = _FROM_SYMPY.get(x.func)
    if name is None:
        raise ValueError(f"{x.func} has no counterpart; rewrite it with {', '.join(FUNCTIONS)}")
    return call(name, known[x.args[0]])


def _power(known: Mapping[Any, Expr], x: sympy.Expr) -> Expr:
    if x.exp.is_Integer:
        return known[x.base] ** int(x.exp)
    twice = 2 * x.exp
    if twice.is_Integer:  # half-integer powers are roots
        return call("sqrt", known[x.base]) ** int(twice)
    if x.base == sympy.E:
        return call("exp", known[x.exp])
    exponent = as_expr(float(x.exp)) if x.exp.is_number else known[x.exp]
    return call("exp", exponent * call("log", known[x.base]))
