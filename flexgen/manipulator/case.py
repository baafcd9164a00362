"""Case file (TOML) -> `Case`: the manipulator, expected numbers and tables of applications.

`load(path)` gives the `Manipulator` alone. Whatever is wrong with a file is a `CaseError` of
one line, `FILE:TABLE.KEY: what is wrong`; data that is odd but usable, as in some published
tables, gives a `CaseWarning`. Nothing in a file is ever executed.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

from .arm import Manipulator
from .assemble import manipulator
from .expected import Expected, read_expected
from .faults import CaseError, CaseWarning, fault, first_fault, one_line
from .schema import CaseTable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST_FILE: Final = 5_000_000  # bytes
APPLICATIONS: Final = ("model", "simulate", "modal", "frf", "identify", "lobes", "track")

__all__ = ["Case", "CaseError", "CaseWarning", "load", "read_case"]


@dataclass(frozen=True)
class Case:
    """All that a case file says."""

    manipulator: Manipulator
    expected: Mapping[str, Mapping[str, Expected]]  # by topic and quantity
    applications: Mapping[str, Mapping[str, Any]]  # only the tables that the file has
    warnings: tuple[str, ...] = ()


def load(path: str | os.PathLike[str]) -> Manipulator:
    """The manipulator of a case file."""
    return _read(path).manipulator


def read_case(path: str | os.PathLike[str]) -> Case:
    """All that a case file says, checked."""
    return _read(path)


def _read(path: str | os.PathLike[str]) -> Case:
    file = os.fspath(path)
    tables = _parsed(file)
    try:
        case = CaseTable.model_validate(tables)
    except ValidationError as error:
        raise first_fault(file, CaseTable, error) from None
    arm, oddities = manipulator(file, case)
    for oddity in oddities:
        warnings.warn(f"{one_line(file)}:{oddity}", CaseWarning, stacklevel=3)
    given = case.model_dump(include=set(APPLICATIONS), exclude_unset=True)
    return Case(
        manipulator=arm,
        expected=read_expected(file, case.expected, arm.coordinates),
        applications=_frozen({name: given[name] for name in APPLICATIONS if name in given}),
        warnings=oddities,
    )


def _parsed(file: str) -> dict[str, Any]:
    """The tables of the file, as TOML gives them."""
    text = _text(file)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise fault(file, [], "tables or arrays are nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        reason, _, where = str(error).removesuffix(")").rpartition(" (at ")
        raise fault(file, [], f"{where}: {_lowered(reason)}" if reason else where) from None
    except ValueError as error:  # an integer of thousands of digits, a 13th month
        raise fault(file, [], f"not valid TOML: {error}") from None


def _text(file: str) -> str:
    try:
        path = Path(file)
        if path.is_dir():
            raise fault(file, [], "is a directory, not a case file")
        if path.exists() and not path.is_file():
            raise fault(file, [], "is not a regular file")
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise fault(file, [], "no such file") from None
    except CaseError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        reason = error.strerror if isinstance(error, OSError) else None
        raise fault(file, [], f"cannot be read: {reason or error}") from None
    if len(raw) > LARGEST_FILE:
        raise fault(file, [], f"is larger than {LARGEST_FILE // 1_000_000} MB")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise fault(file, [], f"line {line}: is not UTF-8 text") from None


def _lowered(sentence: str) -> str:
    return re.sub(r"\A[A-Z](?=[a-z])", lambda first: first.group().lower(), sentence)


def _frozen(value: Any) -> Any:
    """Mappings and tuples that cannot be changed."""
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(part) for key, part in value.items()})
    if isinstance(value, list):
        return tuple(_frozen(part) for part in value)
    return value
