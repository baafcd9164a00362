"""The architecture: imports go one way, files fit in the head, meson lists every module."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "flexgen"

# who may import whom, by first name below flexgen
MAY_IMPORT = {
    "shipped": set(),
    "whole": set(),
    "manipulator": set(),
    "graph": set(),
    "legacy": {"manipulator"},
    "formulations": {"manipulator"},
    "regroup": {"manipulator", "formulations"},
    "clear": {"graph"},
    "search": {"graph", "cache"},
    "start": {"manipulator", "formulations", "regroup", "graph", "clear", "search"},
    "derivatives": {"manipulator", "formulations", "regroup", "graph", "start"},
    "emit": {"graph"},
    "reader": {"graph", "emit"},
    "cache": set(),
    "toolchain": set(),
    "shim": set(),
    "build": {"cache", "toolchain", "shim", "shipped"},
    "calls": set(),
    "model": {"calls", "graph", "manipulator"},
    "interpreted": {"calls", "graph", "emit", "shim"},
    "acceleration": {"formulations", "graph", "manipulator"},
    "original": {"legacy", "emit", "graph", "manipulator"},
    "store": {"cache", "graph"},
    "winners": {"store", "cache", "search", "graph", "manipulator"},
    "foreign": {"reader", "graph", "clear", "search", "start", "emit"},
    "tables": {
        "winners",
        "pipeline",
        "original",
        "formulations",
        "graph",
        "manipulator",
        "shipped",
    },
    "verify": {"manipulator", "formulations", "graph", "model"},
    "pipeline": {
        "manipulator",
        "formulations",
        "graph",
        "clear",
        "original",
        "start",
        "search",
        "store",
        "winners",
        "emit",
        "build",
        "interpreted",
        "model",
        "acceleration",
        "calls",
        "derivatives",
        "shim",
        "shipped",
    },
    "simulate": {
        "whole",
        "pipeline",
        "manipulator",
        "formulations",
        "graph",
        "clear",
        "emit",
        "build",
        "model",
        "shipped",
    },
    "bench": {
        "pipeline",
        "acceleration",
        "clear",
        "winners",
        "start",
        "regroup",
        "emit",
        "graph",
        "model",
        "verify",
        "formulations",
        "manipulator",
        "cache",
        "toolchain",
    },
    "geometry": {"manipulator", "formulations"},
    "plots": {"manipulator", "geometry", "whole"},
    "report": {
        "whole",
        "geometry",
        "plots",
        "simulate",
        "modal",
        "frf",
        "verify",
        "pipeline",
        "formulations",
        "graph",
        "model",
        "manipulator",
        "shipped",
    },
    "modal": {"geometry", "manipulator", "model"},
    "frf": {"modal", "manipulator", "model"},
    "cli": {
        "whole",
        "modal",
        "frf",
        "bench",
        "report",
        "simulate",
        "plots",
        "pipeline",
        "original",
        "reader",
        "foreign",
        "tables",
        "regroup",
        "search",
        "graph",
        "verify",
        "manipulator",
        "formulations",
        "emit",
        "build",
        "model",
        "shipped",
    },
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def first_name(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path):
    """First names below flexgen that a module imports."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
                names = [*base[1:], *(node.module.split(".") if node.module else [])]
                found |= {names[0]} if names else {a.name for a in node.names}
            elif node.module and node.module.split(".")[0] == "flexgen":
                found.add((node.module + ".").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("flexgen.")}
    return found - {"__version__", ""}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    name = first_name(path)
    if name in ("__init__", "__main__"):
        return
    assert name in MAY_IMPORT, f"{name} has no row in the table of layers"
    assert imported(path) - {name} <= MAY_IMPORT[name]


@pytest.mark.parametrize(
    "path",
    [*MODULES, *sorted((ROOT / "fortran").glob("*.f90"))],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_a_file_fits_in_the_head(path):
    assert len(path.read_text().splitlines()) <= 400


def test_meson_lists_every_module_and_nothing_else():
    listed = re.findall(r"'(flexgen/[^']+\.py)'", (ROOT / "meson.build").read_text())
    assert set(listed) == {str(p.relative_to(ROOT)) for p in MODULES}
