"""The compiled search: its C source -> a library, built once and kept, and calls to it."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

FLAGS = ("-O2", "-std=c11", "-fPIC", "-shared", "-ffp-contract=off", "-fno-fast-math")
SOURCES = ("anneal.c", "moves.h", "table.h", "graph.h", "dd.h")
STATES = 6  # as in graph.h


class SearchUnavailable(RuntimeError):
    """The search cannot run here: there is no C compiler, or it failed."""


def compiler() -> str:
    """Path of the C compiler: the one that CC names, else cc, gcc or clang."""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise SearchUnavailable("the search needs a C compiler (cc, gcc, clang or CC); none was found")


def cache_folder() -> Path:
    """Where built libraries are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "flexgen" / "search"


def _compile(path: str, source: Path, target: Path) -> None:
    handle, temporary = tempfile.mkstemp(suffix=".so", dir=target.parent)
    os.close(handle)
    command = [path, *FLAGS, "-o", temporary, str(source), "-lm"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            line = (run.stderr.strip().splitlines() or ["no message"])[0]
            raise SearchUnavailable(f"the C compiler failed on the search: {line}")
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)


@cache
def library() -> ctypes.CDLL:
    """The compiled search, from the cache if it was built before."""
    here = Path(__file__).parent
    path = compiler()
    key = hashlib.sha256(f"{path} {' '.join(FLAGS)} {sys.platform} {os.uname().machine}".encode())
    for name in SOURCES:
        key.update((here / name).read_bytes())
    target = cache_folder() / f"anneal-{key.hexdigest()[:20]}.so"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            _compile(path, here / SOURCES[0], target)
        found = ctypes.CDLL(str(target))
    except OSError as error:
        raise SearchUnavailable(f"the search could not be built: {error}") from error
    ints, doubles = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
    found.search_new.restype = ctypes.c_void_p
    found.search_new.argtypes = [
        ctypes.c_int,
        ints,
        doubles,
        doubles,
        ctypes.c_int,
        ints,
        doubles,
        doubles,
        ctypes.c_int64,
        ctypes.c_uint64,
    ]
    found.search_run.restype = ctypes.c_double
    found.search_run.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    found.search_best.restype = ctypes.c_int
    found.search_best.argtypes = [ctypes.c_void_p, ints, doubles]
    found.search_cost.argtypes = [ctypes.c_void_p]
    found.search_cost.restype = ctypes.c_double
    for name in ("search_free", "search_confirm", "search_refuse"):
        call = getattr(found, name)
        call.argtypes = [ctypes.c_void_p]
        call.restype = None
    return found
