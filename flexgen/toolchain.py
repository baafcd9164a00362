"""The tools that turn Fortran into an extension: what is there, what is missing, running them.

Every child runs in a process group of its own with a limit of time and of memory: a
compiler that is given too long a routine may otherwise take all the memory there is.
"""

from __future__ import annotations

import functools
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

TIME_LIMIT = 1800.0  # seconds for one child
MEMORY_LIMIT = 8 * 2**30  # bytes of address space of each child, or what the machine has
TAIL = 15  # lines of a log that an error shows

# the flags of a build are an argument and part of its key; these would come in unseen
_HIDDEN_FLAGS = ("FFLAGS", "FCFLAGS", "CFLAGS", "CPPFLAGS", "F90FLAGS")
# and these have to be: where compilers and libraries are
_PLACES = ("FC", "CC", "LDFLAGS", "LIBRARY_PATH", "CPATH")


class BuildError(Exception):
    """A build that failed; the message holds the last lines of the tool and where its log is."""


class CompilerMissing(BuildError):
    """There is nothing to build with; the message is one line that says what to install."""


def find_compiler() -> str | None:
    """Path of the Fortran compiler, from FC or `gfortran`; None where there is none."""
    return shutil.which(_fortran()[0])


def require_compiler() -> None:
    """Raise CompilerMissing if a Fortran compiler, a C compiler or Python's headers are missing."""
    if find_compiler() is None:
        name = os.environ.get("FC") or "gfortran"
        raise CompilerMissing(
            f"no Fortran compiler: {name} not found; install gfortran (apt-get install gfortran) "
            "or set FC"
        )
    given = shlex.split(os.environ.get("CC", ""))
    if not any(shutil.which(name) for name in (given[:1] or ["cc", "gcc", "clang"])):
        raise CompilerMissing("no C compiler: install gcc (apt-get install gcc) or set CC")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise CompilerMissing(
            f"{header} not found: install the headers of Python (apt-get install python3-dev)"
        )


def fingerprint() -> tuple[str, ...]:
    """What a binary depends on besides its sources and flags."""
    tools = [f"{name} {_version(name)}" for name in ("numpy", "f90wrap", "meson")]
    places = [f"{name}={os.environ.get(name, '')}" for name in _PLACES]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    compiler = tuple(_fortran())
    return (python, suffix, platform.machine(), *tools, *places, _banner(compiler))


def processor() -> str:
    """The instructions that this machine has, for flags such as -march=native."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(dict.fromkeys(s for s in lines if s.startswith(("model name", "flags"))))


def vector_flags() -> tuple[str, ...]:
    """Flags for loops over many states: all that this machine has, and vector functions."""
    plain = ("-O3", "-frecursive")
    if not _is_gnu():
        return plain
    loops = (*plain, "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math")
    if platform.machine() in ("x86_64", "AMD64"):
        return (*loops, "-march=native", "-mprefer-vector-width=512")
    return (*loops, "-mcpu=native")


def thread_flags() -> tuple[str, ...]:
    """Flags for loops over threads."""
    return ("-fopenmp",) if _is_gnu() else ()


def run_module(arguments: list[str], folder: Path, log: Path, what: str) -> None:
    """Run a tool that is a module of this interpreter, as `python -m` does; see `run`."""
    run([sys.executable, "-m", *arguments], folder, log, what)


def run(command: list[str], folder: Path, log: Path, what: str) -> None:
    """Run `command` in `folder`, append what it says to `log`; BuildError if it fails."""
    size = min(MEMORY_LIMIT, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    limit = f'ulimit -v {size // 1024} 2>/dev/null; exec "$@"'
    with log.open("a") as output:
        output.write(f"$ {shlex.join(command)}\n")
        output.flush()
        child = subprocess.Popen(
            ["/bin/sh", "-c", limit, "sh", *command],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            raise BuildError(f"{what} took more than {TIME_LIMIT:g} s and was stopped") from None
        finally:  # also when this process is interrupted
            if child.returncode is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
    if status != 0:
        raise BuildError(f"{what} failed:\n{_tail(log)}")


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    said = [s for s in lines if s.strip() and not s.startswith(("ninja: ", "INFO: ", "$ "))]
    return "\n".join(said[-TAIL:])


def _environment() -> dict[str, str]:
    # meson looks for ninja on the path; an interpreter may be called without its folder there
    env = {name: value for name, value in os.environ.items() if name not in _HIDDEN_FLAGS}
    folders = [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    env["PATH"] = os.pathsep.join([*folders, env.get("PATH", os.defpath)])
    env["OPENBLAS_NUM_THREADS"] = "1"  # each of its threads takes address space
    env["LC_ALL"] = "C"
    return env


def _fortran() -> list[str]:
    return shlex.split(os.environ.get("FC", "")) or ["gfortran"]


def _is_gnu() -> bool:
    return "GNU Fortran" in _banner(tuple(_fortran()))


@functools.cache
def _banner(compiler: tuple[str, ...]) -> str:
    done = subprocess.run(
        [*compiler, "--version"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.stdout


@functools.cache
def _version(name: str) -> str:
    return version(name)
