"""README and docs say what is there: the snippet runs, files exist, numbers are ours."""

import re
from pathlib import Path

import pytest
from conftest import CASES, read_quietly

from flexgen import pipeline
from flexgen.build import find_compiler
from flexgen.tables import numbers
from flexgen.winners import winner

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
COUNTS = (ROOT / "docs" / "counts.md").read_text()


@pytest.mark.skipif(not find_compiler(), reason="no Fortran compiler")
def test_the_snippet_of_the_readme_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    mul, add = map(int, capsys.readouterr().out.split())
    assert mul + add == 193


def test_what_the_readme_names_exists():
    for name in re.findall(r"\]\(([^)#]+)\)", README):
        if not name.startswith("http"):
            assert (ROOT / name).exists(), name
    for case in re.findall(r"flexgen (?:verify|generate|count) ([a-z0-9_]+)", README):
        assert (CASES / f"{case}.toml").exists(), case


def test_the_page_of_counts_has_every_table():
    for number in numbers():
        assert f"## Table {number}:" in COUNTS


@pytest.mark.parametrize(("name", "routine"), [("stanford", "inverse"), ("puma560", "jacobian")])
def test_the_page_of_counts_shows_our_counts(name, routine):
    arm = read_quietly(CASES / f"{name}.toml").manipulator
    plain = pipeline.program(arm, routine, passes="none")
    found = [
        pipeline.program(arm, routine, passes="classic"),
        pipeline.program(arm, routine, passes="full"),
        winner(arm, routine, plain),
    ]
    cells = [f"{c.mul} + {c.add} = {c.total}" for c in (p.count() for p in found)]
    assert any(
        line.startswith(f"| {name} | {routine} ") and " | ".join(cells) in line
        for line in COUNTS.splitlines()
    )
