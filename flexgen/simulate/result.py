"""Result of a simulation: a thin frozen class over an xarray.Dataset, saved and loaded whole.

Variables over (time, coordinate): q, qd, qdd, tau. Over time: kinetic, potential,
torque_work, wrench_work, damping_loss, exchanged, work (all that came in), drift. Over
(time, axis): tip. Attributes hold the case, all options and the statistics, so that a file is
enough to repeat a run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..whole import whole
from .signals import Array

if TYPE_CHECKING:
    import xarray as xr

SUFFIXES = (".nc", ".npz", ".csv")
DIMENSIONS = ("time", "coordinate", "axis")


@dataclass(frozen=True, eq=False)
class Result:
    """A time response; `dataset` has all of it."""

    dataset: xr.Dataset

    def __getitem__(self, name: str) -> xr.DataArray:
        return self.dataset[name]

    @property
    def t(self) -> Array:
        """Output times."""
        return np.asarray(self.dataset["time"].values)

    @property
    def q(self) -> Array:
        """Coordinates, (T, n)."""
        return np.asarray(self.dataset["q"].values)

    @property
    def qd(self) -> Array:
        """Rates, (T, n)."""
        return np.asarray(self.dataset["qd"].values)

    @property
    def tau(self) -> Array:
        """Generalized forces, (T, n); of a held coordinate what holds it."""
        return np.asarray(self.dataset["tau"].values)

    @property
    def tip(self) -> Array:
        """Position of the last frame in the base, (T, 3)."""
        return np.asarray(self.dataset["tip"].values)

    @property
    def complete(self) -> bool:
        """Whether the run came to its end."""
        return bool(self.dataset.attrs["complete"])

    @property
    def trusted(self) -> bool:
        """Whether it is complete and its energy balance holds."""
        return self.complete and not self.dataset.attrs["drifts"]

    @property
    def drift(self) -> float:
        """Largest drift of the energy balance over the energy that was moved about."""
        return float(self.dataset.attrs["relative_drift"])

    @property
    def statistics(self) -> dict[str, float]:
        """Steps, rejected steps, evaluations, smallest step, seconds of processor time."""
        return dict(json.loads(self.dataset.attrs["statistics"]))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write to .nc (NetCDF), .npz or .csv, whole or not at all."""
        target = Path(path)
        writers: dict[str, Callable[[Path], None]] = {
            ".nc": self._netcdf,
            ".npz": self._npz,
            ".csv": self._csv,
        }
        if target.suffix not in writers:
            raise ValueError(f"{target}: the name must end in one of {', '.join(SUFFIXES)}")
        with whole(target) as file:
            writers[target.suffix](file)
        return target

    def _netcdf(self, path: Path) -> None:
        self.dataset.to_netcdf(path, engine="scipy")

    def _npz(self, path: Path) -> None:
        arrays: dict[str, Any] = {str(k): v.values for k, v in self.dataset.variables.items()}
        np.savez(path, attributes=json.dumps(_plain(self.dataset.attrs)), **arrays)

    def _csv(self, path: Path) -> None:
        names, columns = ["time"], [self.t]
        for key, variable in self.dataset.data_vars.items():
            if variable.ndim == 1:
                names.append(str(key))
                columns.append(variable.values)
                continue
            for label in variable[variable.dims[1]].values:
                names.append(f"{key}:{label}")
                columns.append(variable.sel({variable.dims[1]: label}).values)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"# {json.dumps(_plain(self.dataset.attrs))}\n{','.join(names)}\n")
            for row in np.array(columns).T.tolist():
                file.write(",".join(map(repr, row)) + "\n")


def _plain(attributes: Any) -> dict[str, Any]:
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in attributes.items()}


def load_result(path: str | os.PathLike[str]) -> Result:
    """What `Result.save` wrote."""
    import xarray as xr

    file = Path(path)
    try:
        if file.suffix == ".nc":
            with xr.open_dataset(file, engine="scipy") as found:
                return Result(found.load())
        if file.suffix == ".npz":
            with np.load(file) as arrays:
                return Result(_dataset({k: arrays[k] for k in arrays.files}))
        if file.suffix == ".csv":
            return Result(_from_csv(file))
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{file}: is not the result of a simulation ({error})") from None
    raise ValueError(f"{file}: the name must end in one of {', '.join(SUFFIXES)}")


def _from_csv(file: Path) -> xr.Dataset:
    with file.open(encoding="utf-8") as lines:
        first, names = lines.readline(), lines.readline().strip().split(",")
        if not first.startswith("# {"):
            raise KeyError("the first line has no attributes")
        numbers = np.loadtxt(lines, delimiter=",", ndmin=2)
    arrays: dict[str, Any] = {"attributes": first.removeprefix("# ")}
    for name, column in zip(names, numbers.T, strict=True):
        key, _, label = name.partition(":")
        if not label:
            arrays[key] = column
            continue
        arrays.setdefault(key, []).append(column)
        labels = arrays.setdefault("axis" if key == "tip" else "coordinate", [])
        if label not in labels:
            labels.append(label)
    return _dataset(
        {k: np.array(v).T if isinstance(v, list) else np.array(v) for k, v in arrays.items()}
    )


def _dataset(arrays: dict[str, Any]) -> xr.Dataset:
    """Dataset of plain arrays, with the attributes as text."""
    attributes = json.loads(str(arrays.pop("attributes")))
    coords = {name: arrays.pop(name) for name in DIMENSIONS}
    return dataset(arrays, coords["time"], list(coords["coordinate"]), attributes)


UNITS = {"tip": "m", "q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s2 or m/s2"}
UNITS |= {"tau": "N m or N"}
LONG_NAMES = {
    "q": "coordinates",
    "qd": "rates",
    "qdd": "accelerations",
    "tau": "generalized forces",
    "tip": "position of the last frame in the base",
    "kinetic": "kinetic energy",
    "potential": "potential energy of gravity and bent links",
    "torque_work": "work of tau",
    "wrench_work": "work of the wrench",
    "damping_loss": "energy lost to damping",
    "exchanged": "energy brought in by payloads",
    "work": "all work, losses taken off",
    "drift": "energy less its start less work",
}


def dataset(
    variables: dict[str, Array], times: Array, coordinates: list[str], attributes: dict[str, Any]
) -> xr.Dataset:
    """Named arrays with units."""
    import xarray as xr

    data = {}
    for name, values in variables.items():
        second = () if values.ndim == 1 else ("axis" if name == "tip" else "coordinate",)
        about = {"units": UNITS.get(name, "J"), "long_name": LONG_NAMES[name]}
        data[name] = (("time", *second), values, about)
    coords = {
        "time": ("time", times, {"units": "s"}),
        "coordinate": [str(c) for c in coordinates],
        "axis": ["x", "y", "z"],
    }
    return xr.Dataset(data, coords, attributes)
