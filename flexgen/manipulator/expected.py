"""`[expected.<topic>]`: numbers that a case must reproduce, with tolerance and source.

A topic is a routine (`inverse`, `gravity`, ...), whose arguments stand beside the value, or
an application, or `counts` for numbers of operations:

    [expected.inverse]
    level = { q = [0.0], qd = [0.0], qdd = [0.0], value = [5.886], rtol = 1e-12, source = "m g l" }

Shapes are checked against the arm, so that a number cannot fail to be compared unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, ValidationError, create_model, model_validator

from .faults import fault, first_fault, nearest
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
OTHERS: Final = ("counts", "simulate", "modal", "frf", "identify", "lobes", "track")


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
    if topic not in ROUTINES:
        return FreeQuantity
    needed, optional, _ = ROUTINES[topic]
    types: dict[str, Any] = {"frame": Literal["base"]}
    fields: dict[str, Any] = {key: (types.get(key, list[Number]), ...) for key in needed.split()}
    for key in optional.split():
        fields[key] = (types.get(key, list[Number]) | None, None)
    return create_model(f"{topic.capitalize()}Quantity", __base__=Quantity, **fields)


def read_expected(
    file: str, topics: Mapping[str, Mapping[str, Any]], n: int
) -> Mapping[str, Mapping[str, Expected]]:
    """Expected quantities by topic and name, for an arm with `n` coordinates."""
    tables: dict[str, Mapping[str, Expected]] = {}
    for topic, entries in topics.items():
        known = (*ROUTINES, *OTHERS)
        if topic not in known:
            raise fault(file, ["expected", topic], f"unknown topic; {nearest(topic, known)}")
        schema = _quantity(topic)
        quantities = {key: _read(file, schema, topic, key, entries[key], n) for key in entries}
        tables[topic] = MappingProxyType(quantities)
    return MappingProxyType(tables)


def _read(file: str, schema: type[Quantity], topic: str, key: str, entry: Any, n: int) -> Expected:
    place = ["expected", topic, key]
    try:
        quantity = schema.model_validate(entry)
    except ValidationError as error:
        raise first_fault(file, schema, error, place) from None
    common = Quantity.model_fields
    given = quantity.model_dump(exclude=set(common), exclude_none=True)
    arguments = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    if topic in ROUTINES:
        sizes = {"n": n, "6": 6}
        shape = tuple(sizes[size] for size in ROUTINES[topic][2].split())
        if _shape(quantity.value) != shape:
            raise fault(file, [*place, "value"], f"expected an array of {_by(shape)} numbers")
        for name, vector in arguments.items():
            size = 6 if name == "wrench" else n
            if isinstance(vector, tuple) and len(vector) != size:
                reason = f"expected {size} entries, not {len(vector)}"
                raise fault(file, [*place, name], reason)
    return Expected(
        quantity.value,
        quantity.rtol,
        quantity.atol,
        quantity.source,
        MappingProxyType(arguments),
    )


def _by(shape: tuple[int, ...]) -> str:
    return " by ".join(map(str, shape))
