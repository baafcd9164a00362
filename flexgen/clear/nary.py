"""A program with sums and products of any length: the workspace of the factoring passes.

`read` opens a program, `write` closes it again. In between every value is a reference
(coefficient, node); nodes are

    leaf     an input, or the number one (node 0)
    call     a function or a quotient; arguments are references
    sum      terms: node -> coefficient; a single term is a scaled node
    product  factors: sorted nodes, repeated for powers

A sum used once inside a sum, and a product used once inside a product, are opened. What a
program costs is seen directly: terms - 1 and factors - 1, and one multiplication for every
different (|coefficient|, node) whose coefficient is not one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType

from ..graph.node import Expr, const, make, number
from ..graph.program import Program

Ref = tuple[float, int]
Factors = tuple[int, ...]
ONE = 0


@dataclass
class Node:
    """One node; only the field of its kind is filled."""

    kind: str  # "leaf", "sum", "product", or the kind of a call
    leaf: Expr | None = None
    terms: dict[int, float] = field(default_factory=dict)
    factors: Factors = ()
    args: tuple[Ref, ...] = ()

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """What the node refers to."""
        if self.kind == "sum":
            return tuple((c, t) for t, c in self.terms.items())
        if self.kind == "product":
            return tuple((1.0, f) for f in self.factors)
        return self.args


@lru_cache(maxsize=65536)
def rounded(c: float) -> float:
    """A coefficient as a key: equal up to rounding of the last digits is equal."""
    return float(f"{c:.14g}")


@dataclass(frozen=True)
class Usage:
    """What the roots need: nodes in order, users of nodes and of scaled nodes, operations."""

    order: list[int]
    users: dict[int, int]
    scaled: dict[Ref, int]  # by (|coefficient|, node)
    cost: int


class Workspace:
    """Nodes, roots, and a table that makes equal nodes identical."""

    def __init__(self) -> None:
        self.nodes: list[Node] = [Node("leaf", const(1.0))]
        self.roots: list[Ref] = []
        self.table: dict[object, int] = {}

    def _node(self, key: object, node: Node) -> int:
        if key not in self.table:
            self.table[key] = len(self.nodes)
            self.nodes.append(node)
        return self.table[key]

    def leaf(self, e: Expr) -> int:
        """The node of an input."""
        return self._node(("leaf", e), Node("leaf", e))

    def call(self, kind: str, args: tuple[Ref, ...]) -> int:
        """A function or quotient."""
        key = (kind, tuple((rounded(c), n) for c, n in args))
        return self._node(key, Node(kind, args=args))

    def product(self, factors: Iterable[int]) -> int:
        """The product of nodes; a product of one is that node, of none the number one."""
        sorted_factors = tuple(sorted(f for f in factors if f != ONE))
        if len(sorted_factors) < 2:
            return sorted_factors[0] if sorted_factors else ONE
        return self._node(("product", sorted_factors), Node("product", factors=sorted_factors))

    def sum(self, terms: Iterable[Ref]) -> Ref:
        """The sum of references; its first term is positive, the sign goes outside."""
        total: dict[int, float] = {}
        size: dict[int, float] = {}
        for c, n in terms:
            inner = self.nodes[n].terms
            if len(inner) == 1:  # a scaled node is a term like any other
                n, k = next(iter(inner.items()))
                c = c * k
            total[n] = total.get(n, 0.0) + c
            size[n] = max(size.get(n, 0.0), abs(c))
        total = {n: unit(c) for n, c in sorted(total.items()) if abs(c) > 1e-14 * size[n]}
        if not total:
            return 0.0, ONE
        if len(total) == 1:
            n, c = next(iter(total.items()))
            return c, n
        sign = 1.0 if next(iter(total.values())) > 0.0 else -1.0
        return sign, self._sum({n: sign * c for n, c in total.items()})

    def _sum(self, terms: dict[int, float]) -> int:
        key = ("sum", tuple((n, rounded(c)) for n, c in terms.items()))
        return self._node(key, Node("sum", terms=terms))

    def scaled(self, c: float, n: int) -> Ref:
        """The multiple c n as a node of its own, a sum of one term, up to its sign."""
        if abs(c) == 1.0 or n == ONE:
            return c, n
        return (1.0 if c > 0.0 else -1.0), self._sum({n: abs(c)})

    def factors(self, n: int) -> Factors:
        """The node as a tuple of factors."""
        if n == ONE:
            return ()
        node = self.nodes[n]
        return node.factors if node.kind == "product" else (n,)

    def order(self) -> list[int]:
        """Nodes reachable from the roots, arguments first."""
        seen: set[int] = set()
        found: list[int] = []
        stack = [(n, False) for _, n in reversed(self.roots)]
        while stack:
            n, ready = stack.pop()
            if ready:
                found.append(n)
            elif n not in seen:
                seen.add(n)
                stack.append((n, True))
                stack.extend((t, False) for _, t in reversed(self.nodes[n].refs) if t not in seen)
        return found

    def usage(self) -> Usage:
        """Order, users and cost of everything that the roots need."""
        order = self.order()
        users: dict[int, int] = dict.fromkeys(order, 0)
        scaled: dict[Ref, int] = {}
        cost = 0
        every = [*self.roots]
        for n in order:
            node = self.nodes[n]
            every += node.refs
            cost += max(len(node.terms) - 1, 0) + max(len(node.factors) - 1, 0)
            cost += node.kind == "div"
        for c, n in every:
            users[n] += 1
            if n != ONE and c != 1.0 and c != -1.0:
                key = (rounded(abs(c)), n)
                scaled[key] = scaled.get(key, 0) + 1
        return Usage(order, users, scaled, cost + len(scaled))

    def rebuilt(self, n: int, moved: list[Ref], shared: Callable[[int], bool]) -> Ref:
        """Node n with references to `moved` in place of what it refers to.

        A coefficient leaves a product unless its factor is shared: then it stays one value.
        """
        node = self.nodes[n]
        old = self.nodes[n].refs
        if node.kind == "leaf" or all(m == (1.0, t) for m, (_, t) in zip(moved, old, strict=True)):
            return 1.0, n
        both = [(c * k, m) for (c, _), (k, m) in zip(old, moved, strict=True)]
        if node.kind == "sum":
            return self.sum(both) if len(both) > 1 else self.scaled(*both[0])
        if node.kind == "product":
            coefficient = 1.0
            factors: list[int] = []
            for f, (c, m) in zip(node.factors, both, strict=True):
                if shared(f):
                    c, m = self.scaled(c, m)
                coefficient *= c
                factors += self.factors(m)
            return unit(coefficient), self.product(factors)
        return 1.0, self.call(node.kind, tuple(both))

    def substitute(self, instead: dict[int, Ref], users: Mapping[int, int]) -> None:
        """Put references in place of nodes, everywhere, also inside the references."""
        new: dict[int, Ref] = {}
        stack = [(n, False) for _, n in reversed(self.roots)]
        while stack:
            n, ready = stack.pop()
            if n in new:
                continue
            target = instead.get(n, (1.0, n))
            below = [target] if target[1] != n else self.nodes[n].refs
            if not ready:
                stack.append((n, True))
                stack.extend((t, False) for _, t in reversed(below) if t not in new)
            elif target[1] != n:
                c, t = new[target[1]]
                new[n] = (target[0] * c, t)
            else:
                moved = [new[t] for _, t in below]
                new[n] = self.rebuilt(n, moved, lambda f: users.get(f, 2) > 1)
        self.roots = [(c * new[n][0], new[n][1]) for c, n in self.roots]


def unit(c: float) -> float:
    """Coefficients that are one up to rounding are one."""
    return float(round(c)) if abs(abs(c) - 1.0) < 1e-13 else c


def read(
    program: Program,
    open_scaled: bool = True,
    open_products: bool = False,
    keep_scaled: bool = True,
) -> Workspace:
    """The program with long sums and products.

    `open_scaled` also opens a sum used once where a coefficient stands before it,
    `open_products` every product inside a product, whatever its users. `keep_scaled` leaves
    a scaled value that is used in several products as it is.
    """
    space = Workspace()
    users: dict[Expr, int] = {}
    for e in program.nodes():
        for a in e.args:
            users[a] = users.get(a, 0) + 1
    refs: dict[Expr, Ref] = {}
    for e in program.nodes():
        refs[e] = _read(space, e, refs, users if keep_scaled else {})
    space.roots = [refs[r] for r in program.roots]
    opened(space, open_scaled, open_products)
    return space


def _read(space: Workspace, e: Expr, refs: dict[Expr, Ref], users: dict[Expr, int]) -> Ref:
    value = number(e)
    if value is not None:
        return value, ONE
    if e.kind == "input":
        return 1.0, space.leaf(e)
    args = [refs[a] for a in e.args]
    if e.kind == "neg":
        return -args[0][0], args[0][1]
    if e.kind == "add":
        return space.sum(args)
    if e.kind == "sub":
        return space.sum([args[0], (-args[1][0], args[1][1])])
    if e.kind == "mul":
        # a scaled value that others use as well stays one
        kept = [
            ref if users.get(a, 1) == 1 else space.scaled(*ref)
            for a, ref in zip(e.args, args, strict=True)
        ]
        (c, m), (d, n) = kept
        return unit(c * d), space.product((m, n))
    return 1.0, space.call(e.kind, tuple(args))


def opened(space: Workspace, open_scaled: bool, open_products: bool) -> None:
    """Open sums and products that have one user of their own kind; see `read`."""
    users = space.usage().users
    inside: dict[int, int] = {}  # users that are of the same kind
    for n in space.order():
        for c, t in space.nodes[n].refs:
            same = space.nodes[n].kind == space.nodes[t].kind
            if same and (open_scaled or abs(c) == 1.0) and len(space.nodes[t].terms) != 1:
                inside[t] = inside.get(t, 0) + 1
    once = {t for t, count in inside.items() if count == users[t] == 1}

    new: dict[int, Ref] = {}
    for n in space.order():
        node = space.nodes[n]
        moved = [new[t] for _, t in space.nodes[n].refs]
        if node.kind == "sum" and len(node.terms) > 1:
            terms: list[Ref] = []
            for (t, c), (k, m) in zip(node.terms.items(), moved, strict=True):
                if t in once and space.nodes[m].kind == "sum":
                    terms += [(c * k * c2, t2) for t2, c2 in space.nodes[m].terms.items()]
                else:
                    terms.append((c * k, m))
            new[n] = space.sum(terms)
        elif node.kind == "product":
            factors: list[int] = []
            coefficient = 1.0
            for f, (k, m) in zip(node.factors, moved, strict=True):
                coefficient *= k
                factors += space.factors(m) if f in once or open_products else (m,)
            new[n] = (coefficient, space.product(factors))
        else:
            new[n] = space.rebuilt(n, moved, lambda f: True)
    space.roots = [(c * new[n][0], new[n][1]) for c, n in space.roots]


def write(
    space: Workspace, program: Program, lists: Mapping[Ref, Factors] = MappingProxyType({})
) -> Program:
    """The program again, with binary sums and products.

    `lists` gives other factors for products (1, node) and scaled nodes (|coefficient|, node).
    """
    made: dict[int, Expr] = {ONE: const(1.0)}

    def key(c: float, n: int) -> Ref:
        return (1.0 if n == ONE else rounded(abs(c))), n

    def needs(c: float, n: int) -> Factors:
        return lists.get(key(c, n), (n,)) if abs(c) != 1.0 else (n,)

    def value(c: float, n: int) -> Expr:
        if n == ONE:
            return const(c)
        if abs(c) == 1.0:
            return made[n] if c > 0.0 else -made[n]
        if key(c, n) in lists:
            product = _product(made, needs(c, n))
            return product if c > 0.0 else -product
        return const(c) * made[n]

    stack = [(m, False) for ref in reversed(space.roots) for m in needs(*ref)]
    while stack:
        n, ready = stack.pop()
        if n in made:
            continue
        node = space.nodes[n]
        if not ready:
            stack.append((n, True))
            if node.kind == "product":
                below = lists.get((1.0, n), node.factors)
            else:
                below = tuple(m for ref in space.nodes[n].refs for m in needs(*ref))
            stack.extend((m, False) for m in reversed(below) if m not in made)
        elif node.leaf is not None:
            made[n] = node.leaf
        elif node.kind == "sum":
            # the constant last, so that numbers stay together
            terms = sorted(node.terms.items(), key=lambda term: (term[0] == ONE, term[0]))
            total = value(terms[0][1], terms[0][0])
            for t, c in terms[1:]:
                total = total + value(c, t)
            made[n] = total
        elif node.kind == "product":
            made[n] = _product(made, lists.get((1.0, n), node.factors))
        else:
            made[n] = make(node.kind, [value(*ref) for ref in node.args])
    return program.with_roots(tuple(value(c, n) for c, n in space.roots))


def _product(made: Mapping[int, Expr], factors: Factors) -> Expr:
    product = made[factors[0]]
    for f in factors[1:]:
        product = product * made[f]
    return product


def cheaper(program: Program, candidate: Program) -> bool:
    """Whether the candidate has fewer operations and no more function calls."""
    old, new = program.count(), candidate.count()
    same_calls = new.trig <= old.trig and new.calls <= old.calls
    return same_calls and new.total < old.total
