"""Manipulator -> links whose entries are names, and the declarations of those names.

Names of the original (El-Rayyes 1990, section 3.2), i the number of the link:

    a1 dl1          link length, joint offset         g               gravity along +z0
    m1              mass                              C1 S1           cosine, sine of TH(1)
    sx1 sy1 sz1     centre of mass                    QD1 QF1         THD(1), THDD(1)
    spx1 spy1 spz1  components of p* + s              j11 j21 j31     principal moments

Names that the thesis does not show, chosen here:

    DL3             prismatic variable, TH(3) and its offset if it has one
    jxy1 jxz1 jyz1  products of inertia (matrix elements), declared only where not zero
    ca1 sa1         cosine, sine of a twist that is no multiple of a quarter turn
    ct3 st3         the same of the constant angle of a prismatic joint
    gx gy           base acceleration along x0, y0, if gravity is not along z0
    FX .. NZ        the load LD
    mc1 rm1         mass of links 1..N and its reciprocal, for method 3

A parameter that is zero is declared but becomes the string 0. A joint angle offset of a
multiple of a quarter turn swaps sine and cosine; any other is added inside COS and SIN.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..manipulator.arm import Link, Manipulator
from .program import Constant, Declaration, Source
from .strings import Scalar, Tape

Vector = NDArray[Any]
_AXES = "xyz"


def vector(*entries: object) -> Vector:
    """An object array, so that entries are never turned into numbers."""
    return np.array(entries, dtype=object)


@dataclass(frozen=True, eq=False)
class NamedLink:
    """A link over strings; the symbols are those of `mechanics`."""

    slides: bool
    A: Vector
    p: Vector
    s: Vector
    z: Vector
    m: Scalar
    J: Vector
    fixed: tuple[Scalar | None, ...]  # components of p* + s, None where the joint moves them

    @cached_property
    def sp(self) -> Vector:
        """The lever p* + s; sums with the joint variable are written once, at their first use."""
        pairs = zip(self.fixed, self.p, self.s, strict=True)
        return vector(*(p + s if known is None else known for known, p, s in pairs))


class Names:
    """Hands out names and keeps their declarations: constants first, then variables."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.constants: list[Constant] = []
        self.sources: list[Source] = []

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """All declarations so far."""
        return (*self.constants, *self.sources)

    def constant(self, name: str, value: Any) -> Scalar:
        """A named constant, or 0 if it is zero."""
        self.constants.append(Constant(name, float(value)))
        return self.tape.name(name) if value != 0.0 else self.tape.scalar(0)

    def variable(self, name: str, element: str, function: str = "", offset: float = 0.0) -> Scalar:
        """A named variable and where it comes from."""
        self.sources.append(Source(name, function, ((element, 1),), offset))
        return self.tape.name(name)

    def turn(self, cos: float, sin: float, tag: str, i: int) -> tuple[Scalar, Scalar]:
        """Cosine and sine of a constant angle: 0 and +-1 are strings of their own."""
        if abs(cos) in (0.0, 1.0):
            return self.tape.scalar(int(cos)), self.tape.scalar(int(sin))
        return self.constant(f"c{tag}{i}", cos), self.constant(f"s{tag}{i}", sin)


def named_link(names: Names, link: Link, i: int) -> NamedLink:
    """Link number `i` over strings."""
    dh, body = link.dh, link.body
    if body.com is None or body.inertia is None:
        raise ValueError(f"link {i}: the classic generator needs a body with a centre of mass")
    slides = link.joint == "prismatic"
    zero = names.tape.scalar(0)
    a = names.constant(f"a{i}", dh.a)
    ca, sa = names.turn(dh.alpha.cos, dh.alpha.sin, "a", i)
    if slides:
        c, s = names.turn(dh.theta.cos, dh.theta.sin, "t", i)
        d = names.variable(f"DL{i}", f"TH({i})", offset=float(dh.d))
    else:
        c, s = _turning(names, link, i)
        d = names.constant(f"dl{i}", dh.d)
    mass = names.constant(f"m{i}", body.mass)
    com = [names.constant(f"s{k}{i}", x) for k, x in zip(_AXES, body.com, strict=True)]
    p = vector(a, d * sa, d * ca)
    numbers = (dh.a, dh.d * dh.alpha.sin, dh.d * dh.alpha.cos)
    fixed: list[Scalar | None] = []
    for k, name in enumerate(_AXES):
        moving = slides and f"DL{i}" in p[k].factors
        lever = numbers[k] + body.com[k]
        fixed.append(None if moving else names.constant(f"sp{name}{i}", lever))
    return NamedLink(
        slides,
        np.array([[c, -ca * s, sa * s], [s, ca * c, -sa * c], [zero, sa, ca]], dtype=object),
        p,
        vector(*com),
        vector(zero, sa, ca),
        mass,
        _tensor(names, body.inertia, i),
        tuple(fixed),
    )


def _turning(names: Names, link: Link, i: int) -> tuple[Scalar, Scalar]:
    theta = link.dh.theta
    offset = 0.0 if theta.is_quarter else theta.value
    c = names.variable(f"C{i}", f"TH({i})", "COS", offset)
    s = names.variable(f"S{i}", f"TH({i})", "SIN", offset)
    if not theta.is_quarter:
        return c, s
    return theta.cos * c - theta.sin * s, theta.sin * c + theta.cos * s


def _tensor(names: Names, inertia: NDArray[Any], i: int) -> Vector:
    """The inertia tensor, symmetric; the products are tensor elements, signs included."""
    zero = names.tape.scalar(0)
    J = np.array([[zero] * 3] * 3, dtype=object)
    for k in range(3):
        J[k, k] = names.constant(f"j{k + 1}{i}", inertia[k][k])
    for row, column in ((0, 1), (0, 2), (1, 2)):
        value = inertia[row][column]
        if value != 0.0:
            name = f"j{_AXES[row]}{_AXES[column]}{i}"
            J[row, column] = J[column, row] = names.constant(name, value)
    return J


def named_links(names: Names, arm: Manipulator) -> list[NamedLink]:
    """All links of an arm in standard DH."""
    if arm.convention != "standard":
        raise ValueError("the classic generator needs the standard DH convention")
    return [named_link(names, link, i) for i, link in enumerate(arm.links, start=1)]
