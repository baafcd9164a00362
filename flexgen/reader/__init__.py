"""Straight-line Fortran that somebody else wrote -> Program, and the cleared text back.

Read are subroutines of assignments with sin, cos and the like, parameters, and array
elements with constant subscripts. Everything else is an error that names the line.
"""

from .parse import ReadError, Source, Subroutine, read_source
from .write import rewritten

__all__ = ["ReadError", "Source", "Subroutine", "read_source", "rewritten"]
