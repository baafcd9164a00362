"""Identities of sine and cosine.

    s s + c c = 1,   1 - s s = c c
    cos x cos y -+ sin x sin y = cos(x +- y),   sin x cos y +- cos x sin y = sin(x +- y)

with any common factor and inside longer sums. A sine or cosine costs as much as some hundred
products, so an identity is used only where their number does not grow: where the sum of the
angles is there already, or its parts are needed nowhere else.
"""

from __future__ import annotations

from ..graph.program import Program
from .kernels import Key, Occurrence, disjoint, occurrences, put
from .nary import ONE, Factors, Ref, Workspace, cheaper, read, write
from .products import shared

Calls = tuple[tuple[str, Ref], ...]


def _calls(space: Workspace, factors: Factors) -> Calls:
    """Factors as (kind, argument); empty unless there are two and both are sine or cosine."""
    nodes = [space.nodes[f] for f in factors]
    if len(nodes) != 2 or any(node.kind not in ("sin", "cos") for node in nodes):
        return ()
    return tuple((node.kind, node.args[0]) for node in nodes)


def _one(space: Workspace, key: Key) -> Ref | None:
    """The value of p + ratio q by s s + c c = 1."""
    p, q = _calls(space, key[0]), _calls(space, key[1])
    if not q or q[0] != q[1]:
        return None
    kind, x = q[0]
    other = "cos" if kind == "sin" else "sin"
    if key[0] == () and key[2] == -1.0:
        co = space.call(other, (x,))
        return 1.0, space.product((co, co))
    return (1.0, ONE) if p == ((other, x), (other, x)) and key[2] == 1.0 else None


def _sum(space: Workspace, key: Key) -> Ref | None:
    """The value of p + ratio q as the sine or cosine of a sum or difference of angles."""
    p, q = _calls(space, key[0]), _calls(space, key[1])
    if not p or not q or abs(key[2]) != 1.0:
        return None
    (kp, x), (lp, y) = p
    if x == y or {x, y} != {arg for _, arg in q}:
        return None
    if q[0][1] != x:
        q = (q[1], q[0])
    kq, lq = q[0][0], q[1][0]
    if kp == kq or lp == lq:
        return None
    if kp == lp:  # c c + r s s = cos(x - r y);  s s + r c c = r cos(x - r y)
        return _call(space, "cos", x, -key[2], y, key[2] if kp == "sin" else 1.0)
    if kp == "sin":  # s c + r c s = sin(x + r y)
        return _call(space, "sin", x, key[2], y, 1.0)
    return _call(space, "sin", y, key[2], x, 1.0)  # c s + r s c = sin(y + r x)


def _call(space: Workspace, kind: str, x: Ref, sign: float, y: Ref, factor: float) -> Ref:
    c, angle = space.sum([x, (sign * y[0], y[1])])
    if angle == ONE:
        return 0.0, ONE  # equal angles were excluded; numbers were folded before
    # the first term of a sum is positive: an odd function takes the sign out
    odd = c < 0.0 and kind == "sin"
    return (-factor if odd else factor), space.call(kind, ((abs(c), angle),))


def _places(space: Workspace) -> dict[Key, list[Occurrence]]:
    found: dict[Key, list[Occurrence]] = {}
    for n in space.usage().order:
        if space.nodes[n].kind == "sum":
            for key, place in occurrences(space, n):
                found.setdefault(key, []).append(place)
    return found


def _improved(program: Program, keep_scaled: bool) -> Program | None:
    """The program after the first identity that saves something."""
    # angle sums pay in pairs, sine and cosine together: try each alone, then all of one pair
    space = read(program, open_scaled=False, open_products=True, keep_scaled=keep_scaled)
    pairs: dict[frozenset[int], list[Key]] = {}
    for key in _places(space):
        if _one(space, key) is not None:
            pairs.setdefault(frozenset((*key[0], *key[1], -1)), []).append(key)
        elif _sum(space, key) is not None:
            pairs.setdefault(frozenset((*key[0], *key[1])), []).append(key)
    for keys in pairs.values():
        space = read(program, open_scaled=False, open_products=True, keep_scaled=keep_scaled)
        for key in keys:
            places = _places(space).get(key)
            value = _one(space, key) or _sum(space, key)
            if places and value is not None:
                put(space, [(disjoint(places), value)], space.usage())
        candidate = write(space, program, shared(space))
        if cheaper(program, candidate):
            return candidate
    return None


def trig(program: Program) -> Program:
    """The program with identities of sine and cosine used where they save operations."""
    while True:
        # a sine times a constant may hide an identity; opened, it may also cost more
        better = _improved(program, True) or _improved(program, False)
        if better is None:
            return program
        program = better
