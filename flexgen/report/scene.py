"""What the moving picture needs to know, as JSON: tables of the arm, its motion and its modes.

The page walks the chain itself, so that any exaggeration can be chosen there: it gets the
tables of `geometry.lines` and the coordinates over time, as base64 of little-endian float32.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..geometry import POINTS, Array, Line, centrelines, lines
from ..manipulator.arm import Link, Manipulator
from .motion import Motion

SAMPLES: Final = 6000  # of a motion, at most
STOPS: Final = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHOWN, MOST = 0.05, 0.25  # deflections first shown and largest ones, relative to the arm's size
THICK, THIN = 0.015, 0.004  # half widths of a beam, relative to the arm's size
EYE: Final = (-0.95, 0.42)  # azimuth, or a right angle from it, and elevation
TRIAD: Final = 0.19  # length of the base axes with their names, relative to the arm's size
FIELD, WIDE = 0.62, 1.5  # half height at distance 1 and aspect of the picture, as in view.js
FILLED: Final = 0.8  # of the picture by what it shows


@dataclass(frozen=True, eq=False)
class Mode:
    """A mode to show: `shape` about `posture`."""

    label: str
    hz: float
    posture: Array
    shape: Array
    note: str


def scene(arm: Manipulator, motion: Motion, modes: Sequence[Mode] = ()) -> dict[str, Any]:
    """All of it, ready for JSON."""
    stride = -(-len(motion.time) // SAMPLES)
    time, q = motion.time[::stride], motion.q[::stride]
    few = q[:: max(1, len(q) // 200)]
    paths = centrelines(arm, few)
    stops, first = _exaggerations(arm, few, paths)
    shown = centrelines(arm, few, exaggeration=stops[first]).reshape(-1, 3)
    everything = np.concatenate([shown, paths.reshape(-1, 3), np.zeros((1, 3))])
    size = max(float(np.linalg.norm(np.ptp(paths, axis=2), axis=-1).sum(axis=1).max()), 1e-6)
    deflections = [k for at in arm.mode_ranges for k in at.all]
    return {
        "name": arm.name,
        "standard": arm.convention == "standard",
        "linear": arm.assumptions.rotation == "linear",
        "points": POINTS,
        "coordinates": list(arm.coordinates),
        "deflections": deflections,
        "groups": _groups(arm),
        "links": [_link(arm, i) for i in range(len(arm.links))],
        "size": size,
        "exaggerations": stops,
        "exaggeration": first,
        "motion": {
            "label": motion.label,
            "note": motion.note,
            "speed": motion.speed,
            "time": float32(time),
            "q": float32(q),
        },
        "modes": [
            {
                "label": mode.label,
                "hz": mode.hz,
                "note": mode.note,
                "posture": mode.posture.tolist(),
                "shape": mode.shape.tolist(),
            }
            for mode in modes
        ],
        **_surroundings(arm, everything, size),
    }


def as_json(found: dict[str, Any]) -> str:
    """Compact JSON that may stand inside a script element."""
    text = json.dumps(found, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def float32(values: Array) -> str:
    """Base64 of the values as little-endian float32, by rows."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def _link(arm: Manipulator, i: int) -> dict[str, Any]:
    link, line, at = arm.links[i], lines(arm)[i], arm.mode_ranges[i]
    dh = link.dh
    found = {
        "prismatic": link.joint == "prismatic",
        "flexible": bool(len(at.all)),
        "a": dh.a,
        "d": dh.d,
        "theta": dh.theta.value,
        "ca": dh.alpha.cos,
        "sa": dh.alpha.sin,
        "offset": line.offset.tolist(),
        "along": line.along.tolist(),
        "corner": _corner(arm, line),
        "section": _section(link),
    }
    if found["flexible"]:
        ranges = {"twist": at.torsion, "y": at.y, "z": at.z}
        found |= {name: [r.start, len(r)] for name, r in ranges.items()}
        found |= {"Y": line.Y.tolist(), "S": line.S.tolist(), "X": line.X.tolist()}
        found["turn"] = line.turn.tolist()
    return found


def _corner(arm: Manipulator, line: Line) -> int:
    """Number of the point at which the second step of the link begins."""
    second = line.along if arm.convention == "standard" else line.offset
    moving = np.flatnonzero(second > 0.0)
    first = int(moving[0]) - 1
    return len(second) - 1 if first == len(second) - 2 else first


