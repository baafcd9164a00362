"""Search for the fewest operations: Program -> Program with the same values.

`merge_equal` is deterministic and takes milliseconds: nodes equal in value become one.
`anneal` is a seeded search, bounded by an amount of work. Both decide by numeric
fingerprints, and what they return has passed `verify_exact` in many digits.
"""

from .annealing import Progress, anneal
from .engine import SearchUnavailable
from .merge import merge_equal
from .verify import DoubleReport, ExactReport, verify_double, verify_exact

__all__ = [
    "DoubleReport",
    "ExactReport",
    "Progress",
    "SearchUnavailable",
    "anneal",
    "merge_equal",
    "verify_double",
    "verify_exact",
]
