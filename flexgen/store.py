"""Programs that took long to find, kept in the user's cache under what they depend on."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import cache
from .graph.program import Program
from .graph.serial import from_json, to_json

FILE = "program.json"
# what decides a program, besides the arm: the text of these
PACKAGES = (
    "manipulator",
    "graph",
    "formulations",
    "regroup",
    "clear",
    "start",
    "search",
    "pipeline.py",
)


def stored(value: Any, labels: Sequence[str], make: Callable[[], Program]) -> Program:
    """`make()`, or what it gave earlier for the same value (an arm), labels and code."""
    key = cache.digest(["program", code_digest(), text_of(value), *labels])

    def fill(folder: Path) -> None:
        (folder / FILE).write_text(to_json(make()))

    try:
        return from_json((cache.obtain(key, fill) / FILE).read_text())
    except OSError:  # no place to write: do without
        return make()


@functools.cache
def code_digest() -> str:
    """Digest of all sources that decide what a program looks like."""
    code = hashlib.blake2b(digest_size=16)
    top = Path(__file__).resolve().parent
    for package in PACKAGES:
        files = sorted((top / package).glob("*")) if (top / package).is_dir() else [top / package]
        for file in files:
            if file.suffix in (".py", ".c", ".h"):
                code.update(file.name.encode())
                code.update(file.read_bytes())
    return code.hexdigest()


def text_of(value: Any) -> str:
    """A frozen value as text that shows every digit of every number."""
    if dataclasses.is_dataclass(value):
        fields = (f"{f.name}={text_of(getattr(value, f.name))}" for f in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, tuple):
        return f"({', '.join(text_of(v) for v in value)})"
    return repr(value)
