"""What the arm is: numbers and geometry, no dynamics."""

from .arm import Manipulator
from .case import Case, CaseError, CaseWarning, load, read_case
from .expected import Expected
from .generic import generic_arm

__all__ = [
    "Case",
    "CaseError",
    "CaseWarning",
    "Expected",
    "Manipulator",
    "generic_arm",
    "load",
    "read_case",
]
