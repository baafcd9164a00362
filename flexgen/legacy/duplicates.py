"""Pass D of CLEAR: products that occur again get a name.

El-Rayyes (1990), section 3.2.4. From the top, each part of each statement: for every pair of
its factors list the later locations that hold both; the pair with the most becomes Y###,
assigned just before the statement, and is replaced here and at those locations; repeat with
the factors that are left and the new Y. The same factor twice is a pair too. A pair is
replaced once per location, so QD1*QD1*S2*S2 becomes Y003*QD1*S2 and not Y003*Y003.

A location is 2*line + part, part 0 or 1; the statement in hand is not listed. Chosen here: of
pairs with equally many locations the first in order of the factors is taken, Y stands in the
place of the first factor of its pair, and a common factor of a statement that was factored
before is a part of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from .program import LegacyProgram
from .statement import Product, Statement, last_number

Place = tuple[int, int]  # number of the statement, number of the part


class _Text:
    """The products of a program, each a list of factors that can be replaced."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.products = [[list(factors) for factors in s.products] for s in statements]
        self.places: dict[str, dict[Place, None]] = {}  # where a factor occurs, in order
        for line, parts in enumerate(self.products):
            for part, factors in enumerate(parts):
                for name in factors:
                    self.places.setdefault(name, {})[line, part] = None

    def common(self, a: str, b: str, line: int) -> list[Place]:
        """Places after `line` that hold both factors."""
        here, there = self.places.get(a, {}), self.places.get(b, {})
        both = [place for place in here if place[0] > line and place in there]
        if a == b:
            both = [(i, k) for i, k in both if self.products[i][k].count(a) > 1]
        return sorted(both)

    def substitute(self, a: str, b: str, new: str, place: Place) -> None:
        """Put `new` for one pair at a place."""
        factors = self.products[place[0]][place[1]]
        first = factors.index(a)
        second = factors.index(b, first + 1) if a == b else factors.index(b)
        factors[min(first, second)] = new
        del factors[max(first, second)]
        for name in (a, b):
            if name not in factors:
                self.places[name].pop(place, None)
        self.places.setdefault(new, {})[place] = None


def locations(statements: Sequence[Statement], name: str, line: int, first: int) -> list[int]:
    """Location codes of a factor after statement `line`, if statement 0 stands in line `first`."""
    places = _Text(statements).places.get(name, {})
    return [2 * (first + i) + part for i, part in places if i > line]


def duplicates(program: LegacyProgram) -> LegacyProgram:
    """Name the products of two factors that occur again."""
    text = _Text(program.statements)
    number = last_number("Y", (s.target for s in program.statements))
    done: list[Statement] = []
    for line, statement in enumerate(program.statements):
        for part, factors in enumerate(text.products[line]):
            while (pair := _best(text, factors, line)) is not None:
                a, b, again = pair
                number += 1
                name = f"Y{number:03d}"
                done.append(Statement(name, (Product(1, (a, b)),)))
                for place in [(line, part), *again]:
                    text.substitute(a, b, name, place)
        done.append(_rebuilt(statement, text.products[line]))
    return replace(program, statements=tuple(done))


def _best(text: _Text, factors: list[str], line: int) -> tuple[str, str, list[Place]] | None:
    """The pair of factors that occurs most often after `line`, and where."""
    best: tuple[str, str, list[Place]] | None = None
    for a, b in combinations(factors, 2):
        again = text.common(a, b, line)
        if again and (best is None or len(again) > len(best[2])):
            best = a, b, again
    return best


def _rebuilt(statement: Statement, products: list[list[str]]) -> Statement:
    factors = [tuple(p) for p in products]
    count = len(statement.parts)
    parts = tuple(Product(p.sign, f) for p, f in zip(statement.parts, factors, strict=False))
    return Statement(statement.target, parts, factors[count] if len(factors) > count else ())
