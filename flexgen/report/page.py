"""All parts of a report -> the text of one page that needs nothing else.

No font, script or picture is fetched: the page works from a file, without a network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from .. import __version__
from ..manipulator.arm import Manipulator
from ..plots import svg_text
from .motion import Motion
from .scene import Mode, as_json, scene

SCRIPTS: Final = ("kinematics", "mesh", "view", "strip", "player", "controls")


@dataclass(frozen=True)
class Section:
    """A part of the page: title, HTML, and figures with their captions."""

    key: str
    title: str
    content: str
    figures: tuple[tuple[Figure, str], ...] = field(default=())


def page(
    arm: Manipulator, motion: Motion, modes: Sequence[Mode], sections: Sequence[Section]
) -> str:
    """The text of the page."""
    places = [("motion", "Motion"), *((s.key, s.title) for s in sections)]
    contents = "".join(f'<li><a href="#{key}">{escape(title)}</a></li>' for key, title in places)
    parts = {
        "version": escape(__version__),
        "name": escape(arm.name),
        "description": escape(arm.description),
        "source": f"Data: {escape(arm.source)}" if arm.source else "",
        "facts": "".join(f"<li>{escape(fact)}</li>" for fact in facts(arm)),
        "contents": contents,
        "note": escape(motion.note),
        "sections": "\n".join(map(_section, sections)),
        "footer": f"Made by flexgen {escape(__version__)}. SI units.",
        "css": part("page.css"),
        "script": "\n".join(part(f"{name}.js") for name in SCRIPTS),
        "scene": as_json(scene(arm, motion, modes)),
    }
    return filled(part("page.html"), parts)


def facts(arm: Manipulator) -> list[str]:
    """The arm in a few words."""
    kinds = "".join("P" if link.joint == "prismatic" else "R" for link in arm.links)
    found = [f"{arm.n_joints} joints, {kinds}", f"{arm.n} coordinates"]
    bends = sum(1 for at in arm.mode_ranges if len(at.all))
    if bends:
        assumed = arm.assumptions
        found.append(f"{bends} of {len(arm.links)} links flexible")
        found.append(f"{assumed.rotation} rotation of tips")
        found.append(f"foreshortening {assumed.foreshortening}")
    else:
        found.append("rigid links")
    gravity = ", ".join(f"{g:g}" for g in arm.gravity).replace("-", "\N{MINUS SIGN}")
    found.append(
        f"gravity ({gravity}) m/s\N{SUPERSCRIPT TWO}" if any(arm.gravity) else "no gravity"
    )
    return found


@cache
def part(name: str) -> str:
    """A file of this package: template, style or script."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8").strip()


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with its {{names}} replaced, once: what is put in is left alone."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], template) + "\n"


def _section(section: Section) -> str:
    figures = []
    for k, (figure, caption) in enumerate(section.figures, 1):
        picture = svg_text(figure, f"{section.key}-{k}")
        label = f'role="img" aria-label="{escape(caption)}"'
        picture = picture.replace("<svg ", f"<svg {label} ", 1)
        figures.append(f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>")
    title = f'<h2 id="{section.key}-title">{escape(section.title)}</h2>'
    inside = "\n".join([title, section.content, *figures])
    return (
        f'<section id="{section.key}" aria-labelledby="{section.key}-title">\n{inside}\n</section>'
    )
