"""Modal analysis: a model about a posture at rest -> frequencies, damping and shapes.

posture     names and numbers of coordinates; how joints are held
linear      equilibrium, and M, C, K about it
eigen       M, C, K -> modes and poles
links       frequencies of each link alone, from beam data
converge    frequencies with ever more modes
analysis    all of it: `modal(model, ...) -> ModalResult`
schema      the table [modal] of a case
"""

from .analysis import modal
from .converge import convergence, with_modes
from .linear import NoEquilibrium
from .lines import ShapeLines, shape_lines
from .result import Convergence, LinkFrequencies, ModalResult

__all__ = [
    "Convergence",
    "LinkFrequencies",
    "ModalResult",
    "NoEquilibrium",
    "ShapeLines",
    "convergence",
    "modal",
    "shape_lines",
    "with_modes",
]
