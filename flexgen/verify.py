"""Checks of a model against everything that is known independently of it.

Arm and Model -> a list of `Check`, each with its worst relative error over random states.
An error is relative to the largest entry of the result at that state.

Of a flexible arm, gravity holds the elastic forces and coriolis the damping. King's recursion
with its linear rotation of the tips does not come from an energy, and its tips are turned by
matrices that are not quite orthogonal: with it, the checks that need either are left out or
made at undeformed states, where the recursive Lagrangian must agree as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .formulations import (
    composite,
    flexible_composite,
    flexible_kinematics,
    kinematics,
    king,
    newton_euler,
    terms,
)
from .formulations.routines import ROUTINES, task
from .graph.evaluate import evaluate
from .graph.program import Program
from .graph.trace import trace
from .manipulator.arm import KING, Manipulator
from .model import Model, ModelWarning

Array = NDArray[Any]
LIMIT = 1e-10
FEW = 20  # states at which the mechanics is also run on plain floats
MANY = 400  # coordinates times states from which on fewer states do for that
DEFLECTION, RATE = 0.05, 0.5  # of the modes


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
    """States within the joint limits where given, else within a turn or a metre.

    Deflections are small: mode shapes are of order one, and so are their slopes.
    """
    rng = np.random.default_rng(seed)
    ranges = [
        link.limits.q or ((-1.0, 1.0) if link.joint == "prismatic" else (-np.pi, np.pi))
        for link in arm.links
    ]
    bends = arm.n - arm.n_joints
    low, high = np.array(ranges + [(-DEFLECTION, DEFLECTION)] * bends).T
    speed = np.array([3.0] * arm.n_joints + [RATE] * bends)
    q = rng.uniform(low, high, (count, arm.n))
    qd = rng.uniform(-speed, speed, (count, arm.n))
    qdd = rng.uniform(-10.0, 10.0, (count, arm.n))
    return States(q, qd, qdd, rng.uniform(-20.0, 20.0, (count, 6)))


def worst(actual: Array, expected: Array, parts: Array | None = None) -> float:
    """Largest error of any state, relative to the largest entry at that state.

    `parts` are terms that the result is a small difference of: they count as entries.
    """
    axes = tuple(range(1, expected.ndim))
    error = np.abs(actual - expected).max(axis=axes)
    scale = np.abs(expected).max(axis=axes)
    if parts is not None:
        scale = np.maximum(scale, np.abs(parts).max(axis=axes))
    return float(np.max(np.where(error == 0.0, 0.0, error / np.maximum(scale, 1e-300))))


@dataclass(frozen=True)
class Mechanics:
    """The formulations that know all of an arm, and what holds for them."""

    inverse: Any
    inertia: Any
    pose: Any
    energetic: bool  # coriolis follows from the kinetic energy
    orthogonal: bool  # frames behind deflected tips are orthogonal


def mechanics(arm: Manipulator) -> Mechanics:
    """What to check an arm against."""
    if not arm.flexible:
        return Mechanics(newton_euler.inverse, composite.inertia, kinematics.pose, True, True)
    exact = arm.assumptions.rotation == "cayley" or arm.n == arm.n_joints
    damped = any(link.beam and link.beam.n and link.beam.damping_ratio for link in arm.links)
    return Mechanics(
        king.inverse,
        flexible_composite.inertia,
        flexible_kinematics.pose,
        exact and not damped,
        exact,
    )


def verify(
    arm: Manipulator, model: Model, count: int = 1000, seed: int = 0, derivatives: bool = False
) -> Iterator[Check]:
    """Run all checks, one by one; those of the derivatives only if asked for: they are built."""
    s = random_states(arm, count, seed)
    known = mechanics(arm)
    few = min(FEW, max(2, MANY // arm.n))
    plain = {r: plain_program(arm, r) for r in ROUTINES}
    tau = model.inverse(s.q, s.qd, s.qdd)
    yield from _against_graph(arm, model, s, known, plain, few)
    yield from _derivations(arm, model, s, known, few)

    # identities
    H, jacobian = model.inertia(s.q), model.jacobian(s.q)
    back = accelerations(model, s.q, s.qd, tau)
    # stiff modes: accelerations are small differences of large ones
    free = accelerations(model, s.q, s.qd, np.zeros_like(s.q)) if arm.flexible else None
    yield Check("closure: direct(inverse(qdd)) = qdd", worst(back, s.qdd, free))
    parts = model.inertial(s.q, s.qdd) + model.coriolis(s.q, s.qd) + model.gravity(s.q)
    yield Check("terms: inertial + coriolis + gravity = inverse", worst(parts, tau))
    linear = np.einsum("bij,bj->bi", H, s.qdd) + model.bias(s.q, s.qd)
    yield Check("terms: H qdd + bias = inverse", worst(linear, tau))
    loaded = model.inverse(s.q, s.qd, s.qdd, s.wrench)
    pushed = np.einsum("bki,bk->bi", jacobian, s.wrench)
    yield Check("wrench: inverse - J^T wrench = inverse with wrench", worst(loaded, tau - pushed))
    yield Check("wrench: external = J^T wrench", worst(model.external(s.q, s.wrench), pushed))
    again = accelerations(model, s.q, s.qd, loaded, s.wrench)
    yield Check("wrench: closure", worst(again, s.qdd, free))
    unit = np.eye(arm.n)
    columns = np.stack([model.inertial(s.q, np.broadcast_to(e, s.q.shape)) for e in unit], axis=-1)
    yield Check("inertia: symmetric", worst(columns, np.swapaxes(columns, 1, 2)))
    smallest = float(np.linalg.eigvalsh(H).min())
    yield Check("inertia: positive definite (0 = yes)", 0.0 if smallest > 0 else np.inf, 0.0)
    strict = model.inverse(s.q, s.qd, s.qdd, strict=True)
    yield Check("batch: vector form = one state at a time", worst(tau, strict))
    if known.energetic:
        yield from _energy(arm, model, s, known, few)
    if derivatives:
        yield from _derivatives(arm, model, s, known, few)


def _against_graph(
    arm: Manipulator,
    model: Model,
    s: States,
    known: Mechanics,
    plain: dict[str, Program],
    few: int,
) -> Iterator[Check]:
    """The graph against the mechanics on floats, then the model against the graph."""
    g = np.asarray(arm.gravity)
    rows = zip(s.q[:few], s.qd[:few], s.qdd[:few], strict=True)
    floats = np.array([known.inverse(arm, q, qd, qdd, g, terms.FREE) for q, qd, qdd in rows])
    graph = evaluate(plain["inverse"], s.q, s.qd, s.qdd)[0]
    yield Check("inverse: graph = mechanics on floats", worst(graph[:few], floats))
    arguments = {"q": s.q, "qd": s.qd, "qdd": s.qdd, "wrench": s.wrench}
    for name, p in plain.items():
        expected = evaluate(p, *(arguments[i.name] for i in p.inputs))
        if name == "direct":
            H, b = expected
            actual = accelerations(model, s.q, s.qd, s.qdd)
            if arm.flexible:  # light modes: the solution is sensitive, what it solves is not
                balance = np.einsum("bij,bj->bi", H, actual)
                yield Check("direct: H qdd = tau - b of the graph", worst(balance, s.qdd - b))
                continue
            solved = np.linalg.solve(H, (s.qdd - b)[..., None])[..., 0]
            yield Check("direct: model = graph and solve", worst(actual, solved))
            continue
        actual = getattr(model, name)(*(arguments[i.name] for i in p.inputs))
        yield Check(f"{name}: model = graph", worst(actual, expected[0]))


def _derivations(
    arm: Manipulator, model: Model, s: States, known: Mechanics, few: int
) -> Iterator[Check]:
    """Independent derivations of the same."""
    q, qd, where = s.q, s.qd, ""
    if not known.orthogonal:  # undeformed, with the joints alone in motion
        joint = np.arange(arm.n) < arm.n_joints
        q, qd, where = s.q * joint, s.qd * joint, ", undeformed"
    if not arm.flexible or arm.assumptions == KING:
        other = plain_program(arm, "inverse", "book" if arm.flexible else "hollerbach")
        lagrange = evaluate(other, q, qd, s.qdd)[0]
        tau = model.inverse(q, qd, s.qdd)
        yield Check(f"inverse: Newton-Euler = recursive Lagrangian{where}", worst(tau, lagrange))
    third = np.array([known.inertia(arm, x) for x in s.q[:few]])
    second = np.array([terms.inertia(known.inverse, arm, x) for x in s.q[:few]])
    yield Check("inertia: method 2 = method 3", worst(second, third))
    yield Check("inertia: model = method 3", worst(model.inertia(s.q[:few]), third))
    slopes = np.array([jacobian_by_steps(arm, x) for x in q[:few]])
    yield Check(f"jacobian: derivative of the pose{where}", worst(model.jacobian(q[:few]), slopes))


def _energy(
    arm: Manipulator, model: Model, s: States, known: Mechanics, few: int
) -> Iterator[Check]:
    """The kinetic energy 1/2 qd . H qd decides the centrifugal and Coriolis torques."""
    q, qd = s.q[:few], s.qd[:few]
    coriolis = model.coriolis(q, qd)
    power = np.einsum("bi,bi->b", qd, coriolis)
    rates = np.array([kinetic_rate(known, arm, *state) for state in zip(q, qd, strict=True)])
    scale = np.einsum("bi,bij,bj->b", qd, model.inertia(q), qd)
    yield Check(
        "power: qd . coriolis = 1/2 qd . Hdot qd", float(np.max(abs(power - rates) / scale))
    )
    if arm.flexible:
        lagrange = np.array([christoffel(known, arm, *state) for state in zip(q, qd, strict=True)])
        yield Check("coriolis: Lagrange equations of 1/2 qd . H qd", worst(coriolis, lagrange))


def _derivatives(
    arm: Manipulator, model: Model, s: States, known: Mechanics, few: int
) -> Iterator[Check]:
    """Derivatives against complex steps of the mechanics and against one another."""
    q, qd, qdd, g = s.q[:few], s.qd[:few], s.qdd[:few], np.asarray(arm.gravity)

    def torques(*state: Array) -> Array:
        found: Array = known.inverse(arm, *state, g, terms.FREE)
        return found

    def step(place: int, state: tuple[Array, ...]) -> Array:
        columns = []
        for e in np.eye(arm.n):
            moved = [x.astype(complex) for x in state]
            moved[place] += 1e-30j * e
            columns.append(torques(*moved).imag / 1e-30)
        return np.array(columns).T

    by_q, by_qd = model.inverse_derivatives(q, qd, qdd)
    for place, found, name in ((0, by_q, "q"), (1, by_qd, "qd")):
        steps = np.array([step(place, state) for state in zip(q, qd, qdd, strict=True)])
        yield Check(f"inverse_derivatives: by {name} = complex steps", worst(found, steps))
    tau = model.inverse(q, qd, qdd)
    H, (qdd_q, qdd_qd, qdd_tau) = model.inertia(q), model.direct_derivatives(q, qd, tau)
    unit = np.broadcast_to(np.eye(arm.n), H.shape)
    yield Check("direct_derivatives: H dqdd/dtau = 1", worst(H @ qdd_tau, unit, H))
    for found, known_, name in ((qdd_q, by_q, "q"), (qdd_qd, by_qd, "qd")):
        yield Check(
            f"direct_derivatives: H dqdd/d{name} = -dtau/d{name}", worst(H @ found, -known_)
        )
    a, b = model.linearise(q, qd, tau)
    lower = np.concatenate([qdd_q, qdd_qd, qdd_tau], axis=-1)
    both = np.concatenate([a, b], axis=-1)[:, arm.n :]
    yield Check("linearise: lower half = direct_derivatives", worst(both, lower))
    steps = np.array([jacobian_by_steps(arm, x, 1e-30) for x in q])
    along = np.array([_jacobian_rate(arm, x, v) for x, v in zip(q, qd, strict=True)])
    yield Check(
        "jacobian_rate: difference along the motion",
        worst(model.jacobian_rate(q, qd), along, steps),
        1e-6,
    )


def _jacobian_rate(arm: Manipulator, q: Array, qd: Array, step: float = 1e-6) -> Array:
    ahead, behind = (jacobian_by_steps(arm, q + sign * step * qd) for sign in (1.0, -1.0))
    found: Array = (ahead - behind) / (2.0 * step)
    return found


def accelerations(
    model: Model, q: Array, qd: Array, tau: Array, wrench: Array | None = None
) -> Array:
    """`model.direct` of states that nobody means to be physical."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return model.direct(q, qd, tau, wrench)


