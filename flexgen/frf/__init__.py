"""Frequency responses: a model about a posture at rest -> response, poles and zeros.

ports      names of inputs and outputs
zeros      poles and transmission zeros
analysis   all of it: `frf(model, input, output, ...) -> FrfResult`
chirp      the same from a simulation of the nonlinear model
schema     the table [frf] of a case
"""

from .analysis import frf
from .chirp import chirp_check
from .result import ChirpCheck, FrfResult, Linear

__all__ = ["ChirpCheck", "FrfResult", "Linear", "chirp_check", "frf"]
