"""Progress of a search on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..search.halving import Status


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """A line that says what is being done, on a terminal."""
    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(escape(text))


@contextmanager
def searching(wanted: bool, label: str) -> Iterator[Callable[[Status], None] | None]:
    """A bar with the fewest operations so far; None where nothing long is to be done."""
    if not wanted:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("best {task.fields[best]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=1.0, best="-")

        def tell(status: Status) -> None:
            bar.update(task, completed=status.done, best=status.best)

        yield tell
