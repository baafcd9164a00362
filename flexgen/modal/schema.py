"""`[modal]` of a case file, and what it shares with `[frf]`: posture and how joints are held.

[modal]
posture = { joint1 = 0.3, joint2 = "pi/4" }   # the others are zero
joints = "pd"                                 # or "locked", "free"
kp = [200.0, 100.0]                           # one for all or one for each joint
kd = 2.0
sag = "all"                                   # or "links", "none": what gives way to gravity
convergence = 4                               # tabulate with 1 to 4 modes for each direction
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ..manipulator.arm import Manipulator
from ..manipulator.case import read_case
from ..manipulator.faults import fault, first_fault
from ..manipulator.numbers import number
from ..manipulator.schema import MOST_MODES, Number, Table
from .posture import coordinate


def _gains(value: Any) -> float | list[float]:
    found = [number(part) for part in value] if isinstance(value, list) else number(value)
    if min(found if isinstance(found, list) else [found], default=0.0) < 0.0:
        raise ValueError("must not be negative")
    return found


Gains = Annotated[float | list[float], BeforeValidator(_gains)]


class HeldTable(Table):
    """Posture and joints, common to [modal] and [frf]."""

    posture: dict[str, Number] = Field(default_factory=dict)
    joints: Literal["locked", "free", "pd"] | None = None
    kp: Gains | None = None
    kd: Gains | None = None
    sag: Literal["all", "links", "none"] | None = None

    @model_validator(mode="after")
    def _gains_belong_to_control(self) -> HeldTable:
        given = [key for key in ("kp", "kd") if getattr(self, key) is not None]
        if given and self.joints != "pd":
            raise _about(given[0], 'belongs to joints = "pd"')
        if self.joints == "pd" and self.kp is None:
            raise _about("kp", 'is missing: joints = "pd" needs it')
        return self


class ModalTable(HeldTable):
    """`[modal]`."""

    convergence: Annotated[int, Field(ge=1, le=MOST_MODES)] | None = None


Held = TypeVar("Held", bound=HeldTable)


def read_table(path: Path, name: str, schema: type[Held]) -> tuple[Manipulator, Held]:
    """The arm of a case and the table of an application, empty where the file has none."""
    case = read_case(path)
    try:
        table = schema.model_validate(_plain(case.applications.get(name, {})))
    except ValidationError as error:
        raise first_fault(str(path), schema, error, [name]) from None
    arm = case.manipulator
    for key in table.posture:
        try:
            coordinate(arm, key)
        except ValueError as error:
            raise fault(str(path), [name, "posture", key], str(error)) from None
    for key in ("kp", "kd"):
        gains = getattr(table, key)
        if isinstance(gains, list) and len(gains) != arm.n_joints:
            reason = f"expected one number or {arm.n_joints}, not {len(gains)}"
            raise fault(str(path), [name, key], reason)
    return arm, table


def _about(key: str, reason: str) -> PydanticCustomError:
    return PydanticCustomError("inside", "{reason}", {"reason": reason, "key": key})


def _plain(value: Any) -> Any:
    """Tables and arrays as a TOML reader gives them."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
