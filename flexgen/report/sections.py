"""The parts of a report, one function each: data in, `Section` out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from .. import plots
from ..frf.result import FrfResult
from ..graph.program import Counts
from ..manipulator.arm import Manipulator
from ..modal.result import ModalResult
from ..verify import Check
from . import tables
from .page import Section
from .scene import Mode
from .tables import number

if TYPE_CHECKING:
    import xarray

STATISTICS = {
    "rejected": "rejected steps",
    "smallest": "smallest step [s]",
}


def arm_section(arm: Manipulator) -> Section:
    """Joints, bodies and beams."""
    parts = [tables.dh_table(arm), tables.body_table(arm), tables.beam_table(arm)]
    return Section("arm", "Arm", "\n<h3></h3>\n".join(p for p in parts if p))


def counts_section(counts: Mapping[str, Mapping[str, Counts]]) -> Section:
    """Operations of the generated code."""
    figure = plots.operation_counts(counts)
    text = (
        "<p>Operations of the generated straight-line code: every * and / is a multiplication, "
        "every binary + and \N{MINUS SIGN} an addition.</p>"
    )
    caption = "Operations of every routine at every level."
    return Section("counts", "Operations", text + tables.count_table(counts), ((figure, caption),))


def checks_section(checks: Sequence[Check], backend: str, states: int) -> Section:
    """Comparisons with all that is known independently."""
    failed = sum(not c.passed for c in checks)
    verdict = (
        f'<span class="no">{failed} of {len(checks)} checks fail</span>'
        if failed
        else f'<span class="yes">All {len(checks)} checks hold</span>'
    )
    text = f"<p>{verdict}, at {states} random states, backend {backend}.</p>"
    return Section("checks", "Verification", text + tables.check_table(checks))


def modal_section(result: ModalResult, arm: Manipulator) -> Section:
    """Frequencies and shapes."""
    joints = ", ".join(number(float(x), 4) for x in result.posture[: arm.n_joints])
    text = f"<p>About the posture at rest with joints at ({joints}).</p>"
    figures = []
    if "vibration" in result.kinds:
        figure = plots.mode_shapes(result, arm)
        figures.append((figure, "Mode shapes: at rest (dashed) and at both extremes, scaled."))
    return Section("modes", "Modes", text + tables.modal_table(result), tuple(figures))


def shown_modes(result: ModalResult) -> list[Mode]:
    """The modes of an analysis that vibrate, for the moving picture."""
    found = []
    for k, kind in enumerate(result.kinds):
        if kind != "vibration":
            continue
        hz = float(result.frequencies_hz[k])
        label = f"Mode {k + 1}: {hz:.4g} Hz, {result.labels[k]}"
        note = (
            f"Mode {k + 1} with joints {result.joints}: a free vibration at {hz:.5g} Hz, slowed "
            "down. Displacements are linear and scaled to show."
        )
        found.append(Mode(label, hz, result.posture, np.asarray(result.shapes[:, k]), note))
    return found


def simulation_section(dataset: xarray.Dataset, arm: Manipulator) -> Section:
    """What happened, in numbers and curves."""
    time = dataset["time"].values
    facts = {
        "duration": f"{number(float(time[-1] - time[0]))} s",
        "samples": str(len(time)),
    }
    if "solver" in dataset.attrs:
        facts["solver"] = escape(str(dataset.attrs["solver"]))
    for name, value in json.loads(dataset.attrs.get("statistics", "{}")).items():
        if name == "seconds":  # the same run, the same page
            continue
        whole = float(value).is_integer()
        facts[STATISTICS.get(name, name)] = str(int(value)) if whole else number(float(value), 4)
    if not dataset.attrs.get("complete", 1):
        facts["incomplete"] = f'<span class="no">{escape(str(dataset.attrs.get("reason")))}</span>'
    if "relative_drift" in dataset.attrs:
        drift = number(float(dataset.attrs["relative_drift"]), 2)
        grade = "no" if dataset.attrs.get("drifts", 0) else "yes"
        facts["drift of the energy balance"] = f'<span class="{grade}">{drift}</span>'
    for name, unit in (("kinetic", "J"), ("potential", "J"), ("drift", "J")):
        if name in dataset:
            values = dataset[name].values
            facts[f"largest |{name}|"] = f"{number(float(np.abs(values).max()), 4)} {unit}"
    figures = [(plots.time_histories(dataset, arm=arm), "Joints: positions, rates and torques.")]
    if any(len(at.all) for at in arm.mode_ranges):
        figures.append((plots.deflections(dataset), "Deflections of the links."))
    if "kinetic" in dataset and "potential" in dataset:
        figures.append((plots.energy(dataset), "Energy, and its drift against the work done."))
    return Section("simulation", "Simulation", tables.summary_table(facts), tuple(figures))


def frf_section(results: Sequence[FrfResult]) -> Section:
    """Frequency responses."""
    figures = tuple(
        (plots.frf(r), f"From {r.input} to {r.output}, joints {r.joints}.") for r in results
    )
    rows = []
    for r in results:
        right = len(r.non_minimum_phase)
        rows.append(
            [f"{r.input} to {r.output}", r.units, str(len(r.poles)), str(len(r.zeros)), str(right)]
        )
    columns = ["response", "unit", "poles", "zeros", "of them non-minimum phase"]
    return Section("frf", "Frequency response", tables.table("", columns, rows), figures)
