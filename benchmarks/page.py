"""Run `flexgen bench` for the published arms and write the page with the tables.

    python benchmarks/page.py docs/benchmarks.md [--quick] [--derivatives] [--growth FILE.json]

Every number comes from the command printed above its table. With --growth the sizes are read
from a file that `flexgen bench --growth --json` has written, since that takes long; so does
the generation of derivatives, which are therefore asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

RIGID, FLEXIBLE = ("stanford", "puma560"), ("arm_a", "arm_r")
DYNAMICS = ["-r", "inverse", "-r", "direct"]
DERIVATIVES = ["-r", "inverse_derivatives", "-r", "direct_derivatives"]
TITLES = {
    "scalar": "Compiled routine, called from C, ns per state",
    "python": "One call from Python, ns",
    "batch": "One state of a batch, one core, ns",
    "threads": "One state of a batch, both cores free, ns",
}
TOP = """\
# Benchmarks

Written by `python benchmarks/page.py docs/benchmarks.md`; every table stands below the command
that made it (`pip install 'flexgen[bench]'` for the other programs). All candidates run in one
process and take turns in blocks of less than a millisecond on one pinned core; the median of the
blocks is shown with its quartiles. The ratio is the time over that of the first row: above one,
flexgen is faster. The difference is the largest relative one from the median of all programs and
of the mechanics on plain floats, over 1000 random states.

How to read them:

- C and Fortran are compiled with the same optimisation for everyone, except in what a user's
  model runs (`model.inverse` and the like), which has the flags of the package.
- `full, as a model has it`: before compiling, sines and cosines of sums of angles are replaced by
  the addition theorems, which trades two calls for a few products; shown where it matters.
- Khalil-style is a stand-in for OpenSYMORO, which has no released wheel: customised Newton-Euler
  on base inertial parameters (Khalil and Kleinfinger 1987) from our graph without our passes.
- CasADi traces the same Newton-Euler recursion that we do; direct dynamics by its LDL. `buffers`
  binds arrays once and then neither checks nor allocates anything.
- MuJoCo refuses bodies of both arms (a principal moment that is zero or too large). It was given
  balanced ones, so its results are those of another arm and are not compared.
- A batch of ours is one call; programs without a batch are called from C, state after state.
- Generation was timed with an empty cache; `search` is the stored winner of a long search, read
  and verified again, not the search itself.
- RBDL, SymPyBotics and OpenSYMORO have no released wheel and are not measured.
"""


def bench(*arguments: str) -> dict[str, Any]:
    """What the command gives; its progress bar goes to standard error."""
    command = [sys.executable, "-m", "flexgen", "bench", *arguments, "--json"]
    found = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    data: dict[str, Any] = json.loads(found.stdout)
    return data


def table(columns: list[str], rows: list[list[str]]) -> list[str]:
    """A table of the page; numbers to the right."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    return [f"| {' | '.join(row)} |" for row in (columns, rule, *rows)]


def case_lines(data: dict[str, Any]) -> list[str]:
    """All tables of one case."""
    lines: list[str] = []
    for routine, found in data["routines"].items():
        for name, title in TITLES.items():
            rows = [_row(r) for r in found["rows"] if r["table"] == name]
            if rows:
                columns = ["candidate", "ratio", "median", "quartiles", "difference"]
                lines += [f"### {data['case']}, {routine}. {title}", "", *table(columns, rows), ""]
        rows = [
            [m["candidate"], f"{m['generate']:.2f}", f"{m['compile']:.2f}"]
            + [str(n) for n in m["operations"].values()]
            for m in found["made"]
        ]
        columns = ["candidate", "generate, s", "compile, s", "mul", "add", "trig"]
        lines += [f"### {data['case']}, {routine}. Making it", "", *table(columns, rows), ""]
        lines += [f"- {s['peer']} left out: {s['reason']}" for s in found["skipped"]]
        lines += [""] if found["skipped"] else []
    return lines


def _row(r: dict[str, Any]) -> list[str]:
    difference = {True: f"{r['difference']:.0e}", False: "**wrong**", None: "other arm"}
    return [
        r["candidate"],
        f"{r['ratio']:.2f}",
        f"{r['ns']:.1f}",
        f"{r['low']:.1f} - {r['high']:.1f}",
        difference[r["agrees"]],
    ]


def growth_lines(data: dict[str, Any]) -> list[str]:
    """Tables of time against size."""
    lines = []
    columns = ["arm", "n", "mul", "add", "trig", "generate, s", "compile, s", "state, ns"]
    for routine in dict.fromkeys(s["routine"] for s in data["sizes"]):
        rows = [
            [
                s["arm"],
                *(str(s[k]) for k in ("n", "multiplications", "additions", "trig")),
                f"{s['generate']:.1f}",
                f"{s['compile']:.1f}",
                f"{1e9 * s['seconds']:.0f}",
                f"{1e9 * s['seconds'] / s['operations']:.3f}",
                f"{s['difference']:.0e}",
            ]
            for s in data["sizes"]
            if s["routine"] == routine
        ]
        wide = [*columns, "ns per operation", "difference"]
        lines += [f"### {routine}", "", *table(wide, rows), ""]
    return lines


def machine_line(data: dict[str, Any]) -> str:
    """Where the times were taken."""
    m = data["machine"]
    packages = ", ".join(f"{name} {v}" for name, v in m["packages"].items())
    compilers = "; ".join(m["compilers"].values())
    return f"{m['processor']}, {m['cores']} cores; Python {m['python']}, {packages}; {compilers}."


def main() -> None:
    """Measure everything, then write the page whole."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--derivatives", action="store_true")
    parser.add_argument("--growth", type=Path)
    given = parser.parse_args()
    quick = ["--quick"] if given.quick else []
    lines = [TOP]
    for k, case in enumerate((*RIGID, *FLEXIBLE)):
        more = DERIVATIVES if given.derivatives and case in RIGID else []
        wanted = ["--against", "all", *(DYNAMICS + more if more else [])]
        data = bench(case, *wanted, *quick)
        if k == 0:
            lines += [f"Machine: {machine_line(data)}", ""]
        command = " ".join(["flexgen bench", case, *wanted, *quick])
        lines += [f"## {case}", "", f"    {command}", "", *case_lines(data)]
    sizes = json.loads(given.growth.read_text()) if given.growth else bench("--growth", *quick)
    lines += ["## Time against size", "", f"    {' '.join(['flexgen bench --growth', *quick])}", ""]
    lines += [
        "Generic arms of n revolute joints, and an arm of two flexible links with more and more",
        "modes in each direction, one state of the compiled scalar routine. The time per operation",
        "includes sines and cosines, which weigh most in short arms.",
        "",
        *growth_lines(sizes),
    ]
    text = "\n".join(lines).rstrip() + "\n"
    draft = given.page.with_suffix(".tmp")
    draft.write_text(text)
    os.replace(draft, given.page)


if __name__ == "__main__":
    main()
