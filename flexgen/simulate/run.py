"""Arm and drive -> time response. Stretches without jumps, chunks of outputs, one engine each.

stretch   ends where something jumps or a payload is taken up; the engine starts anew
chunk     part of a stretch: one call of the engine, after which the caller is told of the
progress and an interrupt is heard
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from .. import pipeline
from ..build import CompilerMissing
from ..formulations.energy import potential
from ..formulations.flexible_link import segments
from ..manipulator.arm import Manipulator
from ..model import Model
from .balance import Balance, balance
from .compiled import METHODS, Compiled
from .drive import Drive
from .interpreted import SCIPY, STANDS_FOR, Interpreted
from .library import library
from .payload import Payload, after_impact, loaded
from .records import Counts, Layout, Reason, Settings
from .signals import Array

CHUNKS = 64
Progress = Callable[[float], None]


class SimulationWarning(UserWarning):
    """A response that is not to be trusted as it stands."""


class SimulationError(ValueError):
    """A simulation that cannot be done as it was asked for."""


@dataclass(frozen=True, eq=False)
class Response:
    """What was recorded, as far as it went."""

    times: Array
    parts: dict[str, Array]  # by name, see `records`
    balance: Balance
    counts: Counts
    seconds: float  # processor time of the engine
    reason: str  # "done", or why it ended early
    solver: str
    follow: bool


class Engine(Protocol):
    """What integrates: `state` moves on with every `advance`."""

    state: Array

    def restart(self) -> None:
        """Something jumps here."""

    def advance(self, times: Array, start: float, end: float) -> tuple[Array, Reason]:
        """Records at `times`, as far as they were reached."""


@dataclass
class Course:
    """What a run gathers on its way."""

    times: list[Array] = field(default_factory=list)
    records: list[Array] = field(default_factory=list)
    exchanged: list[Array] = field(default_factory=list)  # (T, 2)
    brought: Array = field(default_factory=lambda: np.zeros(2))
    seconds: float = 0.0


def output_times(end: float, step: float) -> Array:
    """0, step, 2 step, ... and the end."""
    count = math.floor(end / step * (1.0 + 1e-12))
    times: Array = step * np.arange(count + 1, dtype=np.float64)
    if end - times[-1] > 1e-9 * step:
        return np.append(times, end)
    times[-1] = end
    return times


def snapped(times: Array, stops: Sequence[float]) -> Array:
    """Output times that are stops but for rounding are those stops."""
    found = times.copy()
    near = 1e-9 * float(np.diff(times).min(initial=np.inf))
    for stop in stops:
        found[np.abs(found - stop) < near] = stop
    return found


def follows(arm: Manipulator) -> bool:
    """Whether the equations belong to no potential: the linear rotation of tips."""
    return any(link.beam is not None and link.beam.n for link in arm.links) and (
        arm.assumptions.rotation == "linear"
    )


def damping_of(arm: Manipulator) -> Array:
    """Damping of every coordinate."""
    found = np.zeros(arm.n)
    for part, at in zip(segments(arm), arm.mode_ranges, strict=True):
        found[list(at.all)] = part.damping
    return found


@dataclass(frozen=True, eq=False)
class Plan:
    """All that a run needs to know."""

    arm: Manipulator
    model: Model | None  # of the arm as it starts, where the user has one
    drive: Drive
    settings: Settings
    formulation: str
    passes: str
    times: Array
    q: Array
    qd: Array
    payloads: tuple[Payload, ...]

    @property
    def in_python(self) -> bool:
        """Whether Fortran cannot do it."""
        return self.drive.function is not None or self.settings.method not in METHODS


def perform(plan: Plan, progress: Progress | None = None) -> Response:
    """Run a plan to its end, or as far as it goes."""
    layout, counts, course = Layout(plan.arm.n), Counts(), Course()
    state = np.zeros(layout.state)
    state[1 : 1 + 2 * plan.arm.n] = np.concatenate([plan.q, plan.qd])
    end, reason, solver = float(plan.times[-1]), Reason.DONE.text, ""
    carried = plan.arm
    events = {p.time: p for p in plan.payloads}
    stops = sorted({0.0, end, *plan.drive.jumps(0.0, end), *(t for t in events if t < end)})
    wanted_times = snapped(plan.times, stops)
    engine: Engine | None = None
    try:
        for start, stop in pairwise(stops):
            if start in events:
                before, carried = carried, loaded(plan.arm, events[start])
                state = taken_up(plan, events[start], before, carried, state, course)
                engine = None
            if engine is None:
                engine, solver = _engine(plan, carried, state, counts)
            engine.restart()
            first = start if start == 0.0 else np.nextafter(start, np.inf)
            wanted = wanted_times[(wanted_times >= first) & (wanted_times <= stop)]
            ended = _stretch(engine, wanted, start, stop, course, progress, end)
            state = engine.state
            if ended is not Reason.DONE:
                reason = f"{ended.text}, after t = {state[0]:.6g} s"
                break
    except KeyboardInterrupt:
        reason = "interrupted"
    if not course.times:
        raise SimulationError(f"{plan.arm.name}: nothing could be computed: {reason}")
    parts = layout.split(np.concatenate(course.records))
    follow = follows(plan.arm)
    found = balance(
        parts["kinetic"],
        parts["potential"],
        parts["integrals"],
        np.concatenate(course.exchanged),
        follow,
    )
    parts["potential"] = found.potential
    times = np.concatenate(course.times)
    return Response(times, parts, found, counts, course.seconds, reason, solver, follow)


def accelerations(plan: Plan) -> Callable[[Array, Array], Array]:
    """Accelerations of the driven arm at t = 0, as a function of q and qd."""
    layout, n = Layout(plan.arm.n), plan.arm.n
    engine, _ = _engine(plan, plan.arm, np.zeros(layout.state), Counts())

    def at(q: Array, qd: Array) -> Array:
        engine.state[:] = 0.0
        engine.state[1 : 1 + 2 * n] = np.concatenate([q, qd])
        records, reason = engine.advance(np.zeros(1), 0.0, np.inf)
        if reason is not Reason.DONE:
            raise SimulationError(f"{plan.arm.name}: nothing could be computed: {reason.text}")
        found: Array = layout.split(records)["qdd"][0]
        return found

    return at


def _engine(plan: Plan, arm: Manipulator, state: Array, counts: Counts) -> tuple[Engine, str]:
    """The engine for an arm from a state on, and what to call it."""
    common = (plan.drive, plan.settings, state, counts, damping_of(arm), follows(arm))
    method = plan.settings.method
    if not plan.in_python:
        try:
            run = library(arm, plan.formulation, plan.passes)
            return Compiled(run, arm, *common), f"{method}, compiled"
        except CompilerMissing as missing:
            warnings.warn(f"{missing}; simulating in Python", RuntimeWarning, stacklevel=4)
    model = plan.model if plan.model is not None and arm is plan.arm else None
    if model is None:
        model = pipeline.build(arm, formulation=plan.formulation, passes=plan.passes)
    name = STANDS_FOR.get(method, method)
    return Interpreted(model, arm, *common), f"SciPy {name}" if name in SCIPY else f"{name}, Python"


def _stretch(
    engine: Engine,
    wanted: Array,
    start: float,
    stop: float,
    course: Course,
    progress: Progress | None,
    end: float,
) -> Reason:
    """Outputs of a stretch, and on to its end."""
    size = max(1, math.ceil(len(wanted) / max(1, round(CHUNKS * (stop - start) / end))))
    chunks: list[Array] = [wanted[k : k + size] for k in range(0, len(wanted), size)]
    beyond = np.array([stop])
    if not len(wanted) or wanted[-1] < stop:
        chunks.append(beyond)
    for chunk in chunks:
        began = time.process_time()
        records, reason = engine.advance(chunk, start, stop)
        course.seconds += time.process_time() - began
        keep = len(records)
        if keep and chunk is not beyond:
            course.times.append(chunk[:keep])
            course.records.append(records)
            course.exchanged.append(np.tile(course.brought, (keep, 1)))
        if reason is not Reason.DONE:
            return reason
        if progress is not None:
            progress(float(engine.state[0]) / end)
    return Reason.DONE


def taken_up(
    plan: Plan,
    event: Payload,
    before: Manipulator,
    after: Manipulator,
    state: Array,
    course: Course,
) -> Array:
    """The state right after a payload was taken up; the energy that it brings is noted."""
    n, held = plan.arm.n, np.array(plan.drive.held)
    old, model = (quick_model(arm, plan.formulation) for arm in (before, after))
    q, qd = state[1 : n + 1], state[n + 1 : 2 * n + 1].copy()
    if held.any():
        q = q.copy()
        for value, order in ((q, 0), (qd, 1)):
            value[held] = plan.drive.motion(event.time, order, before=True)[held]
    new = qd
    if event.grasp == "resting" and event.mass > 0.0:
        new = after_impact(old, model, held, q, qd)
    course.brought = course.brought + np.array(
        [
            0.5 * (new @ model.inertia(q) @ new - qd @ old.inertia(q) @ qd),
            float(potential(after, q)) - float(potential(before, q)),
        ]
    )
    moved = state.copy()
    moved[n + 1 : 2 * n + 1] = new
    return moved


def quick_model(arm: Manipulator, formulation: str) -> Model:
    """A model for a few evaluations: nothing is compiled or made shorter."""
    return pipeline.build(arm, "numpy", formulation, "none")
