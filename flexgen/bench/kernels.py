"""Texts -> a library with one entry, `kernel(q, qd, u, y)` for one state, and a loop over it.

All kernels have the same signature and are called through a pointer by the same loop, which
is compiled once and also reads the clock. Nothing of a kernel can be inlined into the loop.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..toolchain import run
from .candidate import Absent, Array
from .problem import Problem
from .rounds import Work

OPTIMISE = ("-O3", "-march=native")
C_FLAGS = (*OPTIMISE, "-fno-math-errno")
FLAGS = {".c": C_FLAGS, ".cpp": (*C_FLAGS, "-DNDEBUG"), ".f90": OPTIMISE}
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}
LINK = ("-shared", "-fPIC", "-Wl,-Bsymbolic")
POINTER = ctypes.c_void_p
PAGE = 4096

_DRIVER = """\
#include <time.h>

typedef void (*kernel)(const double *, const double *, const double *, double *);

/* seconds for `count` states, from state `first` of `states` on and round again */
double drive(kernel f, long count, long first, long states, long n, long size,
             const double *q, const double *qd, const double *u, double *y)
{
    struct timespec start, end;
    long k = first;
#ifdef __AVX__
    __builtin_ia32_vzeroupper(); /* what another left in wide registers slows narrow code */
#endif
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < count; ++i) {
        f(q + k * n, qd + k * n, u + k * n, y + k * size);
        if (++k == states) k = 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
}
"""


@dataclass(frozen=True)
class Built:
    """A loaded library and the seconds that its compiler took."""

    library: ctypes.CDLL
    path: Path
    seconds: float


class Workshop:
    """A temporary folder in which kernels are compiled; they stay loaded when it is gone."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="flexgen-bench-")
        self._made = 0
        self._arrays: tuple[Problem, list[Array]] | None = None
        drive = self.compile({"drive.c": _DRIVER}).library.drive
        drive.restype = ctypes.c_double
        drive.argtypes = [POINTER, *[ctypes.c_long] * 5, *[POINTER] * 4]
        self._drive = drive

    def compile(
        self, texts: Mapping[str, str], extra: Sequence[str] = (), link: Sequence[str] = ()
    ) -> Built:
        """Compile files, in this order, into one library."""
        self._made += 1
        folder = Path(self._folder.name) / str(self._made)
        folder.mkdir()
        start = time.perf_counter()
        path = compile_library(folder, texts, extra, link)
        return Built(ctypes.CDLL(str(path)), path, time.perf_counter() - start)

    def load_copy(self, path: Path) -> ctypes.CDLL:
        """A library that was compiled before, with variables of its own."""
        self._made += 1
        return ctypes.CDLL(shutil.copy(path, f"{self._folder.name}/{self._made}.so"))

    def work(self, p: Problem, library: ctypes.CDLL, entry: str = "kernel") -> Work:
        """The kernel of `library` at the states of `p`, from C."""
        states, at, arrays = len(p.q), 0, self._laid_out(p)
        kernel = ctypes.cast(library[entry], POINTER)

        def work(count: int) -> float:
            nonlocal at
            first, at = at, (at + count) % states
            data = [a.ctypes.data for a in arrays]
            return float(self._drive(kernel, count, first, states, p.n, p.size, *data))

        return work

    def _laid_out(self, p: Problem) -> list[Array]:
        """States and room for results, at the same addresses for all candidates.

        Where two arrays are a multiple of a page apart, a processor takes a load for one that
        must wait for a store (4K aliasing); a quarter of a page lies between these.
        """
        if self._arrays is None or self._arrays[0] is not p:
            given = [p.q, p.qd, p.u, np.zeros((len(p.q), p.size))]
            pages = [-(-a.nbytes // PAGE) + 1 for a in given]
            room = np.zeros((sum(pages) + 1) * PAGE, dtype=np.uint8)
            at, placed = -room.ctypes.data % PAGE, []
            for k, a in enumerate(given):
                start = at + k * PAGE // 4
                placed.append(room[start : start + a.nbytes].view(np.float64).reshape(a.shape))
                placed[-1][:] = a
                at += pages[k] * PAGE
            self._arrays = (p, placed)
        return self._arrays[1]

    def values(self, p: Problem, library: ctypes.CDLL, entry: str = "kernel") -> Array:
        """Results of the kernel at all states."""
        out = np.full((len(p.q), p.size), np.nan)
        kernel = ctypes.cast(library[entry], POINTER)
        data = [a.ctypes.data for a in (p.q, p.qd, p.u, out)]
        self._drive(kernel, len(p.q), 0, len(p.q), p.n, p.size, *data)
        return out

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


def banner(compiler: str) -> str:
    """What a compiler calls itself, in one line; empty where it is not there."""
    if shutil.which(compiler) is None:
        return ""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def compile_library(
    folder: Path, texts: Mapping[str, str], extra: Sequence[str] = (), link: Sequence[str] = ()
) -> Path:
    """Compile files in `folder` into one library there, each with the flags of its language."""
    objects, log = [], folder / "log"
    for name, text in texts.items():
        (folder / name).write_text(text)
        suffix = Path(name).suffix
        compiler = COMPILERS[suffix]
        if shutil.which(compiler) is None:
            raise Absent(f"{compiler} is not installed")
        flags = [*FLAGS[suffix], "-fPIC", *extra]
        objects.append(f"{name}.o")
        run([compiler, *flags, "-c", name, "-o", objects[-1]], folder, log, compiler)
    linker = COMPILERS[Path(next(iter(texts))).suffix]
    run([linker, *LINK, *objects, "-o", "kernel.so", *link, "-lm"], folder, log, "the linker")
    return folder / "kernel.so"
