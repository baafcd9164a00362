"""Derivatives of direct dynamics from those of inverse dynamics: programs -> Program.

    qdd = H^-1 (tau - b)    dqdd/dtau = H^-1    dqdd/dx = -H^-1 dtau/dx at that qdd

H = L D L^T is factored once, without square roots. `pivots` are the elements of D, positive
where H is positive definite, and `diagonal` that of H to compare them with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..formulations.solve import factorise
from ..formulations.solve import substitute as solved
from ..graph.node import Expr, const
from ..graph.program import Input, Output, Program, substitute

_ZERO, _ONE = const(0.0), const(1.0)
Vector = list[Expr]
Matrix = list[Vector]


def dot(x: Sequence[Expr], y: Sequence[Expr]) -> Expr:
    """The scalar product."""
    total = _ZERO
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def inverted(L: Any, e: Sequence[Expr]) -> Matrix:
    """H^-1 = L^-T D^-1 L^-1, symmetric by construction."""
    n = len(e)
    # P = L^-1: row i is unit vector i less what the rows before it contribute
    P: Matrix = [[_ZERO] * n for _ in range(n)]
    for i in range(n):
        P[i][i] = _ONE
        for j in reversed(range(i)):
            P[i][j] = -(dot(L[i, j:i], [P[k][j] for k in range(j, i)]))
    scaled = [[e[k] * P[k][j] for j in range(n)] for k in range(n)]
    found: Matrix = [[_ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            found[i][j] = dot([P[k][i] for k in range(i, n)], [scaled[k][j] for k in range(i, n)])
            found[j][i] = found[i][j]
    return found


def direct_derivatives(inverse_derivatives: Program, direct: Program) -> Program:
    """Derivatives of the accelerations by position, rate and torque."""
    n = direct.inputs[0].size
    outputs = {o.name: o.entries for o in direct.outputs}
    h = rows(outputs["h"], n)
    torque = Input("tau", n)
    L, pivots, e = factorise(h)
    free = [t - b for t, b in zip(torque.entries, outputs["b"], strict=True)]
    qdd = dict(zip(Input("qdd", n).entries, solved(L, e, free), strict=True))
    found = substitute(inverse_derivatives, qdd)
    H = inverted(L, e)
    results = []
    for out, name in zip(found.outputs, ("dqdd_dq", "dqdd_dqd"), strict=True):
        D = rows(out.entries, n)
        entries = [-dot(H[i], [D[k][j] for k in range(n)]) for i in range(n) for j in range(n)]
        results.append(Output(name, (n, n), tuple(entries)))
    results.append(Output("dqdd_dtau", (n, n), tuple(e for row in H for e in row)))
    results.append(Output("pivots", (n,), tuple(pivots)))
    results.append(Output("diagonal", (n,), tuple(h[i][i] for i in range(n))))
    return Program("direct_derivatives", (*direct.inputs, torque), tuple(results))


def rows(entries: Sequence[Expr], n: int) -> Matrix:
    """Entries in row-major order -> matrix."""
    return [list(entries[i * n : (i + 1) * n]) for i in range(n)]


def linearise(direct: Program) -> Program:
    """d/dt [q; qd] = a [q; qd] + b tau about a state, from the derivatives of direct dynamics."""
    n = direct.inputs[0].size
    q, qd, tau, *watched = direct.outputs
    unit = [[_ONE if i == j else _ZERO for j in range(n)] for i in range(n)]
    a: Vector = []
    b: Vector = [_ZERO] * (n * n)
    for i in range(n):
        a += [_ZERO] * n + unit[i]
    for by_q, by_qd in zip(rows(q.entries, n), rows(qd.entries, n), strict=True):
        a += by_q + by_qd
    b += list(tau.entries)
    outputs = (Output("a", (2 * n, 2 * n), tuple(a)), Output("b", (2 * n, n), tuple(b)))
    return Program("linearise", direct.inputs, (*outputs, *watched))
