"""A two-link arm written by hand, which stands for generated code.

Point masses M1 and M2 at the ends of links of unit length in a vertical plane. `module` is
its Fortran; `inertia`, `gravity` and `coriolis` are derived apart from it, from velocities
and heights.
"""

from __future__ import annotations

import numpy as np

from flexgen.build import Library, Signature

M1, M2, G = 2.0, 1.5, 9.81

Q, QD, QDD, TAU, WRENCH = ("q", 2), ("qd", 2), ("qdd", 2), ("tau", 2), ("wrench", 6)
GUARDED = (("qdd", (2,)), ("pivots", (2,)), ("diagonal", (2,)))
SIGNATURES = (
    Signature("inverse", (Q, QD, QDD), (("tau", (2,)),)),
    Signature("direct", (Q, QD), (("h", (2, 2)), ("b", (2,)))),
    Signature("acceleration", (Q, QD, TAU), GUARDED),
    Signature("inertia", (Q,), (("h", (2, 2)),)),
    Signature("bias", (Q, QD), (("b", (2,)),)),
    Signature("gravity", (Q,), (("g", (2,)),)),
    Signature("coriolis", (Q, QD), (("c", (2,)),)),
    Signature("inertial", (Q, QDD), (("t", (2,)),)),
    Signature("external", (Q, WRENCH), (("tau", (2,)),)),
    Signature("jacobian", (Q,), (("jac", (6, 2)),)),
    Signature("loaded", (Q, QD, QDD, WRENCH), (("tau", (2,)),)),
)
BODIES = {
    "inverse": "call inertial(q, qdd, tau); call bias(q, qd, b); tau = tau + b",
    "direct": "call inertia(q, h); call bias(q, qd, b)",
    # the first unknown goes first
    "acceleration": "call direct(q, qd, h, b); qdd = tau - b; diagonal = [h(1,1), h(2,2)]\n"
    "pivots = [h(1,1), h(2,2) - h(2,1)*h(1,2)/h(1,1)]\n"
    "qdd(2) = (qdd(2) - h(2,1)*qdd(1)/h(1,1))/pivots(2); qdd(1) = (qdd(1) - h(1,2)*qdd(2))/h(1,1)",
    "inertia": "h(2,2) = m2; h(1,2) = m2 + m2*cos(q(2)); h(2,1) = h(1,2)\nh(1,1) = m1 + 2*h(1,2)",
    "bias": "call gravity(q, g); call coriolis(q, qd, b); b = b + g",
    "gravity": "g(2) = 9.81_real64*m2*cos(q(1)+q(2)); g(1) = 9.81_real64*(m1+m2)*cos(q(1)) + g(2)",
    "coriolis": "c(1) = -m2*sin(q(2))*qd(2)*(2*qd(1) + qd(2)); c(2) = m2*sin(q(2))*qd(1)**2",
    "inertial": "call inertia(q, h); t = matmul(h, qdd)",
    "external": "call jacobian(q, j); tau = matmul(wrench, j)",
    "jacobian": "jac = 0; jac(1,1) = sin(q(2)); jac(2,:) = 1; jac(6,:) = 1\n"
    "jac(2,1) = jac(2,1) + cos(q(2))",
    "loaded": "call inverse(q, qd, qdd, tau); call external(q, wrench, b); tau = tau - b",
}
LOCALS = {
    "inverse": "b(2)", "bias": "g(2)", "inertial": "h(2,2)", "external": "j(6,2)", "loaded": "b(2)",
    "acceleration": "h(2,2), b(2)",
}  # fmt: skip


def module(mass: float = M2) -> str:
    """Text of the module `dynamics`; `mass` is the second one."""
    lines = ["module dynamics", "use, intrinsic :: iso_fortran_env, only: real64", "implicit none"]
    lines += [f"real(real64), parameter :: m1 = {M1}_real64, m2 = {mass}_real64", "contains"]
    for s in SIGNATURES:
        names = [name for name, _ in (*s.inputs, *s.outputs)]
        lines.append(f"pure subroutine {s.name}({', '.join(names)})")
        lines += [f"real(real64), intent(in) :: {name}({size})" for name, size in s.inputs]
        for name, shape in s.outputs:
            lines.append(f"real(real64), intent(out) :: {name}({','.join(map(str, shape))})")
        if s.name in LOCALS:
            lines.append(f"real(real64) :: {LOCALS[s.name]}")
        lines += [BODIES[s.name], f"end subroutine {s.name}"]
    return "\n".join([*lines, "end module dynamics", ""])


# H = [1 + q1^2, 1; 1, 1], whatever the masses
SINGULAR = module().replace(BODIES["inertia"], "h = 1; h(1,1) = 1 + q(1)**2")


def inertia(q):
    """The inertia matrix from the velocities of the two masses: sum of m J^T J."""
    first, both = q[..., 0], q[..., 0] + q[..., 1]
    zero = np.zeros_like(first)
    one = np.stack([-np.sin(first), zero, np.cos(first), zero], -1).reshape(*q.shape[:-1], 2, 2)
    add = np.stack([-np.sin(both)] * 2 + [np.cos(both)] * 2, -1).reshape(*q.shape[:-1], 2, 2)
    return M1 * one.mT @ one + M2 * (one + add).mT @ (one + add)


def gravity(q):
    """Slope of the potential by complex steps."""

    def potential(z):
        height = np.sin(z[..., 0])
        return G * (M1 * height + M2 * (height + np.sin(z[..., 0] + z[..., 1])))

    return np.stack([potential(q + 1e-30j * e).imag / 1e-30 for e in np.eye(2)], axis=-1)


def coriolis(q, qd):
    """dH/dt qd - 1/2 d(qd . H qd)/dq, by complex steps."""

    def momentum(z):
        return np.einsum("...ij,...j->...i", inertia(z), qd)

    def energy(z):
        return 0.5 * np.einsum("...i,...i->...", qd, momentum(z))

    slopes = [energy(q + 1e-30j * e).imag / 1e-30 for e in np.eye(2)]
    return momentum(q + 1e-30j * qd).imag / 1e-30 - np.stack(slopes, axis=-1)


def states(count: int, *sizes: int) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.uniform(-2.0, 2.0, (count, size)) for size in sizes]


def result(library: Library, name: str, *inputs: np.ndarray) -> np.ndarray:
    """The first output of one state, or of a batch (B, size) strictly, state after state."""
    return results(library, name, *inputs)[0]


def results(
    library: Library, name: str, *inputs: np.ndarray, threads: int = 1, strict: bool = True
) -> tuple[np.ndarray, ...]:
    """All outputs of one state, or of a batch in C order."""
    function, lead = library.functions[name], inputs[0].shape[:-1]
    found = tuple(np.full((*lead, *shape), np.nan) for shape in function.signature.shapes)
    flat = [a.ravel() for a in (*inputs, *found)]
    if lead:
        assert function.many(lead[0], False, threads, strict, *flat) == 0
    else:
        assert function.one(*flat) == 0
    return found
