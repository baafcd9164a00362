"""Program -> cheaper program with the same values.

Every pass is a function in a file of its own. It never makes the count larger, and what it
returns it leaves as it is: a pass applied twice is the pass applied once.

    kernels   common factors, constants and partial sums of sums
    products  common parts of products
    trig      identities of sine and cosine
"""

from ..graph.program import Program
from .kernels import kernels
from .products import products
from .trig import trig

PASSES = (kernels, products, trig)

__all__ = ["PASSES", "clear", "kernels", "products", "trig"]


def clear(program: Program) -> Program:
    """All passes in order, while the count falls."""
    while True:
        before = program
        for cleared_by in PASSES:
            program = cleared_by(program)
        if program is before:
            return program
