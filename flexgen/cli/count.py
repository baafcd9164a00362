"""`flexgen count`: operations of the generated code, published tables, base parameters."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from .. import original, pipeline
from ..graph.program import Counts
from ..manipulator.arm import Manipulator
from ..regroup.base import BaseParameters, base_parameters
from ..tables import OURS, Table, numbers, tables
from .common import (
    case_argument,
    effort_option,
    formulation_option,
    generator_option,
    json_option,
    load_case,
    passes_option,
    print_json,
    print_table,
)
from .progress import searching


@click.command()
@case_argument(required=False)
@click.option(
    "--routine",
    "-r",
    "routines",
    type=click.Choice(pipeline.ROUTINES),
    multiple=True,
    help="Which routine; may be repeated; default: all but the derivatives.",
)
@formulation_option
@passes_option
@effort_option
@generator_option
@click.option("--base", is_flag=True, help="The base inertial parameters of CASE instead.")
@click.option("--tables", "published", is_flag=True, help="Published tables beside ours; no CASE.")
@click.option("--table", "only", metavar="NUMBER", help="One of the published tables: 4.14, say.")
@click.option(
    "--levels",
    default=",".join(OURS),
    show_default=True,
    help="Columns of the tables, separated by commas.",
)
@click.option("--markdown", is_flag=True, help="Tables as Markdown.")
@json_option
def count(
    case: Path | None,
    routines: tuple[str, ...],
    formulation: str,
    passes: str,
    effort: int,
    generator: str,
    base: bool,
    published: bool,
    only: str | None,
    levels: str,
    markdown: bool,
    as_json: bool,
) -> None:
    """Count multiplications, additions and trigonometric calls of the routines of CASE.

    `*` and `/` are multiplications, binary `+` and `-` additions; signs and arithmetic
    between constants are free; the path is the longest chain of dependent operations.

    \b
      flexgen count puma560                        every routine of one arm
      flexgen count puma560 --base                 which inertial parameters matter
      flexgen count stanford_thesis --generator classic -r inverse
      flexgen count --tables                       the tables of 1990, and ours
      flexgen count --table 4.14                   one of them: flexible arms
    """  # noqa: D301
    if published or only:
        if case is not None:
            raise click.UsageError("--tables takes no case")
        _print_tables(levels, only, markdown, as_json)
        return
    if case is None:
        raise click.UsageError("missing argument CASE (or --tables)")
    arm = load_case(case)
    if base:
        _print_base(arm, base_parameters(arm), as_json)
    elif generator == "classic":
        _print_report(arm, routines or ("inverse",), as_json)
    else:
        _print_counts(arm, routines or pipeline.CORE, formulation, passes, effort, as_json)


def _print_counts(
    arm: Manipulator,
    routines: tuple[str, ...],
    formulation: str,
    passes: str,
    effort: int,
    as_json: bool,
) -> None:
    found: dict[str, Counts] = {}
    notes: dict[str, tuple[str, ...]] = {}
    for r in routines:
        with searching(passes == "search", f"{arm.name} {r}") as progress:
            program = pipeline.program(
                arm, r, formulation=formulation, passes=passes, effort=effort, progress=progress
            )
            found[r], notes[r] = program.count(), program.notes
    if as_json:
        tables_ = {
            r: asdict(c) | {"total": c.total} | ({"notes": notes[r]} if notes[r] else {})
            for r, c in found.items()
        }
        print_json({"case": arm.name, "passes": passes, "counts": tables_})
        return
    rows = [
        [r, *(str(x) for x in (c.mul, c.add, c.total, c.div, c.trig, c.path))]
        for r, c in found.items()
    ]
    columns = ["routine", "mul", "add", "total", "of it div", "trig", "path"]
    print_table(f"{arm.name}: operations, passes {passes}", columns, rows)
    for r, said in notes.items():
        for note in said:
            click.echo(f"{r}: {note}")


def _print_report(arm: Manipulator, routines: tuple[str, ...], as_json: bool) -> None:
    found = {}
    for r in routines:
        try:
            found[r] = original.generate(arm, r)[1]
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if as_json:
        rows = {
            r: [{"pass": row.label} | asdict(row.counts) for row in report.rows]
            for r, report in found.items()
        }
        print_json({"case": arm.name, "generator": "classic", "reports": rows})
        return
    for r, report in found.items():
        lines = [
            [
                row.label,
                *(str(x) for x in (row.counts.mul, row.counts.add, row.counts.total)),
                str(row.counts.assignments),
            ]
            for row in report.rows
        ]
        columns = ["pass", "mul", "add", "total", "assignments"]
        print_table(f"{arm.name} {r}: generator and passes of 1990", columns, lines)


def _print_base(arm: Manipulator, found: BaseParameters, as_json: bool) -> None:
    if as_json:
        print_json({"case": arm.name} | asdict(found))
        return
    rows = [
        [name, f"{value:.9g}", _combination(terms)]
        for name, value, terms in zip(found.names, found.values, found.combinations, strict=True)
    ]
    print_table(
        f"{arm.name}: {len(rows)} base parameters (about the frame origins)",
        ["parameter", "value", "stands for"],
        rows,
    )
    click.echo(f"without effect: {', '.join(found.without_effect) or 'none'}")


def _combination(terms: tuple[tuple[str, float], ...]) -> str:
    text = ""
    for name, c in terms:
        sign = " - " if c < 0 else " + "
        factor = "" if abs(c) == 1 else f"{abs(c):.9g} "
        text += f"{sign}{factor}{name}"
    return text.removeprefix(" + ").strip()


def _print_tables(levels: str, only: str | None, markdown: bool, as_json: bool) -> None:
    if only not in (None, *numbers()):
        raise click.UsageError(f"tables are {', '.join(numbers())}, not {only!r}")
    chosen = tuple(level.strip() for level in levels.split(","))
    strange = [level for level in chosen if level not in OURS]
    if strange:
        raise click.UsageError(f"levels are {', '.join(OURS)}, not {strange[0]!r}")

    def report(text: str) -> None:
        click.echo(text, err=True)

    found = list(tables(chosen, report, only))
    if as_json:
        print_json({"tables": [_table_dict(t) for t in found]})
        return
    for table in found:
        columns = [
            "arm",
            "routine",
            "published",
            "mul",
            "add",
            "total",
            *chosen,
            "ratio",
            "of num.",
        ]
        rows = []
        for row in table.rows:
            ours = dict(row.ours)
            what = row.routine + (f" (method {row.method})" if row.method else "")
            for k, (system, mul, add) in enumerate(row.systems):
                first = [row.case, what] if k == 0 else ["", ""]
                mine = [_cell(ours.get(c), markdown) if k == 0 else "" for c in chosen]
                ratios = _ratio(row.ratio(mul, add)), _ratio(row.of_numerical if k == 0 else None)
                rows.append([*first, system, str(mul), str(add), str(mul + add), *mine, *ratios])
        title = f"Table {table.number}: {table.title}"
        if markdown:
            click.echo(_markdown(title, columns, rows))
        else:
            print_table(title, columns, rows)


def _ratio(found: float | None) -> str:
    return "" if found is None else f"{found:.3f}"


def _cell(counts: Counts | None, long: bool) -> str:
    if counts is None:
        return ""
    return f"{counts.mul} + {counts.add} = {counts.total}" if long else str(counts.total)


def _markdown(title: str, columns: list[str], rows: list[list[str]]) -> str:
    lines = [f"## {title}", "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, ""])


def _table_dict(table: Table) -> dict[str, object]:
    rows = [
        {
            "case": r.case,
            "routine": r.routine,
            "method": r.method,
            "wrench": r.wrench,
            "note": r.note,
            "published": [
                {"system": s, "mul": m, "add": a, "total": m + a, "ratio": r.ratio(m, a)}
                for s, m, a in r.systems
            ],
            "of_numerical": r.of_numerical,
            "ours": {level: asdict(c) | {"total": c.total} for level, c in r.ours},
        }
        for r in table.rows
    ]
    return {"number": table.number, "title": table.title, "rows": rows}


COMMANDS = (count,)
