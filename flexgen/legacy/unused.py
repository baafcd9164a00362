"""Pass U of CLEAR: statements whose result nobody uses."""

from __future__ import annotations

from dataclasses import replace

from .program import LegacyProgram


def unused(program: LegacyProgram) -> LegacyProgram:
    """Delete, from the last statement upwards, what no later statement that stays needs."""
    needed = set(program.outputs)
    kept = []
    for statement in reversed(program.statements):
        if statement.target in needed:
            kept.append(statement)
            needed.update(statement.names)
    return replace(program, statements=tuple(reversed(kept)))
