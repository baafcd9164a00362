"""Where the times were taken: processor, compilers with their flags, versions of the others."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from ..toolchain import processor
from .kernels import COMPILERS, FLAGS, banner

PACKAGES = ("numpy", "pin", "casadi", "mujoco")


def machine() -> dict[str, object]:
    """A description that goes with every table."""
    names = [s.partition(":")[2].strip() for s in processor().splitlines() if "model name" in s]
    compilers = {
        compiler: " ".join([banner(compiler), *FLAGS[suffix]])
        for suffix, compiler in COMPILERS.items()
        if banner(compiler)
    }
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "compilers": compilers,
        "packages": {name: v for name in PACKAGES if (v := _version(name)) is not None},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
