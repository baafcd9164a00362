"""Programs to write down: traced arms, random graphs and awkward cases."""

from __future__ import annotations

import numpy as np

from flexgen.formulations import newton_euler
from flexgen.graph.node import Expr, call, const, symbol
from flexgen.graph.program import Input, Output, Program
from flexgen.graph.trace import trace
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com

ZERO3, ZERO6 = np.zeros(3), np.zeros(6)


def sample_arm(n: int, slides: tuple[int, ...] = (), offset: float = 0.0) -> Manipulator:
    """An arm with all kinds of numbers in it; joints in `slides` are prismatic."""
    rng = np.random.default_rng(n)
    twists = (np.pi / 2, 0.0, -np.pi / 2)
    links = []
    for i in range(n):
        inertia = np.diag(rng.uniform(0.1, 1.0, 3)) + 0.01
        body = body_about_com(rng.uniform(1.0, 5.0), rng.normal(size=3), inertia)
        dh = DH(rng.normal(), angle(twists[i % 3]), rng.normal(), angle(offset))
        links.append(Link("prismatic" if i in slides else "revolute", dh, body))
    return Manipulator("sample", tuple(links))


def arm_programs(arm: Manipulator) -> dict[str, Program]:
    """The routines of the original system, untouched by any pass."""
    n = arm.n
    zero = np.zeros(n)

    def torque(q, qd, qdd, gravity, wrench):
        return newton_euler.inverse(arm, q, qd, qdd, gravity, wrench)

    def inertia(q):
        return np.column_stack([torque(q, zero, e, ZERO3, ZERO6) for e in np.eye(n)])

    def bias(q, qd, wrench):
        return torque(q, qd, zero, arm.gravity, wrench)

    def external(q, wrench):
        return -torque(q, zero, zero, ZERO3, wrench)

    def jacobian(q):
        return np.array([external(q, e) for e in np.eye(6)])

    q, qd, qdd, wrench = {"q": n}, {"qd": n}, {"qdd": n}, {"wrench": 6}
    functions = {
        "inverse": (
            lambda *x: torque(*x[:3], arm.gravity, x[3]),
            q | qd | qdd | wrench,
            ("tau",),
        ),
        "bias": (bias, q | qd | wrench, ("b",)),
        "inertia": (inertia, q, ("h",)),
        "direct": (lambda *x: (inertia(x[0]), bias(*x)), q | qd | wrench, ("h", "b")),
        "gravity": (lambda q: torque(q, zero, zero, arm.gravity, ZERO6), q, ("g",)),
        "inertial": (lambda q, qdd: torque(q, zero, qdd, ZERO3, ZERO6), q | qdd, ("tau",)),
        "coriolis": (lambda q, qd: torque(q, qd, zero, ZERO3, ZERO6), q | qd, ("c",)),
        "external": (external, q | wrench, ("tau",)),
        "jacobian": (jacobian, q, ("jac",)),
    }
    return {name: trace(f, i, o, name) for name, (f, i, o) in functions.items()}


def random_program(seed: int, name: str = "random", size: int = 60) -> Program:
    """A graph of `size` random operations on the inputs q and p, finite near zero."""
    rng = np.random.default_rng(seed)
    pool: list[Expr] = [*Input("q", 4).entries, *Input("p", 5).entries]

    def pick() -> Expr:
        # recent nodes more often: long chains and sharing
        k = len(pool) - 1 - int(rng.integers(len(pool)) * rng.uniform() ** 2)
        return -pool[k] if rng.uniform() < 0.3 else pool[k]

    for _ in range(size):
        x, y = pick(), pick()
        pool.append(
            (
                lambda x=x, y=y: x + y,
                lambda x=x, y=y: x - y,
                lambda x=x, y=y: 0.75 * x - 2.5,
                lambda x=x, y=y: 0.5 * x * y,
                lambda x=x, y=y: call("sin", x) * y,
                lambda x=x, y=y: x / (const(1.5) + y * y),
                lambda x=x, y=y: call("cos", x + y),
                lambda x=x, y=y: call("exp", -(x * x)) - y,
                lambda x=x, y=y: call("sqrt", 1.0 + x * x),
                lambda x=x, y=y: x * call("sin", y) * call("cos", y),
                lambda x=x, y=y: call("cos", x * y * const(0.25)) / call("sqrt", 2.0 + y * y),
                # not the bare atan: GCC turns sin(atan(x)) into x/sqrt(1 + x*x) in Fortran
                lambda x=x, y=y: call("atan", x - y) + 0.25,
                lambda x=x, y=y: call("abs", x) + call("sin", x + 0.1),
            )[int(rng.integers(13))]()
        )
    entries = tuple(pick() for _ in range(6))
    return Program(
        name,
        (Input("q", 4), Input("p", 5)),
        (Output("y", (2, 3), entries), Output("z", (), (pool[-1],))),
    )


