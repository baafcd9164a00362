"""flexgen: straight-line Fortran for the dynamics of serial arms."""

__version__ = "0.1.0"
