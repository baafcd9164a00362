"""Straight-line Fortran as SymPy's code generator writes it from textbook derivations."""

from functools import cache

import sympy as sp
from sympy.utilities.codegen import codegen


def fortran(name, matrix, arguments):
    """A subroutine that fills `out` with a matrix, in SymPy's own words."""
    out = sp.MatrixSymbol("out", *matrix.shape)
    [(_, text), _] = codegen(
        (name, [sp.Eq(out, matrix)]), "f95", header=False, argument_sequence=[*arguments, out]
    )
    return text


def lagrange(energy, q, qd, qdd):
    """Generalised forces of a Lagrangian in q and qd."""
    rows = []
    for x, v in zip(q, qd, strict=True):
        momentum = energy.diff(v)
        rate = sum(
            momentum.diff(a) * b + momentum.diff(b) * c for a, b, c in zip(q, qd, qdd, strict=True)
        )
        rows.append(rate - energy.diff(x))
    return sp.Matrix(rows)


@cache
def double_pendulum():
    """Torques of a double pendulum with point masses, expanded as SymPy leaves it."""
    q, qd, qdd = (sp.symbols(f"{n}1:3") for n in ("q", "v", "a"))
    m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g")
    x1, y1 = l1 * sp.sin(q[0]), -l1 * sp.cos(q[0])
    x2, y2 = x1 + l2 * sp.sin(q[0] + q[1]), y1 - l2 * sp.cos(q[0] + q[1])

    def speed(e):
        return sum(e.diff(a) * b for a, b in zip(q, qd, strict=True))

    kinetic = (
        m1 * (speed(x1) ** 2 + speed(y1) ** 2) / 2 + m2 * (speed(x2) ** 2 + speed(y2) ** 2) / 2
    )
    torques = lagrange(kinetic - m1 * g * y1 - m2 * g * y2, q, qd, qdd)
    return fortran("pendulum", torques.applyfunc(sp.expand), [*q, *qd, *qdd, m1, m2, l1, l2, g])


@cache
def flexible_two_link():
    """Torques of a planar arm of two links with one bending mode each, naively derived."""
    q, qd, qdd = (sp.symbols(f"{n}1:5") for n in ("q", "v", "a"))
    t1, t2, d1, d2 = q
    s = sp.Symbol("s")
    shape = s**2 * (3 - s) / 2  # static shape of a cantilever, unit tip deflection
    tip, slope = shape.subs(s, 1), shape.diff(s).subs(s, 1)

    def placed(origin, angle, x, y):
        c, w = sp.cos(angle), sp.sin(angle)
        return origin + sp.Matrix([c * x - w * y, w * x + c * y])

    base = sp.Matrix([0, 0])
    end = placed(base, t1, 1, d1 * tip)
    second = t1 + d1 * slope + t2
    fields = (placed(base, t1, s, d1 * shape), placed(end, second, s, d2 * shape))

    def velocity(e):
        return sum((e.diff(a) * b for a, b in zip(q, qd, strict=True)), sp.zeros(2, 1))

    kinetic = 0
    for field in fields:
        v = velocity(field)
        kinetic += sp.integrate(sp.expand(v.dot(v)), (s, 0, 1)) / 2
    elastic = sp.Rational(3, 2) * (5 * d1**2 + 4 * d2**2)
    torques = lagrange(kinetic - elastic, q, qd, qdd)
    return fortran("flexible", torques.applyfunc(sp.expand), [*q, *qd, *qdd])
