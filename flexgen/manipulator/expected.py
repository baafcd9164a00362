"""`[expected.<topic>]`: numbers that a case must reproduce, with tolerance and source.

A topic is a routine (`inverse`, `gravity`, ...), whose arguments stand beside the value, or
an application, or `counts` for numbers of operations:

    [expected.inverse]
    level = { q = [0.0], qd = [0.0], qdd = [0.0], value = [5.886], rtol = 1e-12, source = "m g l" }

Two topics are linear about the posture `q` at rest; only the coordinates named in `moving`
move, all of them where it is absent:

    modal      the lowest natural frequencies in Hz, ascending, as many as are given
    static     deflections of the moving coordinates under a `wrench` at the tip, no gravity

Shapes are checked against the arm, so that a number cannot fail to be compared unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, ValidationError, create_model, model_validator

from .faults import fault, first_fault, nearest, shown
from .numbers import number
from .schema import NotNegative, Number, PlainData, Table, Text

# topic: arguments it needs, arguments it may have, shape of the value
ROUTINES: Final[Mapping[str, tuple[str, str, str]]] = {
    "inverse": ("q qd qdd", "wrench", "n"),
    "direct": ("q qd tau", "wrench", "n"),
    "inertia": ("q", "", "n n"),
    "bias": ("q qd", "", "n"),
    "gravity": ("q", "", "n"),
    "coriolis": ("q qd", "", "n"),
    "inertial": ("q qdd", "", "n"),
    "external": ("q wrench", "", "n"),
    "jacobian": ("q", "frame", "6 n"),
}
LINEAR: Final[Mapping[str, tuple[str, str, str]]] = {
    "modal": ("q", "moving", ""),
    "static": ("q wrench", "moving", ""),
}
OTHERS: Final = ("counts", "simulate", "frf", "identify", "lobes", "track")


@dataclass(frozen=True)
class Expected:
    """A number, vector or matrix (nested tuples) and how near to it one must come."""

    value: Any
    rtol: float
    atol: float
    source: str
    arguments: Mapping[str, Any]


def _array(value: Any, depth: int = 0) -> Any:
    """A number, an array of numbers or a rectangular array of arrays, as nested tuples."""
    if not isinstance(value, list):
        return number(value)
    if depth == 2 or not value:
        raise ValueError("expected a number, an array of numbers or an array of such arrays")
    parts = tuple(_array(part, depth + 1) for part in value)
    if len({_shape(part) for part in parts}) > 1:
        raise ValueError("the rows of an array must be equally long")
    return parts


def _shape(array: Any) -> tuple[int, ...]:
    return (len(array), *_shape(array[0])) if isinstance(array, tuple) else ()


class Quantity(Table):
    """One quantity of a topic, without the arguments of the topic."""

    value: Annotated[Any, BeforeValidator(_array)]
    source: Text
    rtol: NotNegative = 0.0
    atol: NotNegative = 0.0

    @model_validator(mode="after")
    def _has_tolerance(self) -> Quantity:
        if not self.model_fields_set & {"rtol", "atol"}:
            raise ValueError("rtol or atol is missing")
        return self


class FreeQuantity(Quantity):
    """A quantity of a topic that reads its arguments itself."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    __pydantic_extra__: dict[str, PlainData]


def _quantity(topic: str) -> type[Quantity]:
    if topic not in ROUTINES and topic not in LINEAR:
        return FreeQuantity
    needed, optional, _ = {**ROUTINES, **LINEAR}[topic]
    types: dict[str, Any] = {"frame": Literal["base"], "moving": list[str]}
    fields: dict[str, Any] = {key: (types.get(key, list[Number]), ...) for key in needed.split()}
    for key in optional.split():
        fields[key] = (types.get(key, list[Number]) | None, None)
    return create_model(f"{topic.capitalize()}Quantity", __base__=Quantity, **fields)


def read_expected(
    file: str, topics: Mapping[str, Mapping[str, Any]], names: tuple[str, ...]
) -> Mapping[str, Mapping[str, Expected]]:
    """Expected quantities by topic and name, for an arm with these coordinates."""
    tables: dict[str, Mapping[str, Expected]] = {}
    for topic, entries in topics.items():
        known = (*ROUTINES, *LINEAR, *OTHERS)
        if topic not in known:
            raise fault(file, ["expected", topic], f"unknown topic; {nearest(topic, known)}")
        schema = _quantity(topic)
        quantities = {key: _read(file, schema, topic, key, entries[key], names) for key in entries}
        tables[topic] = MappingProxyType(quantities)
    return MappingProxyType(tables)


def _read(
    file: str, schema: type[Quantity], topic: str, key: str, entry: Any, names: tuple[str, ...]
) -> Expected:
    place = ["expected", topic, key]
    try:
        quantity = schema.model_validate(entry)
    except ValidationError as error:
        raise first_fault(file, schema, error, place) from None
    common = Quantity.model_fields
    given = quantity.model_dump(exclude=set(common), exclude_none=True)
    arguments = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    if schema is not FreeQuantity:
        _fit(file, place, topic, quantity.value, arguments, names)
    return Expected(
        quantity.value,
        quantity.rtol,
        quantity.atol,
        quantity.source,
        MappingProxyType(arguments),
    )


def _fit(
    file: str,
    place: list[str],
    topic: str,
    value: Any,
    arguments: Mapping[str, Any],
    names: tuple[str, ...],
) -> None:
    """Refuse a value or arguments that do not have the sizes of the arm."""
    moving = arguments.get("moving", names)
    for index, name in enumerate(moving):
        if name not in names or name in moving[:index]:
            reason = "is named twice" if name in names else f"is unknown; {nearest(name, names)}"
            raise fault(file, [*place, "moving"], f"coordinate '{shown(name)}' {reason}")
    sizes = {"n": len(names), "6": 6}
    for name, vector in arguments.items():
        size = 6 if name == "wrench" else len(names)
        if name != "moving" and isinstance(vector, tuple) and len(vector) != size:
            raise fault(file, [*place, name], f"expected {size} entries, not {len(vector)}")
    if topic in ROUTINES:
        shape = tuple(sizes[size] for size in ROUTINES[topic][2].split())
        fits = _shape(value) == shape
    else:
        shape = (len(moving),)
        fits = _shape(value) == shape
        if topic == "modal":  # the lowest, as many as one knows
            fits = len(_shape(value)) == 1 and len(value) <= len(moving)
    if not fits:
        raise fault(file, [*place, "value"], f"expected an array of {_by(shape)} numbers")


def _by(shape: tuple[int, ...]) -> str:
    return " by ".join(map(str, shape))