def awkward_programs() -> dict[str, Program]:
    """Small programs with everything that is easily written down wrongly."""
    a, b, c, d, e, f = Input("p", 6).entries
    q1, q2, q3 = Input("q", 3).entries
    shared = a * b + c
    deep_sum, deep_product = a, b
    for k in range(300):
        deep_sum = deep_sum * (0.9 + 0.001 * k) + (b if k % 2 else -c)
        deep_product = deep_product * (c if k % 3 else symbol("q", k % 2))
    balanced = [a, b, c, d, e, f, q1, q2, q3] * 4
    while len(balanced) > 1:
        pairs = zip(balanced[::2], balanced[1::2], strict=False)
        balanced = [x * y for x, y in pairs] + balanced[len(balanced) // 2 * 2 :]
    cases: dict[str, list[Expr]] = {
        "signs": [-(a + b), b - a, a - b, -a, -(a * b), -(a * b) - c, -(c * d - e * f)],
        "leaves": [const(0.0), const(1.0), const(-9.81), const(2.5), a, -a, q1, const(1e-7)],
        "copies": [a * b, a * b, -(a * b), shared, -shared, shared, c - d, d - c],
        "shared": [shared, shared * d, -shared * shared, (a * b) * e, a * b],
        "quotients": [a / (b * c), d / b / c, (a / e) * (c / f), a * b / (c / d), 1.0 / a, a / -b],
        "reused": [a / b / c, a / b, -(a / b) * d, (a / b) * (c / d), a * b / (c / d)],
        "products": [a * (b * c), (a * b) * (c * d), a * (b * (c * (d * (e * f)))), balanced[0]],
        "scaled": [0.5 * (a * (2.0 * b)), a * (3.0 * b) * 7.0, -0.25 * a * b, 3.0 - a, a - 3.0],
        "powers": [a**2, a**3, a**7, (a + b) ** 5, a**-2],
        "deep": [deep_sum, deep_product, -deep_sum],
        "calls": [
            call("sqrt", a * b + c * c),
            call("exp", -a),
            call("exp", -(a + b)),
            call("sin", -(a - b)),
            -call("log", a * b),
            call("acos", call("sin", a)),
            call("asin", call("cos", b)) + call("tan", c),
            call("atan", call("abs", d - 2.0)),
            call("sqrt", call("sqrt", a)),
        ],
        "angles": [
            call("cos", q2 + q3) * a + call("sin", q2 + q3) * b,
            call("cos", q1 - q2),
            call("sin", q2 - q1),
            call("cos", (q1 + q2) + q3),
            call("cos", q1 + (q2 + q3)),
            call("sin", (q1 - q2) + q3),
            call("cos", q1 + 0.3) + call("sin", q1 + 0.3),
            call("cos", (q2 + q3) + 0.1),
            call("cos", q1) * call("sin", q1) * call("cos", 2.0 * q1),
            call("sin", q3 - (q1 + q2)),
        ],
        "nested": [
            call("cos", 0.5 - (q1 + q2)),
            call("sin", q1 - (q2 + q3)),
            call("exp", -((q1 + q3) + a * b)),
            call("exp", (q1 - q3) - a * c),
            call("sqrt", 4.0 - (q2 - q3)),
        ],
    }
    inputs = (Input("p", 6), Input("q", 3))
    programs = {
        name: Program(name, inputs, (Output("y", (len(entries),), tuple(entries)),))
        for name, entries in cases.items()
    }
    upper = [[a * b, c + d, e], [f, a, -(e * f)], [b, c, d]]
    matrix = tuple(upper[min(i, j)][max(i, j)] for i in range(3) for j in range(3))
    programs["matrix"] = Program(
        "matrix", inputs, (Output("m", (3, 3), matrix), Output("t", (3, 1, 2), tuple(matrix[:6])))
    )
    return programs
