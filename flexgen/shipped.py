"""Files that come with flexgen: cases and hand-written Fortran.

Installed they lie inside the package; in a checkout beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """The folder `name` of the installed package or of the checkout."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def case_names() -> list[str]:
    """Names of the shipped cases."""
    return sorted(p.stem for p in data_folder("cases").glob("*.toml"))


def case_path(text: str) -> Path:
    """A path as it stands, or the shipped case of that name where no such file exists."""
    path = Path(text)
    if not path.exists() and text in case_names():
        return data_folder("cases") / f"{text}.toml"
    return path
