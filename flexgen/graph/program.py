"""Program: named inputs, named outputs, the graph between them, and what it costs.

A program has no order and no temporaries; those appear at emission. `count` follows the
rules of the operation count: `*` and `/` are multiplications, binary `+` and `-` additions,
a sign is free, sine and cosine are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from .node import Expr, make, symbol, topological

ADDITIONS = ("add", "sub")
PRODUCTS = ("mul", "div")
TRIG = ("sin", "cos", "tan")


@dataclass(frozen=True)
class Counts:
    """Operations of one routine. `div` is part of `mul`, `path` the longest chain."""

    mul: int
    add: int
    trig: int
    div: int = 0
    calls: int = 0  # functions other than sine, cosine and tangent
    path: int = 0

    @property
    def total(self) -> int:
        """Multiplications and additions."""
        return self.mul + self.add


@dataclass(frozen=True)
class Input:
    """An input vector."""

    name: str
    size: int

    @property
    def entries(self) -> tuple[Expr, ...]:
        """Its elements as expressions."""
        return tuple(symbol(self.name, i) for i in range(self.size))


@dataclass(frozen=True)
class Output:
    """An output array: entries in row-major order."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[Expr, ...]


@dataclass(frozen=True)
class Program:
    """A straight-line computation."""

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    notes: tuple[str, ...] = field(default=())  # what was done to it, for the header

    @property
    def roots(self) -> tuple[Expr, ...]:
        """All entries of all outputs in order."""
        return tuple(e for out in self.outputs for e in out.entries)

    def nodes(self) -> Iterator[Expr]:
        """Every node once, arguments before their users."""
        return topological(self.roots)

    def with_roots(self, roots: tuple[Expr, ...]) -> Program:
        """The same outputs with other entries."""
        outputs, at = [], 0
        for out in self.outputs:
            outputs.append(replace(out, entries=roots[at : at + len(out.entries)]))
            at += len(out.entries)
        return replace(self, outputs=tuple(outputs))

    def count(self) -> Counts:
        """Operations of the program."""
        return count(self)


def count(program: Program) -> Counts:
    """Operations of a program, every shared node once."""
    mul = add = trig = div = calls = 0
    depth: dict[Expr, int] = {}
    for e in program.nodes():
        longest = max((depth[a] for a in e.args), default=0)
        depth[e] = longest + (e.kind not in ("neg", "const", "input"))
        if e.kind in ADDITIONS:
            add += 1
        elif e.kind in PRODUCTS:
            mul += 1
            div += e.kind == "div"
        elif e.kind in TRIG:
            trig += 1
        elif e.args and e.kind != "neg":
            calls += 1
    path = max((depth[r] for r in program.roots), default=0)
    return Counts(mul, add, trig, div, calls, path)


def rebuild(program: Program, rule: Callable[[Expr, tuple[Expr, ...]], Expr]) -> Program:
    """The program with `rule(node, new arguments)` in place of every inner node.

    Inputs and constants stay; a rule that only calls `make` gives the program itself.
    """
    new: dict[Expr, Expr] = {}
    for e in program.nodes():
        new[e] = rule(e, tuple(new[a] for a in e.args)) if e.args else e
    return program.with_roots(tuple(new[r] for r in program.roots))


def substitute(program: Program, values: dict[Expr, Expr]) -> Program:
    """The program with some nodes (inputs, as a rule) replaced."""
    new: dict[Expr, Expr] = {}
    for e in program.nodes():
        if e in values:
            new[e] = values[e]
        else:
            new[e] = make(e.kind, (new[a] for a in e.args)) if e.args else e
    return program.with_roots(tuple(new[r] for r in program.roots))
