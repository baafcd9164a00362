"""`simulate`: what a user calls. Arguments in, `Result` out; `repeat` does a saved run again."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from .. import __version__
from ..manipulator.arm import Manipulator
from ..manipulator.case import load
from ..model import Frame, Model
from .balance import LIMIT
from .compiled import METHODS
from .drive import Torque, drive_of, index
from .interpreted import SCIPY
from .payload import Payload
from .recipe import planned, recipe
from .records import Settings
from .result import Result, dataset, load_result
from .run import (
    Plan,
    Progress,
    SimulationError,
    SimulationWarning,
    accelerations,
    output_times,
    perform,
)
from .signals import Array, Signal
from .stability import ADVISED, rates
from .written import case_text

FIXED_STEP = ("rk4", "implicit")
MOST_STEPS = 1e9
LARGE = 1e300  # s: a step that is not limited
MOST_NUMBERS = 2e8  # in the records of one run

State = ArrayLike | Mapping[str, float] | None


def simulate(
    model: Model | Manipulator | str | os.PathLike[str],
    t_end: float,
    *,
    q0: State = None,
    qd0: State = None,
    torque: Torque = None,
    wrench: Signal | ArrayLike | None = None,
    frame: Frame = "tip",
    hold: Iterable[str] = (),
    motion: Mapping[str, Signal] | None = None,
    payload: Payload | Iterable[Payload] = (),
    method: str = "rk4",
    step: float | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    radius: float = 0.8,
    output_step: float | None = None,
    energy_limit: float = LIMIT,
    force: bool = False,
    passes: str | None = None,
    case: str = "",
    progress: Progress | None = None,
) -> Result:
    """Motion of an arm from t = 0 to `t_end`.

    Args:
        model: a model, an arm, or the path of a case.
        t_end: duration in s.
        q0: initial coordinates: all of them, those of the joints, or by name; zero where not
            given.
        qd0: initial rates, the same way.
        torque: a constant vector, a `Signal` (see `signals`), `PD`, `ComputedTorque`, or a
            function tau(t, q, qd), which is called from Python and so is slow.
        wrench: what the environment exerts on the last frame, constant or a `Signal` of 6.
        frame: frame in which the wrench is expressed, "tip" or "base".
        hold: names of coordinates that stay where they start, as if clamped.
        motion: coordinates that move as prescribed, by name.
        payload: payloads that are taken up on the way.
        method: "rk4" (fixed step), "dopri5" (adaptive), "implicit" (generalised-alpha, fixed
            step, for stiff arms), or a method of SciPy's solve_ivp.
        step: step of a fixed-step method; the largest step of an adaptive one. Absent: 1/40 of
            the shortest period, 1 ms at most.
        rtol: relative tolerance of an adaptive method.
        atol: absolute tolerance of an adaptive method.
        radius: numerical damping of "implicit", the spectral radius at infinite frequency: 1
            keeps all energy of motion that the step cannot resolve, 0 takes it out at once.
        output_step: time between outputs; absent, a thousandth of the duration.
        energy_limit: drift of the energy balance, relative to the energy that was moved about,
            beyond which there is a warning.
        force: run RK4 beyond its limit of stability.
        passes: how much the generated code is cleared; absent, as the model, else "full".
        case: text of the case file, kept in the result; absent, it is written from the arm.
        progress: hears the fraction that is done.
    """
    arm, given, case = _arm(model, case)
    if not (np.isfinite(t_end) and t_end > 0.0):
        raise SimulationError(f"t_end must be positive, not {t_end!r}")
    known = (*METHODS, *SCIPY)
    if method not in known:
        raise SimulationError(f"method must be one of {', '.join(known)}, not {method!r}")
    q, qd = _state(arm, "q0", q0), _state(arm, "qd0", qd0)
    drive = drive_of(arm, torque, wrench, frame, hold, motion, q)
    held = np.array(drive.held)
    q[held], qd[held] = drive.motion(0.0)[held], drive.motion(0.0, 1)[held]
    payloads = (payload,) if isinstance(payload, Payload) else tuple(payload)
    chosen = str(passes or getattr(given, "passes", "full"))
    times = _times(arm, float(t_end), output_step)
    for one in payloads:
        if not 0.0 <= one.time < t_end:
            raise SimulationError(f"payload: time {one.time:g} is not within the run")
    if len({one.time for one in payloads}) < len(payloads):
        raise SimulationError("payload: two of them have the same time")
    if not (0.0 <= radius <= 1.0 and rtol > 0.0 and atol > 0.0):
        raise SimulationError("radius must be from 0 to 1, rtol and atol positive")
    if step is not None and not (np.isfinite(step) and step > 0.0):
        raise SimulationError(f"step must be positive, not {step!r}")
    settings = Settings(method, LARGE if step is None else float(step), rtol, atol, radius)
    order = tuple(sorted(payloads, key=lambda p: p.time))
    plan = Plan(arm, given, drive, settings, "newton-euler", chosen, times, q, qd, order)
    if method in FIXED_STEP:
        settings = replace(settings, step=_step(plan, step, force))
        if t_end / settings.step > MOST_STEPS:
            raise SimulationError(f"{t_end / settings.step:.1e} steps are too many")
    return finished(replace(plan, settings=settings), energy_limit, case, progress)


def repeat(path: str | os.PathLike[str], progress: Progress | None = None) -> Result:
    """The run of a saved result, done again from what the file says."""
    attributes = load_result(path).dataset.attrs
    if not attributes["case"]:
        raise SimulationError(f"{path}: holds no case, so it cannot be repeated")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "case.toml"
        file.write_text(attributes["case"], encoding="utf-8")
        arm = load(file)
    plan = planned(arm, json.loads(attributes["options"]))
    return finished(plan, float(attributes["energy_limit"]), attributes["case"], progress)


def finished(plan: Plan, limit: float, case: str, progress: Progress | None = None) -> Result:
    """Run a plan and say aloud what is wrong with the outcome."""
    response = perform(plan, progress)
    relative = response.balance.relative
    complete = response.reason == "done"
    drifts = not relative <= limit
    name = plan.arm.name
    if not complete:
        warnings.warn(
            f"{name}: incomplete, {response.reason}; what was computed is kept",
            SimulationWarning,
            stacklevel=3,
        )
    if drifts:
        cause = "too large steps?"
        if plan.settings.method == "implicit" and plan.settings.radius < 1.0:
            cause = "the method damps what its step cannot follow"
        elif response.follow:
            cause = "too large steps, or deflections too large for the linear rotation of tips?"
        warnings.warn(
            f"{name}: the energy balance drifts by {relative:.1e} of the energy that was moved "
            f"about, more than {limit:g}: {cause}",
            SimulationWarning,
            stacklevel=3,
        )
    counts = {k: v for k, v in asdict(response.counts).items() if np.isfinite(v)}
    attributes = {
        "flexgen": __version__,
        "arm": name,
        "case": case,
        "options": json.dumps(recipe(plan)),
        "solver": response.solver,
        "statistics": json.dumps(counts | {"seconds": response.seconds}),
        "complete": int(complete),
        "reason": response.reason,
        "relative_drift": relative,
        "drifts": int(drifts),
        "energy_limit": limit,
        "potential_from": (
            "integrated power of gravity and springs" if response.follow else "positions"
        ),
    }
    energies = response.balance
    variables = {name: response.parts[name] for name in ("q", "qd", "qdd", "tau", "tip")} | {
        "kinetic": energies.kinetic,
        "potential": energies.potential,
        "torque_work": energies.torque,
        "wrench_work": energies.wrench,
        "damping_loss": energies.damping,
        "exchanged": energies.exchanged,
        "work": energies.work,
        "drift": energies.drift,
    }
    names = list(plan.arm.coordinates)
    return Result(dataset(variables, response.times, names, attributes))


def _arm(
    model: Model | Manipulator | str | os.PathLike[str], case: str
) -> tuple[Manipulator, Model | None, str]:
    """Arm, model where there is one, and text of the case."""
    if isinstance(model, Manipulator):
        return model, None, case or case_text(model)
    if isinstance(model, str | os.PathLike):
        text = case or Path(model).read_text(encoding="utf-8")
        return load(model), None, text
    arm = getattr(model, "arm", None)
    if arm is None:
        raise SimulationError("this model does not know its arm; give the arm instead")
    return arm, model, case or case_text(arm)


def _state(arm: Manipulator, what: str, given: State) -> Array:
    """All coordinates, or their rates, of what a user gave."""
    full = np.zeros(arm.n)
    if given is None:
        return full
    if isinstance(given, Mapping):
        for name, value in given.items():
            full[index(arm, name)] = value
    else:
        try:
            values = np.array(given, dtype=float)
        except (TypeError, ValueError):
            raise SimulationError(f"{what} must hold numbers") from None
        if values.shape not in ((arm.n,), (arm.n_joints,)):
            wanted = " or ".join(f"({k},)" for k in sorted({arm.n, arm.n_joints}))
            raise SimulationError(f"{what} must have shape {wanted}, not {values.shape}")
        full[: len(values)] = values
    if not np.isfinite(full).all():
        raise SimulationError(f"{what} must be finite")
    return full


def _times(arm: Manipulator, end: float, step: float | None) -> Array:
    """Output times."""
    step = end / 1000.0 if step is None else float(step)
    if not (np.isfinite(step) and step > 0.0):
        raise SimulationError(f"output_step must be positive, not {step!r}")
    numbers = end / step * (4 * arm.n + 9)
    if numbers > MOST_NUMBERS:
        raise SimulationError(f"{end / step:.1e} outputs are too many; take a larger output_step")
    return output_times(end, step)


def _step(plan: Plan, given: float | None, force: bool) -> float:
    """The step to take, held against the motion about the initial state."""
    free = np.flatnonzero(~np.array(plan.drive.held))
    found = rates(accelerations(plan), free, plan.q, plan.qd)
    period = 2.0 * math.pi / found.fastest if found.fastest > 0.0 else math.inf
    if given is None:
        return min(1e-3, period / 40.0, 0.5 * found.limit())
    if plan.settings.method != "rk4":
        return float(given)
    limit = found.limit()
    if given > limit and not force:
        raise SimulationError(
            f"{plan.arm.name}: a step of {given:.4g} s is beyond {limit:.4g} s, where RK4 becomes "
            f"unstable (fastest motion {found.fastest:.4g} rad/s); take a smaller step, or the "
            'method "implicit" or "dopri5"'
        )
    if given > period / ADVISED:
        warnings.warn(
            f"{plan.arm.name}: a step of {given:.4g} s is more than 1/{ADVISED:g} of the shortest "
            f"period, {period:.4g} s: the fastest motion is not followed well",
            SimulationWarning,
            stacklevel=4,
        )
    return float(given)
