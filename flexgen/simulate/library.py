"""Arm -> compiled simulation: its generated routines and the integrators in one extension.

The module `dynamics` is generated for the arm; a small module `shim` hands its routines to
`simulation` of `fortran/`, which does the rest. What can be called is one function, `run`,
that goes on for a chunk of output times (see `fortran/simulation.f90`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from .. import pipeline
from ..build import FLAGS, Group, extension
from ..clear.addition import addition
from ..emit import emit
from ..formulations.energy import potential
from ..graph.program import Program
from ..graph.trace import trace
from ..manipulator.arm import Manipulator
from ..shipped import data_folder

BY_HAND = (
    "kinds.f90",
    "linear.f90",
    "integrate.f90",
    "implicit.f90",
    "drive.f90",
    "simulation.f90",
)
ROUTINES = ("acceleration", "direct", "inverse", "external", "gravity", "pose")
SIGNALS = ("torque", "reference", "wrench", "motion")

Run = Callable[..., None]


def potential_program(arm: Manipulator) -> Program:
    """Potential energy v(1) of q, as a program."""
    return trace(lambda q: np.array([potential(arm, q)]), {"q": arm.n}, ("v",), "potential")


@lru_cache(maxsize=16)
def library(arm: Manipulator, formulation: str, passes: str) -> Run:
    """The compiled `run` of an arm; CompilerMissing where nothing can be compiled."""
    programs = [pipeline.program(arm, r, formulation=formulation, passes=passes) for r in ROUTINES]
    programs.append(potential_program(arm))
    lines = pipeline.header(arm, formulation, passes)
    by_hand = {name: (data_folder("fortran") / name).read_text() for name in BY_HAND}
    dynamics = {"dynamics.f90": emit([addition(p) for p in programs], "f90", lines)}
    groups = [Group(by_hand, FLAGS), Group(dynamics, FLAGS)]
    _, module = extension(groups, shim(programs))
    run: Run = module.f90wrap_shim__run
    return run


def shim(programs: list[Program]) -> str:
    """Text of the module that f90wrap sees."""
    names = [p.name for p in programs]
    arrays = [f"{name}_{part}" for name in SIGNALS for part in ("breaks", "parts")]
    signals = [f"    call set_signal(s%{n}, {n}_breaks, {n}_parts)" for n in SIGNALS]
    lines = [
        "module shim",
        "  use, intrinsic :: iso_fortran_env, only: real64",
        "  use drive, only: arm, set_signal",
        "  use simulation, only: perform",
        f"  use dynamics, only: {', '.join(names)}",
        "  implicit none",
        "  private",
        "  public :: run",
        "contains",
        "",
        "  subroutine run(choices, settings, held, gains, damping, times, &",
        *(f"    {name}, &" for name in arrays),
        "    state, memory, counts, records, answer)",
        "    integer, intent(in), contiguous :: choices(:), held(:)",
        "    real(real64), intent(in), contiguous :: settings(:), gains(:, :), damping(:)",
        "    real(real64), intent(in), contiguous :: times(:)",
        *(f"    real(real64), intent(in), contiguous :: {n}_breaks(:)" for n in SIGNALS),
        *(f"    real(real64), intent(in), contiguous :: {n}_parts(:, :, :)" for n in SIGNALS),
        "    real(real64), intent(inout), contiguous :: state(:), memory(:), counts(:)",
        "    real(real64), intent(inout), contiguous :: records(:, :)",
        "    integer, intent(inout), contiguous :: answer(:)",
        "    type(arm) :: s",
        *(f"    s%{name} => {name}_at" for name in names),
        *signals,
        "    call perform(s, choices, settings, held, gains, damping, times, state, memory, &",
        "      counts, records, answer)",
        "  end subroutine run",
    ]
    for program in programs:
        lines += ["", *_adapter(program)]
    return "\n".join([*lines, "end module shim", ""])


def _adapter(program: Program) -> list[str]:
    """The routine with flat arrays of any size, as the hand-written modules call it."""
    inputs = [(f"x{k}", i.size) for k, i in enumerate(program.inputs, 1)]
    outputs = [(f"y{k}", math.prod(o.shape)) for k, o in enumerate(program.outputs, 1)]
    both = [*inputs, *outputs]
    lines = [f"    call {program.name}({', '.join(f'{name}(1:{size})' for name, size in both)})"]
    if [o.name for o in program.outputs] == ["qdd", "pivots"]:
        # pivots that are the rest of nothing else are compared with themselves
        size = outputs[1][1]
        outputs.append(("y3", size))
        lines.append(f"    y3(1:{size}) = y2(1:{size})")
    names = [name for name, _ in (*inputs, *outputs)]
    return [
        f"  pure subroutine {program.name}_at({', '.join(names)})",
        f"    real(real64), intent(in) :: {', '.join(f'{name}(*)' for name, _ in inputs)}",
        f"    real(real64), intent(out) :: {', '.join(f'{name}(*)' for name, _ in outputs)}",
        *lines,
        f"  end subroutine {program.name}_at",
    ]


def call(run: Run, *arrays: Any) -> None:
    """`run` for C arrays: Fortran has the indices in the opposite order."""
    run(*(a.T for a in arrays))
