"""`[simulate]` of a case file: its keys and what each may hold, before it meets the arm.

Values by coordinate have the names of the arm (`joint1`, "link2.bend_y1"), which are checked in
`case`. Times and values of a table stand in the file, or in a CSV file beside it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from ..manipulator.numbers import number
from ..manipulator.schema import NotNegative, Number, Positive, Table, TensorTable, Vector
from .compiled import METHODS
from .interpreted import SCIPY

Values = dict[str, Number]
Coefficients = dict[str, Annotated[list[Number], Field(min_length=1)]]
Six = Annotated[list[Number], Field(min_length=6, max_length=6)]
SixRows = Annotated[
    list[Annotated[list[Number], Field(min_length=1)]], Field(min_length=6, max_length=6)
]


def _gains(value: Any) -> float | list[float]:
    if isinstance(value, list):
        return [number(part) for part in value]
    return number(value)


def _method(name: str) -> str:
    known = (*METHODS, *SCIPY)
    if name not in known:
        raise ValueError(f"expected one of {', '.join(known)}, not '{name}'")
    return name


def _fraction(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"must be from 0 to 1, is {value:g}")
    return value


Gains = Annotated[Any, BeforeValidator(_gains)]


class TimeTable(Table):
    """A table over time: rows beginning with the time, or a file with the same columns."""

    file: str | None = None
    columns: list[str] | None = None
    rows: list[list[Number]] | None = None
    interpolation: Literal["linear", "cubic", "steps"] = "linear"

    @model_validator(mode="after")
    def _is_given_once(self) -> TimeTable:
        if (self.file is None) == (self.rows is None):
            raise _about("rows", "either rows or a file is expected")
        if self.rows is not None and self.columns is None:
            raise _about("columns", "is missing: the coordinates that the rows hold")
        return self


class SignalTable(Table):
    """A function of time: `constant`, `polynomial` (c0, c1, ...) or `table`, one of them."""

    constant: Values | None = None
    polynomial: Coefficients | None = None
    table: TimeTable | None = None

    @model_validator(mode="after")
    def _is_one(self) -> SignalTable:
        given = [k for k in ("constant", "polynomial", "table") if getattr(self, k) is not None]
        if len(given) > 1:
            raise _about(given[1], f"{given[0]} is given already; one of them is expected")
        return self


class ControlTable(Table):
    """`torque.pd` and `torque.computed`."""

    kp: Gains
    kd: Gains
    reference: SignalTable


class TorqueTable(SignalTable):
    """`torque`: a function of time, and a control law that is added to it."""

    pd: ControlTable | None = None
    computed: ControlTable | None = None

    @model_validator(mode="after")
    def _has_one_law(self) -> TorqueTable:
        if self.pd is not None and self.computed is not None:
            raise _about("computed", "pd is given already; one of them is expected")
        return self


class WrenchTable(Table):
    """`wrench`: fx, fy, fz, mx, my, mz on the last frame."""

    constant: Six | None = None
    polynomial: SixRows | None = None
    table: TimeTable | None = None
    frame: Literal["tip", "base"] = "tip"

    @model_validator(mode="after")
    def _is_one(self) -> WrenchTable:
        given = [k for k in ("constant", "polynomial", "table") if getattr(self, k) is not None]
        if len(given) != 1:
            raise _about("constant", "one of constant, polynomial and table is expected")
        return self


class PickUpTable(Table):
    """`[[simulate.payload]]`."""

    time: NotNegative
    mass: NotNegative
    com: Vector = Field(default_factory=lambda: [0.0, 0.0, 0.0])
    inertia: TensorTable | None = None
    grasp: Literal["moving", "resting"] = "moving"


class SimulateTable(Table):
    """`[simulate]`."""

    duration: Positive | None = None
    q: Values = Field(default_factory=dict)
    qd: Values = Field(default_factory=dict)
    hold: list[str] = Field(default_factory=list)
    motion: SignalTable | None = None
    torque: TorqueTable | None = None
    wrench: WrenchTable | None = None
    payload: list[PickUpTable] = Field(default_factory=list)
    method: Annotated[str, AfterValidator(_method)] = "rk4"
    step: Positive | None = None
    output_step: Positive | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    radius: Annotated[Number, AfterValidator(_fraction)] | None = None
    energy_limit: Positive | None = None


def _about(key: str, reason: str) -> PydanticCustomError:
    """A fault of a table about one of its keys."""
    return PydanticCustomError("inside", reason, {"key": key})
