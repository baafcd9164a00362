"""Published responses of flexible arms against ours: the tables of docs/published.md.

Run `python benchmarks/published.py TOPIC` with a topic of `TOPICS`, or without for all. Shipped
cases are simulated as they stand; frequencies and means are fitted to the simulated histories.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

import flexgen
from flexgen.manipulator.arm import KING, NOTHING, Manipulator, body_about_com
from flexgen.manipulator.case import read_case
from flexgen.modal import modal, with_modes
from flexgen.simulate import Result, SimulationWarning, simulate
from flexgen.simulate.case import read_simulate

CASES = Path(__file__).resolve().parent.parent / "cases"
Array = NDArray[np.float64]
Row = Sequence[object]


def run(name: str, arm: Manipulator | None = None, **changes: object) -> Result:
    """A shipped case as its [simulate] says, but for some changes."""
    own, duration, arguments = read_simulate(CASES / f"{name}.toml")
    arguments |= changes
    end = float(arguments.pop("duration", duration))
    with warnings.catch_warnings():  # the steps of the original are coarse
        warnings.simplefilter("ignore", SimulationWarning)
        return simulate(arm or own, end, passes="none", **arguments)


def oscillation(t: Array, x: Array) -> tuple[float, float]:
    """Mean and frequency of an undamped oscillation, by a fit."""
    spectrum = np.abs(np.fft.rfft((x - x.mean()) * np.hanning(len(x))))
    guess = np.fft.rfftfreq(len(x), t[1] - t[0])[spectrum.argmax()]

    def wave(t: Array, mean: float, a: float, b: float, f: float) -> Array:
        return mean + a * np.cos(2 * np.pi * f * t) + b * np.sin(2 * np.pi * f * t)

    found, _ = curve_fit(wave, t, x, p0=[x.mean(), -x.mean(), 0.0, guess])
    return float(found[0]), float(abs(found[3]))


def peaks(t: Array, x: Array, number: int) -> list[float]:
    """The largest lines of a spectrum in Hz, ascending, each by parabola through its top."""
    padded = 16 * len(x)
    spectrum = np.abs(np.fft.rfft((x - x.mean()) * np.blackman(len(x)), padded))
    step = 1.0 / (padded * (t[1] - t[0]))
    tops = np.flatnonzero((spectrum[1:-1] > spectrum[:-2]) & (spectrum[1:-1] > spectrum[2:])) + 1
    found = []
    for k in sorted(tops[np.argsort(-spectrum[tops])][:number]):
        left, top, right = np.log(spectrum[k - 1 : k + 2])
        found.append(float((k + 0.5 * (left - right) / (left - 2.0 * top + right)) * step))
    return found


def as_king(name: str) -> Manipulator:
    """The arm under the assumptions of the original."""
    return replace(read_simulate(CASES / f"{name}.toml")[0], assumptions=KING)


def case_1() -> tuple[list[float], list[float]]:
    """Shares of the static tip deflection, and frequencies, of four bending modes."""
    found = run("cantilever_bending", as_king("cantilever_bending"))
    static = 10.0 / (3.0 * 203.5752)  # F a^3 / 3 EI
    modes = [oscillation(found.t, x) for x in found.q[:, 1:].T]
    return [2.0 * abs(mean) / static for mean, _ in modes], [f for _, f in modes]


def case_2(step: float = 1e-5) -> tuple[list[float], list[float]]:
    """The same of four torsion modes; `step` is that of the original."""
    found = run("cantilever_torsion", as_king("cantilever_torsion"), step=step)
    static = 12.0 / 168.967416  # T a / GJ
    modes = [oscillation(found.t, x) for x in found.q[:, 1:].T]
    return [abs(mean) / static for mean, _ in modes], [f for _, f in modes]


def case_3(factors: Sequence[float] = (1.0, 10.0, 100.0)) -> list[tuple[float, float, float]]:
    """EI, largest distance of the joint angles from those of rigid links, tip deflection of link 2.

    Over the first second: later the motions of a double pendulum part by themselves.
    """
    arm, _, _ = read_simulate(CASES / "double_flexible_pendulum.toml")
    options = {"duration": 1.0, "output_step": 2e-3}
    rigid = run("double_flexible_pendulum", with_modes(arm, 0), **options)
    rows = []
    for factor in factors:
        links = tuple(
            replace(x, beam=replace(x.beam, EIz=factor * x.beam.EIz))
            for x in arm.links
            if x.beam is not None
        )
        step = 5e-4 / np.sqrt(max(1.0, factor / 10.0))
        found = run("double_flexible_pendulum", replace(arm, links=links), step=step, **options)
        apart = float(np.abs(found.q[:, :2] - rigid.q).max())
        rows.append((10.178 * factor, apart, 2.0 * float(np.abs(found.q[:, 3]).max())))
    return rows


def case_4() -> dict[str, object]:
    """What the original reports of cases 4.1 to 4.4, from simulations of 4 s."""
    longer = {number: run(f"case4_{number}", duration=4.0) for number in (1, 2, 3, 4)}

    def history(number: int, name: str) -> tuple[Array, Array]:
        found = longer[number]
        names = [str(c) for c in found["coordinate"].values]
        return found.t, found.q[:, names.index(name)]

    def turned(number: int) -> float:
        found = longer[number]
        return float(np.abs(found.q[found.t <= 1.0, :2] - [0.0, np.pi / 2]).max())

    return {
        "4.1 dy2, Hz": peaks(*history(1, "link2.bend_y1"), 1),
        "4.1 largest dz1, dz2": max(
            np.abs(history(1, f"link{i}.bend_z1")[1]).max() for i in (1, 2)
        ),
        "4.2 dz2, Hz": peaks(*history(2, "link2.bend_z1"), 1),
        "4.2 largest joint angle": float(np.abs(longer[2].q[:, :2]).max()),
        "4.3 dz1, Hz": peaks(*history(3, "link1.bend_z1"), 3),
        "4.3 twist of link 1, Hz": peaks(*history(3, "link1.twist1"), 3),
        "4.3 largest twist": float(np.abs(history(3, "link1.twist1")[1]).max()),
        "4.3 joints turn by, in 1 s": turned(3),
        "4.4 twist of link 1, Hz": peaks(*history(4, "link1.twist1"), 3),
        "4.4 largest twist": float(np.abs(history(4, "link1.twist1")[1]).max()),
        "4.4 joints turn by, in 1 s": turned(4),
    }


def joint_masses() -> dict[str, dict[str, list[float]]]:
    """Frequencies in Hz of cases 4.1 to 4.3 for three places of the joint masses."""
    arm, _, _ = read_simulate(CASES / "case4_3.toml")
    first, second = arm.links
    none = np.zeros((3, 3))
    bare = replace(second, body=body_about_com(2.0, np.array([-1.0, 0.0, 0.0]), none))
    point = body_about_com(2.0, np.zeros(3), none)
    variants = {
        "points at the tips": tuple(replace(x, body=NOTHING, tip=point) for x in arm.links),
        "points at the proximal joints": (first, bare),
        "with the fitted rotary inertia": arm.links,
    }
    found = {}
    for label, links in variants.items():
        model = flexgen.build(replace(arm, links=links), backend="numpy", passes="none")
        straight = modal(model, [0.0, 0.0], "free")
        bent = modal(model, [0.0, np.pi / 2], "free")
        across = [
            i for i, name in enumerate(arm.coordinates) if ".bend_z" in name or "twist" in name
        ]
        outward = straight.shares[across].sum(axis=0) > 0.5
        vibrates = np.array(straight.kinds) == "vibration"
        out = np.array(bent.kinds) == "vibration"
        out &= bent.shares[across].sum(axis=0) > 0.5
        found[label] = {
            "4.1": straight.frequencies_hz[vibrates & ~outward].tolist(),
            "4.2": straight.frequencies_hz[vibrates & outward][:2].tolist(),
            "4.3": bent.frequencies_hz[out].tolist(),
        }
    return found


def spin_up(modes: int = 2) -> tuple[float, float, list[float]]:
    """Largest lag of the tip, its time, and u2 of the tip at 2, 4, ..., 14 s."""
    arm, _, _ = read_simulate(CASES / "spinup_beam.toml")
    found = run("spinup_beam", with_modes(arm, modes), step=2e-3 / max(1, modes - 1))
    lag = found.q[:, 1:] @ (2.0 * (-1.0) ** np.arange(modes))
    return float(lag.min()), float(found.t[lag.argmin()]), lag[100:701:100].tolist()


def level(name: str, modes: int = 2) -> tuple[Array, float]:
    """Tip at the expected times, and how far from the expected positions at most."""
    arm, _, _ = read_simulate(CASES / f"{name}.toml")
    found = run(name, with_modes(arm, modes))
    entry = read_case(CASES / f"{name}.toml").expected["simulate"]["tip"]
    at = np.searchsorted(found.t, np.array(entry.arguments["t"]) - 1e-9)
    tip = found.tip[at, :2]
    return tip, float(np.linalg.norm(tip - np.array(entry.value), axis=1).max())


def level_reference(name: str, rtol: float = 1e-6) -> float:
    """Full-state error of the shipped run at `rtol` against one at 1e-12."""
    tight = run(name, rtol=1e-12, atol=1e-14)
    found = run(name, rtol=rtol, atol=1e-2 * rtol)
    return float(max(np.abs(found.q - tight.q).max(), np.abs(found.qd - tight.qd).max()))


def show(title: str, rows: Sequence[Row]) -> None:
    """A few lines of text."""
    print(f"\n{title}")
    for row in rows:
        print("  " + "  ".join(f"{x:.6g}" if isinstance(x, float) else str(x) for x in row))


def _listed(values: Sequence[float], digits: int = 5) -> str:
    return " ".join(f"{x:.{digits}f}" for x in values)


def tell_cantilevers() -> None:
    """Tables 4.9 to 4.12."""
    for title, found in (("case 1", case_1()), ("case 2", case_2()), ("2, 1 us", case_2(1e-6))):
        show(title, [("shares", _listed(found[0])), ("Hz", _listed(found[1], 3))])


def tell_pendulum() -> None:
    """Case 3."""
    rows = case_3()
    rates = [np.log(a[1] / b[1]) / np.log(b[0] / a[0]) for a, b in pairwise(rows)]
    show(
        "case 3: EI, angles off rigid (rad), deflection (m)", [*rows, ("rates", _listed(rates, 3))]
    )


def tell_two_links() -> None:
    """Cases 4.1 to 4.4."""
    show("case 4", list(case_4().items()))
    for label, found in joint_masses().items():
        show(label, [(k, _listed(v, 2)) for k, v in found.items()])


def tell_spin_up() -> None:
    """Simo and Vu-Quoc."""
    for modes in (1, 2, 3, 5):
        lag, when, u2 = spin_up(modes)
        show(f"spin-up, modes {modes}", [("lag", lag, "at", when), ("u2", _listed(u2, 4))])


def tell_level() -> None:
    """Double pendulum released level."""
    for name in ("level_pendulum", "level_pendulum_stiff"):
        for modes in (2, 3, 4):
            tip, apart = level(name, modes)
            show(
                f"{name}, modes {modes}",
                [("mm off", 1e3 * apart), *([_listed(row)] for row in tip)],
            )
        for rtol in (1e-6, 1e-8):
            show(f"{name}, rtol {rtol:g}", [("full state off", level_reference(name, rtol))])


TOPICS: dict[str, Callable[[], None]] = {
    "cantilevers": tell_cantilevers,
    "pendulum": tell_pendulum,
    "two-links": tell_two_links,
    "spin-up": tell_spin_up,
    "level": tell_level,
}

if __name__ == "__main__":
    for topic in sys.argv[1:] or TOPICS:
        TOPICS[topic]()
