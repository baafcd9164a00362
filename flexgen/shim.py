"""Signatures of generated routines -> the small Fortran module that f90wrap sees.

For every routine `name` of the module `dynamics` the shim has

    name_one     one state, flat arrays of literal sizes, as short as a call can be
    name_batch   many states in blocks (see `batch`), by the vector form `name_block` of the
                 module `blocks` or, strictly, by the scalar routine, over threads
    name_lanes   private: the scalar routine for every lane of a block

States that stand by columns are read and written in place, others go through a block of
their own.

Outputs called `pivots` and `diagonal` are not handed on: a pivot of the inertia matrix that
is not positive, compared with the diagonal entry that it is the rest of, becomes a code.
Arguments have fixed names, x1, x2, ... and y1, ...: any name of a routine's own is allowed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

GUARDS = ("pivots", "diagonal")


@dataclass(frozen=True)
class Signature:
    """A routine: its input vectors (name, size) and its outputs (name, shape), in order."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the outputs that a caller gets."""
        return tuple(shape for name, shape in self.outputs if name not in GUARDS)


def shim(
    signatures: Sequence[Signature], vectorised: Collection[str] = (), module: str = "shim"
) -> str:
    """Text of the module `shim`; `vectorised` names the routines that `blocks` has."""
    names = [s.name for s in signatures]
    for signature in signatures:
        _check(signature, names)
    fast = [f"{name}_block" for name in names if name in vectorised]
    lines = [
        f"module {module}",
        "  use, intrinsic :: iso_fortran_env, only: real64",
        "  use batch, only: finite, gather, lanes, misfit, regular, scatter, tame",
        *(["  use blocks, only: &", *_listed(fast)] if fast else []),
        "  use dynamics, only: &",
        *_listed(names),
        "  implicit none",
        "  private",
        "  public :: &",
        *_listed([f"{name}_{form}" for name in names for form in ("one", "batch")]),
        "contains",
    ]
    for signature in signatures:
        lines += ["", *_one(signature)]
        lines += ["", *_lanes(signature)]
        lines += ["", *_batch(signature, signature.name in vectorised)]
    return "\n".join([*lines, f"end module {module}", ""])


def _check(signature: Signature, names: list[str]) -> None:
    name = signature.name
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or names.count(name) > 1:
        raise ValueError(f"{name!r} is not the name of one routine: lower case, 40 letters at most")
    shapes = [shape for _, shape in signature.outputs]
    sizes = [size for _, size in signature.inputs]
    if not sizes:
        raise ValueError(f"{name} has no input")
    if not signature.shapes or any(len(shape) not in (1, 2) for shape in shapes):
        raise ValueError(f"{name}: outputs must be vectors or matrices, not {shapes}")
    if min([*sizes, *(math.prod(shape) for shape in shapes)]) < 1:
        raise ValueError(f"{name} has an array without elements")


def _listed(names: list[str]) -> list[str]:
    """Names of a Fortran statement, one a line."""
    return [f"    {name}, &" for name in names[:-1]] + [f"    {names[-1]}"]


@dataclass(frozen=True)
class _Part:
    """One argument: its name here, its shape, and whether it is a guard."""

    name: str
    shape: tuple[int, ...]
    guard: str = ""

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def block(self) -> str:
        """The name of its copy for one block."""
        return f"b{self.name}"


def _parts(signature: Signature) -> tuple[list[_Part], list[_Part]]:
    inputs = [_Part(f"x{k}", (size,)) for k, (_, size) in enumerate(signature.inputs, 1)]
    outputs = [
        _Part(f"y{k}", shape, name if name in GUARDS else "")
        for k, (name, shape) in enumerate(signature.outputs, 1)
    ]
    return inputs, outputs


def _arguments(inputs: list[_Part], outputs: list[_Part]) -> str:
    return ", ".join(p.name for p in (*inputs, *(o for o in outputs if not o.guard)))


def _declared(parts: list[_Part], prefix: str) -> list[str]:
    return [f"    real(real64) :: {prefix}{p.name}({', '.join(map(str, p.shape))})" for p in parts]


def _guards(outputs: list[_Part]) -> tuple[_Part, _Part] | None:
    """Pivots and what they are compared with: themselves, where there is nothing else."""
    pivots = next((p for p in outputs if p.guard == "pivots"), None)
    if pivots is None:
        return None
    return pivots, next((p for p in outputs if p.guard == "diagonal"), pivots)


def _row_major(p: _Part, local: str) -> str:
    """The matrix as C has it, flat."""
    if len(p.shape) == 1:
        return local
    return f"reshape(transpose({local}), [{p.size}])"


def _one(signature: Signature) -> list[str]:
    inputs, outputs = _parts(signature)
    matrices = [p for p in outputs if len(p.shape) == 2]
    locals_ = [p for p in outputs if p.guard or p in matrices]
    called = [*(p.name for p in inputs)]
    called += [f"local_{p.name}" if p in locals_ else p.name for p in outputs]
    guards = _guards(outputs)
    lines = [
        f"  subroutine {signature.name}_one({_arguments(inputs, outputs)}, info)",
        *(f"    real(real64), intent(in) :: {p.name}({p.size})" for p in inputs),
        *(f"    real(real64), intent(out) :: {p.name}({p.size})" for p in outputs if not p.guard),
        "    integer, intent(out) :: info",
        *_declared(locals_, "local_"),
        *(
            line
            for k, p in enumerate(inputs, 1)
            for line in (
                f"    info = {k}",
                f"    if (.not. finite({p.size}, {p.name})) return",
            )
        ),
        "    info = 0",
        f"    call {signature.name}({', '.join(called)})",
        *(f"    {p.name} = {_row_major(p, f'local_{p.name}')}" for p in matrices if not p.guard),
    ]
    if guards:
        n = guards[0].size
        names = ", ".join(f"local_{g.name}" for g in guards)
        lines.append(f"    if (regular(1, {n}, {names}) /= 0) info = -1")
    return [*lines, f"  end subroutine {signature.name}_one"]


