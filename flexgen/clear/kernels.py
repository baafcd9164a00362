"""Two-term kernels: partial sums, constants and factors that several sums share.

A kernel is p + r q, where p and q are products of nodes. It occurs in a sum as
c x p + (c r) x q with any common factor x, which may be one. Taking it out saves additions
where it occurs more than once, multiplications where x or the coefficients become common:

    a b + a c          = a (b + c)            distributive
    k x + k y          = k (x + y)            constant
    x + y + u, x + y + v: s = x + y           partial sum

(after Hosangadi, Fallah and Kastner 2006). Greedy: the kernel with the largest gain first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..graph.program import Program
from .nary import ONE, Factors, Ref, Usage, Workspace, cheaper, read, rounded, write
from .products import shared

Key = tuple[Factors, Factors, float]


@dataclass(frozen=True)
class Occurrence:
    """Terms `p` and `q` of the sum `at`, with the factors that both have."""

    at: int
    p: int
    q: int
    common: Factors
    coefficient: float  # of p
    other: float  # of q


@dataclass(frozen=True)
class Choice:
    """A kernel, how it is scaled, and what it saves."""

    gain: int
    key: Key
    ratio: float  # as in the key, not rounded
    scale: float  # kernel = (p + ratio q) / scale
    places: tuple[Occurrence, ...]


def _is_one(c: float) -> bool:
    return abs(abs(c) - 1.0) < 1e-13


def _without(factors: Factors, common: Factors) -> Factors:
    left = list(factors)
    for f in common:
        left.remove(f)
    return tuple(left)


def _commons(p: Factors, q: Factors) -> list[Factors]:
    """Common factors worth trying: none, each single one, all."""
    shared: list[int] = []
    left = list(q)
    for f in p:
        if f in left:
            left.remove(f)
            shared.append(f)
    singles = [(f,) for f in dict.fromkeys(shared)]
    return [(), *singles, *([tuple(shared)] if len(shared) > 1 else [])]


def occurrences(space: Workspace, n: int) -> tuple[tuple[Key, Occurrence], ...]:
    """Every kernel in the sum n."""
    found = []
    terms = [(t, c, space.factors(t)) for t, c in space.nodes[n].terms.items()]
    for i, (p, cp, fp) in enumerate(terms):
        for q, cq, fq in terms[i + 1 :]:
            for common in _commons(fp, fq):
                a, b = _without(fp, common), _without(fq, common)
                if b < a:
                    key = (b, a, rounded(cp / cq))
                    found.append((key, Occurrence(n, q, p, common, cq, cp)))
                else:
                    key = (a, b, rounded(cq / cp))
                    found.append((key, Occurrence(n, p, q, common, cp, cq)))
    return tuple(found)


def disjoint(places: list[Occurrence]) -> tuple[Occurrence, ...]:
    """Occurrences that share no term, those with the most common factors first."""
    taken: set[tuple[int, int]] = set()
    chosen = []
    for o in sorted(places, key=lambda o: -len(o.common)):
        if (o.at, o.p) not in taken and (o.at, o.q) not in taken:
            taken |= {(o.at, o.p), (o.at, o.q)}
            chosen.append(o)
    return tuple(chosen)


class Greedy:
    """Gains of kernels in a workspace that changes; what a sum contains is found once."""

    def __init__(self, space: Workspace) -> None:
        self.space = space
        self.usage = space.usage()
        self._known: dict[int, tuple[tuple[Key, Occurrence], ...]] = {}

    def occurrences(self) -> dict[Key, list[Occurrence]]:
        """Every kernel of the program and where it occurs."""
        found: dict[Key, list[Occurrence]] = {}
        for n in self.usage.order:
            if self.space.nodes[n].kind != "sum":
                continue
            if n not in self._known:
                self._known[n] = occurrences(self.space, n)
            for key, place in self._known[n]:
                found.setdefault(key, []).append(place)
        return found

    def gain(self, key: Key, places: tuple[Occurrence, ...], scale: float) -> int:
        """Operations saved by taking the kernel out at all places."""
        a, b, ratio = key
        space, users, scaled = self.space, self.usage.users, self.usage.scaled
        saved = len(places) - 1  # additions: one at every place, one for the kernel
        lost: dict[int, int] = {}
        unscaled: dict[Ref, int] = {}
        cofactors: dict[Factors, None] = {}
        rescaled: dict[tuple[float, Factors], None] = {}
        for o in places:
            for n, c in ((o.p, o.coefficient), (o.q, o.other)):
                lost[n] = lost.get(n, 0) + 1
                if n != ONE and not _is_one(c):
                    ref = (rounded(abs(c)), n)
                    unscaled[ref] = unscaled.get(ref, 0) + 1
            if o.common:
                cofactors[o.common] = None
            if not _is_one(o.coefficient * scale):
                rescaled[(rounded(abs(o.coefficient * scale)), o.common)] = None
        # coefficients and cofactors: what is no longer used anywhere, less what is new
        saved += sum(scaled.get(ref, 0) == count for ref, count in unscaled.items())
        saved -= len(rescaled) + sum(len(common) for common in cofactors)
        # the kernel itself: its products and its coefficient
        kept: set[int] = set()
        for part, c in ((a, 1.0 / scale), (b, ratio / scale)):
            n = space.table.get(("product", part), -1) if len(part) > 1 else (*part, ONE)[0]
            if len(part) > 1:
                saved -= 0 if n in users else len(part) - 1
                kept.add(n)
            if part and not _is_one(c):
                ref = (rounded(abs(c)), n)
                saved -= scaled.get(ref, 0) <= unscaled.get(ref, 0)
        for n, count in lost.items():
            if n not in kept and users[n] == count:
                saved += max(len(space.nodes[n].factors) - 1, 0)
        return saved

    def choices(self) -> Iterator[Choice]:
        """Kernels that save something."""
        for key, all_places in self.occurrences().items():
            if len(all_places) == 1:
                o = all_places[0]
                alike = _is_one(key[2]) and not _is_one(o.coefficient)
                if not alike and not o.common:
                    continue
            places = disjoint(all_places)
            ratio = places[0].other / places[0].coefficient
            for scale in (1.0, ratio):
                gain = self.gain(key, places, scale)
                if gain > 0:
                    yield Choice(gain, key, ratio, scale, places)


def take_out(space: Workspace, choices: Sequence[Choice], usage: Usage) -> None:
    """Apply kernels everywhere they were found; no two may touch the same sum."""
    values: list[tuple[tuple[Occurrence, ...], Ref]] = []
    for choice in choices:
        a, b, _ = choice.key
        ratio, scale = choice.ratio, choice.scale
        terms = [(1.0 / scale, space.product(a)), (ratio / scale, space.product(b))]
        sign, kernel = space.sum(terms)
        values.append((choice.places, (scale * sign, kernel)))
    put(space, values, usage)


def put(
    space: Workspace, values: Sequence[tuple[tuple[Occurrence, ...], Ref]], usage: Usage
) -> None:
    """Put a value in place of p + ratio q wherever it occurs."""
    changed: dict[int, list[tuple[Occurrence, Ref]]] = {}
    for places, value in values:
        for o in places:
            changed.setdefault(o.at, []).append((o, value))
    instead: dict[int, Ref] = {}
    for n, found in changed.items():
        terms = dict(space.nodes[n].terms)
        extra: list[Ref] = []
        for o, (scale, node) in found:
            del terms[o.p], terms[o.q]
            joined = space.product((*o.common, *space.factors(node)))
            extra.append((o.coefficient * scale, joined))
        instead[n] = space.sum([*((c, t) for t, c in terms.items()), *extra])
    space.substitute(instead, usage.users)


def reduce(space: Workspace) -> None:
    """Take kernels out while one saves something."""
    refused: set[Key] = set()
    greedy = Greedy(space)
    together = True
    while True:
        choices = [c for c in greedy.choices() if c.key not in refused]
        if not choices:
            return
        choices.sort(key=_rank, reverse=True)
        chosen = _apart(choices) if together else choices[:1]
        before = list(space.roots), greedy.usage
        take_out(space, chosen, greedy.usage)
        greedy.usage = space.usage()
        if greedy.usage.cost < before[1].cost:
            together = True
            continue
        # estimates do not see what becomes equal or unused further up, nor one another
        space.roots, greedy.usage = before
        if len(chosen) == 1:
            refused.add(chosen[0].key)
        together = False


def _apart(choices: list[Choice]) -> list[Choice]:
    """The best choice, and equally good ones that touch neither its sums nor its terms."""
    taken: set[int] = set()
    chosen = []
    for c in choices:
        if c.gain < choices[0].gain:
            break
        touched = {n for o in c.places for n in (o.at, o.p, o.q)}
        if not touched & taken:
            taken |= touched
            chosen.append(c)
    return chosen


def _rank(c: Choice) -> tuple[int, int, Key, float]:
    return c.gain, -len(c.places), c.key, c.scale


def kernels(program: Program) -> Program:
    """The program with shared two-term kernels taken out of its sums."""
    while True:
        best = program
        for open_products in (True, False):
            space = read(program, open_products=open_products)
            reduce(space)
            candidate = write(space, program, shared(space))
            if cheaper(best, candidate):
                best = candidate
        if best is program:
            return program
        program = best
