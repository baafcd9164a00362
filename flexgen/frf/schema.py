"""`[frf]` of a case file; posture and joints are those of `[modal]`.

[frf]
input = "joint1"          # a coordinate, or tip.fx .. tip.mz
output = "tip.y"          # a coordinate, or tip.x .. tip.rz
band = [0.5, 200.0]       # Hz
points = 400
frame = "tip"             # axes of the tip: "tip" or "base"
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ..manipulator.schema import Positive
from ..modal.schema import HeldTable


def _rises(band: list[float]) -> list[float]:
    if band[0] >= band[1]:
        raise ValueError(f"the lower frequency {band[0]:g} is not below the upper {band[1]:g}")
    return band


class FrfTable(HeldTable):
    """`[frf]`."""

    input: str | None = None
    output: str | None = None
    band: (
        Annotated[list[Positive], Field(min_length=2, max_length=2), AfterValidator(_rises)] | None
    ) = None
    points: Annotated[int, Field(ge=2, le=100_000)] | None = None
    frame: Literal["tip", "base"] | None = None
