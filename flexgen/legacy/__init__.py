"""The symbolic generators and the post-processor of El-Rayyes (1990), as they were.

    Manipulator --generate--> LegacyProgram --clear--> LegacyProgram, Report
                                   |--counts--> Counts
                                   |--fortran--> text, fixed form
                                   |--evaluate--> numbers

Rebuilt statement by statement from the listings of the thesis (MSc, University of Alberta,
1990), so that the published operation counts of the Stanford arm come out exactly. Nothing
here is meant to be fast or clever: it is the yardstick.
"""

from .clearing import PASSES, PRESET, Report, Row, clear
from .duplicates import locations
from .evaluate import evaluate
from .fortran import fortran
from .generators import PROGRAMS, generate
from .program import Constant, Counts, LegacyProgram, Source, counts, listing
from .statement import Product, Statement, read

__all__ = [
    "PASSES",
    "PRESET",
    "PROGRAMS",
    "Constant",
    "Counts",
    "LegacyProgram",
    "Product",
    "Report",
    "Row",
    "Source",
    "Statement",
    "clear",
    "counts",
    "evaluate",
    "fortran",
    "generate",
    "listing",
    "locations",
    "read",
]
