"""Two programs compute the same: the checks that every searched program has to pass.

`verify_exact` evaluates both in 31 digits, so what remains of two equal programs is the
rounding of their constants to doubles. An accidental equality leaves far more. Each entry of
the inputs is also made very large and each input very small or zero, so that terms which are
small at ordinary states stand alone. `verify_double` evaluates both as generated code does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.evaluate import evaluate, node_values
from ..graph.node import Expr
from ..graph.program import Program
from .fingerprint import State, random_states
from .wide import Floats, Wide, wide_functions

LARGE = 1e6
CONSTANT_SHARE = 1e-3  # of the tolerance: 1e-15 where constants are good to 1e-16


@dataclass(frozen=True)
class ExactReport:
    """Worst deviation of the candidate, relative to the scale of the output entry."""

    worst: float
    where: str
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the programs agree."""
        return self.worst <= self.tolerance


@dataclass(frozen=True)
class DoubleReport:
    """Deviation in double precision; `growth` is relative to the original's own rounding."""

    worst: float
    growth: float
    states: int


def _groups(program: Program, states: int, seed: int) -> Iterator[tuple[str, list[State]]]:
    source = random_states(program, seed)

    def scaled(name: str, factor: float, index: int | None = None) -> list[State]:
        found: list[State] = []
        for _ in range(max(3, states // 2)):
            state = next(source)
            for i in range(len(state[name])):
                if index is None or i == index:
                    state[name][i] *= factor
            found.append(state)
        return found

    yield "random states", [next(source) for _ in range(states)]
    for group in program.inputs:
        for factor in (0.0, 1e-3, 1e3):
            yield f"{group.name} times {factor:g}", scaled(group.name, factor)
        for i in range(group.size):
            yield f"{group.name}[{i}] large", scaled(group.name, LARGE, i)


def _slope(kind: str, x: Floats, value: Floats) -> Floats:
    """Magnitude of the derivative of a function at `x`."""
    rules: dict[str, Callable[[], Floats]] = {
        "tan": lambda: 1.0 + value * value,
        "sqrt": lambda: 0.5 / value,
        "exp": lambda: value,
        "log": lambda: 1.0 / np.abs(x),
        "asin": lambda: 1.0 / np.sqrt(1.0 - x * x),
        "acos": lambda: 1.0 / np.sqrt(1.0 - x * x),
    }
    return rules[kind]() if kind in rules else np.ones_like(x)


def _constant_share(program: Program, at: Mapping[Expr, Wide]) -> dict[Expr, Floats]:
    """How much every node may move when each constant moves by its own magnitude.

    A bound by forward accumulation: times 1e-16 it is the effect of rounded constants.
    """
    share: dict[Expr, Floats] = {}
    for e in program.nodes():
        size = [np.abs(at[a].hi) for a in e.args]
        parts = [share[a] for a in e.args]
        if e.kind == "const":
            share[e] = np.asarray(float(e.value))
        elif not e.args:
            share[e] = np.asarray(0.0)
        elif e.kind in ("add", "sub"):
            share[e] = parts[0] + parts[1]
        elif e.kind == "neg":
            share[e] = parts[0]
        elif e.kind == "mul":
            share[e] = size[0] * parts[1] + size[1] * parts[0]
        elif e.kind == "div":
            share[e] = (parts[0] + np.abs(at[e].hi) * parts[1]) / size[1]
        else:
            share[e] = parts[0] * _slope(e.kind, at[e.args[0]].hi, at[e].hi)
    return share


def _outputs(program: Program, states: Sequence[State]) -> tuple[list[Wide], list[Floats]]:
    """Values of the output entries at all states, and what their constants contribute."""
    inputs = {
        group.name: [Wide([state[group.name][i] for state in states]) for i in range(group.size)]
        for group in program.inputs
    }
    at = node_values(program, inputs, wide_functions(), Wide)
    share = _constant_share(program, at)
    return [at[r] for r in program.roots], [share[r] for r in program.roots]


def verify_exact(
    original: Program,
    candidate: Program,
    states: int = 6,
    tolerance: float = 1e-12,
    seed: int = 20_011,
) -> ExactReport:
    """Compare two programs in 31 digits at fresh states of several magnitudes.

    The scale of an output entry is its largest magnitude within a group of like states; where
    large terms cancel, a thousandth of what its constants contribute.
    """
    labels: list[str] = []
    spans: list[slice] = []
    points: list[State] = []
    for label, group in _groups(original, states, seed):
        labels.append(label)
        spans.append(slice(len(points), len(points) + len(group)))
        points += group
    with np.errstate(all="ignore"):
        (mine, own), (other, its) = _outputs(original, points), _outputs(candidate, points)
        shape = (len(mine), len(points))
        value, error, allowed = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for i, (a, b) in enumerate(zip(mine, other, strict=True)):
            value[i], error[i] = np.abs(a.hi), np.abs((a - b).hi)
            allowed[i] = CONSTANT_SHARE * np.maximum(own[i], its[i])
    worst, where = 0.0, "nowhere"
    defined = np.all(np.isfinite(value), axis=0)
    for label, span in zip(labels, spans, strict=True):
        keep = np.flatnonzero(defined[span]) + span.start
        for entry in range(len(mine)):
            miss = float(np.max(error[entry, keep], initial=0.0))
            scale = float(np.max(value[entry, keep], initial=0.0))
            scale = max(scale, float(np.nanmax(allowed[entry, keep], initial=0.0)))
            ratio = 0.0 if miss == 0.0 else miss / scale if scale > 0.0 else np.inf
            if not ratio <= worst:  # not a number counts as wrong
                worst = ratio if np.isfinite(ratio) else np.inf
                where = f"output {entry}, {label}"
    return ExactReport(worst, where, tolerance)


def sample(program: Program, states: int, seed: int) -> list[np.ndarray[Any, Any]]:
    """One array (states, size) per input: ordinary, nearly singular and large states."""
    source = np.random.Generator(np.random.PCG64(seed))
    arrays = []
    for group in program.inputs:
        block = source.uniform(-np.pi, np.pi, (states, group.size))
        kind = source.integers(0, 8, (states, 1))
        # multiples of a quarter turn, a little beside them; small and large magnitudes
        near = np.round(block / (np.pi / 2)) * (np.pi / 2)
        near += 1e-6 * source.standard_normal(block.shape)
        block = np.where(kind == 0, near, block)
        block = np.where(kind == 1, 1e-3 * block, block)
        block = np.where(kind == 2, 1e2 * block, block)
        arrays.append(block)
    return arrays


def verify_double(
    original: Program | Callable[..., Any],
    candidate: Program,
    states: int = 10_000,
    seed: int = 7,
) -> DoubleReport:
    """Compare in double precision, relative to the largest entry of the outputs at a state.

    `original` may be a function of the input arrays, one state per row, e.g. a recursion.
    The growth is the error of the candidate over that of an original program, both against
    extended precision where the machine has it; 1 means that no digit is lost.
    """
    arrays = sample(candidate, states, seed)

    def outputs(call: Program | Callable[..., Any], kind: type) -> np.ndarray[Any, Any]:
        given: list[Any] = [a.astype(kind) for a in arrays]
        found: Any = evaluate(call, *given) if isinstance(call, Program) else call(*given)
        found = found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.asarray(f).reshape(states, -1) for f in found], axis=1)

    def rms(error: np.ndarray[Any, Any]) -> float:
        return float(np.sqrt(np.mean(np.square(error.astype(float)))))

    with np.errstate(all="ignore"):
        plain, searched = outputs(original, np.float64), outputs(candidate, np.float64)
        good = np.all(np.isfinite(plain), axis=1)
        scale = np.max(np.abs(plain), axis=1, keepdims=True) + np.finfo(float).tiny
        # a candidate that is not finite where the original is has failed
        error = np.where(np.isfinite(searched), np.abs(searched - plain) / scale, np.inf)
        worst, growth = float(np.max(error[good], initial=0.0)), 1.0
        if isinstance(original, Program):
            exact = outputs(original, np.longdouble)
            own = rms(((plain - exact) / scale)[good])
            growth = rms(((searched - exact) / scale)[good]) / own if own > 0.0 else 1.0
    return DoubleReport(worst, growth, states)
