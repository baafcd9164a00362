"""Programs as JSON and back: for caches and for stored results of long searches."""

from __future__ import annotations

import json
from typing import Any

from .node import Expr, const, make, symbol
from .program import Input, Output, Program


def to_json(program: Program) -> str:
    """One line per node, arguments by position; floats round-trip exactly."""
    place: dict[Expr, int] = {}
    rows: list[str] = []
    for e in program.nodes():
        if e.kind == "const":
            row: list[Any] = ["const", e.value]
        elif e.kind == "input":
            row = ["input", *e.value]
        else:
            row = [e.kind, *(place[a] for a in e.args)]
        place[e] = len(rows)
        rows.append(json.dumps(row))
    head = {
        "name": program.name,
        "inputs": [[i.name, i.size] for i in program.inputs],
        "outputs": [
            [o.name, list(o.shape), [place[e] for e in o.entries]] for o in program.outputs
        ],
        "notes": list(program.notes),
    }
    text = json.dumps(head)
    return text[:-1] + ', "nodes": [\n' + ",\n".join(rows) + "\n]}\n"


def from_json(text: str) -> Program:
    """The program that `to_json` wrote."""
    data = json.loads(text)
    nodes: list[Expr] = []
    for kind, *rest in data["nodes"]:
        if kind == "const":
            nodes.append(const(rest[0]))
        elif kind == "input":
            nodes.append(symbol(rest[0], rest[1]))
        else:
            nodes.append(make(kind, (nodes[k] for k in rest)))
    outputs = tuple(
        Output(name, tuple(shape), tuple(nodes[k] for k in entries))
        for name, shape, entries in data["outputs"]
    )
    inputs = tuple(Input(name, size) for name, size in data["inputs"])
    return Program(data["name"], inputs, outputs, tuple(data["notes"]))
