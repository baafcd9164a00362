"""The passes that a start program goes through."""

from __future__ import annotations

from ..clear import clear
from ..graph.program import Program
from ..search.merge import merge_equal


def merged_and_clear(program: Program) -> Program:
    """Cleared, with nodes of equal value merged: slow, since it computes in many digits."""
    while True:
        new = clear(merge_equal(program))
        if new.count().total >= program.count().total:
            return program
        program = new
