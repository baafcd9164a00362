"""Bodies <-> vector of standard inertial parameters, ten per link, about the link origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..manipulator.arm import Array, Body, Manipulator

KINDS = ("m", "mx", "my", "mz", "xx", "yy", "zz", "xy", "xz", "yz")
_CELLS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def labels(arm: Manipulator) -> tuple[str, ...]:
    """Names of the parameters in order: m1, mx1, ..., yz1, m2, ...; xy is the tensor element."""
    return tuple(f"{kind}{i + 1}" for i in range(len(arm.links)) for kind in KINDS)


def parameters(arm: Manipulator) -> list[Any]:
    """The parameters of all bodies."""
    return [
        value
        for link in arm.links
        for value in (
            link.body.mass,
            *link.body.moment,
            *(link.body.inertia_origin[cell] for cell in _CELLS),
        )
    ]


def body(values: Sequence[Any]) -> Body:
    """The body with ten given parameters; it has no centre of mass."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = values
    return Body(m, _array(x, y, z), _array([xx, xy, xz], [xy, yy, yz], [xz, yz, zz]))


def with_parameters(arm: Manipulator, values: Sequence[Any]) -> Manipulator:
    """The arm with other parameters."""
    links = tuple(
        replace(link, body=body(values[10 * i : 10 * i + 10])) for i, link in enumerate(arm.links)
    )
    return replace(arm, links=links)


def _array(*rows: Any) -> Array:
    return np.array(rows)
