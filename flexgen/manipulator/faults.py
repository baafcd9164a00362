"""What is wrong with a case file, in one line: `FILE:TABLE.KEY: what is wrong`.

Validation errors of the schema come in; a `CaseError` goes out. Places are written as in the
file, with links and entries of arrays numbered from 1: `link[2].dh.alpha`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .numbers import kind

Place = Sequence[str | int]

_SHOWN = 60  # characters of a key or value that are repeated in a message

_WANTED: Mapping[str, str] = {
    "model_type": "a table",
    "dict_type": "a table",
    "list_type": "an array",
    "string_type": "text in quotes",
    "bool_type": "true or false",
}


class CaseError(ValueError):
    """A case file that cannot be used; its text is one line with the file and the place."""


class CaseWarning(UserWarning):
    """A case that can be used, though something about its data is odd."""


def fault(file: str, place: Place, reason: str) -> CaseError:
    """The error about `place` in `file`."""
    where = f"{one_line(file)}:{written(place)}" if place else one_line(file)
    return CaseError(f"{where}: {one_line(reason)}")


def one_line(text: str) -> str:
    """`text` with everything that is not printable written as an escape."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(text: object) -> str:
    """`text` on one line, cut to a length that a message can carry."""
    line = one_line(str(text))
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def written(place: Place) -> str:
    """The place as one writes it: `link[2].dh.alpha`."""
    parts = [f"[{key + 1}]" if isinstance(key, int) else "." + shown(key) for key in place]
    return "".join(parts).removeprefix(".")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is most like `word`, or at all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    return "known are " + ", ".join(words)


def first_fault(
    file: str, schema: type[BaseModel], error: ValidationError, at: Place = ()
) -> CaseError:
    """The error to report of a validation: a misspelt key explains more than a missing one."""
    faults = error.errors(include_url=False)
    order = {"extra_forbidden": 0, "missing": 2}
    first = min(faults, key=lambda one: order.get(one["type"], 1))
    place = [*at, *first["loc"]]
    if "key" in first.get("ctx", {}):  # found by a whole table, about one of its keys
        place.append(first["ctx"]["key"])
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return fault(file, place, _reason(first, schema) + more)


def _reason(one: ErrorDetails, schema: type[BaseModel]) -> str:
    sort, given, context = one["type"], one["input"], one.get("ctx", {})
    if sort == "missing":
        return "is missing"
    if sort == "extra_forbidden":
        key = str(one["loc"][-1])
        return f"unknown key '{shown(key)}'; {nearest(key, _known(schema, one['loc'][:-1]))}"
    if sort == "literal_error":
        given_text = f"'{shown(given)}'" if isinstance(given, str) else kind(given)
        return f"expected {context['expected']}, not {given_text}"
    if sort in ("too_short", "too_long"):
        wanted = context.get("min_length", context.get("max_length"))
        return f"expected {wanted} entries, not {context['actual_length']}"
    if sort in _WANTED:
        return f"expected {_WANTED[sort]}, not {kind(given)}"
    return str(context["error"]) if sort == "value_error" else str(one["msg"])


def _known(schema: type[BaseModel], place: Place) -> Iterable[str]:
    """The keys of the table at `place`."""
    table = schema
    for key in place:
        if isinstance(key, str):
            table = _table(table.model_fields[key].annotation) or table
    return table.model_fields


def _table(annotation: Any) -> type[BaseModel] | None:
    """The schema of a table inside an annotation such as `list[LinkTable] | None`."""
    if get_origin(annotation) is None:
        is_table = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        return annotation if is_table else None
    tables = (_table(part) for part in get_args(annotation))
    return next((table for table in tables if table is not None), None)
