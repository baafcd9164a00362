"""Signatures of generated routines -> the small Fortran module that f90wrap sees.

For every routine `name` of the module `dynamics` the shim has

    name_at      private adapter: flat arrays in, literal sizes out, so that the compiler
                 finds a signature that is larger than its routine allows
    name_batch   public entry point: checks that the arrays fit together, then hands the
                 adapter to the loop over states in `batch` or `direct_dynamics`

The routine `direct`, with the outputs inertia matrix and bias, has an entry point that goes
on to the accelerations: `direct_batch(q, qd, tau, qdd)`, and where there is a routine
`external` also `direct_loaded_batch(q, qd, tau, wrench, qdd)`.

Arguments have fixed names, x1, x2, ... and y: any name of a routine's own is allowed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

DIRECT, EXTERNAL, LOADED = "direct", "external", "direct_loaded"
MOST_INPUTS = 4  # as many as `batch` has loops for


@dataclass(frozen=True)
class Signature:
    """A routine: its input vectors (name, size) and its outputs (name, shape), in order."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Entry:
    """What can be called for a batch: input vectors and one output."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    shape: tuple[int, ...]


def entries(signatures: tuple[Signature, ...]) -> tuple[Entry, ...]:
    """The entry points that these routines give; ValueError where there is no way to."""
    found = []
    names = [s.name for s in signatures]
    for signature in signatures:
        _check(signature, names)
        if signature.name != DIRECT:
            found.append(Entry(signature.name, signature.inputs, signature.outputs[0][1]))
            continue
        n = signature.inputs[0][1]
        inputs = (*signature.inputs, ("tau", n))
        found.append(Entry(DIRECT, inputs, (n,)))
        if EXTERNAL in names:
            found.append(Entry(LOADED, (*inputs, ("wrench", 6)), (n,)))
    return tuple(found)


def shim(signatures: tuple[Signature, ...]) -> str:
    """Text of the module `shim`."""
    points = entries(signatures)
    lines = [
        "module shim",
        "  use, intrinsic :: iso_fortran_env, only: real64",
        "  use batch, only: misfit, map1, map2, map3, map4",
        "  use direct_dynamics, only: accelerate",
        "  use dynamics, only: &",
        *_listed([s.name for s in signatures]),
        "  implicit none",
        "  private",
        "  public :: &",
        *_listed([f"{p.name}_batch" for p in points]),
        "contains",
    ]
    for signature in signatures:
        lines += ["", *_adapter(signature)]
    for point in points:
        lines += ["", *_entry_point(point)]
    return "\n".join([*lines, "end module shim", ""])


def _check(signature: Signature, names: list[str]) -> None:
    name = signature.name
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or names.count(name) > 1:
        raise ValueError(f"{name!r} is not the name of one routine: lower case, 40 letters at most")
    shapes = [shape for _, shape in signature.outputs]
    sizes = [size for _, size in signature.inputs]
    if name == DIRECT:
        n = sizes[0] if sizes else 0
        if sizes != [n, n] or shapes != [(n, n), (n,)]:
            raise ValueError(
                f"direct must map q(n), qd(n) to h(n,n), b(n), not {sizes} to {shapes}"
            )
    elif len(shapes) != 1 or len(shapes[0]) not in (1, 2):
        raise ValueError(f"{name} must have one output, a vector or a matrix, not {shapes}")
    elif not 1 <= len(sizes) <= MOST_INPUTS:
        raise ValueError(f"{name} must have 1 to {MOST_INPUTS} inputs, not {len(sizes)}")
    if min([*sizes, *(math.prod(shape) for shape in shapes)]) < 1:
        raise ValueError(f"{name} has an array without elements")


def _listed(names: list[str]) -> list[str]:
    """Names of a Fortran statement, one a line."""
    return [f"    {name}, &" for name in names[:-1]] + [f"    {names[-1]}"]


def _adapter(signature: Signature) -> list[str]:
    inputs = [f"x{k}" for k in range(1, len(signature.inputs) + 1)]
    outputs = [f"y{k}" for k in range(1, len(signature.outputs) + 1)]
    sizes = [size for _, size in signature.inputs]
    sizes += [math.prod(shape) for _, shape in signature.outputs]
    arguments = [*inputs, *outputs]
    sections = [f"{name}(1:{size})" for name, size in zip(arguments, sizes, strict=True)]
    return [
        f"  pure subroutine {signature.name}_at({', '.join(arguments)})",
        f"    real(real64), intent(in) :: {', '.join(f'{name}(*)' for name in inputs)}",
        f"    real(real64), intent(out) :: {', '.join(f'{name}(*)' for name in outputs)}",
        f"    call {signature.name}({', '.join(sections)})",
        f"  end subroutine {signature.name}_at",
    ]


def _entry_point(entry: Entry) -> list[str]:
    inputs = [f"x{k}" for k in range(1, len(entry.inputs) + 1)]
    sizes = [str(size) for _, size in entry.inputs]
    rows, columns = (*entry.shape, 1)[:2]
    if entry.name in (DIRECT, LOADED):
        call = [f"accelerate(direct_at, {rows}, states", *inputs[:3], "y", "info"]
        call += ["external_at", "x4"] if entry.name == LOADED else []
    else:
        call = [f"map{len(inputs)}({entry.name}_at", f"[{', '.join(sizes)}]"]
        call += [f"{rows}, {columns}, states", *inputs, "y", "info"]

    # the rows of a C array are the columns of Fortran's
    turned = [*map(str, reversed(entry.shape)), "states"]
    given = [f"shape({name})" for name in (*inputs, "y")]
    wanted = [*(f"{size}, states" for size in sizes), *turned]
    return [
        f"  subroutine {entry.name}_batch({', '.join(inputs)}, y, info)",
        *(f"    real(real64), intent(in), contiguous :: {name}(:, :)" for name in inputs),
        f"    real(real64), intent(out), contiguous :: y({', '.join(':' * len(turned))})",
        "    integer, intent(out) :: info",
        "    integer :: states",
        "    info = misfit",
        "    states = size(x1, 2)",
        f"    if (any([{', '.join(given)}] /= &",
        f"      [{', '.join(wanted)}])) return",
        f"    call {', '.join(call)})",
        f"  end subroutine {entry.name}_batch",
    ]
