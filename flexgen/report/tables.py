"""Tables of the report as HTML: the arm's data, operation counts, checks, modes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from ..graph.program import Counts
from ..manipulator.arm import Body, Manipulator
from ..modal.result import ModalResult
from ..verify import Check

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"


def number(value: float | None, digits: int = 5) -> str:
    """A number for a reader; nothing is a dash."""
    if value is None or not np.isfinite(value):
        return NONE
    text = f"{float(value) + 0.0:.{digits}g}"
    mantissa, _, power = text.partition("e")
    if power:
        text = f"{mantissa}\N{MULTIPLICATION SIGN}10<sup>{int(power)}</sup>"
    return text.replace("-", MINUS)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """One table; cells are HTML already, title and columns are text."""
    head = "".join(f'<th scope="col">{escape(c)}</th>' for c in columns)
    body = "\n".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return (
        f'<div class="table"><table>{caption}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def dh_table(arm: Manipulator) -> str:
    """Joints and their Denavit-Hartenberg parameters; what the variable adds to is bold."""
    rows = []
    for i, link in enumerate(arm.links, 1):
        slide = link.joint == "prismatic"
        d, theta = number(link.dh.d), number(np.degrees(link.dh.theta.value))
        variable = f"<b>q{i}</b>"
        d = _plus(d, variable) if slide else d
        theta = theta if slide else _plus(theta, variable)
        low, high = link.limits.q or (None, None)
        limits = NONE if low is None else f"{number(low)} to {number(high)}"
        alpha = number(np.degrees(link.dh.alpha.value))
        rows.append([str(i), link.joint, number(link.dh.a), alpha, d, theta, limits])
    columns = ["joint", "kind", "a [m]", "alpha [deg]", "d [m]", "theta [deg]", "range [rad, m]"]
    return table(f"Denavit-Hartenberg parameters, {arm.convention} convention", columns, rows)


def body_table(arm: Manipulator) -> str:
    """Rigid bodies: links, hubs at the root of beams and bodies at their tips."""
    rows = []
    for i, link in enumerate(arm.links, 1):
        bodies = [("link", link.body)] if link.beam is None else [("hub", link.body)]
        if link.beam is not None:
            bodies.append(("tip", link.tip))
        for kind, body in bodies:
            if body.mass or np.any(body.inertia_origin):
                rows.append([f"{kind} {i}", *_body(body)])
    if not rows:
        return ""
    columns = ["body", "mass [kg]", "x [m]", "y [m]", "z [m]"]
    columns += [f"I{k} [kg m\N{SUPERSCRIPT TWO}]" for k in ("xx", "yy", "zz", "xy", "xz", "yz")]
    return table("Rigid bodies: centre of mass in the link frame, inertia about it", columns, rows)


def beam_table(arm: Manipulator) -> str:
    """Beams of the flexible links."""
    rows = []
    for i, link in enumerate(arm.links, 1):
        beam = link.beam
        if beam is None:
            continue
        numbers = (beam.length, beam.mass, beam.EIy, beam.EIz, beam.GJ, beam.polar_inertia)
        modes = " + ".join(map(str, beam.modes))
        damping = number(beam.damping_ratio)
        rows.append([f"link {i}", *map(number, numbers), modes, escape(beam.shape), damping])
    if not rows:
        return ""
    square = "\N{SUPERSCRIPT TWO}"
    columns = ["beam", "length [m]", "mass [kg]", f"EIy [N m{square}]", f"EIz [N m{square}]"]
    columns += [f"GJ [N m{square}]", "rho Ip [kg m]", "torsion + y + z modes", "shapes"]
    return table("Flexible links", [*columns, "damping"], rows)


def count_table(counts: Mapping[str, Mapping[str, Counts]]) -> str:
    """Operations of every routine at every level."""
    levels = list(counts)
    routines = list(dict.fromkeys(r for level in levels for r in counts[level]))
    rows = []
    for routine in routines:
        row = [escape(routine)]
        for level in levels:
            c = counts[level].get(routine)
            row.append(NONE if c is None else f"{c.mul} + {c.add} = <b>{c.total}</b>")
        last = counts[levels[-1]].get(routine)
        row += [NONE] * 2 if last is None else [str(last.trig), str(last.path)]
        rows.append(row)
    columns = ["routine", *levels, "sin, cos", "longest path"]
    return table("Multiplications + additions = total, by level of clearing", columns, rows)


def check_table(checks: Sequence[Check]) -> str:
    """Comparisons with everything known independently."""
    rows = [
        [
            escape(c.name),
            number(c.worst, 2),
            number(c.limit, 2),
            '<span class="yes">holds</span>' if c.passed else '<span class="no">FAILS</span>',
        ]
        for c in checks
    ]
    return table("", ["check", "worst relative error", "limit", ""], rows)


def modal_table(result: ModalResult) -> str:
    """Frequencies, damping and what moves most."""
    rows = []
    for k, kind in enumerate(result.kinds):
        share = float(np.abs(result.shares[:, k]).max())
        moves = f"{escape(result.labels[k])} ({100.0 * share:.0f} %)"
        vibrates = kind == "vibration"
        hertz = number(float(result.frequencies_hz[k]) if vibrates else 0.0, 6)
        damping = number(float(result.damping[k]), 3)
        rows.append([f"{k + 1}", hertz, damping, escape(kind), moves])
    columns = ["mode", "frequency [Hz]", "damping ratio", "kind", "most of the kinetic energy"]
    return table(f"Modes with joints {result.joints}", columns, rows)


def summary_table(facts: Mapping[str, str]) -> str:
    """Names and values, already HTML."""
    return table("", ["quantity", "value"], [[escape(k), v] for k, v in facts.items()])


def _plus(constant: str, variable: str) -> str:
    return variable if constant == "0" else f"{constant} + {variable}"


def _body(body: Body) -> list[str]:
    com: Any = [None] * 3 if body.com is None else body.com
    if body.inertia is None:
        inertia: Any = [None] * 6
    else:
        I = body.inertia
        inertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return [number(body.mass), *map(number, com), *map(number, inertia)]
