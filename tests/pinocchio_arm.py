"""A Pinocchio model of a manipulator: an independent oracle."""

from flexgen.bench.peer_pinocchio import pinocchio_model

__all__ = ["pinocchio_model"]
