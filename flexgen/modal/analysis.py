"""Model and posture -> `ModalResult`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..model import Model
from .eigen import modes
from .linear import linearised
from .links import link_frequencies
from .posture import Posture, holding, posture
from .result import Joints, ModalResult, Sag


def modal(
    model: Model,
    q: Posture = None,
    joints: Joints = "locked",
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    sag: Sag = "all",
) -> ModalResult:
    """Natural frequencies, damping and shapes about a posture at rest.

    Args:
        model: The built arm.
        q: Posture, by name or as an array of all coordinates or of the joints; default zero.
        joints: "locked", "free", or "pd" with the gains `kp` and `kd`.
        kp: Gains on the positions of the actuators, one for all or one each.
        kd: Gains on their rates.
        sag: What gives way to gravity before: "all" that moves, so that an arm with free joints
            hangs; "links", their deflections at the given joint angles; or "none".

    Raises:
        NoEquilibrium: No posture at rest was found.
    """
    arm = model.arm
    held = holding(arm, joints, kp, kd)
    about = linearised(model, posture(arm, q), held, sag)
    found = modes(about.M, about.C, about.K)
    moving = list(about.moving)
    shapes, shares = np.zeros((2, arm.n, len(moving)))
    shapes[moving] = found.shapes
    shares[moving] = found.shapes * (about.M @ found.shapes)
    labels = tuple(arm.coordinates[i] for i in np.abs(shares).argmax(axis=0))
    return ModalResult(
        arm=arm.name,
        joints=joints,
        coordinates=arm.coordinates,
        moving=about.moving,
        posture=about.q,
        hold=about.hold,
        frequencies_hz=found.frequencies_hz,
        damping=found.damping,
        shapes=shapes,
        poles=found.poles,
        kinds=found.kinds,
        labels=labels,
        shares=shares,
        link_frequencies=link_frequencies(arm),
    )
