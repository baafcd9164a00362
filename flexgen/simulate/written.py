"""Manipulator -> text of a case that reads as the same arm, for results without a case file.

Numbers are written so that they read back as the same doubles; joined bodies may differ from
the original by rounding. Limits and expected numbers are left out, which no run needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..manipulator.arm import Body, Link, Manipulator
from ..manipulator.bodies import is_nothing


def case_text(arm: Manipulator) -> str:
    """The text, or nothing where a case cannot say what the arm is (regrouped parameters)."""
    bodies = [body for link in arm.links for body in (link.body, link.tip)]
    if any(body.com is None for body in bodies):
        return ""
    inner = [link.tip for link in arm.links[:-1]]
    if any(np.any(tip.moment) for tip in inner):
        return ""  # only the last link can carry what is not at its tip
    assumed = arm.assumptions
    lines = [
        f'name = "{arm.name}"',
        f'convention = "{arm.convention}"',
        f"gravity = {_list(arm.gravity)}",
    ]
    for link in arm.links:
        lines += ["", *_link(link, link is arm.links[-1])]
    last = arm.links[-1]
    if last.beam is not None and not is_nothing(last.tip):
        lines += ["", "[payload]", *_fields(last.tip, "")]
    lines += [
        "",
        "[model]",
        f'rotation = "{assumed.rotation}"',
        f"torsion_coupling = {str(assumed.torsion_coupling).lower()}",
        f'foreshortening = "{assumed.foreshortening}"',
    ]
    return "\n".join([*lines, ""])


def _link(link: Link, last: bool) -> list[str]:
    dh = link.dh
    angles = {"alpha": dh.alpha.value, "theta": dh.theta.value}
    numbers = {"a": dh.a, "d": dh.d} | angles
    lines = ["[[link]]", f'joint = "{link.joint}"']
    lines.append(f"dh = {{ {', '.join(f'{k} = {_number(v)}' for k, v in numbers.items())} }}")
    beam = link.beam
    if beam is None:
        return [*lines, *_fields(link.body, 'about = "com", ')]
    if not is_nothing(link.body):
        lines.append(f"hub = {{ {', '.join(_fields(link.body, ''))} }}")
    if not (is_nothing(link.tip) or last):
        lines.append(f"tip_mass = {_number(link.tip.mass)}")
        lines.append(f"tip_inertia = {_tensor(link.tip.inertia, '')}")
    lines += ["[link.beam]", f"mass = {_number(beam.mass)}"]
    for key in ("EIy", "EIz", "GJ", "polar_inertia", "damping_ratio"):
        if getattr(beam, key):
            lines.append(f"{key} = {_number(getattr(beam, key))}")
    torsion, y, z = beam.modes
    lines.append(f"modes = {{ torsion = {torsion}, y = {y}, z = {z} }}")
    lines.append(f'shape = "{beam.shape}"')
    for key in ("boundary_mass", "boundary_inertia", "boundary_polar"):
        if getattr(beam, key):
            lines.append(f"{key} = {_number(getattr(beam, key))}")
    return lines


def _fields(body: Body, about: str) -> list[str]:
    return [
        f"mass = {_number(body.mass)}",
        f"com = {_list(body.com)}",
        f"inertia = {_tensor(body.inertia, about)}",
    ]


def _tensor(inertia: Any, about: str) -> str:
    places = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    return f"{{ {about}{', '.join(f'{k} = {_number(inertia[i])}' for k, i in places.items())} }}"


def _list(values: Any) -> str:
    return f"[{', '.join(_number(v) for v in values)}]"


def _number(value: Any) -> str:
    return repr(float(value))