def _lanes(signature: Signature) -> list[str]:
    inputs, outputs = _parts(signature)
    both = [*inputs, *outputs]
    return [
        f"  pure subroutine {signature.name}_lanes({', '.join(p.block for p in both)})",
        *(f"    real(real64), intent(in) :: {p.block}(lanes, {p.size})" for p in inputs),
        *(f"    real(real64), intent(out) :: {p.block}(lanes, {p.size})" for p in outputs),
        *_declared(both, ""),
        "    integer :: l",
        "    do l = 1, lanes",
        *(f"      {p.name} = {p.block}(l,:)" for p in inputs),
        f"      call {signature.name}({', '.join(p.name for p in both)})",
        *(f"      {p.block}(l,:) = {_row_major(p, p.name)}" for p in outputs),
        "    end do",
        f"  end subroutine {signature.name}_lanes",
    ]


def _batch(signature: Signature, fast: bool) -> list[str]:
    name = signature.name
    inputs, outputs = _parts(signature)
    results = [p for p in outputs if not p.guard]
    given, both = [*inputs, *results], [*inputs, *outputs]
    flags = "states, columns, threads, strict"
    blocks = ", ".join(p.block for p in both)
    guarded = _guards(outputs) is not None
    lines = [
        f"  subroutine {name}_batch({flags}, {_arguments(inputs, outputs)}, info)",
        f"    integer, intent(in) :: {flags}",
        *(f"    real(real64), intent(in), contiguous :: {p.name}(:)" for p in inputs),
        *(f"    real(real64), intent(inout), contiguous :: {p.name}(:)" for p in results),
        "    integer, intent(out) :: info",
        f"    real(real64), allocatable :: {', '.join(f'{p.block}(:,:)' for p in both)}",
        f"    integer :: {'at, ' if guarded else ''}bad, first, singular",
        "    info = misfit",
        f"    if (any([{', '.join(f'size({p.name})' for p in given)}] /= &",
        f"      states * [{', '.join(str(p.size) for p in given)}])) return",
        "    bad = misfit",
        "    singular = misfit",
        "    !$omp parallel num_threads(threads) if(threads > 1) &",
        f"    !$omp private({'at, ' if guarded else ''}{blocks}) &",
        "    !$omp reduction(min:bad, singular)",
        *(f"    allocate ({p.block}(lanes, {p.size}))" for p in both),
        "    !$omp do",
        "    do first = 1, states, lanes",
    ]
    if fast:
        lines += _in_place(name, inputs, outputs)
    lines += [
        f"      call gather(columns /= 0, {p.size}, states, first, {p.name}, {p.block})"
        for p in inputs
    ]
    if fast:
        tame = " .and. &\n        ".join(f"tame(lanes, {p.size}, {p.block})" for p in inputs)
        lines += [
            f"      if (strict == 0 .and. &\n        {tame}) then",
            f"        call {name}_block(lanes, {blocks})",
            "      else",
        ]
    # what is not tame is not finite, or too large for the vector functions
    lines += [
        *(
            f"        if (.not. finite(lanes * {p.size}, {p.block})) bad = min(bad, {k})"
            for k, p in enumerate(inputs, 1)
        ),
        f"        call {name}_lanes({blocks})",
        *(["      end if"] if fast else []),
        *(
            f"      call scatter(columns /= 0, {p.size}, states, first, {p.block}, {p.name})"
            for p in results
        ),
        *_regular(outputs),
    ]
    return [
        *lines,
        "    end do",
        "    !$omp end do",
        "    !$omp end parallel",
        "    info = 0",
        "    if (singular /= misfit) info = -singular",
        "    if (bad /= misfit) info = bad",
        f"  end subroutine {name}_batch",
    ]


def _in_place(name: str, inputs: list[_Part], outputs: list[_Part]) -> list[str]:
    """A whole block of columns, where it stands."""
    tame = " .and. &\n          ".join(f"tame(states, {p.size}, {p.name}(first:))" for p in inputs)
    places = ", ".join(p.block if p.guard else f"{p.name}(first:)" for p in (*inputs, *outputs))
    return [
        "      if (columns /= 0 .and. strict == 0 .and. first + lanes - 1 <= states) then",
        f"        if ({tame}) then",
        f"          call {name}_block(states, {places})",
        *(f"    {line}" for line in _regular(outputs)),
        "          cycle",
        "        end if",
        "      end if",
    ]


def _regular(outputs: list[_Part]) -> list[str]:
    """Look at the pivots of a block."""
    guards = _guards(outputs)
    if guards is None:
        return []
    names = ", ".join(g.block for g in guards)
    return [
        f"      at = regular(lanes, {guards[0].size}, {names})",
        "      if (at /= 0) singular = min(singular, min(first - 1 + at, states))",
    ]
