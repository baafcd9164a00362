"""flexgen: straight-line Fortran for the dynamics of serial arms.

In short:

    arm = flexgen.load("cases/stanford.toml")
    model = flexgen.build(arm)
    tau = model.inverse(q, qd, qdd)
"""

__version__ = "0.1.0"

from .manipulator import Manipulator, generic_arm, load
from .model import Model
from .pipeline import build, generate, program

__all__ = [
    "Manipulator",
    "Model",
    "__version__",
    "build",
    "generate",
    "generic_arm",
    "load",
    "program",
]
