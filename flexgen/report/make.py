"""A case -> its report: everything is computed here, and nothing is drawn.

What draws is imported when it is needed, since Matplotlib takes a second to load.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import pipeline
from ..formulations.routines import ROUTINES
from ..frf import FrfResult
from ..graph.program import Counts
from ..manipulator.arm import Manipulator
from ..manipulator.case import load
from ..modal import ModalResult
from ..model import Model
from ..shipped import case_path
from ..verify import verify
from ..whole import whole

if TYPE_CHECKING:
    import xarray

LEVELS: Final = ("none", "classic", "full")
STATES: Final = 200
CASE: Final = "Simulation that the case asks for."


def report(
    case: Manipulator | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    model: Model | None = None,
    simulation: Any = None,
    modes: ModalResult | None = None,
    responses: Sequence[FrfResult] = (),
    levels: Sequence[str] = LEVELS,
    states: int = STATES,
    progress: Callable[[str], None] = lambda text: None,
) -> str:
    """The text of the page; with a `path` it is written there too, whole or not at all.

    Args:
        case: An arm, or the path or the name of a case.
        path: Where the page goes.
        model: The built arm; absent, it is built.
        simulation: Result of `simulate`, its dataset, or the path of a saved one; absent, what
            `[simulate]` of the case asks for, else a sweep of the joints, and the page says so.
        modes: Result of `modal`; absent, what `[modal]` of the case asks for, else modes of a
            flexible arm with locked joints.
        responses: Results of `frf`; absent, what `[frf]` of the case asks for.
        levels: Passes for which operations are counted.
        states: Random states of the verification; 0 leaves it out.
        progress: Hears what is being done.
    """
    from . import asked, sections
    from .motion import from_dataset, sweep
    from .page import page

    file: Path | None = None
    if isinstance(case, Manipulator):
        arm = case
    else:
        file = case_path(os.fspath(case))
        arm = load(file) if model is None else model.arm  # else its warnings have been heard
    data = None if simulation is None else _dataset(simulation)
    if data is not None:  # before anything that takes long
        from_dataset(data, arm)
    if model is None:
        model = pipeline.build(arm, report=progress)
    note = ""
    if data is None and file is not None:
        data, note = asked.simulation(file, model, progress), CASE
    if data is None:
        progress(f"{arm.name}: joint sweep")
        motion = sweep(arm, model)
    else:
        motion = from_dataset(data, arm, note)
    if modes is None:
        modes = asked.modes(file, model, progress)
    if not responses and file is not None:
        responses = asked.responses(file, model, progress)
    parts = [sections.arm_section(arm)]
    if data is not None:
        parts.append(sections.simulation_section(data, arm))
    if modes is not None:
        parts.append(sections.modal_section(modes, arm))
    if responses:
        parts.append(sections.frf_section(responses))
    if levels:
        parts.append(sections.counts_section(_counts(arm, levels, progress)))
    if states:
        progress(f"{arm.name}: checking {states} states")
        checks = list(verify(arm, model, states))
        parts.append(sections.checks_section(checks, model.backend, states))
    shown = [] if modes is None else sections.shown_modes(modes)
    text = page(arm, motion, shown, parts)
    if path is not None:
        with whole(path) as file:
            file.write_text(text, encoding="utf-8", newline="\n")
    return text


def _counts(
    arm: Manipulator, levels: Sequence[str], progress: Callable[[str], None]
) -> Mapping[str, Mapping[str, Counts]]:
    found: dict[str, dict[str, Counts]] = {}
    for level in levels:
        found[level] = {}
        for routine in ROUTINES:
            progress(f"{arm.name}: {routine}, passes {level}")
            found[level][routine] = pipeline.program(arm, routine, passes=level).count()
    return found


def _dataset(simulation: Any) -> xarray.Dataset:
    """The dataset of a simulation, whatever it came as."""
    if isinstance(simulation, str | os.PathLike):
        from ..simulate import load_result

        simulation = load_result(simulation)
    found: xarray.Dataset = getattr(simulation, "dataset", simulation)
    return found
