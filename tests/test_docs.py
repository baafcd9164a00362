"""README and docs say what is there: the snippet runs, files exist, numbers are ours."""

import re
from pathlib import Path

import pytest
from conftest import CASES, read_quietly

from flexgen import pipeline
from flexgen.build import find_compiler
from flexgen.cli.main import cli
from flexgen.frf.schema import FrfTable
from flexgen.modal.schema import ModalTable
from flexgen.simulate.schema import SimulateTable
from flexgen.tables import numbers
from flexgen.winners import winner

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
COUNTS = (ROOT / "docs" / "counts.md").read_text()


PAGES = sorted(p for p in (ROOT / "docs").glob("*.md") if "```python" in p.read_text())
FORTRAN = pytest.mark.skipif(not find_compiler(), reason="no Fortran compiler")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with the cases, so that snippets leave nothing behind."""
    (tmp_path / "cases").symlink_to(CASES)
    monkeypatch.chdir(tmp_path)


def run(page):
    """The Python of a page, in order."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
    exec(compile(code, page.name, "exec"), {})


@FORTRAN
def test_the_snippet_of_the_readme_runs(folder, capsys):
    run(ROOT / "README.md")
    mul, add = map(int, capsys.readouterr().out.split())
    assert mul + add == 193


@FORTRAN
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_snippets_of_a_page_run(folder, page, capsys):
    run(page)


def test_a_snippet_that_is_wrong_is_found(folder, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 == 2\n```\n")
    with pytest.raises(AssertionError):
        run(page)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_what_a_page_names_exists(page):
    for name in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not name.startswith("http"):
            assert (page.parent / name).exists(), name
    for name, rest in commands(page):
        assert name in cli.commands, name
        known = {o for p in cli.commands[name].params for o in p.opts} | {"--help"}
        assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest)) <= known, rest
        case = re.match(r" ([a-z]\w*)(?=\s|$)", rest)
        if case:
            assert (CASES / f"{case[1]}.toml").exists(), case[1]


def commands(page):
    """Commands of flexgen in the code of a page, with the rest of their line."""
    text = page.read_text().replace("\\\n", " ")
    code = re.findall(r"```\w*\n(.*?)```|^ {4}(\S[^\n]*)$|`(flexgen [^`]+)`", text, re.S | re.M)
    lines = "\n".join("".join(found) for found in code)
    return re.findall(r"^flexgen ([a-z]+)([^#\n]*)", lines, re.MULTILINE)


def test_commands_are_found():
    assert {"simulate", "modal", "frf", "report", "bench", "count", "clear"} <= {
        name for name, _ in commands(ROOT / "README.md")
    }
    assert ("frf", True) in [(n, "--check" in rest) for n, rest in commands(ROOT / "docs/modal.md")]


@pytest.mark.parametrize(
    ("page", "heading", "schema"),
    [
        ("simulate", "## The table", SimulateTable),
        ("modal", "key of `[modal]`", ModalTable),
        ("modal", "key of `[frf]`", FrfTable),
    ],
)
def test_every_key_of_a_table_is_described(page, heading, schema):
    text = (ROOT / "docs" / f"{page}.md").read_text()
    rows = re.findall(
        r"^\| (.*?) \|", text[text.index(heading) :].split("\n\n## ")[0], re.MULTILINE
    )
    named = {key for row in rows for key in re.findall(r"`\[*(?:simulate\.)?([a-z_]+)\]*`", row)}
    assert set(schema.model_fields) <= named


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 200


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
