"""Generated Fortran -> functions: shim, f90wrap, f2py and meson, once for every content.

In come the text of the module `dynamics`, that of its vector form `blocks`, and the signatures
of the routines; out comes a `Library` of functions over one state and over batches. f90wrap
sees the shim alone (see `shim`), the hand-written modules of `fortran/` move the data. The
wrapper that f90wrap writes goes through plain f2py: its patched one would set up a signal
handler around each call, three times the cost of the call, and turn an interrupt into a
RuntimeError.

A build is kept in the cache under a digest of all that it depends on, which is also the name
of its Python module, since an extension cannot be loaded twice under one name.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType

import numpy as np

from . import __version__, cache
from .shim import Signature, shim
from .shipped import data_folder
from .toolchain import (
    BuildError,
    CompilerMissing,
    find_compiler,
    fingerprint,
    processor,
    require_compiler,
    run_module,
    thread_flags,
    vector_flags,
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

# scalar routines: the same bits on every machine. -O1 compiles long ones faster for code that
# is up to a tenth slower; recursive, since a large local array would otherwise be static,
# which threads would share
FLAGS = ("-O2", "-frecursive")
LONG_FLAGS = ("-O1", "-frecursive")
HAND_WRITTEN = ("kinds.f90", "trig.f90", "batch.f90")
DYNAMICS, BLOCKS, SHIM = "dynamics.f90", "blocks.f90", "shim.f90"
MESON = "mesonbuild.mesonmain"
MISFIT = 2**31 - 1  # the entry point's word for arrays that do not fit together

# '8' as well: f90wrap writes real(8) for real(real64) and then looks that up
_KINDS = "{'real': {'real64': 'double', '8': 'double'}}\n"

# every group of sources has its own flags. Bsymbolic: all extensions have modules of the same
# names, and each must find its own
_MESON = """\
project('{name}', 'c', 'fortran', meson_version: '>=1.4.0',
  default_options: ['buildtype=plain', 'warning_level=0'])
{groups}
py = import('python').find_installation(pure: false)
py.extension_module('{name}', {sources},
  include_directories: include_directories({includes}),
  c_args: ['-O2'],
  fortran_args: ['-O2', '-frecursive'] + {threads},
  link_args: {threads} + (host_machine.system() == 'linux' ? ['-Wl,-Bsymbolic'] : []),
  link_with: {linked},
  dependencies: py.dependency())
