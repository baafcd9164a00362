"""The stages in order, from an arm to its model. This page is the map of the program.

    load       TOML file   -> Manipulator   manipulator.case
    task       Manipulator -> Task          formulations.routines: functions of arrays
    trace      Task        -> Program       graph.trace: the function called on symbols
    clear      Program     -> Program       clear, start, search: fewer operations, same values
    compose    Programs    -> Program       acceleration, derivatives: what builds on others
    emit       Program     -> text          emit: names and order appear here
    compile    text        -> Library       build, cache: f90wrap, meson
    model      Library     -> Model         model: what a user calls

No stage knows the next; every value between two stages is frozen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from . import __version__, original
from .acceleration import NAME as ACCELERATION
from .acceleration import eliminated, recursive
from .build import (
    FLAGS,
    HAND_WRITTEN,
    LONG_FLAGS,
    CompilerMissing,
    Signature,
    compile_module,
)
from .calls import Routine
from .clear import clear, products, trig
from .clear.addition import addition
from .clear.classic import classic
from .derivatives import DERIVATIVES
from .derivatives import ways as derivative_ways
from .emit import emit
from .emit.block import blocks_text
from .formulations.routines import ROUTINES as BASIC
from .formulations.routines import WITH_WRENCH, task
from .graph.program import Counts, Program
from .graph.trace import trace
from .interpreted import interpreted
from .manipulator.arm import Manipulator
from .model import Model, Watch
from .search.halving import EFFORT, Interrupted, Status, cost, search
from .shim import shim
from .shipped import data_folder
from .start import cheapest, start_programs
from .start.cheapest import plain_start
from .start.flexible import softening_watch, stiffened
from .start.merged import merged_and_clear
from .start.ways import SIGNATURES
from .store import stored
from .winners import agrees, winner

PASSES = ("none", "classic", "full", "search")
BACKENDS = ("fortran", "numpy")
DEFAULT_FORMULATION = "newton-euler"
CORE = (*BASIC, ACCELERATION)  # built at once; the others when they are first called
ROUTINES = (*CORE, *DERIVATIVES)
SEED = 1
HUGE = 2500  # operations from which on the passes that compare all terms take too long,
HUGE_ONCE = 4000  # and where there is but one program to apply them to
HUGEST = 40_000  # beyond, nothing is cleared, and compiled in scalar form without much ado
PROMISING, LARGE = (1.25, 1.1), 1000  # ways are followed up to this multiple of the cheapest
STARTS = 16  # start programs of a search, besides the best of `full`


def program(
    arm: Manipulator,
    routine: str,
    *,
    formulation: str = DEFAULT_FORMULATION,
    passes: str = "full",
    method: int | None = None,
    wrench: bool = False,
    effort: int = EFFORT,
    progress: Callable[[Status], None] | None = None,
) -> Program:
    """Manipulator -> cleared Program of one routine; of several ways the cheapest.

    `full` and `search` are free to write a rigid arm's equations in any way that gives the
    same values; a formulation or a method that is asked for is kept to.
    """
    if passes not in PASSES:
        raise ValueError(f"passes must be one of {', '.join(PASSES)}, not {passes!r}")
    if routine not in ROUTINES:
        raise ValueError(f"routine must be one of {', '.join(ROUTINES)}, not {routine}")
    arm = stiffened(arm)
    if routine not in BASIC:
        choices = (formulation, passes, method, wrench, effort)
        return composed(arm, routine, *choices, progress)
    traced = promising(ways(arm, routine, formulation, method, wrench))
    if passes == "none":
        return min(traced, key=cost)
    free = formulation == DEFAULT_FORMULATION and method is None
    if passes == "classic":
        if formulation == DEFAULT_FORMULATION and original.covers(arm, routine):
            traced.append(original.program(arm, routine, method, wrench))
        # factoring takes longest: it is left to the best of the ways, if that is not huge
        best = min((classic(p, "UTCD")[0] for p in traced), key=cost)
        return best if best.count().total > HUGE_ONCE else classic(best, "F")[0]
    rewritten = free and not arm.flexible and routine in SIGNATURES
    labels = (routine, formulation, str(method), str(wrench))

    def full() -> Program:
        if min(p.count().total for p in traced) > (HUGE if rewritten else HUGE_ONCE):
            if rewritten:
                traced.append(plain_start(arm, routine, wrench))
            return min((trig(products(p)) for p in traced), key=cost)
        plain = [trig(p) for p in traced]
        if not rewritten:
            return min((merged_and_clear(clear(p)) for p in plain), key=cost)
        found = cheapest(arm, routine, wrench)
        near = [p for p in plain if p.count().total <= PROMISING[0] * found.count().total]
        return min([found, *map(clear, near)], key=cost)

    best = stored(arm, ("full", *labels), full)
    if passes == "full":
        return best

    def searched() -> Program:
        known = winner(arm, routine, traced[0]) if free and not wrench else None
        if known is not None and effort <= EFFORT:
            return known
        first = [best] if known is None else [best, known]
        if rewritten:
            first += starts(arm, routine, wrench)
        found = search(first, effort, SEED, progress)
        return found if agrees(traced[0], found) else best

    try:
        return stored(arm, ("search", str(effort), *labels), searched)
    except Interrupted as stop:  # the best so far is given, but not remembered
        return stop.best if agrees(traced[0], stop.best) else best


def composed(
    arm: Manipulator,
    routine: str,
    formulation: str,
    passes: str,
    method: int | None,
    wrench: bool,
    effort: int = EFFORT,
    progress: Callable[[Status], None] | None = None,
) -> Program:
    """The program of a routine that builds on cleared programs of others."""
    accelerations = routine == ACCELERATION
    if wrench and not accelerations:
        taking = ", ".join((*WITH_WRENCH, ACCELERATION))
        raise ValueError(f"a wrench can be added to {taking}, not to {routine}")
    if method is not None and not accelerations:
        raise ValueError(f"a method can be chosen for inertia and direct, not for {routine}")

    def part(name: str) -> Program:
        chosen = {"method": method} if name == "direct" else {}
        return program(
            arm,
            name,
            formulation=formulation,
            passes=passes,
            wrench=wrench,
            effort=effort,
            progress=progress,
            **chosen,
        )

    def made() -> Program:
        if accelerations:
            direct = part("direct")
            found = [eliminated(direct), eliminated(direct, backward=True)]
            if formulation == DEFAULT_FORMULATION and method is None:
                found.append(recursive(arm, wrench))
        else:
            found = derivative_ways(routine, part, arm)
        if passes == "none":
            return min(found, key=cost)
        tidy = clear if passes != "classic" else lambda p: trig(products(p))
        light = [p if p.count().total > HUGEST else trig(products(p)) for p in promising(found)]
        return min((p if p.count().total > HUGE_ONCE else tidy(p) for p in light), key=cost)

    labels = (routine, formulation, str(method), str(wrench))
    return stored(arm, ("composed", passes, str(effort), *labels), made)


def starts(arm: Manipulator, routine: str, wrench: bool = False, seed: int = SEED) -> list[Program]:
    """Different programs of a routine of a rigid arm, from which a search begins."""
    return list(islice(start_programs(arm, routine, seed, wrench), STARTS))


def ways(
    arm: Manipulator, routine: str, formulation: str, method: int | None, wrench: bool
) -> list[Program]:
    """Every way of a routine, traced."""
    work = task(arm, routine, formulation, method, wrench)
    return [trace(f, work.inputs, work.outputs, routine) for f in work.ways.values()]


def promising(programs: Sequence[Program]) -> list[Program]:
    """The programs that may be the cheapest when they are cleared."""
    least = min(p.count().total for p in programs)
    limit = PROMISING[least > LARGE] * least
    return [p for p in programs if p.count().total <= limit]


def header(
    arm: Manipulator, formulation: str, passes: str, method: int | None = None
) -> tuple[str, ...]:
    """First lines of a generated file; no date and no path, so that it is reproducible."""
    lines = [
        f"generated by flexgen {__version__}",
        f"case {arm.name}: {arm.description}" if arm.description else f"case {arm.name}",
    ]
    if arm.flexible:
        a = arm.assumptions
        formulation = "king" if formulation == DEFAULT_FORMULATION else formulation
        coupling = "with" if a.torsion_coupling else "without"
        lines.append(
            f"flexible links: {a.rotation} rotation, {coupling} torsion coupling, "
            f"foreshortening {a.foreshortening}"
        )
    way = "" if method is None else f", method {method}"
    return (*lines, f"formulation {formulation}{way}, passes {passes}")


def generate(
    arm: Manipulator,
    routines: Iterable[str] = CORE,
    dialect: str = "f90",
    *,
    formulation: str = DEFAULT_FORMULATION,
    passes: str = "full",
    method: int | None = None,
    wrench: bool = False,
    single: bool = False,
) -> str:
    """Manipulator -> text of some routines in one dialect."""
    programs = [
        program(arm, r, formulation=formulation, passes=passes, method=method, wrench=wrench)
        for r in routines
    ]
    lines = header(arm, formulation, passes, method)
    flexible = arm.flexible and dialect == "f77"  # FLEX, FLEXH, ... of the original
    return emit(programs, dialect, lines, single=single, flexible=flexible)


def batch_text(programs: Sequence[Program], lines: Sequence[str] = ()) -> str:
    """Programs -> Fortran over many states that needs nothing but a compiler."""
    by_hand = [(data_folder("fortran") / name).read_text() for name in HAND_WRITTEN]
    fast = [addition(p) for p in programs]
    entries = shim(signatures(fast), [p.name for p in fast], "dynamics_batch")
    top = [
        *lines,
        "NAME_batch(states, columns, threads, strict, inputs, outputs, info) in dynamics_batch:",
        "flat arrays, state after state, or with columns = 1 all states of an entry together",
        "gfortran -O3 -march=native -fno-math-errno -fno-trapping-math -frecursive -fopenmp -c",
    ]
    texts = [emit(fast, "f90", top), *by_hand, blocks_text(fast), entries]
    return "\n".join(texts)


def signatures(programs: Iterable[Program]) -> tuple[Signature, ...]:
    """What goes in and out of programs."""
    return tuple(
        Signature(
            p.name,
            tuple((i.name, i.size) for i in p.inputs),
            tuple((o.name, o.shape) for o in p.outputs),
        )
        for p in programs
    )


def compiled(programs: Mapping[str, Program], lines: Sequence[str] = ()) -> dict[str, Routine]:
    """Programs -> compiled routines of one library, scalar and vector forms."""
    fast = [addition(p) for p in programs.values()]
    short = [p for p in fast if p.count().total <= HUGEST]
    library = compile_module(
        emit(fast, "f90", lines),
        signatures(fast),
        blocks_text(short, header=lines) if short else "",
        vectorised=[p.name for p in short],
        flags=FLAGS if len(short) == len(fast) else LONG_FLAGS,
    )
    return {
        name: Routine(f.one, f.many, f.signature.inputs, f.signature.shapes)
        for name, f in library.functions.items()
    }


def build(
    arm: Manipulator,
    backend: str | None = None,
    formulation: str = DEFAULT_FORMULATION,
    passes: str = "full",
    report: Callable[[str], None] = lambda text: None,
) -> Model:
    """Manipulator -> Model; Fortran where a compiler is found, else NumPy with a warning.

    The derivatives are generated and compiled when they are first called. `report` hears
    what is being worked on.
    """
    if backend not in (None, *BACKENDS):
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    lines = header(arm, formulation, passes)

    def made(routines: Iterable[str]) -> dict[str, Program]:
        programs = {}
        for routine in routines:
            report(f"{arm.name}: {routine}, passes {passes}")
            programs[routine] = program(arm, routine, formulation=formulation, passes=passes)
        return programs

    def loaded(programs: Mapping[str, Program]) -> dict[str, Routine]:
        if backend == "numpy":
            return interpreted(programs, lines)
        report(f"{arm.name}: compiling")
        return compiled(programs, lines)

    def more(routine: str) -> tuple[Routine, Counts]:
        if routine not in DERIVATIVES:
            raise KeyError(routine)
        programs = made([routine])
        return loaded(programs)[routine], programs[routine].count()

    programs = made(CORE)
    try:
        routines = loaded(programs)
    except CompilerMissing as missing:
        if backend == "fortran":
            raise
        warnings.warn(f"{missing}; using the NumPy backend", RuntimeWarning, stacklevel=2)
        backend = "numpy"
        routines = loaded(programs)
    softening = softening_watch(arm)
    return Model(
        arm,
        routines,
        {name: p.count() for name, p in programs.items()},
        backend or "fortran",
        passes,
        None if softening is None else Watch(*softening),
        more,
    )
