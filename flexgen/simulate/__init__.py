"""Time responses of an arm: integrators in Fortran around its generated dynamics.

api        what a user calls: `simulate`, `repeat`
signals    functions of time: constant, table, polynomial
drive      torque laws, wrench, prescribed motion
payload    what is taken up on the way
run        stretches, chunks, partial results
compiled   the engine in Fortran; interpreted: the one in Python
balance    energy against work
result     what comes out, saved and loaded
"""

from .api import repeat, simulate
from .drive import PD, ComputedTorque
from .payload import Payload
from .result import Result, load_result
from .run import SimulationError, SimulationWarning
from .signals import Signal, constant, polynomial, table

__all__ = [
    "PD",
    "ComputedTorque",
    "Payload",
    "Result",
    "Signal",
    "SimulationError",
    "SimulationWarning",
    "constant",
    "load_result",
    "polynomial",
    "repeat",
    "simulate",
    "table",
]
