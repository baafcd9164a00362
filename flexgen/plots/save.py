"""Figures to files, whole or not at all, and to SVG text; the same figure, the same bytes."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure

from ..whole import whole
from .style import house_style

# no date and no program version in the file
METADATA: Final[dict[str, dict[str, Any]]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as png, svg or pdf, by the suffix of the file."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in METADATA:
        raise ValueError(f"{target}: a picture is one of {', '.join(METADATA)}, not {suffix!r}")
    content = _rendered(figure, suffix)
    with whole(target) as file:
        file.write_bytes(content)


def svg_text(figure: Figure, salt: str = "flexgen") -> str:
    """The figure as an `<svg>` element to put into a page.

    Without the declarations of a file of its own. Black becomes the colour of the text around
    it and the background is left out, so that the picture follows a light or dark page. Pages
    with several pictures need a `salt` for each: it keeps their identifiers apart.
    """
    text = _rendered(figure, ".svg", salt).decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text)
    text = re.sub(r'<g id="patch_1">.*?</g>\s*', "", text, count=1, flags=re.S)  # the background
    text = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1">', text, count=1)
    text = text.replace("#000000", "currentColor").replace("#ffffff", "none")
    text = re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{salt}-", text)
    return text.strip()


def _rendered(figure: Figure, suffix: str, salt: str | None = None) -> bytes:
    stream = io.BytesIO()
    with house_style():
        if salt is not None:
            matplotlib.rcParams["svg.hashsalt"] = salt
        figure.savefig(stream, format=suffix[1:], metadata=METADATA[suffix])
    return stream.getvalue()
