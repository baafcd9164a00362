"""The generators: each one is the inverse dynamics sweep with other arguments.

El-Rayyes (1990), table 3.1:

    NEDYN  inverse dynamics      QD QF g LD      HMAT   inertia matrix, unit accelerations
    BVECT  bias vector           QD 0  g LD      HBMAT  HMAT and BVECT in one file
    HTERM  H qdd                 0  QF 0 0       JACOB  Jacobian, unit loads
    CTERM  centrifugal, Coriolis QD 0  0 0
    GTERM  gravity               0  0  g 0
    KTERM  J^T k                 0  0  0 LD

The load LD = (fx, fy, fz, nx, ny, nz) is what the arm exerts on the environment, at the origin
and along the axes of the last frame.

Left open by the thesis and chosen here: HBMAT writes H first and then the bias; elements of H
off the diagonal that the method does not give are copies of those it does; the results are
called RES, H and JAC, and a routine has only the arguments that its kind needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..manipulator.arm import Manipulator
from .composite import columns
from .mechanics import NOTHING, sweep
from .naming import NamedLink, Names, Vector, named_links, vector
from .program import LegacyProgram
from .statement import Product, Statement
from .strings import Scalar, Tape

# program: velocities, accelerations, gravity, load; True where the sweep has them
SWEEPS: Final = {
    "NEDYN": (True, True, True, True),
    "BVECT": (True, False, True, True),
    "HTERM": (False, True, False, False),
    "CTERM": (True, False, False, False),
    "GTERM": (False, False, True, False),
    "KTERM": (False, False, False, True),
}
MATRICES: Final = ("HMAT", "HBMAT", "JACOB")
PROGRAMS: Final = (*SWEEPS, *MATRICES)
OPTIONAL_LOAD: Final = ("NEDYN", "BVECT", "HBMAT")
LOAD: Final = ("FX", "FY", "FZ", "NX", "NY", "NZ")
Results = list[tuple[str, Any]]


class _Writer:
    """One file in the making: the tape, its names and the links over strings."""

    def __init__(self, arm: Manipulator) -> None:
        self.arm = arm
        self.tape = Tape()
        self.names = Names(self.tape)
        self.links: list[NamedLink] = named_links(self.names, arm)
        self.zero: Sequence[Any] = [0] * arm.n

    def vector(self, kind: str, payload: bool) -> Results:
        """The results of one sweep."""
        moving, accelerated, heavy, loaded = SWEEPS[kind]
        qd = self.array("QD", "THD") if moving else self.zero
        qdd = self.array("QF", "THDD") if accelerated else self.zero
        base = self.base() if heavy else NOTHING
        load = self.load() if loaded and (payload or kind == "KTERM") else vector(*[0] * 6)
        torques = sweep(self.links, qd, qdd, base, load)
        return [(f"RES({i})", torque) for i, torque in enumerate(torques, start=1)]

    def array(self, name: str, argument: str) -> Sequence[Scalar]:
        """The elements of an argument, one for each joint."""
        numbers = range(1, self.arm.n + 1)
        return [self.names.variable(f"{name}{i}", f"{argument}({i})") for i in numbers]

    def load(self) -> Vector:
        """The load as six names."""
        pairs = enumerate(LOAD, start=1)
        return vector(*(self.names.variable(name, f"LD({i})") for i, name in pairs))

    def base(self) -> Vector:
        """Acceleration of the base that stands for gravity."""
        pairs = zip(("gx", "gy", "g"), self.arm.gravity, strict=True)
        return vector(*(self.names.constant(name, -x) if x else 0 for name, x in pairs))

    def inertia(self, method: int) -> Results:
        """The inertia matrix by Walker and Orin's method 2 or 3."""
        found: dict[tuple[int, int], Any] = {}
        if method == 3:
            masses = [float(link.body.mass) for link in self.arm.links]
            found = columns(self.names, self.links, masses)
        else:
            # joint j accelerates by one, its base rests: rows j..N of column j
            for j in range(self.arm.n):
                links = self.links[j:]
                rest = [0] * len(links)
                torques = sweep(links, rest, [1, *rest[1:]], NOTHING, vector(*[0] * 6))
                found |= {(j + i, j): torque for i, torque in enumerate(torques)}
        full = {**{(j, i): x for (i, j), x in found.items()}, **found}
        return [(f"H({i + 1},{j + 1})", full[i, j]) for i, j in sorted(full)]

    def jacobian(self) -> Results:
        """Row i of the Jacobian is the sweep with a unit load along i."""
        results: Results = []
        for i in range(6):
            load = vector(*(int(k == i) for k in range(6)))
            row = sweep(self.links, self.zero, self.zero, NOTHING, load)
            results += [(f"JAC({i + 1},{j})", x) for j, x in enumerate(row, start=1)]
        return results


def generate(
    arm: Manipulator, program: str = "NEDYN", payload: bool = False, method: int = 2
) -> LegacyProgram:
    """The raw program of an arm.

    Args:
        arm: a rigid arm in standard DH.
        program: one of `PROGRAMS`.
        payload: whether NEDYN, BVECT and HBMAT carry the load LD; KTERM always does.
        method: 2 or 3 of Walker and Orin, for HMAT and HBMAT.
    """
    if program not in PROGRAMS:
        raise ValueError(f"program must be one of {', '.join(PROGRAMS)}, not {program!r}")
    if method not in (2, 3):
        raise ValueError(f"method must be 2 or 3, not {method!r}")
    if payload and program not in (*OPTIONAL_LOAD, "KTERM"):
        raise ValueError(f"{program} carries no load")
    writer = _Writer(arm)
    results: Results = []
    if program == "JACOB":
        results = writer.jacobian()
    if program in ("HMAT", "HBMAT"):
        results = writer.inertia(method)
    if program == "HBMAT":
        results += writer.vector("BVECT", payload)
    if program in SWEEPS:
        results = writer.vector(program, payload)
    statements = [*writer.tape.statements, *(_output(writer.tape, *r) for r in results)]
    return LegacyProgram(
        program,
        _arguments(program, arm.n),
        writer.names.declarations,
        tuple(statements),
        tuple(name for name, _ in results),
    )


def _output(tape: Tape, target: str, value: Any) -> Statement:
    product: Product = (tape.scalar() * value).product
    return Statement(target, (product,) if product.sign else ())


def _arguments(program: str, n: int) -> tuple[str, ...]:
    moving, accelerated, _, loaded = SWEEPS.get(
        "BVECT" if program == "HBMAT" else program, (False, False, False, False)
    )
    wanted = {
        f"TH({n})": True,
        f"THD({n})": moving,
        f"THDD({n})": accelerated,
        "LD(6)": loaded,
        f"H({n},{n})": program in ("HMAT", "HBMAT"),
        f"JAC(6,{n})": program == "JACOB",
        f"RES({n})": program not in ("HMAT", "JACOB"),
    }
    return tuple(name for name, present in wanted.items() if present)
