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
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticKnownError

from .angles import Angle
from .faults import Place, written
from .numbers import exact_angle, kind, number

NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,63}")
TEXT: Final = 1000  # characters of a description or a source
NO_DRIVE: Final = "drives (elastic joints, rotors, friction) are not supported yet"
MOST_MODES: Final = 50  # in one direction; higher ones mean nothing without shear
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


def _modes(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        given = f"{value:g}" if isinstance(value, float) else kind(value)
        raise ValueError(f"expected a whole number of modes, not {given}")
    if not 0 <= value <= MOST_MODES:
        given = f"{value}" if abs(value) < 10**9 else "more"
        raise ValueError(f"expected 0 to {MOST_MODES} modes, not {given}")
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
ModeCount = Annotated[int, BeforeValidator(_modes)]
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


class HubInertiaTable(TensorTable):
    """`hub.inertia`, about the centre of mass unless it says otherwise."""

    about: Literal["com", "frame"] = "com"


class HubTable(Table):
    """`hub`, a rigid body fixed in the undeformed frame of a flexible link."""

    mass: NotNegative
    com: Vector
    inertia: HubInertiaTable | None = None


class SectionTable(Table):
    """`beam.section`: moduli, area, second moments of area and torsion constant."""

    E: Positive
    A: Positive
    Iy: Positive
    Iz: Positive
    G: Positive | None = None
    J: Positive | None = None


class ModesTable(Table):
    """`beam.modes`: numbers of assumed modes."""

    torsion: ModeCount = 0
    y: ModeCount = 0
    z: ModeCount = 0


class BeamTable(Table):
    """`[link.beam]`; its stiffness comes by itself or from a section, not both."""

    mass: Positive | None = None
    density: Positive | None = None
    section: SectionTable | None = None
    EIy: Positive | None = None
    EIz: Positive | None = None
    GJ: Positive | None = None
    polar_inertia: NotNegative | None = None
    modes: ModesTable = Field(default_factory=ModesTable)
    shape: Literal["clamped-free", "clamped-mass", "pinned-free"] = "clamped-free"
    boundary_mass: NotNegative = 0.0
    boundary_inertia: NotNegative = 0.0
    boundary_polar: NotNegative = 0.0
    damping_ratio: NotNegative = 0.0

    @model_validator(mode="after")
    def _is_complete(self) -> BeamTable:
        if self.mass is not None and self.density is not None:
            raise _about(["density"], "mass and density are given; one follows from the other")
        if self.density is not None and self.section is None:
            raise _about(["density"], "a density needs a section")
        if self.mass is None and self.density is None:
            raise _about(["mass"], "is missing")
        self._stiffness_is_given_once()
        loads = ("boundary_mass", "boundary_inertia", "boundary_polar")
        loaded = [key for key in loads if getattr(self, key)]
        if self.shape != "clamped-mass" and loaded:
            raise _about(loaded[:1], "belongs to the shape 'clamped-mass'")
        if self.shape == "clamped-mass" and not loaded:
            raise _about(["shape"], f"'clamped-mass' needs one of {', '.join(loads)}")
        return self

    def _stiffness_is_given_once(self) -> None:
        section, modes = self.section, self.modes
        for key, direction in (("EIz", "y"), ("EIy", "z"), ("GJ", "torsion")):
            own, number = getattr(self, key), getattr(modes, direction)
            if own is not None and section is not None:
                raise _about([key], "is given twice: it follows from the section")
            if own is None and section is None and number:
                raise _about([key], f"is missing: {direction} modes need it")
        if section is None:
            if modes.torsion and not self.polar_inertia:
                raise _about(["polar_inertia"], "torsion modes need a positive one")
            return
        if modes.torsion:
            for key in ("G", "J"):
                if getattr(section, key) is None:
                    raise _about(["section", key], "is missing: torsion modes need it")
            if self.polar_inertia == 0.0:
                raise _about(["polar_inertia"], "torsion modes need a positive one")


class LinkTable(Table):
    """`[[link]]`: rigid with mass, com and inertia, or flexible with a beam."""

    joint: Literal["revolute", "prismatic"]
    dh: DHTable
    beam: BeamTable | None = None
    mass: NotNegative | None = Field(default=None, validate_default=True)
    com: Vector | None = Field(default=None, validate_default=True)
    inertia: InertiaTable | None = Field(default=None, validate_default=True)
    tip_mass: NotNegative = 0.0
    tip_inertia: TensorTable | None = None
    hub: HubTable | None = None
    limits: LimitsTable = Field(default_factory=LimitsTable)
    drive: Any = None

    @model_validator(mode="before")
    @classmethod
    def _has_no_drive(cls, link: Any) -> Any:
        if isinstance(link, dict) and "drive" in link:
            raise _about(["drive"], NO_DRIVE)
        return link

    @field_validator("beam", mode="before")
    @classmethod
    def _turns(cls, beam: Any, info: ValidationInfo) -> Any:
        if beam is not None and info.data.get("joint") == "prismatic":
            raise ValueError("a beam needs a revolute joint, and this one is prismatic")
        return beam

    @field_validator("mass", "com", "inertia", mode="before")
    @classmethod
    def _is_one_of_two(cls, value: Any, info: ValidationInfo) -> Any:
        beam = info.data.get("beam")
        if value is None and "beam" in info.data and beam is None:
            raise PydanticKnownError("missing")
        if value is not None and beam is not None:
            raise ValueError("a link with a beam has none of its own: use the beam, a hub or a tip")
        return value

    @model_validator(mode="after")
    def _can_be_flexible(self) -> LinkTable:
        if self.beam is None:
            if self.hub is not None:
                raise _about(["hub"], "only a flexible link, one with a beam, has a hub")
        elif not self.dh.a > 0.0:
            raise _about(
                ["dh", "a"], f"is the length of the beam and must be positive, is {self.dh.a:g}"
            )
        return self


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

    @model_validator(mode="after")
    def _beams_are_standard(self) -> CaseTable:
        if self.convention != "standard" and any(link.beam for link in self.link):
            raise _about(["convention"], "flexible links need the standard convention")
        return self
