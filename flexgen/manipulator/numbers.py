"""Numbers of a case file: a TOML number or a quoted exact expression -> float or `Angle`.

What is quoted stays exact until the last step, so that `cos` of "pi/2" is zero and not 6e-17.
"""

from __future__ import annotations

import datetime

from .angles import Angle, angle
from .expression import LARGEST, Exact, decimal, parse


def kind(value: object) -> str:
    """What a TOML value is, in words."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, datetime.date | datetime.time):
        return "a date or time"
    words = {str: "text", int: "a number", float: "a number", list: "an array", dict: "a table"}
    return words.get(type(value), type(value).__name__)


def number(value: object) -> float:
    """The number that `value`, a TOML number or an expression, stands for."""
    if isinstance(value, str):
        return _rounded(parse(value))
    return _plain(value)


def exact_angle(value: object) -> Angle:
    """The angle that `value` stands for, with its exact cosine and sine rounded once."""
    if not isinstance(value, str):
        return angle(_plain(value))
    import sympy  # type: ignore[import-untyped,unused-ignore]

    exact = parse(value)
    if exact.is_Rational:  # digits typed in quotes: the same as without quotes
        return angle(_rounded(exact))
    return Angle(_rounded(exact), _rounded(sympy.cos(exact)), _rounded(sympy.sin(exact)))


def _plain(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a number or a quoted expression, not {kind(value)}")
    if not abs(value) <= LARGEST:
        raise ValueError(f"must be a finite number of at most {LARGEST:g}")
    return float(value) + 0.0  # no negative zero


def _rounded(exact: Exact) -> float:
    if exact.is_Rational:
        return int(exact.p) / int(exact.q)  # correctly rounded, as is the conversion of text
    return float(str(decimal(exact))) + 0.0
