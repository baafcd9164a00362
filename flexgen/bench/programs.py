"""Programs of our graph -> candidates: text in C or Fortran, compiled, with its entry."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from ..emit import emit
from ..graph.program import Program
from .candidate import Array, Candidate, Making
from .kernels import Workshop
from .problem import Problem

CACHE = "FLEXGEN_CACHE"


@contextmanager
def empty_cache() -> Iterator[None]:
    """Nothing that was generated before is found inside."""
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(prefix="flexgen-bench-") as folder:
        os.environ[CACHE] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[CACHE]
            else:
                os.environ[CACHE] = before


def candidate(
    shop: Workshop,
    p: Problem,
    name: str,
    family: str,
    program: Program,
    dialect: str,
    seconds: float,
) -> Candidate:
    """A program that took `seconds` to make, in one dialect, to be called from C."""
    start = time.perf_counter()
    text = emit([program], dialect)
    generate = seconds + time.perf_counter() - start
    files = {"dynamics.f90": text, "kernel.f90": fortran_entry(program, p)}
    if dialect == "c":
        files = {"kernel.c": text + c_entry(program, p)}
    built = shop.compile(files)
    counts = program.count()
    making = Making(generate, built.seconds, (counts.mul, counts.add, counts.trig))

    def values() -> Array:
        found = shop.values(p, built.library)
        if dialect == "c" or len(p.shape) == 1:
            return found
        # Fortran has matrices by columns
        return found.reshape(-1, *p.shape).swapaxes(-1, -2).reshape(len(found), -1)

    return Candidate(name, family, "scalar", shop.work(p, built.library), values, making)


def _outputs(program: Program, p: Problem, base: int, form: str) -> tuple[list[str], int]:
    """Where each output goes, in `y` or, with what was not asked for, in `spare`; its size."""
    places, at, spare = [], 0, 0
    for o in program.outputs:
        size = prod(o.shape)
        if at < p.size:
            places.append(form.format("y", at + base))
            at += size
        else:
            places.append(form.format("spare", spare + base))
            spare += size
    return places, spare


def c_entry(program: Program, p: Problem) -> str:
    """The function `kernel` in C."""
    places, spare = _outputs(program, p, 0, "{} + {}")
    call = ", ".join(["q", "qd", "u", *places])
    room = f"    double spare[{spare}];\n" if spare else ""
    return (
        "\nvoid kernel(const double *q, const double *qd, const double *u, double *y)\n"
        f"{{\n{room}    {program.name}({call});\n}}\n"
    )


def fortran_entry(program: Program, p: Problem) -> str:
    """The subroutine `kernel` in Fortran, with the signature of the C function."""
    places, spare = _outputs(program, p, 1, "{}({})")
    call = ", ".join(["q", "qd", "u", *places])
    room = f"  real(c_double) :: spare({spare})\n" if spare else ""
    return f"""\
subroutine kernel(q, qd, u, y) bind(c, name="kernel")
  use, intrinsic :: iso_c_binding, only: c_double
  use dynamics, only: {program.name}
  implicit none
  real(c_double), intent(in) :: q({p.n}), qd({p.n}), u({p.n})
  real(c_double), intent(out) :: y({p.size})
{room}  call {program.name}({call})
end subroutine kernel
"""
