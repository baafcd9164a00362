"""The keys of a case file and what each may hold, before any physics.

Every table is closed: a key that is not listed here is an error. Numbers are plain or exact
expressions (`numbers`); a table of an application is read by that application, so here it is
only checked to hold plain finite data.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    model_validator,
)
from pydantic_core import PydanticCustomError

from .angles import Angle
from .faults import Place, written
from .numbers import exact_angle, number

NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,63}")
TEXT: Final = 1000  # characters of a description or a source
NOT_YET: Final = {
    "beam": "flexible links are not supported yet",
    "hub": "a hub belongs to a flexible link, and flexible links are not supported yet",
    "drive": "drives (elastic joints, rotors, friction) are not supported yet",
}
NESTED: Final = 20  # tables and arrays inside one another in the table of an application


def _name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise ValueError("a name has 1 to 63 letters, digits, _ or -, and nothing else")
    return text


def _text(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be one line of printable text")
    if len(text) > TEXT:
        raise ValueError(f"must have at most {TEXT} characters")
    return text


def _not_negative(value: float) -> float:
    if value < 0.0:
        raise ValueError(f"must not be negative, is {value:g}")
    return value


def _positive(value: float) -> float:
    if value <= 0.0:
        raise ValueError(f"must be positive, is {value:g}")
    return value


def _range(limits: list[float]) -> list[float]:
    if limits[0] >= limits[1]:
        raise ValueError(f"the lower limit {limits[0]:g} is not below the upper {limits[1]:g}")
    return limits


def _plain(value: Any, place: tuple[str | int, ...] = ()) -> Any:
    """Tables, arrays, finite numbers, text, truth values and dates, as they are."""
    if len(place) > NESTED:
        raise _about(place[:1], f"tables and arrays nested deeper than {NESTED}")
    if isinstance(value, dict):
        return {key: _plain(part, (*place, key)) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part, (*place, index)) for index, part in enumerate(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number(value)
        except ValueError as error:
            raise _about(place, str(error)) from None
    return value


def _about(place: Place, reason: str) -> PydanticCustomError:
    """A fault of a table about a place inside it."""
    return PydanticCustomError("inside", reason, {"key": written(place)} if place else {})


Number = Annotated[float, BeforeValidator(number)]
Positive = Annotated[Number, AfterValidator(_positive)]
NotNegative = Annotated[Number, AfterValidator(_not_negative)]
ExactAngle = Annotated[InstanceOf[Angle], BeforeValidator(exact_angle)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Range = Annotated[list[Number], Field(min_length=2, max_length=2), AfterValidator(_range)]
Text = Annotated[str, AfterValidator(_text)]
PlainData = Annotated[Any, AfterValidator(_plain)]
PlainTable = Annotated[dict[str, Any], AfterValidator(_plain)]


class Table(BaseModel):
    """A closed table: strict types, no unknown key, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class DHTable(Table):
    """`dh`."""

    a: Number
    alpha: ExactAngle
    d: Number
    theta: ExactAngle


class TensorTable(Table):
    """`tip_inertia` and `payload.inertia`: xy, xz, yz are the elements of the matrix."""

    xx: Number
    yy: Number
    zz: Number
    xy: Number = 0.0
    xz: Number = 0.0
    yz: Number = 0.0


class InertiaTable(TensorTable):
    """`inertia` of a link."""

    about: Literal["com", "frame"]


class LimitsTable(Table):
    """`limits` of a joint."""

    q: Range | None = None
    qd: Positive | None = None
    qdd: Positive | None = None
    tau: Positive | None = None


class LinkTable(Table):
    """`[[link]]`."""

    joint: Literal["revolute", "prismatic"]
    dh: DHTable
    mass: NotNegative
    com: Vector
    inertia: InertiaTable
    tip_mass: NotNegative = 0.0
    tip_inertia: TensorTable | None = None
    limits: LimitsTable = Field(default_factory=LimitsTable)
    beam: Any = None
    hub: Any = None
    drive: Any = None

    @model_validator(mode="before")
    @classmethod
    def _is_rigid(cls, link: Any) -> Any:
        if not isinstance(link, dict):
            return link
        if "beam" in link and link.get("joint") == "prismatic":
            raise _about(["beam"], "a beam needs a revolute joint, and this one is prismatic")
        for key, reason in NOT_YET.items():
            if key in link:
                raise _about([key], reason)
        return link


class PayloadTable(Table):
    """`[payload]`, fixed to the last link frame; its inertia is about its centre of mass."""

    mass: NotNegative
    com: Vector
    inertia: TensorTable | None = None


class ModelTable(Table):
    """`[model]`: how flexible links are modelled."""

    assumptions: Literal["consistent", "king"] = "consistent"
    rotation: Literal["linear", "cayley"] | None = None
    torsion_coupling: bool | None = None
    foreshortening: Literal["off", "first-order", "full"] | None = None


def _links(value: Any) -> Any:
    if isinstance(value, list) and not value:
        raise ValueError("an arm needs at least one [[link]]")
    return value


class CaseTable(Table):
    """A whole case file."""

    name: Annotated[str, AfterValidator(_name)]
    description: Text = ""
    source: Text = ""
    convention: Literal["standard", "modified"] = "standard"
    gravity: Vector
    link: Annotated[list[LinkTable], BeforeValidator(_links)]
    payload: PayloadTable | None = None
    model: ModelTable | None = None
    simulate: PlainTable | None = None
    modal: PlainTable | None = None
    frf: PlainTable | None = None
    identify: PlainTable | None = None
    lobes: PlainTable | None = None
    track: PlainTable | None = None
    expected: dict[str, dict[str, Any]] = Field(default_factory=dict)
