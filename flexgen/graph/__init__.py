"""The symbolic scalar: expressions, programs made of them, and what can be done with both."""

from .node import Expr, const, symbol
from .program import Counts, Input, Output, Program

__all__ = ["Counts", "Expr", "Input", "Output", "Program", "const", "symbol"]