"""
_GROUP = """\
{name} = static_library('{name}', {sources}, pic: true, fortran_args: {flags}, link_with: {linked})
"""


@dataclass(frozen=True)
class Group:
    """Fortran sources that are compiled with the same flags; later groups may use earlier ones."""

    files: Mapping[str, str]  # name and text, in the order of use
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """A compiled routine over flat float64 arrays.

    `one(*inputs, *outputs)` is for one state. `many(states, columns, threads, strict, *inputs,
    *outputs)` is for a batch, state after state or, with `columns`, all states of a coordinate
    after the other; with `strict` its results are those of `one` to the last bit. Both return
    0, or k when input k holds a number that is not finite, or -k when the inertia matrix of
    state k, counted from one, is not positive definite, or MISFIT when the sizes are not right;
    with another code than 0 the outputs are undefined.
    """

    one: Callable[..., int]
    many: Callable[..., int]
    signature: Signature


@dataclass(frozen=True)
class Library:
    """Compiled routines by name, and where they are."""

    functions: Mapping[str, Function]
    folder: Path


def compile_module(
    source: str,
    signatures: Sequence[Signature],
    blocks: str = "",
    *,
    vectorised: Collection[str] | None = None,
    flags: Sequence[str] | None = None,
) -> Library:
    """Compile the module `dynamics` in `source` with `flags` (FLAGS if None) and load it.

    `blocks` is the text of the module with the vector form of the routines `vectorised`, all
    if None; batches of the others go through the scalar ones.
    """
    named = [s.name for s in signatures] if vectorised is None else vectorised
    wrapped = shim(signatures, named if blocks else ())
    require_compiler()
    vector = vector_flags()
    by_hand = {name: (data_folder("fortran") / name).read_text() for name in HAND_WRITTEN}
    groups = [
        Group(by_hand, vector),
        Group({DYNAMICS: source}, FLAGS if flags is None else tuple(flags)),
        *([Group({BLOCKS: blocks}, vector)] if blocks else []),
    ]
    folder, module = extension(groups, wrapped)
    functions = {
        s.name: Function(
            getattr(module, f"f90wrap_shim__{s.name}_one"),
            getattr(module, f"f90wrap_shim__{s.name}_batch"),
            s,
        )
        for s in signatures
    }
    return Library(MappingProxyType(functions), folder)


def extension(groups: Sequence[Group], wrapped: str) -> tuple[Path, ModuleType]:
    """Folder and extension with the public routines of the module `shim` in `wrapped`.

    The routine `name` of it is `f90wrap_shim__name` of the extension.
    """
    require_compiler()
    native = any("native" in flag for group in groups for flag in group.flags)
    target = processor() if native else ""
    parts = [text for g in groups for text in (repr(g.flags), *g.files, *g.files.values())]
    built_by = (__version__, _MESON, _GROUP, target, *fingerprint())
    key = cache.digest([*parts, wrapped, *built_by])
    try:
        return _obtain(key, groups, wrapped)
    except OSError as error:
        where = f"cannot use the cache {cache.root()}: {error.strerror or error}"
        raise BuildError(f"{where}; set FLEXGEN_CACHE to another folder") from None


def _obtain(key: str, groups: Sequence[Group], wrapped: str) -> tuple[Path, ModuleType]:
    """Folder and extension of a build; one that does not load any more is built anew."""

    def fill(work: Path) -> None:
        _build(work, key, groups, wrapped)

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


def _build(work: Path, key: str, groups: Sequence[Group], wrapped: str) -> None:
    """Fill `work` with the extension, its sources and the log of the tools."""
    name, log = _module_name(key), work / "build.log"
    files = {file: text for group in groups for file, text in group.files.items()} | {SHIM: wrapped}
    for file, text in files.items():
        (work / file).write_text(text)
    inner = work / "inner"  # all that is not to be kept
    inner.mkdir()
    (inner / "kinds.map").write_text(_KINDS)
    try:
        wrap = ["f90wrap", "-k", "kinds.map", "-m", f"{name}_classes", f"../{SHIM}"]
        run_module(wrap, inner, log, "f90wrap")
        f2py = ["numpy.f2py", "f90wrap_shim.f90", "-m", name, "--lower", "--build-dir", "."]
        run_module([*f2py, "--f2cmap", "kinds.map"], inner, log, "f2py")
        (inner / "meson.build").write_text(_meson(name, groups))
        run_module([MESON, "setup", "build"], inner, log, "meson setup")
        run_module([MESON, "compile", "-C", "build"], inner, log, "the compiler")
        (made,) = (inner / "build").glob(f"{name}.*.so")
        made.rename(work / made.name)
    except BuildError as error:
        kept = cache.keep_failed(key, [log, *(work / file for file in files)])
        raise BuildError(f"{error}\nlog and sources: {kept}") from None
    shutil.rmtree(inner)


def _meson(name: str, groups: Sequence[Group]) -> str:
    """Text of the build file; the Fortran sources lie in the folder above it."""
    import numpy.f2py  # loads all of f2py, which a build found in the cache does not need

    support = numpy.f2py.get_include()
    wrappers = [f"../{SHIM}", "f90wrap_shim.f90", f"{name}module.c", f"{support}/fortranobject.c"]
    libraries = [f"group{k}" for k in range(len(groups))]
    targets = [
        _GROUP.format(
            name=library,
            sources=_list([f"../{file}" for file in group.files]),
            flags=_list(group.flags),
            linked=f"[{', '.join(libraries[:k])}]",
        )
        for k, (library, group) in enumerate(zip(libraries, groups, strict=True))
    ]
    return _MESON.format(
        name=name,
        groups="".join(targets),
        sources=_list(wrappers),
        includes=_list([support, np.get_include()]),
        threads=_list(thread_flags()),
        linked=f"[{', '.join(libraries)}]",
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
