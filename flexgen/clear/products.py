"""Products that occur in several products, constants included.

    a b c, a b d, 2 x y, 2 x z  ->  p = a b, s = 2 x;  p c, p d, s y, s z

Every product and every scaled value is a list of factors, its constant one of them. The pair
of factors that most lists share becomes a product of its own; repeated while two lists share
a pair (Breuer 1969).
"""

from __future__ import annotations

from ..graph.node import const
from ..graph.program import Program
from .nary import ONE, Factors, Ref, Workspace, cheaper, read, rounded, write

Pair = tuple[int, int]


def _lists(space: Workspace) -> dict[Ref, Factors]:
    """Factors of every product and scaled value that the program needs."""
    plain: dict[int, None] = {}
    scaled: dict[Ref, float] = {}
    order = space.order()
    every = [*space.roots, *(ref for n in order for ref in space.nodes[n].refs)]
    for c, n in every:
        if n != ONE and abs(c) != 1.0:
            scaled.setdefault((rounded(abs(c)), n), abs(c))
        elif space.nodes[n].kind == "product":
            plain[n] = None
    times: dict[int, int] = {}
    for _, n in scaled:
        times[n] = times.get(n, 0) + 1
    found: dict[Ref, Factors] = {}
    exact: dict[float, float] = {}
    for (c, n), size in scaled.items():
        constant = space.leaf(const(exact.setdefault(c, size)))
        if space.nodes[n].kind == "product" and (n in plain or times[n] > 1):
            plain[n] = None  # needed for itself: its constant comes on top
            found[(c, n)] = (constant, n)
        else:
            found[(c, n)] = (constant, *space.factors(n))
    for n in sorted(plain):
        found[(1.0, n)] = space.nodes[n].factors
    return found


def _pairs(factors: Factors) -> list[Pair]:
    pairs: dict[Pair, None] = {}
    for i, a in enumerate(factors):
        for b in factors[i + 1 :]:
            pairs[(min(a, b), max(a, b))] = None
    return list(pairs)


def _join(factors: Factors, pair: Pair, joined: int) -> Factors:
    left = list(factors)
    for f in pair:
        left.remove(f)
    return (*left, joined)


def shared(space: Workspace) -> dict[Ref, Factors]:
    """Factors of every product and scaled value, with a node for each pair that several share."""
    lists = _lists(space)
    while True:
        where: dict[Pair, list[Ref]] = {}
        for ref, factors in lists.items():
            for pair in _pairs(factors):
                where.setdefault(pair, []).append(ref)
        best = max(where, key=lambda p: (len(where[p]), -p[1], -p[0]), default=None)
        if best is None or len(where[best]) < 2:
            return lists
        joined = space.product(best)
        for ref in where[best]:
            lists[ref] = _join(lists[ref], best, joined)
        lists.pop((1.0, joined), None)  # the pair itself, if the program had it


def products(program: Program) -> Program:
    """The program with products regrouped so that common parts are shared."""
    while True:
        space = read(program, open_scaled=False)
        candidate = write(space, program, shared(space))
        if not cheaper(program, candidate):
            return program
        program = candidate
