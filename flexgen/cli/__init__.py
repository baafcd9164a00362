"""The command line: arguments -> pipeline, applications, report. It computes nothing."""

from .main import main

__all__ = ["main"]
