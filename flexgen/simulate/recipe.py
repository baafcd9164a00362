"""A plan as plain numbers, for a file, and back: so that a saved run can be repeated."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from ..manipulator.arm import Manipulator
from .drive import Drive
from .payload import Payload
from .records import Settings
from .run import Plan, SimulationError, output_times
from .signals import from_plain


def recipe(plan: Plan) -> dict[str, Any]:
    """All of a plan but its arm; a torque that is a function is only noted."""
    drive = plan.drive
    payloads = [
        {
            "time": p.time,
            "mass": p.mass,
            "com": np.array(p.com, float).tolist(),
            "inertia": np.array(p.inertia, float).tolist(),
            "grasp": p.grasp,
        }
        for p in plan.payloads
    ]
    return {
        "times": [0.0, float(plan.times[1]), float(plan.times[-1])],
        "q": plan.q.tolist(),
        "qd": plan.qd.tolist(),
        "settings": asdict(plan.settings),
        "formulation": plan.formulation,
        "passes": plan.passes,
        "payloads": payloads,
        "drive": {
            "torque": drive.torque.plain(),
            "law": drive.law,
            "reference": drive.reference.plain(),
            "kp": drive.kp.tolist(),
            "kd": drive.kd.tolist(),
            "wrench": None if drive.wrench is None else drive.wrench.plain(),
            "frame": drive.frame,
            "motion": drive.motion.plain(),
            "held": list(drive.held),
            "function": drive.function is not None,
        },
    }


def planned(arm: Manipulator, numbers: dict[str, Any]) -> Plan:
    """The plan that `recipe` told of."""
    told = numbers["drive"]
    if told["function"]:
        raise SimulationError("the torques were a function, which a file cannot hold")
    drive = Drive(
        torque=from_plain(told["torque"]),
        law=told["law"],
        reference=from_plain(told["reference"]),
        kp=np.array(told["kp"]),
        kd=np.array(told["kd"]),
        wrench=None if told["wrench"] is None else from_plain(told["wrench"]),
        frame=told["frame"],
        motion=from_plain(told["motion"]),
        held=tuple(told["held"]),
    )
    _, step, end = numbers["times"]
    return Plan(
        arm=arm,
        model=None,
        drive=drive,
        settings=Settings(**numbers["settings"]),
        formulation=numbers["formulation"],
        passes=numbers["passes"],
        times=output_times(end, step),
        q=np.array(numbers["q"]),
        qd=np.array(numbers["qd"]),
        payloads=tuple(Payload(**p) for p in numbers["payloads"]),
    )
