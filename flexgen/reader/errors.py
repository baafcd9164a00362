"""What went wrong, and where."""

from __future__ import annotations


class ReadError(ValueError):
    """A file that cannot be treated; `line` counts from 1, None where it is not known."""

    def __init__(self, line: int | None, reason: str) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.line = line
        self.reason = reason
