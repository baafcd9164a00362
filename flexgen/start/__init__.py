"""Arm and routine -> programs that are cheap before any search."""

from .cheapest import cheapest, start_programs
from .choices import Start
from .ways import start_program

__all__ = ["Start", "cheapest", "start_program", "start_programs"]
