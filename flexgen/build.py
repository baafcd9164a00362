"""Generated Fortran -> functions: shim, f90wrap, f2py and meson, once for every content.

In comes the text of the module `dynamics` and the signatures of its routines; out comes a
`Library` of functions over batches. f90wrap sees the shim alone (see `shim`), the hand-written
modules of `fortran/` do the loops. The wrapper that f90wrap writes goes through plain f2py:
its patched one would set up a signal handler around each call, three times the cost of the
call, and turn an interrupt into a RuntimeError.

A build is kept in the cache under a digest of all that it depends on, which is also the name
of its Python module, since an extension cannot be loaded twice under one name.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from . import __version__, cache
from .shim import Entry, Signature, entries, shim
from .shipped import data_folder
from .toolchain import (
    BuildError,
    CompilerMissing,
    find_compiler,
    fingerprint,
    processor,
    require_compiler,
    run_module,
)

__all__ = [
    "FLAGS",
    "BuildError",
    "CompilerMissing",
    "Library",
    "Signature",
    "compile_module",
    "find_compiler",
]

# -O1 compiles long routines faster for code that is up to a tenth slower; recursive, since a
# large local array would otherwise be static, which threads would share
FLAGS = ("-O2", "-frecursive")
HAND_WRITTEN = ("kinds.f90", "batch.f90", "direct.f90")
GENERATED = ("dynamics.f90", "shim.f90")
MESON = "mesonbuild.mesonmain"
MISFIT = 2**31 - 1  # the entry point's word for arrays that do not fit together

# '8' as well: f90wrap writes real(8) for real(real64) and then looks that up
_KINDS = "{'real': {'real64': 'double', '8': 'double'}}\n"

# the hand-written modules have flags of their own: their checks need infinities, NaN and
# plain rounding. Bsymbolic: all extensions have modules of the same names, and each must
# find its own
_MESON = """\
project('{name}', 'c', 'fortran', meson_version: '>=1.4.0',
  default_options: ['buildtype=plain', 'warning_level=0'])
by_hand = static_library('by_hand', {by_hand}, pic: true,
  fortran_args: ['-O2', '-frecursive'])
py = import('python').find_installation(pure: false)
py.extension_module('{name}', {sources},
  include_directories: include_directories({includes}),
  c_args: ['-O2'],
  fortran_args: {flags},
  link_args: host_machine.system() == 'linux' ? ['-Wl,-Bsymbolic'] : [],
  link_with: by_hand,
  dependencies: py.dependency())
