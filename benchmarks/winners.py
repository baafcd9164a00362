"""Search for the fewest operations of shipped cases and keep what is better than before.

    python benchmarks/winners.py EFFORT SEED CASE:ROUTINE...

The programs land in flexgen/winners/ and come with the package; each is verified again
whenever it is used.
"""

from __future__ import annotations

import sys
import time
import warnings

from flexgen import pipeline
from flexgen.manipulator.case import load
from flexgen.search.halving import cost
from flexgen.shipped import case_path
from flexgen.winners import agrees, keep, winner


def main(effort: int, seed: int, targets: list[str]) -> None:
    """Search for each target in turn."""
    warnings.simplefilter("ignore")
    for target in targets:
        case, routine = target.split(":")
        arm = load(case_path(case))
        plain = pipeline.program(arm, routine, passes="none")
        before = winner(arm, routine, plain)
        start = time.perf_counter()
        full = pipeline.program(arm, routine, passes="full")
        starts = [full, *pipeline.starts(arm, routine, seed=seed)]
        found = pipeline.search([*starts, before] if before else starts, effort, seed)
        better = agrees(plain, found) and (before is None or cost(found) < cost(before))
        if better:
            keep(arm, routine, found)
        old = before.count().total if before else None
        print(target, "before", old, "found", found.count(), "kept" if better else "", end=" ")
        print(f"{time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