def _section(link: Link) -> list[float]:
    """Half widths along y and z: EIz / EIy goes as the square of their ratio."""
    if link.beam is None:
        return [THICK, THICK]
    y, z = np.sqrt(link.beam.EIz), np.sqrt(link.beam.EIy)
    if not y or not z:  # bends one way only: thin in that direction
        return [THIN, THICK] if y else [THICK, THIN]
    widest = max(y, z)
    return [max(THIN, THICK * float(w) / float(widest)) for w in (y, z)]


def _groups(arm: Manipulator) -> list[dict[str, Any]]:
    """Sets of curves that share a unit."""
    names = arm.coordinates
    turn = [k for k, link in enumerate(arm.links) if link.joint == "revolute"]
    slide = [k for k, link in enumerate(arm.links) if link.joint == "prismatic"]
    bend = [k for k, name in enumerate(names) if ".bend" in name]
    twist = [k for k, name in enumerate(names) if ".twist" in name]
    rest = sorted(set(range(arm.n)) - {*turn, *slide, *bend, *twist})
    groups = {
        "bending [m]": bend,
        "torsion [rad]": twist,
        "joint angles [rad]": turn,
        "sliding joints [m]": slide,
        "motors [rad]": rest,
    }
    return [{"name": name, "members": members} for name, members in groups.items() if members]


def _exaggerations(arm: Manipulator, q: Array, paths: Array) -> tuple[list[int], int]:
    """Stops of the slider and the one to begin with."""
    size = float(np.ptp(paths.reshape(-1, 3), axis=0).max())
    moved = float(np.linalg.norm(paths - centrelines(arm, q, exaggeration=0.0), axis=-1).max())
    if moved <= 1e-12 * size:
        return list(STOPS[:2]), 1
    stops = [s for s in STOPS if s <= max(1.0, MOST * size / moved)]
    wanted = [k for k, s in enumerate(stops) if k and s * moved <= max(SHOWN * size, moved)]
    return stops, wanted[-1]


def _surroundings(arm: Manipulator, points: Array, size: float) -> dict[str, Any]:
    """Up, ground and grid, and where the eye is."""
    pull = np.asarray(arm.gravity, dtype=float)
    axis = int(np.argmax(np.abs(pull))) if np.any(pull) else 2
    up = np.zeros(3)
    up[axis] = -np.sign(pull[axis]) if pull[axis] else 1.0
    # e, n, up form a right-handed set
    e = np.roll(np.array([1.0, 0.0, 0.0]), axis + 1)
    n = np.cross(up, e)
    height = points @ up
    floor = float(min(height.min() - 0.08 * size, -0.22 * size))
    step = _nice(size / 5.0)
    reach = [points @ e, points @ n]
    low = [int(np.floor(float(r.min()) / step)) - 1 for r in reach]
    high = [int(np.ceil(float(r.max()) / step)) + 1 for r in reach]
    post = bool(floor > -0.6 * size)
    seen = np.concatenate([points, TRIAD * size * np.eye(3), [floor * up] if post else [0.0 * up]])
    middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    return {
        "up": up.tolist(),
        "ground": [e.tolist(), n.tolist()],
        "floor": floor,
        "post": post,
        "grid": {"step": step, "low": low, "high": high},
        "target": middle.tolist(),
        "eye": _eye(seen - middle, e, n, up, 0.6 * size),
    }


def _eye(points: Array, e: Array, n: Array, up: Array, least: float) -> list[float]:
    """Azimuth, elevation and distance: from where the points look widest, and all are seen."""
    found = []
    for turn in (0.0, 0.5 * np.pi, np.pi, 1.5 * np.pi):
        yaw, pitch = EYE[0] + turn, EYE[1]
        back = np.cos(pitch) * (np.cos(yaw) * e + np.sin(yaw) * n) + np.sin(pitch) * up
        right = np.cos(yaw) * n - np.sin(yaw) * e
        across, over = points @ right, points @ np.cross(back, right)
        away = np.maximum(np.abs(across) / WIDE, np.abs(over)) / (FILLED * FIELD) + points @ back
        found.append((float(np.ptp(across)), [yaw, pitch, max(float(away.max()), least)]))
    widest = max(width for width, _ in found)
    return next(eye for width, eye in found if width > 0.85 * widest)


def _nice(x: float) -> float:
    """1, 2 or 5 times a power of ten, not below x."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= 0.999 * x))
