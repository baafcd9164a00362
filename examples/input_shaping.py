"""A flexible arm turned from rest to rest, with and without an input shaper.

The joint follows a quintic. Shaped, it follows the mean of the quintic and of the quintic half a
period of vibration later: what the first half excites the second cancels (the ZV shaper of
Singer and Seering 1990, for a mode without damping). The period comes from `flexgen.modal`.

    python examples/input_shaping.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import flexgen
from flexgen.modal import modal
from flexgen.simulate import simulate, table

ROOT = Path(__file__).resolve().parent.parent
ANGLE, MOVING, END = 0.3, 0.5, 2.0  # rad, s, s


def quintic(t):
    """The joint angle: rest to rest in `MOVING` seconds."""
    s = np.clip(t / MOVING, 0.0, 1.0)
    return ANGLE * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def main(folder="."):
    """Simulate both motions, print and draw; the period and what remains are returned."""
    arm = flexgen.load(ROOT / "cases" / "single_link_hub.toml")
    model = flexgen.build(arm)

    # a joint that is driven along a path is locked as far as vibrations can tell
    found = modal(model, joints="locked")
    period = 1.0 / found.frequencies_hz[0]
    print(f"first frequency {1.0 / period:.4f} Hz, so the shaper delays by {period / 2:.4f} s")

    t = np.arange(0.0, END + 1e-9, 5e-3)
    motions = {
        "not shaped": quintic(t),
        "shaped": 0.5 * quintic(t) + 0.5 * quintic(t - 0.5 * period),
    }
    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    residual = {}
    for name, angle in motions.items():
        motion = {"joint1": table(t, angle, "cubic")}
        result = simulate(model, END, motion=motion, method="dopri5", output_step=2e-3)
        x, y = result.tip[:, 0], result.tip[:, 1]
        turn = result.q[:, 0]
        deflection = y * np.cos(turn) - x * np.sin(turn)  # of the tip, across the link
        rest = result.t > MOVING + 0.5 * period
        residual[name] = np.abs(deflection[rest]).max()
        print(f"{name:10} tip vibrates by {1e3 * residual[name]:.3f} mm after the motion")
        upper.plot(result.t, turn, label=name)
        lower.plot(result.t, 1e3 * deflection, label=name)
    print(f"less vibration by a factor of {residual['not shaped'] / residual['shaped']:.1f}")
    upper.set_ylabel("joint [rad]")
    upper.legend()
    lower.set_ylabel("tip deflection [mm]")
    lower.set_xlabel("time [s]")
    figure.savefig(Path(folder) / "input_shaping.png", dpi=120)
    return period, residual


if __name__ == "__main__":
    main(*sys.argv[1:])
