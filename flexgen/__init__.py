"""flexgen: straight-line Fortran for the dynamics of serial arms.

In short:

    arm = flexgen.load("cases/stanford.toml")
    model = flexgen.build(arm)
    tau = model.inverse(q, qd, qdd)
"""

__version__ = "0.1.0"

from .frf import frf
from .manipulator import Manipulator, generic_arm, load
from .modal import modal
from .model import Model
from .pipeline import build, generate, program
from .report import report
from .simulate import simulate

__all__ = [
    "Manipulator",
    "Model",
    "__version__",
    "build",
    "frf",
    "generate",
    "generic_arm",
    "load",
    "modal",
    "program",
    "report",
    "simulate",
]
