"""JSON files of flexgen commands -> one table of what they found about an arm.

python benchmarks/summary.py out/two_link_flexible

reads out/two_link_flexible-plain.json and so on, as `make demo` leaves them. A rigid arm has no
file of modes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

SHOWN = ("inverse", "direct", "acceleration")


def main(stem: str) -> None:
    """Print the table."""
    console = Console(highlight=False)
    table = Table(box=box.ROUNDED, title=f"what was found: {Path(stem).name}", title_justify="left")
    table.add_column("quantity")
    table.add_column("value", justify="right")
    for name, value in rows(stem):
        table.add_row(name, value)
    console.print(table)
    console.print(f"report: {stem}.html")


def rows(stem: str) -> list[tuple[str, str]]:
    """Names and values, read from the files."""
    plain, full = (_read(stem, name)["counts"] for name in ("plain", "full"))
    found = [
        (f"operations of {name}, full against none", _fewer(plain[name], full[name]))
        for name in SHOWN
    ]
    checks = _read(stem, "verify")
    worst = max(checks["checks"], key=lambda c: c["worst"] / c["limit"] if c["limit"] else 0.0)
    found += [
        (f"checks that hold, {checks['states']} states, {checks['backend']}", _held(checks)),
        ("worst verification error, relative", f"{worst['worst']:.1e}"),
    ]
    run = _read(stem, "simulate")
    found += [
        (f"simulation of {run['duration']:g} s, {run['solver']}", f"{run['steps']:.0f} steps"),
        ("its processor time", f"{run['seconds']:.3g} s"),
        ("times real time", f"{run['faster_than_real_time']:.3g}"),
        ("drift of its energy balance, relative", f"{run['relative_drift']:.1e}"),
    ]
    if Path(f"{stem}-modal.json").exists():
        modes = _read(stem, "modal")
        hertz = sorted(f for f in modes["frequencies_hz"] if f)
        first = ", ".join(f"{f:.4g}" for f in hertz[:3])
        found.append((f"first frequencies of the arm, joints {modes['joints']}", f"{first} Hz"))
        found += [
            (f"first of link {one['link']} alone, {one['direction']}", f"{_first(one):.4g} Hz")
            for one in modes["link_frequencies"]
        ]
    return found


def _read(stem: str, name: str) -> Any:
    return json.loads(Path(f"{stem}-{name}.json").read_text(encoding="utf-8"))


def _fewer(plain: dict[str, int], full: dict[str, int]) -> str:
    saved = 100.0 * (1.0 - full["total"] / plain["total"])
    return f"{full['total']} against {plain['total']}, {saved:.0f} % fewer"


def _held(checks: dict[str, Any]) -> str:
    return f"{sum(c['passed'] for c in checks['checks'])} of {len(checks['checks'])}"


def _first(link: dict[str, Any]) -> float:
    return float(link["clamped_hz"][0])


if __name__ == "__main__":
    main(sys.argv[1])
