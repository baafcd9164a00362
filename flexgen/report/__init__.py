"""One HTML page about an arm: data, operations, checks, modes, motion. Needs nothing else.

motion      simulation, or a sweep of the joints -> what moves
scene       arm, motion and modes -> data of the moving picture
tables      data -> HTML tables
sections    results -> parts of the page, with figures
page        parts -> text of the page; *.html, *.css and *.js beside it are its template
make        a case -> all of it: `report(case, path)`
"""

from __future__ import annotations

from .make import LEVELS, report

__all__ = ["LEVELS", "report"]
