"""What a case file asks for besides its arm: `[simulate]`, `[modal]` and `[frf]`, worked out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..frf import FrfResult, frf
from ..frf.schema import FrfTable
from ..manipulator.case import CaseWarning, read_case
from ..modal import ModalResult, NoEquilibrium, modal
from ..modal.schema import HeldTable, ModalTable, read_table
from ..model import Model
from ..simulate import simulate
from ..simulate.case import read_simulate

if TYPE_CHECKING:
    import xarray

Progress = Callable[[str], None]


def simulation(file: Path, model: Model, progress: Progress) -> xarray.Dataset | None:
    """The motion that the case asks for, if any."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)  # said when the arm was loaded
        arm, duration, arguments = read_simulate(file)
    if duration is None:
        return None
    progress(f"{arm.name}: simulating {duration:g} s")
    return simulate(model, duration, **arguments).dataset


def modes(file: Path | None, model: Model, progress: Progress) -> ModalResult | None:
    """The modes that the case asks for; else those of a flexible arm with locked joints."""
    arm = model.arm
    if file is not None and "modal" in _tables(file):
        progress(f"{arm.name}: modes")
        table = _table(file, "modal", ModalTable)
        return modal(model, table.posture or None, **_given(table, ()))
    if any(len(at.all) for at in arm.mode_ranges):
        progress(f"{arm.name}: modes")
        try:
            return modal(model)
        except NoEquilibrium:  # nobody asked: the page goes without
            return None
    return None


def responses(file: Path, model: Model, progress: Progress) -> tuple[FrfResult, ...]:
    """The frequency response that the case asks for, if any."""
    if "frf" not in _tables(file):
        return ()
    table = _table(file, "frf", FrfTable)
    if table.input is None or table.output is None:
        return ()
    progress(f"{model.name}: response of {table.output} to {table.input}")
    more = _given(table, ("band", "points", "frame"))
    return (frf(model, table.input, table.output, table.posture or None, **more),)


def _tables(file: Path) -> set[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)
        return set(read_case(file).applications)


def _table(file: Path, name: str, schema: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)
        return read_table(file, name, schema)[1]


def _given(table: HeldTable, more: tuple[str, ...]) -> dict[str, Any]:
    """What the table says of these, as arguments."""
    names = ("joints", "kp", "kd", "sag", *more)
    return {name: getattr(table, name) for name in names if getattr(table, name) is not None}
