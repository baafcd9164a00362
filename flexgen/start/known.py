"""An arm as a key: equal geometry and equal bodies are equal, whatever the objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..formulations.parameters import parameters
from ..manipulator.arm import Manipulator


@dataclass(frozen=True)
class Known:
    """Key and arm; make it with `known`."""

    key: tuple[Any, ...]
    arm: Manipulator = field(compare=False)


def known(arm: Manipulator) -> Known:
    """The key of a rigid arm with numbers as parameters."""
    joints = tuple((k.joint, k.dh) for k in arm.links)
    bodies = tuple(map(float, parameters(arm)))
    return Known((arm.name, arm.convention, arm.gravity, joints, bodies), arm)