"""


@dataclass(frozen=True)
class Library:
    """Compiled routines.

    `functions[name](*inputs, out)` takes float64 arrays of shape (B, size), or (size,) for one
    state, fills the C-contiguous `out` of shape (B, *shape), or `shape`, and returns a code:
    0, or k when input k holds a number that is not finite, or -k when the inertia matrix of
    state k, counted from one, is not positive definite. With another code than 0 the
    contents of `out` are undefined. Arrays that do not fit together raise ValueError.
    """

    functions: Mapping[str, Callable[..., int]]
    entries: Mapping[str, Entry]
    folder: Path


def compile_module(
    source: str, signatures: tuple[Signature, ...], *, flags: Sequence[str] | None = None
) -> Library:
    """Compile the module `dynamics` in `source` with `flags` (FLAGS if None) and load it.

    For the routine `direct` (inertia matrix and bias) the function of that name goes on to the
    accelerations, `direct(q, qd, tau, qdd)`; with a routine `external` there is also
    `direct_loaded(q, qd, tau, wrench, qdd)`.
    """
    points = entries(signatures)
    require_compiler()
    chosen = FLAGS if flags is None else tuple(flags)
    files = {name: (data_folder("fortran") / name).read_text() for name in HAND_WRITTEN}
    files |= zip(GENERATED, (source, shim(signatures)), strict=True)
    target = processor() if any("native" in flag for flag in chosen) else ""
    built_by = (__version__, _MESON, target, *fingerprint())
    key = cache.digest([repr(chosen), *files, *files.values(), *built_by])
    try:
        folder, module = _obtain(key, files, chosen)
    except OSError as error:
        where = f"cannot use the cache {cache.root()}: {error.strerror or error}"
        raise BuildError(f"{where}; set FLEXGEN_CACHE to another folder") from None
    wrapped = {p.name: getattr(module, f"f90wrap_shim__{p.name}_batch") for p in points}
    functions = {p.name: _function(p, wrapped[p.name]) for p in points}
    by_name = {p.name: p for p in points}
    return Library(MappingProxyType(functions), MappingProxyType(by_name), folder)


def _obtain(key: str, files: Mapping[str, str], flags: tuple[str, ...]) -> tuple[Path, ModuleType]:
    """Folder and extension of a build; one that does not load any more is built anew."""

    def fill(work: Path) -> None:
        _build(work, key, files, flags)

    try:
        folder = cache.obtain(key, fill)
        return folder, _loaded(folder, key)
    except ImportError:
        cache.discard(key)
    try:
        folder = cache.obtain(key, fill)
        return folder, _loaded(folder, key)
    except ImportError as error:
        raise BuildError(f"the extension was built but does not load: {error}") from None


def _build(work: Path, key: str, files: Mapping[str, str], flags: tuple[str, ...]) -> None:
    """Fill `work` with the extension, its sources and the log of the tools."""
    name, log = _module_name(key), work / "build.log"
    for file, text in files.items():
        (work / file).write_text(text)
    inner = work / "inner"  # all that is not to be kept
    inner.mkdir()
    (inner / "kinds.map").write_text(_KINDS)
    try:
        wrap = ["f90wrap", "-k", "kinds.map", "-m", f"{name}_classes", "../shim.f90"]
        run_module(wrap, inner, log, "f90wrap")
        f2py = ["numpy.f2py", "f90wrap_shim.f90", "-m", name, "--lower", "--build-dir", "."]
        run_module([*f2py, "--f2cmap", "kinds.map"], inner, log, "f2py")
        (inner / "meson.build").write_text(_meson(name, flags))
        run_module([MESON, "setup", "build"], inner, log, "meson setup")
        run_module([MESON, "compile", "-C", "build"], inner, log, "the compiler")
        (extension,) = (inner / "build").glob(f"{name}.*.so")
        extension.rename(work / extension.name)
    except BuildError as error:
        kept = cache.keep_failed(key, [log, *(work / file for file in files)])
        raise BuildError(f"{error}\nlog and sources: {kept}") from None
    shutil.rmtree(inner)


def _meson(name: str, flags: Sequence[str]) -> str:
    """Text of the build file; the Fortran sources lie in the folder above it."""
    import numpy.f2py  # loads all of f2py, which a build found in the cache does not need

    support = numpy.f2py.get_include()
    wrappers = ["f90wrap_shim.f90", f"{name}module.c", f"{support}/fortranobject.c"]
    return _MESON.format(
        name=name,
        by_hand=_list([f"../{file}" for file in HAND_WRITTEN]),
        sources=_list([*(f"../{file}" for file in GENERATED), *wrappers]),
        includes=_list([support, np.get_include()]),
        flags=_list(flags),
    )


def _list(texts: Sequence[str]) -> str:
    """A list of strings as meson writes it."""
    quoted = (text.replace("\\", "\\\\").replace("'", "\\'") for text in texts)
    return "[" + ", ".join(f"'{text}'" for text in quoted) + "]"


def _module_name(key: str) -> str:
    return f"flexgen_{key}"


def _loaded(folder: Path, key: str) -> ModuleType:
    name = _module_name(key)
    if name in sys.modules:
        return sys.modules[name]
    file = next(folder.glob(f"{name}.*"), folder / name)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"no extension in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


def _function(entry: Entry, wrapped: Callable[..., int]) -> Callable[..., int]:
    """`wrapped` for C arrays: Fortran has the indices in the opposite order.

    One state with a vector result needs no turning, which is the case that must be fast.
    """

    def call(*arrays: Any) -> int:
        one_vector = arrays[-1].ndim == 1
        code = wrapped(*arrays) if one_vector else wrapped(*[a.T for a in arrays])
        if code == MISFIT:
            given = ", ".join(str(np.shape(a)) for a in arrays)
            sizes = ", ".join(f"({size},)" for _, size in entry.inputs)
            raise ValueError(
                f"{entry.name}: arrays of the shapes {sizes} -> {entry.shape}, with the same "
                f"leading B or none, are expected, not {given}"
            )
        return code

    return call
