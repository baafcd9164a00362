"""What the torques of the Stanford arm are made of, along a motion from rest to rest.

The closed-form terms (gravity, inertial, coriolis, external) are generated and compiled one by
one, evaluated along the trajectory, and drawn. Their sum is what the recursion `inverse` gives.

    python examples/computed_torque_stanford.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import flexgen

ROOT = Path(__file__).resolve().parent.parent
# the arm exerts 5 N and 5 N m along every axis of its last frame: the environment the opposite
WRENCH = -np.full(6, 5.0)
START = np.array([0.0, 0.0, 0.2, 0.0, 0.0, 0.0])  # upright: gravity asks nothing of joint 2
MOVE = np.array([np.pi / 2, np.pi / 2, 0.4, np.pi / 2, np.pi / 2, np.pi / 2])


def trajectory(duration=2.0, points=401):
    """All joints from rest to rest by a quintic: positions, rates and accelerations are smooth.

    El-Rayyes (1990) shows such torques for smooth profiles that he does not print; this motion
    is our own.
    """
    t = np.linspace(0.0, duration, points)
    s = (t / duration)[:, None]
    q = START + MOVE * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    qd = MOVE * 30.0 * s**2 * (1.0 - s) ** 2 / duration
    qdd = MOVE * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / duration**2
    return t, q, qd, qdd


def main(folder="."):
    """Evaluate, add up, print and draw; the terms and their sum are returned."""
    model = flexgen.build(flexgen.load(ROOT / "cases" / "stanford.toml"))
    t, q, qd, qdd = trajectory()

    # whole trajectories go in as (points, joints), no loop in Python
    parts = {
        "gravity": model.gravity(q),
        "inertial": model.inertial(q, qdd),
        "coriolis": model.coriolis(q, qd),
        "external": -model.external(q, np.tile(WRENCH, (len(q), 1))),
    }
    total = model.inverse(q, qd, qdd, np.tile(WRENCH, (len(q), 1)))
    gap = np.abs(sum(parts.values()) - total).max()
    print(f"sum of the four terms against the recursion: {gap:.1e} at most")
    for name, values in parts.items():
        largest = " ".join(f"{x:8.3f}" for x in np.abs(values).max(axis=0))
        print(f"{name:9} largest at joints 1 to 6: {largest}")

    figure = Figure(figsize=(9.0, 7.0), layout="constrained")
    for joint, axes in enumerate(figure.subplots(3, 2, sharex=True).flat):
        for name, values in parts.items():
            axes.plot(t, values[:, joint], label=name)
        axes.plot(t, total[:, joint], "k--", label="sum")
        axes.set_ylabel(f"joint {joint + 1} [{'N' if joint == 2 else 'N m'}]")
        axes.set_xlabel("time [s]")
    figure.axes[0].legend(fontsize="small")
    figure.savefig(Path(folder) / "computed_torque_stanford.png", dpi=120)
    return parts, total


if __name__ == "__main__":
    main(*sys.argv[1:])
