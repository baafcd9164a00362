"""Case file -> arguments of `simulate`: its `[simulate]` table, checked against the arm.

Whatever is wrong is a `CaseError` of one line that names file, table and key.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from ..manipulator.arm import Manipulator
from ..manipulator.case import read_case
from ..manipulator.faults import CaseError, Place, fault, first_fault, nearest, shown
from .drive import PD, ComputedTorque, Torque
from .payload import Payload
from .schema import ControlTable, SignalTable, SimulateTable, TimeTable, TorqueTable, WrenchTable
from .signals import Array, Signal, constant, polynomial, table

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
PLAIN = ("method", "step", "output_step", "rtol", "atol", "radius", "energy_limit")
LARGEST_FILE = 50_000_000  # bytes of a table


def read_simulate(
    path: str | os.PathLike[str],
) -> tuple[Manipulator, float | None, dict[str, Any]]:
    """Arm, duration and the other arguments of `simulate` that a case file gives."""
    case, file = read_case(path), os.fspath(path)
    arm = case.manipulator
    given = _thawed(case.applications.get("simulate", {}))
    try:
        found = SimulateTable.model_validate(given)
    except ValidationError as error:
        raise first_fault(file, SimulateTable, error, ["simulate"]) from None
    return arm, found.duration, _Reader(file, arm).arguments(found)


def _thawed(value: Any) -> Any:
    """Mappings and tuples as dicts and lists again."""
    if isinstance(value, Mapping):
        return {key: _thawed(part) for key, part in value.items()}
    return [_thawed(part) for part in value] if isinstance(value, tuple) else value


class _Reader:
    """Tables of one file against one arm."""

    def __init__(self, file: str, arm: Manipulator) -> None:
        self.file, self.arm = file, arm
        self.joints = arm.coordinates[: arm.n_joints]

    def arguments(self, found: SimulateTable) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            key: getattr(found, key) for key in PLAIN if getattr(found, key) is not None
        }
        for key in ("q", "qd"):
            values = getattr(found, key)
            self.known(values, self.arm.coordinates, ["simulate", key])
            arguments[f"{key}0"] = dict(values)
        self.known(found.hold, self.arm.coordinates, ["simulate", "hold"])
        arguments["hold"] = tuple(found.hold)
        if found.motion is not None:
            arguments["motion"] = self.motion(found.motion, ["simulate", "motion"])
        if found.torque is not None:
            arguments["torque"] = self.torque(found.torque, ["simulate", "torque"])
        if found.wrench is not None:
            arguments["wrench"] = self.wrench(found.wrench, ["simulate", "wrench"])
            arguments["frame"] = found.wrench.frame
        arguments["payload"] = tuple(
            self.payload(part, ["simulate", "payload", k]) for k, part in enumerate(found.payload)
        )
        return arguments

    def fail(self, place: Place, reason: str) -> CaseError:
        return fault(self.file, place, reason)

    def known(self, names: Iterable[str], all_of: Sequence[str], place: Place) -> None:
        for name in names:
            if name not in all_of:
                hint = nearest(name, all_of)
                raise self.fail(place, f"no coordinate '{shown(name)}'; {hint}")

    def signal(
        self, given: SignalTable, names: Sequence[str], place: Place
    ) -> tuple[list[str], Signal]:
        """Names that a signal gives values for, and the signal."""
        if given.constant is not None:
            self.known(given.constant, names, [*place, "constant"])
            return list(given.constant), constant(list(given.constant.values()))
        if given.polynomial is not None:
            self.known(given.polynomial, names, [*place, "polynomial"])
            return list(given.polynomial), _polynomial(list(given.polynomial.values()))
        if given.table is not None:
            return self.table(given.table, names, [*place, "table"])
        raise self.fail(place, "one of constant, polynomial and table is expected")

    def table(
        self, given: TimeTable, names: Sequence[str], place: Place
    ) -> tuple[list[str], Signal]:
        at = [*place, "rows"]
        if given.file is not None:
            at = [*place, "file"]
            header, rows = self.read(given.file, at)
            if given.columns is not None and ["time", *given.columns] != header:
                raise self.fail(at, f"its columns are {', '.join(header)}")
            columns = header[1:]
        else:
            assert given.rows is not None and given.columns is not None
            columns, widths = given.columns, {len(row) for row in given.rows}
            if columns[:1] == ["time"]:
                columns = columns[1:]
            if widths != {1 + len(columns)}:
                raise self.fail(at, f"every row must have the time and {len(columns)} numbers")
            rows = np.array(given.rows)
        self.known(columns, names, [*place, "columns"] if given.file is None else at)
        if len(set(columns)) < len(columns):
            raise self.fail(place, "a coordinate has two columns")
        try:
            return columns, table(rows[:, 0], rows[:, 1:], given.interpolation)
        except ValueError as error:
            raise self.fail(at, str(error).removeprefix("table: ")) from None

    def read(self, name: str, place: Place) -> tuple[list[str], Array]:
        """Header and rows of a CSV file beside the case."""
        path = Path(self.file).parent / name
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise self.fail(place, f"{shown(name)} is larger than {LARGEST_FILE:.0e} bytes")
            with path.open(newline="", encoding="utf-8-sig") as stream:
                lines = [row for row in csv.reader(stream) if row]
        except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
            if isinstance(error, CaseError):
                raise
            reason = getattr(error, "strerror", None) or "it is not CSV text"
            raise self.fail(place, f"{shown(name)} cannot be read: {reason}") from None
        header = [cell.strip() for cell in lines[0]] if lines else []
        if header[:1] != ["time"] or len(header) < 2 or len(lines) < 2:
            raise self.fail(place, f"{shown(name)}: expected a header time,NAME,... and rows")
        rows = []
        for k, line in enumerate(lines[1:], 1):
            try:
                rows.append([float(cell) for cell in line])
            except ValueError:
                raise self.fail(place, f"{shown(name)}: row {k} is not made of numbers") from None
            if len(line) != len(header):
                raise self.fail(place, f"{shown(name)}: row {k} has {len(line)} columns")
        return header, np.array(rows)

    def motion(self, given: SignalTable, place: Place) -> dict[str, Signal]:
        names, signal = self.signal(given, self.arm.coordinates, place)
        return {
            name: Signal(signal.breaks, signal.parts[:, :, k : k + 1], signal.jumps)
            for k, name in enumerate(names)
        }

    def torque(self, given: TorqueTable, place: Place) -> Torque:
        feed: Signal | None = None
        if (given.constant, given.polynomial, given.table) != (None, None, None):
            feed = self.among(*self.signal(given, self.arm.coordinates, place))
        for key, law in (("pd", PD), ("computed", ComputedTorque)):
            control = getattr(given, key)
            if control is not None:
                return law(*self.control(control, [*place, key]), feed)
        return feed

    def control(self, given: ControlTable, place: Place) -> tuple[Any, Any, Signal]:
        for key in ("kp", "kd"):
            gains = getattr(given, key)
            if isinstance(gains, list) and len(gains) != len(self.joints):
                raise self.fail([*place, key], f"one gain or {len(self.joints)} are expected")
        at = [*place, "reference"]
        names, signal = self.signal(given.reference, self.joints, at)
        lacking = [name for name in self.joints if name not in names]
        if lacking:
            raise self.fail(at, f"{lacking[0]} has no reference")
        places = [self.joints.index(name) for name in names]
        return given.kp, given.kd, signal.among(places, len(self.joints))

    def among(self, names: Sequence[str], signal: Signal) -> Signal:
        places = [self.arm.coordinates.index(name) for name in names]
        return signal.among(places, self.arm.n)

    def wrench(self, given: WrenchTable, place: Place) -> Signal:
        if given.constant is not None:
            return constant(given.constant)
        if given.polynomial is not None:
            return _polynomial(given.polynomial)
        assert given.table is not None
        names, signal = self.table(given.table, WRENCH, [*place, "table"])
        return signal.among([WRENCH.index(name) for name in names], 6)

    def payload(self, given: Any, place: Place) -> Payload:
        t = given.inertia
        inertia = np.zeros((3, 3))
        if t is not None:
            inertia = np.array([[t.xx, t.xy, t.xz], [t.xy, t.yy, t.yz], [t.xz, t.yz, t.zz]])
        try:
            return Payload(given.time, given.mass, given.com, inertia, given.grasp)
        except ValueError as error:
            raise self.fail(place, str(error).removeprefix("payload: ")) from None


def _polynomial(rows: Sequence[Sequence[float]]) -> Signal:
    longest = max(map(len, rows))
    return polynomial([[*row, *[0.0] * (longest - len(row))] for row in rows])
