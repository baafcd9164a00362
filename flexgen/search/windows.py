"""Part of a program as a program of its own, and back.

The tables of the engine grow with the square of the nodes, so a large program is searched
window by window: a run of nodes in topological order, which takes values from earlier nodes
only. What enters a window keeps its fingerprint, so equalities between the entering values
are still seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.node import Expr, make, number, split_sign, symbol
from ..graph.program import Input, Output, Program, substitute


@dataclass(frozen=True, eq=False)
class Window:
    """A part of a program: `entering` and `leaving` are nodes of the whole."""

    program: Program
    entering: tuple[Expr, ...]
    leaving: tuple[Expr, ...]
    prints: tuple[dict[Expr, Any], ...]  # values of the nodes of `program`


def operations(program: Program) -> list[Expr]:
    """Inner nodes that are neither signs nor numbers, arguments first."""
    return [e for e in program.nodes() if e.args and e.kind != "neg"]


def cut(program: Program, inside: Sequence[Expr], prints: Sequence[Mapping[Expr, Any]]) -> Window:
    """The window that computes the nodes `inside`, a contiguous part of `operations`."""
    chosen = set(inside)
    new: dict[Expr, Expr] = {}
    entering: dict[Expr, Expr] = {}

    def moved(e: Expr) -> Expr:
        if number(e) is not None:
            return e
        sign, core = split_sign(e)
        if core in chosen:
            inner = new[core]
        else:
            inner = entering.setdefault(core, symbol("w", len(entering)))
        return inner if sign > 0 else -inner

    for e in inside:
        new[e] = make(e.kind, (moved(a) for a in e.args))
    used = {split_sign(r)[1] for r in program.roots}
    for e in operations(program):
        if e not in chosen:
            used.update(split_sign(a)[1] for a in e.args)
    leaving = tuple(e for e in inside if e in used)
    values = []
    for at in prints:
        known = {s: at[e] for e, s in entering.items()}
        for e in inside:
            sign, core = split_sign(new[e])
            known.setdefault(core, at[e] if sign > 0 else -at[e])
        values.append(known)
    part = Program(
        program.name,
        (Input("w", len(entering)),),
        (Output("v", (len(leaving),), tuple(new[e] for e in leaving)),),
    )
    return Window(part, tuple(entering), leaving, tuple(values))


def put_back(program: Program, window: Window, found: Program) -> Program:
    """The program with another computation of what leaves the window."""
    names = {symbol("w", i): e for i, e in enumerate(window.entering)}
    inner = substitute(found, names)
    return substitute(program, dict(zip(window.leaving, inner.roots, strict=True)))
