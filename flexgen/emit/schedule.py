"""Program -> Routine: names and order appear here and nowhere before.

The style is that of the original system (El-Rayyes 1990): a statement is a sum of at most
two products of at most six factors. Every sum has a name, except one that is only an output
or the one argument of a function; a product has a name where it is used more than once;
functions always have one. Statements follow the outputs, arguments first.

The tree of operations is kept, so the text computes what `graph.evaluate` computes to the
last bit: `+` and `*` commute in floating point, so operands may be put in a readable order,
and a product inside a product is written first, where it needs no parentheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from ..graph.node import FUNCTIONS, Expr
from ..graph.program import ADDITIONS, PRODUCTS, Output, Program
from .names import (
    JOINTS,
    Angle,
    angle_name,
    check_inputs,
    checked,
    free_name,
    joint_angles,
    names_of,
)
from .routine import (
    Array,
    Assignment,
    Binary,
    Call,
    Element,
    Kind,
    Local,
    Negative,
    Number,
    Routine,
    Term,
    leaves,
)

MAX_FACTORS = 6

_NAMED_TRIG: dict[str, Kind] = {"cos": "cos", "sin": "sin"}
_PREFIX = {"angle": "a", "cos": "c", "sin": "s"}


def schedule(program: Program) -> Routine:
    """The routine of a program; its text has exactly `program.count()` operations."""
    program = checked(program)
    everything = tuple(program.nodes())
    check_inputs(program, everything)
    nodes = tuple(e for e in everything if e.kind != "neg")  # signs are written in place
    users = _users(nodes)
    angles = joint_angles(everything)
    named = _named(nodes, users, {_strip(r)[1] for r in program.roots}, angles)
    first = _trig_first(nodes, users, named, angles)

    body = _Body(program)
    trig = tuple(body.define(e, kind, angles.get(angle)) for e, kind, angle in first)
    steps: list[Assignment] = []
    position = {e: i for i, e in enumerate(nodes)}
    at = 0
    for target, root in zip(_targets(program.outputs), program.roots, strict=True):
        end = position[_strip(root)[1]] + 1
        steps.extend(
            body.define(e, _kind(e)) for e in nodes[at:end] if e in named and e not in body.known
        )
        at = max(at, end)
        steps.append(body.assign(target, root))
    return Routine(
        program.name,
        tuple(Array(group.name, (group.size,)) for group in program.inputs),
        tuple(Array(out.name, out.shape) for out in program.outputs),
        trig,
        tuple(steps),
        program.count(),
        program.notes,
    )


def _strip(e: Expr) -> tuple[int, Expr]:
    sign = 1
    while e.kind == "neg":
        sign, e = -sign, e.args[0]
    return sign, e


def _kind(e: Expr) -> Kind:
    return "sum" if e.kind in ADDITIONS else "product" if e.kind in PRODUCTS else "call"


def _users(nodes: Sequence[Expr]) -> dict[Expr, list[Expr]]:
    """Every node with its users, once for each use; signs are looked through."""
    users: dict[Expr, list[Expr]] = {e: [] for e in nodes}
    for e in nodes:
        for a in e.args:
            users[_strip(a)[1]].append(e)
    return users


def _named(
    nodes: Sequence[Expr],
    users: dict[Expr, list[Expr]],
    roots: set[Expr],
    angles: dict[Expr, Angle],
) -> set[Expr]:
    """The nodes that get a variable; all others are written where they are used."""
    # a sum may stand inside a call, and a sum of angles inside that one
    inside: set[Expr] = set()
    for e in reversed(nodes):
        if e.kind in ADDITIONS and e not in roots and len(users[e]) == 1:
            (user,) = users[e]
            if user.kind in FUNCTIONS or (user in inside and e in angles):
                inside.add(e)

    named: set[Expr] = set()
    width: dict[Expr, int] = {}  # factors of a product written in place
    for e in nodes:
        only_output = e in roots and not users[e]
        if e.kind in FUNCTIONS or (e.kind in ADDITIONS and not only_output and e not in inside):
            named.add(e)
        elif e.kind in PRODUCTS:
            factors = [_strip(a)[1] for a in e.args]
            for a in sorted(factors, key=lambda a: -width.get(a, 1)):
                if sum(1 if b in named else width.get(b, 1) for b in factors) > MAX_FACTORS:
                    named.add(a)
            width[e] = sum(1 if b in named else width.get(b, 1) for b in factors)
            if not only_output and (e in roots or len(users[e]) > 1):
                named.add(e)
    return named


def _trig_first(
    nodes: Sequence[Expr],
    users: dict[Expr, list[Expr]],
    named: set[Expr],
    angles: dict[Expr, Angle],
) -> list[tuple[Expr, Kind, Expr]]:
    """Sines and cosines of joint angles with their sums, in the order of the joints."""
    above: set[Expr] = set()
    found: list[tuple[Expr, Kind, Expr]] = []
    for e in reversed(nodes):
        if e.kind in _NAMED_TRIG and e.args[0] in angles:
            above.add(e)
            found.append((e, _NAMED_TRIG[e.kind], e.args[0]))
        elif e.kind in ADDITIONS and e in angles and any(u in above for u in users[e]):
            above.add(e)
            if e in named:
                found.append((e, "angle", e))
    order = {e: i for i, e in enumerate(nodes)}

    # a sum has more joints than the sums inside it, so shorter ones first is a valid order
    def natural(item: tuple[Expr, Kind, Expr]) -> tuple[Any, ...]:
        e, kind, angle = item
        joints = angles[angle]
        return (len(joints), [k for _, k in joints], [-s for s, _ in joints], kind, order[e])

    return sorted(found, key=natural)


def _targets(outputs: Sequence[Output]) -> list[Element]:
    targets: list[Element] = []
    for out in outputs:
        ranges = [range(size) for size in out.shape]
        targets.extend(Element(out.name, index) for index in product(*ranges))
    return targets


class _Body:
    """Terms of one routine while it is written; `known` says how a node is referred to."""

    def __init__(self, program: Program) -> None:
        self.known: dict[Expr, tuple[int, Term]] = {}
        self.taken = {name.upper() for name in names_of(program)}
        self.joints = next((a.size for a in program.inputs if a.name == JOINTS), 0)
        self.number = 0
        self.rank: dict[Local | str, tuple[float, ...]] = {
            group.name: (2, i) for i, group in enumerate(program.inputs)
        }

    def define(self, e: Expr, kind: Kind, angle: Angle | None = None) -> Assignment:
        value = _signed(*self.term(e))
        if angle is None:
            name, self.number = self._next()
            rank: tuple[float, ...] = (3, self.number)
        else:
            wanted = angle_name(_PREFIX[kind], angle, self.joints)
            if wanted.upper() in self.taken:
                wanted, self.number = self._next()
            name, rank = free_name(wanted, self.taken), (1, len(self.known))
        local = Local(kind, name)
        self.known[e] = (1, local)
        self.rank[local] = rank
        return Assignment(local, value)

    def assign(self, target: Element, root: Expr) -> Assignment:
        sign, e = _strip(root)
        value = _signed(*self.term(root))
        if e not in self.known and e.args:
            self.known[e] = (sign, target)  # only outputs use it: the next ones copy
        return Assignment(target, value)

    def _next(self) -> tuple[str, int]:
        number = self.number + 1
        while f"T{number}" in self.taken:
            number += 1
        return f"t{number}", number

    def term(self, e: Expr) -> tuple[int, Term]:
        """Sign and term of a node: its variable, or its operation written out."""
        sign, e = _strip(e)
        if e in self.known:
            own, known = self.known[e]
            return sign * own, known
        if e.kind == "const":
            return sign, Number(e.value)
        if e.kind == "input":
            name, index = e.value
            return sign, Element(name, (index,))
        if e.kind in FUNCTIONS:
            return sign, Call(e.kind, _signed(*self.term(e.args[0])))
        (sa, a), (sb, b) = self.term(e.args[0]), self.term(e.args[1])
        if e.kind == "div":
            return sign * sa * sb, Binary("/", a, b)
        if e.kind == "mul":
            a, b = sorted((a, b), key=lambda t: self._order(t, "*/"))
            return sign * sa * sb, Binary("*", a, b)
        sb = sb if e.kind == "add" else -sb
        if sa != sb:
            return sign, Binary("-", a, b) if sa > 0 else Binary("-", b, a)
        a, b = sorted((a, b), key=lambda t: self._order(t, "+-"))
        return sign * sa, Binary("+", a, b)

    def _order(self, term: Term, chain: str) -> tuple[Any, ...]:
        # an operation of the same precedence goes left; then numbers, trig, inputs, t1, t2
        nested = isinstance(term, Binary) and term.operator in chain
        parts = list(leaves(term))
        return (-len(parts) if nested else 0, [self._rank(leaf) for leaf in parts])

    def _rank(self, leaf: Number | Element | Local) -> tuple[float, ...]:
        if isinstance(leaf, Number):
            return (0, leaf.value)
        if isinstance(leaf, Element):
            return (*self.rank[leaf.array], *leaf.index)
        return self.rank[leaf]


def _signed(sign: int, term: Term) -> Term:
    """The term or its negative: b - a for -(a - b), -a - b for -(a + b)."""
    if sign > 0:
        return term
    if isinstance(term, Binary) and term.operator == "-":
        return Binary("-", term.right, term.left)
    if isinstance(term, Binary) and term.operator == "+":
        return Binary("-", _signed(-1, term.left), term.right)
    return Negative(term)
