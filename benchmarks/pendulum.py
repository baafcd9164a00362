"""Processor time of a double flexible pendulum over 1 s: flexgen against beam elements of Exudyn.

Run `python benchmarks/pendulum.py [ROUNDS]`; needs `pip install exudyn`. The pendulum is that of
cases/level_pendulum.toml, released level, with both stiffnesses.

    Exudyn    ANCFCable2D elements (absolute nodal coordinates), revolute joints, generalised
              alpha with Newton tolerances of 1e-6 (its pendulum example; tighter ones fail)
    flexgen   clamped modes and those of a pinned root ("pinned-free"), foreshortening in full;
              routines cleared with "full" up to 3 modes a link and with "none" beyond, where
              clearing takes minutes

Errors are the largest distances of tip positions and velocities, at 51 times, from 32 elements
a link with steps of 0.1 ms. Rows take turns in every round; the least processor time counts.
`solve` is the integration alone, `whole` all from the description of the arm to the arrays of
results; generating and compiling our code, once for an arm, is in neither. Every row of Exudyn
is compared with our cheapest row that is at least as accurate in the position of the tip.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import flexgen
from flexgen.manipulator.arm import Manipulator
from flexgen.modal import with_modes
from flexgen.simulate import simulate

CASES = Path(__file__).resolve().parent.parent / "cases"
Array = NDArray[np.float64]
LENGTH, MASS, EA, GRAVITY = 1.0, 0.3137, 8.133e6, 9.81
STIFFNESS = {"level_pendulum": 10.178, "level_pendulum_stiff": 101.78}
OUTPUT = 0.02
ELEMENTS = ((1, 1e-3), (2, 2e-3), (2, 1e-3), (3, 2e-3), (3, 1e-3), (4, 2e-3), (4, 1e-3), (8, 5e-4))
CLAMPED: tuple[tuple[int, dict[str, Any]], ...] = tuple(
    (modes, options)
    for modes in (2, 3, 4, 5)
    for options in (
        {"method": "dopri5", "rtol": 1e-3, "atol": 1e-5},
        {"method": "implicit", "radius": 0.9, "step": 2e-3},
        {"method": "implicit", "radius": 0.9, "step": 1e-3},
        {"method": "implicit", "radius": 0.9, "step": 5e-4},
    )
)
STEP = {2: 4e-3, 3: 2e-3}  # of RK4, soft links: stable with a margin
PINNED: tuple[tuple[int, dict[str, Any]], ...] = tuple(
    (modes, options)
    for modes in (2, 3)
    for options in (
        {"method": "dopri5", "rtol": 1e-3, "atol": 1e-5},
        {"method": "dopri5", "rtol": 1e-4, "atol": 1e-6},
        {"method": "implicit", "radius": 0.9, "step": 2e-3},
        {"method": "implicit", "radius": 0.9, "step": 1e-3},
        {"method": "rk4", "step": STEP[modes]},
        {"method": "rk4", "step": 0.5 * STEP[modes]},
    )
)


@dataclass(frozen=True)
class Run:
    """Tip positions and velocities, (T, 2), and processor times."""

    tip: Array
    velocity: Array
    solve: float
    whole: float


def exudyn_run(EI: float, elements: int, step: float) -> Run:
    """The pendulum as nonlinear beam elements."""
    import exudyn as exu
    import exudyn.itemInterface as item

    began = time.process_time()
    system = exu.SystemContainer().AddSystem()
    size, last = LENGTH / elements, None
    ground = system.AddObject(item.ObjectGround())
    outer = system.AddMarker(item.MarkerBodyPosition(bodyNumber=ground))
    for link in range(2):
        nodes = [
            system.AddNode(
                item.NodePoint2DSlope1(referenceCoordinates=[link * LENGTH + i * size, 0, 1, 0])
            )
            for i in range(elements + 1)
        ]
        for pair in pairwise(nodes):
            cable = item.ObjectANCFCable2D(
                nodeNumbers=list(pair),
                length=size,
                massPerLength=MASS,
                bendingStiffness=EI,
                axialStiffness=EA,
                useReducedOrderIntegration=0,
            )
            body = system.AddMarker(item.MarkerBodyMass(bodyNumber=system.AddObject(cable)))
            load = item.LoadMassProportional(markerNumber=body, loadVector=[0, -GRAVITY, 0])
            system.AddLoad(load)
        root, last = (
            system.AddMarker(item.MarkerNodePosition(nodeNumber=nodes[k])) for k in (0, -1)
        )
        system.AddObject(item.ObjectJointRevolute2D(markerNumbers=[outer, root]))
        outer = last
    kinds = exu.OutputVariableType
    sensors = [
        system.AddSensor(
            item.SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=kind)
        )
        for kind in (kinds.Position, kinds.Velocity)
    ]
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(1.0 / step)
    settings.timeIntegration.endTime = 1.0
    settings.timeIntegration.verboseMode = 0
    newton = settings.timeIntegration.newton
    newton.relativeTolerance = newton.absoluteTolerance = 1e-6
    newton.useModifiedNewton = True
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = OUTPUT
    solvers = exu.LinearSolverType
    settings.linearSolver.solverType = solvers.EigenSparse if elements > 8 else solvers.EXUdense
    solving = time.process_time()
    system.SolveDynamic(settings)
    solved = time.process_time()
    tip, velocity = (np.array(system.GetSensorStoredData(s))[:, 1:3] for s in sensors)
    return Run(tip, velocity, solved - solving, time.process_time() - began)


def flexgen_run(arm: Manipulator, options: dict[str, Any]) -> Run:
    """The pendulum with assumed modes."""
    passes = "full" if arm.n <= 8 else "none"
    began = time.process_time()
    found = simulate(arm, 1.0, output_step=OUTPUT, passes=passes, **options)
    whole = time.process_time() - began
    model = flexgen.build(arm, backend="numpy", passes="none")
    rates = model.jacobian(found.q, frame="base") @ found.qd[:, :, None]
    return Run(found.tip[:, :2], rates[:, :2, 0], found.statistics["seconds"], whole)


def pinned(arm: Manipulator) -> Manipulator:
    """The same arm with the other shapes."""
    beams = [replace(link.beam, shape="pinned-free") for link in arm.links if link.beam]
    links = [replace(link, beam=beam) for link, beam in zip(arm.links, beams, strict=True)]
    return replace(arm, links=tuple(links))


def ours(arm: Manipulator, EI: float) -> dict[str, Callable[[], Run]]:
    """Our rows; stiff links, with periods 3.2 times shorter, take half the steps of RK4."""
    jobs: dict[str, Callable[[], Run]] = {}
    for word, base, rows in (("clamped", arm, CLAMPED), ("pinned", pinned(arm), PINNED)):
        for modes, given in rows:
            options = dict(given)
            if options["method"] == "rk4" and EI > 100.0:
                options["step"] /= 2.0
            way = f"{1e3 * options['step']:g} ms" if "step" in options else ""
            way = way or f"rtol {options['rtol']:.0e}".replace("e-0", "e-")
            label = f"flexgen {modes} {word}, {options['method']} {way}"
            jobs[label] = partial(flexgen_run, with_modes(base, modes), options)
    return jobs


def apart(one: Array, other: Array) -> float:
    """Largest distance over time."""
    return float(np.linalg.norm(one - other, axis=1).max())


def least(runs: list[Run]) -> tuple[float, float]:
    """Least processor times in ms."""
    return 1e3 * min(r.solve for r in runs), 1e3 * min(r.whole for r in runs)


def compare(name: str, rounds: int) -> None:
    """The table of one stiffness."""
    EI, arm = STIFFNESS[name], flexgen.load(CASES / f"{name}.toml")
    reference = exudyn_run(EI, 32, 1e-4)
    half = exudyn_run(EI, 16, 2e-4)
    many = flexgen_run(with_modes(arm, 6), {"method": "dopri5", "rtol": 1e-5, "atol": 1e-7})
    print(f"\nEI = {EI} N m2; distances of tip positions (mm) and velocities (mm/s)")
    for label, other in (("16 elements", half), ("flexgen, 6 modes", many)):
        position = 1e3 * apart(other.tip, reference.tip)
        speed = 1e3 * apart(other.velocity, reference.velocity)
        print(f"  reference and {label}: {position:.4f} {speed:.2f}")

    theirs = {f"Exudyn {n} el, {1e3 * h:g} ms": (n, h) for n, h in ELEMENTS}
    jobs: dict[str, Callable[[], Run]] = {
        label: partial(exudyn_run, EI, n, h) for label, (n, h) in theirs.items()
    }
    jobs |= ours(arm, EI)
    runs: dict[str, list[Run]] = {label: [job()] for label, job in jobs.items()}  # and warm up
    for _ in range(rounds):
        for label, job in jobs.items():
            runs[label].append(job())

    print(f"  {'':34}{'tip mm':>9}{'mm/s':>9}{'solve ms':>10}{'whole ms':>10}")
    rows = {}
    for label, done in runs.items():
        error = 1e3 * apart(done[0].tip, reference.tip)
        speed = 1e3 * apart(done[0].velocity, reference.velocity)
        rows[label] = (error, *least(done[1:]))
        print(f"  {label:34}{error:9.4f}{speed:9.2f}{rows[label][1]:10.2f}{rows[label][2]:10.2f}")
    print("  less processor time at the accuracy of the row, or better:")
    for label in theirs:
        error, solve, whole = rows[label]
        able = [k for k, row in rows.items() if k not in theirs and row[0] <= error]
        if not able:
            print(f"  {label:24} none of ours is as accurate")
            continue
        best = min(able, key=lambda k: rows[k][1])
        ratios = f"solve {solve / rows[best][1]:6.1f}  whole {whole / rows[best][2]:6.1f}"
        print(f"  {label:24}{ratios}  by {best}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # steps that are long on purpose
    for case in STIFFNESS:
        compare(case, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
