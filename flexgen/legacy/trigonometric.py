"""Pass T of CLEAR: trigonometric identities between the two parts of a statement.

With X the factors that both parts share (El-Rayyes 1990, section 3.2.2):

    +-(sin^2 a + cos^2 a) X         -> +-X
    (cos a cos b -+ sin a sin b) X  -> cos(a +- b) X
    (sin a cos b +- cos a sin b) X  -> sin(a +- b) X

A new function gets a declaration: S45 = SIN(TH(4)+TH(5)). The angles a and b may be sums
themselves (S45 and C6 give C456). Chosen here: the name of a difference has an M before the
joint that is subtracted (C4M5), in an arm of more than nine joints the numbers are joined by
an underscore, and an angle with a joint twice is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import permutations

from .program import LegacyProgram, Source
from .statement import Factors, Product, Statement, settled

Trig = dict[str, Source]


def trigonometric(program: LegacyProgram) -> LegacyProgram:
    """Apply the three identities to every statement."""
    trig = {d.name: d for d in program.declarations if isinstance(d, Source) and d.function}
    known = len(trig)
    statements = tuple(_shorter(s, trig) for s in program.statements)
    used = {name for s in statements for name in s.names}
    new = [d for d in list(trig.values())[known:] if d.name in used]
    return replace(program, declarations=(*program.declarations, *new), statements=statements)


def without(factors: Factors, *taken: str) -> Factors | None:
    """The factors after taking some away, or None if one is missing."""
    rest = list(factors)
    for name in taken:
        if name not in rest:
            return None
        rest.remove(name)
    return tuple(rest)


def _shorter(statement: Statement, trig: Trig) -> Statement:
    if len(statement.parts) == 2:
        for product in _identities(*statement.parts, trig):
            return settled(statement.target, (product,), statement.common)
    return statement


def _identities(first: Product, second: Product, trig: Trig) -> Iterator[Product]:
    """The single products that the two parts are equal to."""
    names = [name for name in dict.fromkeys(first.factors) if name in trig]
    for name in names:
        twin = _twin(name, trig)
        if first.sign == second.sign and twin:
            rest = _rest(first, (name, name), second, (twin, twin))
            if rest is not None:
                yield Product(first.sign, rest)
    for a, b in permutations(names, 2):
        twins = _twin(a, trig), _twin(b, trig)
        if trig[a].terms == trig[b].terms or None in twins:
            continue
        rest = _rest(first, (a, b), second, (str(twins[0]), str(twins[1])))
        if rest is None:
            continue
        sign, new = _sum(trig[a], trig[b], first.sign, second.sign)
        if new is not None:
            new = replace(new, name=new.function[0] + _tag(new.terms, trig))
            trig.setdefault(new.name, new)
            yield Product(sign, (*rest, new.name))


def _rest(
    first: Product, here: tuple[str, str], second: Product, there: tuple[str, str]
) -> Factors | None:
    """What both parts have besides the pair of each, if it is the same."""
    one, two = without(first.factors, *here), without(second.factors, *there)
    same = one is not None and two is not None and sorted(one) == sorted(two)
    return one if same else None


def _twin(name: str, trig: Trig) -> str | None:
    """The other function of the same angle."""
    own = trig[name]
    for other in trig.values():
        same = other.terms == own.terms and other.offset == own.offset
        if same and other.function != own.function:
            return other.name
    return None


def _sum(a: Source, b: Source, first: int, second: int) -> tuple[int, Source | None]:
    """Sign and function that the pair (a, b) of the first part and its twins amount to."""
    same = first == second
    if a.function == b.function:
        # cos cos -+ sin sin; the sign is that of the part with the cosines
        return _combined("COS", a, b, -1 if same else 1, first if a.function == "COS" else second)
    if a.function == "COS":
        return 0, None  # met again as (b, a)

    # sin a cos b +- cos a sin b
    return _combined("SIN", a, b, 1 if same else -1, first)


def _combined(
    function: str, a: Source, b: Source, weight: int, sign: int
) -> tuple[int, Source | None]:
    """`sign` times the function of a + weight b, turned so that the angle begins with a plus."""
    sums = dict(a.terms)
    for element, own in b.terms:
        sums[element] = sums.get(element, 0) + weight * own
    terms = sorted(((e, w) for e, w in sums.items() if w), key=lambda term: _joint(term[0]))
    if not terms or any(abs(w) > 1 for _, w in terms):
        return 0, None
    offset = a.offset + weight * b.offset
    if terms[0][1] < 0:
        terms, offset = [(e, -w) for e, w in terms], -offset
        sign = sign if function == "COS" else -sign
    return sign, Source(function, function, tuple(terms), offset)


def _joint(element: str) -> int:
    return int(element.partition("(")[2].rstrip(")"))


def _tag(terms: Iterable[tuple[str, int]], trig: Trig) -> str:
    joints = [("M" if w < 0 else "") + str(_joint(e)) for e, w in terms]
    wide = any(_joint(element) > 9 for d in trig.values() for element, _ in d.terms)
    return ("_" if wide else "").join(joints)
