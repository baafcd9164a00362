"""Operations in generated text, counted from the text alone.

Every right-hand side is brought into Python's spelling and counted in Python's syntax tree:
`*` and `/` are multiplications, binary `+` and `-` additions, signs and arithmetic between
literals are free, sines, cosines and tangents are counted apart. Indices are not looked at.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

TRIG = {"sin", "cos", "tan"}
ROUTINES = {
    "f90": (r"pure subroutine (\w+)", r"end subroutine"),
    "f77": (r"subroutine (\w+)", r"end$"),
    "c": (r"(?:static )?void (\w+)\(", r"}$"),
    "python": (r"def (\w+)\(", r"return "),
}


def count_text(text: str, dialect: str) -> dict[str, tuple[int, int, int]]:
    """(multiplications, additions, trig calls) of each routine; parts belong to their routine."""
    start, end = ROUTINES[dialect]
    found: dict[str, tuple[int, int, int]] = {}
    name = ""
    for line in statements(text, dialect):
        begun = re.match(start, line, re.IGNORECASE)
        if begun:
            name = re.sub(r"_part\d+$", "", begun.group(1).lower())
            found.setdefault(name, (0, 0, 0))
        elif re.match(end, line, re.IGNORECASE):
            name = ""
        elif name and " = " in line:
            value = line.partition(" = ")[2]
            one = count_value(value)
            found[name] = tuple(a + b for a, b in zip(found[name], one, strict=True))
    return found


def statements(text: str, dialect: str) -> Iterator[str]:
    """Statements on one line each, without comments and semicolons."""
    if dialect == "python":
        yield from (ast.unparse(node) for node in _flat(ast.parse(text)))
        return
    if dialect == "c":
        text = re.sub(r"(//|#).*", "", text).replace("{", ";\n").replace("}", "};")
        yield from (" ".join(part.split()) for part in text.split(";") if part.strip())
        return
    current = ""
    for raw in text.splitlines():
        if dialect == "f77":
            if raw[:1] in ("C", "c", "*"):
                continue
            if raw[5:6].strip():
                current += " " + raw[6:72].strip()
                continue
            yield from [current] if current else []
            current = raw[6:72].strip()
        else:
            line = raw.split("!")[0].strip()
            current += line.rstrip("&")
            if current and not line.endswith("&"):
                yield current
                current = ""
    yield from [current] if current else []


def _flat(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield ast.parse(f"def {node.name}(): pass").body[0]
            yield from node.body


def count_value(value: str) -> tuple[int, int, int]:
    """Operations of one right-hand side."""
    python = re.sub(r"_real64\b", "", value)
    python = re.sub(r"(?<=[0-9.])[dDE](?=[-+]?\d)", "e", python)
    mul = add = trig = 0
    for node in ast.walk(ast.parse(python, mode="eval")):
        if isinstance(node, ast.BinOp) and not (_literal(node.left) and _literal(node.right)):
            mul += isinstance(node.op, ast.Mult | ast.Div)
            add += isinstance(node.op, ast.Add | ast.Sub)
            assert isinstance(node.op, ast.Mult | ast.Div | ast.Add | ast.Sub)
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else function.id
            trig += name.lower() in TRIG
    return mul, add, trig


def _literal(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _literal(node.left) and _literal(node.right)
    if isinstance(node, ast.UnaryOp):
        return _literal(node.operand)
    return isinstance(node, ast.Constant)
