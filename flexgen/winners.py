"""Programs of shipped cases that a long search has found; they come with the package.

A winner is used only for the very arm it was found for (the digest of all its numbers is in
the file), and only after it has been compared again with the plain program in many digits and
at thousands of states in double precision.
"""

from __future__ import annotations

import json
from pathlib import Path

from . import cache
from .graph.program import Program
from .graph.serial import from_json, to_json
from .manipulator.arm import Manipulator
from .search.digits import LIMIT, LIMIT_DOUBLE, worst_in_digits
from .search.verify import verify_double
from .store import text_of

FOLDER = Path(__file__).resolve().parent / "winners"
STATES = 10_000


def arm_digest(arm: Manipulator) -> str:
    """Digest of the numbers of a rigid arm; its name and description do not matter."""
    links = tuple(
        (
            link.joint,
            (link.dh.a, link.dh.alpha.value, link.dh.d, link.dh.theta.value),
            (link.body.mass, link.body.moment, link.body.inertia_origin),
        )
        for link in arm.links
    )
    return cache.digest([text_of((arm.convention, tuple(arm.gravity), links))])


def file_of(arm: Manipulator, routine: str) -> Path:
    """Where the winner of a case is, if there is one."""
    return FOLDER / f"{arm.name}-{routine}.json"


def winner(arm: Manipulator, routine: str, plain: Program) -> Program | None:
    """The stored program of a routine; None where there is none or it does not hold."""
    file = file_of(arm, routine)
    if arm.flexible or not file.is_file():
        return None
    data = json.loads(file.read_text())
    if data["arm"] != arm_digest(arm):
        return None
    found = from_json(data["program"])
    return found if agrees(plain, found) else None


def agrees(plain: Program, found: Program) -> bool:
    """Whether a program has the values of the plain one."""
    same = [(o.name, o.shape) for o in plain.outputs] == [(o.name, o.shape) for o in found.outputs]
    return (
        same
        and plain.inputs == found.inputs
        and worst_in_digits(plain, found) <= LIMIT
        and verify_double(plain, found, STATES).worst <= LIMIT_DOUBLE
    )


def keep(arm: Manipulator, routine: str, program: Program) -> None:
    """Write the winner of a case."""
    FOLDER.mkdir(exist_ok=True)
    data = {"arm": arm_digest(arm), "program": to_json(program)}
    file_of(arm, routine).write_text(json.dumps(data, indent=1) + "\n")
