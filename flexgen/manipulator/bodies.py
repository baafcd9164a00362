"""Rigid bodies of a case: exact arithmetic on the numbers as written, then one rounding.

A body comes in as mass, centre of mass and inertia about it or about the frame. The ten
parameters are formed and joined in fractions of the decimal numbers in the file and rounded
at the end, so that what is zero on paper (a product of inertia, the inertia of two point
masses at one place) is zero here.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from .arm import Array, Body, body_about_com, body_about_origin, join

TOLERANCE: Final = 1e-9  # of principal moments, relative to the largest element
POINT: Final = (0.0,) * 3


def exact(numbers: ArrayLike) -> Array:
    """The decimal numbers that print as these doubles, as fractions."""
    plain = np.asarray(numbers, dtype=float)
    fractions = [Fraction(repr(x)) for x in plain.ravel().tolist()]
    return np.array(fractions, dtype=object).reshape(plain.shape)


def tensor(xx: Any, yy: Any, zz: Any, xy: Any, xz: Any, yz: Any) -> Array:
    """The symmetric matrix with these elements."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def rigid_body(mass: float, com: ArrayLike, inertia: ArrayLike, about: str = "com") -> Body:
    """Body with exact entries; `about` is "com" or "frame"."""
    form = body_about_com if about == "com" else body_about_origin
    return form(exact(mass).item(), exact(com), exact(inertia))


def united(bodies: Iterable[Body]) -> Body:
    """All of the bodies as one, rounded to doubles; a body that is nothing changes nothing."""
    return rounded(reduce(join, bodies))


def rounded(body: Body) -> Body:
    """The body with its entries rounded to doubles."""
    assert body.com is not None and body.inertia is not None
    arrays = (body.moment, body.inertia_origin, body.com, body.inertia)
    return Body(float(body.mass), *(a.astype(float) + 0.0 for a in arrays))


def is_nothing(body: Body) -> bool:
    """Whether the body has neither mass nor inertia."""
    return not body.mass and not np.any(body.inertia_origin)


def principal_moments(body: Body) -> tuple[Array, float]:
    """Principal moments about the centre of mass, ascending, and the error to allow them."""
    assert body.inertia is not None
    about_com = body.inertia.astype(float)
    about_origin = body.inertia_origin.astype(float)
    scale = max(np.abs(about_com).max(), np.abs(about_origin).max())
    return np.linalg.eigvalsh(about_com), TOLERANCE * float(scale)


def negative_moment(body: Body) -> str:
    """What is impossible about the inertia, or nothing: a negative principal moment."""
    moments, error = principal_moments(body)
    if moments[0] >= -error:
        return ""
    return f"principal moment {moments[0]:.6g} about the centre of mass is negative"


def broken_triangle(body: Body) -> str:
    """What is odd about the inertia, or nothing: no density gives p1 + p2 < p3."""
    moments, error = principal_moments(body)
    small, middle, large = moments
    if small + middle >= large - error:
        return ""
    sides = f"{small:.6g} + {middle:.6g} < {large:.6g}"
    return f"principal moments break the triangle inequality, {sides}: no real body has them"
