"""Checks of a model against everything that is known independently of it.

Arm and Model -> a list of `Check`, each with its worst relative error over random states.
An error is relative to the largest entry of the result at that state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .formulations import composite, kinematics, newton_euler, terms
from .formulations.routines import ROUTINES, task
from .graph.evaluate import evaluate
from .graph.program import Program
from .graph.trace import trace
from .manipulator.arm import Manipulator
from .model import Model

Array = NDArray[Any]
LIMIT = 1e-10
FEW = 20  # states at which the mechanics is also run on plain floats


@dataclass(frozen=True)
class Check:
    """One comparison: what, its worst relative error, and the limit."""

    name: str
    worst: float
    limit: float = LIMIT

    @property
    def passed(self) -> bool:
        """Whether the error is a number within the limit."""
        return bool(self.worst <= self.limit)


@dataclass(frozen=True)
class States:
    """Random states of an arm, shape (B, n) each, and wrenches (B, 6)."""

    q: Array
    qd: Array
    qdd: Array
    wrench: Array


def random_states(arm: Manipulator, count: int, seed: int = 0) -> States:
    """States within the joint limits where given, else within a turn or a metre."""
    rng = np.random.default_rng(seed)
    ranges = [
        link.limits.q or ((-1.0, 1.0) if link.joint == "prismatic" else (-np.pi, np.pi))
        for link in arm.links
    ]
    low, high = np.array(ranges).T
    q = rng.uniform(low, high, (count, arm.n))
    qd = rng.uniform(-3.0, 3.0, (count, arm.n))
    qdd = rng.uniform(-10.0, 10.0, (count, arm.n))
    return States(q, qd, qdd, rng.uniform(-20.0, 20.0, (count, 6)))


def worst(actual: Array, expected: Array) -> float:
    """Largest error of any state, relative to the largest entry at that state."""
    axes = tuple(range(1, expected.ndim))
    error = np.abs(actual - expected).max(axis=axes)
    scale = np.abs(expected).max(axis=axes)
    return float(np.max(np.where(error == 0.0, 0.0, error / np.maximum(scale, 1e-300))))


def verify(arm: Manipulator, model: Model, count: int = 1000, seed: int = 0) -> Iterator[Check]:
    """Run all checks, one by one."""
    s = random_states(arm, count, seed)
    g = np.asarray(arm.gravity)
    plain = {r: plain_program(arm, r) for r in ROUTINES}
    tau = model.inverse(s.q, s.qd, s.qdd)

    # the graph against the mechanics on floats, then the model against the graph
    inverse: Any = newton_euler.inverse
    rows = zip(s.q[:FEW], s.qd[:FEW], s.qdd[:FEW], strict=True)
    floats = np.array([inverse(arm, q, qd, qdd, g, terms.FREE) for q, qd, qdd in rows])
    graph = evaluate(plain["inverse"], s.q, s.qd, s.qdd)[0]
    yield Check("inverse: graph = mechanics on floats", worst(graph[:FEW], floats))
    arguments = {"q": s.q, "qd": s.qd, "qdd": s.qdd, "wrench": s.wrench}
    for name, p in plain.items():
        expected = evaluate(p, *(arguments[i.name] for i in p.inputs))
        if name == "direct":
            H, b = expected
            actual = model.direct(s.q, s.qd, s.qdd)
            solved = np.linalg.solve(H, (s.qdd - b)[..., None])[..., 0]
            yield Check("direct: model = graph and solve", worst(actual, solved))
            continue
        actual = getattr(model, name)(*(arguments[i.name] for i in p.inputs))
        yield Check(f"{name}: model = graph", worst(actual, expected[0]))

    # independent derivations
    other = plain_program(arm, "inverse", "hollerbach")
    lagrange = evaluate(other, s.q, s.qd, s.qdd)[0]
    yield Check("inverse: Newton-Euler = recursive Lagrangian", worst(tau, lagrange))
    H = model.inertia(s.q)
    third = np.array([composite.inertia(arm, q) for q in s.q[:FEW]])
    second = np.array([terms.inertia(inverse, arm, q) for q in s.q[:FEW]])
    yield Check("inertia: method 2 = method 3", worst(second, third))
    yield Check("inertia: model = method 3", worst(H[:FEW], third))
    slopes = np.array([jacobian_by_steps(arm, q) for q in s.q[:FEW]])
    jacobian = model.jacobian(s.q)
    yield Check("jacobian: derivative of the pose", worst(jacobian[:FEW], slopes))

    # identities
    back = model.direct(s.q, s.qd, tau)
    yield Check("closure: direct(inverse(qdd)) = qdd", worst(back, s.qdd))
    parts = model.inertial(s.q, s.qdd) + model.coriolis(s.q, s.qd) + model.gravity(s.q)
    yield Check("terms: inertial + coriolis + gravity = inverse", worst(parts, tau))
    linear = np.einsum("bij,bj->bi", H, s.qdd) + model.bias(s.q, s.qd)
    yield Check("terms: H qdd + bias = inverse", worst(linear, tau))
    loaded = model.inverse(s.q, s.qd, s.qdd, s.wrench)
    pushed = np.einsum("bki,bk->bi", jacobian, s.wrench)
    yield Check("wrench: inverse - J^T wrench = inverse with wrench", worst(loaded, tau - pushed))
    yield Check("wrench: external = J^T wrench", worst(model.external(s.q, s.wrench), pushed))
    again = model.direct(s.q, s.qd, loaded, s.wrench)
    yield Check("wrench: closure", worst(again, s.qdd))
    unit = np.eye(arm.n)
    columns = np.stack([model.inertial(s.q, np.broadcast_to(e, s.q.shape)) for e in unit], axis=-1)
    yield Check("inertia: symmetric", worst(columns, np.swapaxes(columns, 1, 2)))
    smallest = float(np.linalg.eigvalsh(H).min())
    yield Check("inertia: positive definite (0 = yes)", 0.0 if smallest > 0 else np.inf, 0.0)
    power = np.einsum("bi,bi->b", s.qd, model.coriolis(s.q, s.qd))[:FEW]
    rates = np.array([kinetic_rate(arm, q, qd) for q, qd in zip(s.q[:FEW], s.qd, strict=False)])
    scale = np.einsum("bi,bij,bj->b", s.qd, H, s.qd)[:FEW]
    yield Check(
        "power: qd . coriolis = 1/2 qd . Hdot qd", float(np.max(abs(power - rates) / scale))
    )


def plain_program(arm: Manipulator, routine: str, formulation: str = "newton-euler") -> Program:
    """The first way of a routine, traced and otherwise untouched: the reference."""
    work = task(arm, routine, formulation)
    function = next(iter(work.ways.values()))
    return trace(function, work.inputs, work.outputs, routine)


def jacobian_by_steps(arm: Manipulator, q: Array, step: float = 1e-30) -> Array:
    """Jacobian of the last frame from complex steps of its pose."""
    R, _ = kinematics.pose(arm, q)
    columns = []
    for k in range(arm.n):
        moved = q.astype(complex)
        moved[k] += 1j * step
        turned, shifted = kinematics.pose(arm, moved)
        spin = R.T @ turned.imag
        v = R.T @ shifted.imag
        columns.append(np.append(v, [spin[2, 1], spin[0, 2], spin[1, 0]]) / step)
    return np.array(columns).T


def kinetic_rate(arm: Manipulator, q: Array, qd: Array, step: float = 1e-30) -> float:
    """1/2 qd . dH/dt qd by a complex step along the motion."""
    H = composite.inertia(arm, q + 1j * step * qd)
    return float(0.5 * qd @ (H.imag / step) @ qd)
