"""The same arm with other scalars: every number of its links passed through a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .angles import Angle
from .arm import Array, Body, Link, Manipulator


def mapped(arm: Manipulator, scalar: Callable[[Any], Any]) -> Manipulator:
    """`arm` with `scalar(x)` in place of every length, twist, mass, moment and inertia.

    Offsets of revolute angles stay numbers: the kinematics looks at them for quarter turns.
    """
    links = tuple(_link(link, scalar) for link in arm.links)
    x, y, z = (scalar(g) for g in arm.gravity)
    return replace(arm, links=links, gravity=(x, y, z))


def _link(link: Link, scalar: Callable[[Any], Any]) -> Link:
    dh, alpha = link.dh, link.dh.alpha
    twist = Angle(alpha.value, scalar(alpha.cos), scalar(alpha.sin))
    dh = replace(dh, a=scalar(dh.a), alpha=twist, d=scalar(dh.d))
    return replace(link, dh=dh, body=_body(link.body, scalar))


def _body(body: Body, scalar: Callable[[Any], Any]) -> Body:
    def array(values: Array | None) -> Array | None:
        if values is None:
            return None
        found = np.empty(values.shape, dtype=object)
        for place in np.ndindex(values.shape):
            found[place] = scalar(values[place])
        return found

    moment, origin = array(body.moment), array(body.inertia_origin)
    assert moment is not None and origin is not None
    return Body(scalar(body.mass), moment, origin, array(body.com), array(body.inertia))