def plain_program(arm: Manipulator, routine: str, formulation: str = "newton-euler") -> Program:
    """The first way of a routine, traced and otherwise untouched: the reference."""
    work = task(arm, routine, formulation)
    function = next(iter(work.ways.values()))
    return trace(function, work.inputs, work.outputs, routine)


def jacobian_by_steps(arm: Manipulator, q: Array, step: float = 1e-30) -> Array:
    """Jacobian of the last frame from complex steps of its pose."""
    pose = mechanics(arm).pose
    R, _ = pose(arm, q)
    columns = []
    for k in range(arm.n):
        moved = q.astype(complex)
        moved[k] += 1j * step
        turned, shifted = pose(arm, moved)
        spin = R.T @ turned.imag
        v = R.T @ shifted.imag
        columns.append(np.append(v, [spin[2, 1], spin[0, 2], spin[1, 0]]) / step)
    return np.array(columns).T


def kinetic_rate(
    known: Mechanics, arm: Manipulator, q: Array, qd: Array, step: float = 1e-30
) -> float:
    """1/2 qd . dH/dt qd by a complex step along the motion."""
    H = known.inertia(arm, q + 1j * step * qd)
    return float(0.5 * qd @ (H.imag / step) @ qd)


def christoffel(
    known: Mechanics, arm: Manipulator, q: Array, qd: Array, step: float = 1e-30
) -> Array:
    """dH/dt qd - 1/2 d(qd . H qd)/dq by complex steps."""
    along = known.inertia(arm, q + 1j * step * qd).imag @ qd
    across = [qd @ known.inertia(arm, q + 1j * step * e).imag @ qd for e in np.eye(arm.n)]
    found: Array = (along - 0.5 * np.array(across)) / step
    return found
