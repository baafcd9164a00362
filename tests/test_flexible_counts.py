"""Operations of flexible arms: bounds, rigid arms among them, and the published tables."""

import json
from dataclasses import replace

import numpy as np
import pytest
from conftest import CASES, TWO_WAYS, read_quietly
from flexible_arms import WITHOUT_SHORTENING, any_arm, any_body, beam_link, large_state

import flexgen
from flexgen.cli import main
from flexgen.formulations import king, newton_euler
from flexgen.manipulator.arm import CONSISTENT, KING, Manipulator
from flexgen.manipulator.beam import Beam
from flexgen.start.flexible import stiffened
from flexgen.tables import numbers, numerical, published, tables

NOT_SHORTENED = {"A": 550, "K": 745, "Q": 1650, "R": 2210}
INVERSE = {"A": 208, "K": 295, "Q": 570}
DIRECT = {"A": 335, "K": 585, "Q": 1500, "R": 2080}
LARGE = "IJOPQR"
ROWS = {r["case"]: r for r in published()["row"] if r["table"] == "4.14"}


def marked(letters):
    return [pytest.param(x, marks=pytest.mark.slow) if x in LARGE else x for x in letters]


def arm_of(letter, assumptions=KING):
    arm = read_quietly(CASES / f"arm_{letter.lower()}.toml").manipulator
    assert arm.assumptions == KING
    return replace(arm, assumptions=assumptions)


def total(arm, routine, passes="full"):
    return flexgen.program(arm, routine, passes=passes).count().total


@pytest.mark.parametrize("letter", "ABCDEFGHIJKLMNOPQR")
def test_direct_dynamics_cost_less_than_published(letter):
    """Nothing but the traced program is needed for that: no pass makes it larger."""
    (name, mul, add), *_ = ROWS[f"arm_{letter.lower()}"]["systems"]
    assert name == "FLEXHB"
    assert total(arm_of(letter), "direct", "none") < mul + add


@pytest.mark.parametrize("letter", ["A", "C"])
def test_more_passes_cost_no_more(letter):
    arm = arm_of(letter)
    none, classic, full = (total(arm, "direct", p) for p in ("none", "classic", "full"))
    assert full <= classic < none


def test_all_arms_of_the_published_table_are_there():
    assert sorted(ROWS) == [f"arm_{letter}" for letter in "abcdefghijklmnopqr"]


@pytest.mark.parametrize("letter", marked(DIRECT))
def test_direct_dynamics(letter):
    assert total(arm_of(letter), "direct") <= DIRECT[letter]


@pytest.mark.parametrize("letter", marked(NOT_SHORTENED))
def test_direct_dynamics_with_exact_rotations(letter):
    assert total(arm_of(letter, WITHOUT_SHORTENING), "direct") <= NOT_SHORTENED[letter]


@pytest.mark.parametrize("letter", INVERSE)
def test_inverse_dynamics(letter):
    assert total(arm_of(letter), "inverse") <= INVERSE[letter]


@pytest.mark.parametrize(("routine", "mul", "add"), [("direct", 125, 92), ("inverse", 114, 88)])
def test_two_links_in_a_plane(routine, mul, add):
    beam = Beam(1.0, 1.0, 203.5752, 203.5752, modes=(0, 2, 0))
    arm = Manipulator("planar", (beam_link(beam),) * 2, gravity=(0.0, -9.81, 0.0), assumptions=KING)
    counts = flexgen.program(arm, routine).count()
    assert counts.mul <= mul
    assert counts.add <= add


def without_modes(assumptions):
    rng = np.random.default_rng(4)
    one = Beam(0.7, 1.1, 1.0, 1.0, polar_inertia=0.02)
    two = Beam(0.5, 0.8, 1.0, 1.0, polar_inertia=0.01)
    bodies = any_body(rng), any_body(rng)
    links = (beam_link(one, 0.5, 0.1, *bodies), beam_link(two, 0.0, 0.0))
    return Manipulator("stiff", links, assumptions=assumptions)


@pytest.mark.parametrize("assumptions", [KING, CONSISTENT], ids=["king", "consistent"])
def test_a_beam_without_modes_is_a_rigid_body(assumptions):
    arm = without_modes(assumptions)
    rigid = stiffened(arm)
    assert arm.flexible
    assert not rigid.flexible
    q, qd, qdd, wrench = large_state(arm)
    gravity = np.asarray(arm.gravity)
    expected = king.inverse(arm, q, qd, qdd, gravity, wrench)
    found = newton_euler.inverse(rigid, q, qd, qdd, gravity, wrench)
    np.testing.assert_allclose(found, expected, rtol=TWO_WAYS)


def test_sections_turn_with_a_rigid_beam_only_if_they_are_coupled():
    """Otherwise the two bodies above would be the same."""
    one, two = (stiffened(without_modes(a)).links[0].body for a in (KING, CONSISTENT))
    difference = two.inertia_origin - one.inertia_origin
    np.testing.assert_allclose(difference, np.diag([0.02 * 0.7, 0.0, 0.0]), atol=1e-15)


def test_beams_with_modes_stay():
    arm = any_arm("RFB", CONSISTENT)
    assert stiffened(arm) is arm


@pytest.mark.parametrize("routine", ["inverse", "direct", "gravity", "inertia"])
def test_an_arm_without_modes_costs_what_the_rigid_arm_costs(routine):
    """The rigid arm is written down by hand: two uniform rods."""
    rods = read_quietly(CASES / "double_pendulum.toml").manipulator
    beams = [Beam(link.dh.a, link.body.mass, 1.0, 1.0) for link in rods.links]
    arm = replace(rods, name="beams", links=tuple(beam_link(b) for b in beams))
    assert arm.flexible
    assert total(arm, routine) == total(rods, routine)


def test_numerical_operations_grow_with_the_coordinates_as_published():
    """Method 2 as written: one sweep for each coordinate and one for the bias."""
    for letter, numerical_total in (("A", 11526), ("K", 17584), ("Q", 42382), ("R", 64618)):
        ours = numerical(arm_of(letter), "direct").total
        assert ours == pytest.approx(numerical_total, rel=0.1)


def test_one_table_alone():
    found = list(tables(("numerical",), only="1.1"))
    assert [t.number for t in found] == ["1.1"]
    assert "4.14" in numbers()
    with pytest.raises(ValueError, match=r"tables are 1\.1, .*, not 9"):
        list(tables(only="9"))


def test_flexible_rows_have_the_levels_that_there_are(monkeypatch):
    monkeypatch.setitem(published(), "row", [ROWS["arm_a"]])
    (table,) = tables(("numerical", "original", "classic"), only="4.14")
    (row,) = table.rows
    assert [level for level, _ in row.ours] == ["numerical", "classic"]
    counts = dict(row.ours)
    assert row.of_numerical == counts["classic"].total / counts["numerical"].total
    assert row.ratio(337, 226) == counts["classic"].total / 563


def test_the_command_prints_one_table(monkeypatch, capsys):
    monkeypatch.setitem(published(), "row", [ROWS["arm_a"]])
    command = ["count", "--table", "4.14", "--levels", "numerical,classic", "--json"]
    with pytest.raises(SystemExit, match="0"):
        main(command)
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    (row,) = table["rows"]
    assert table["number"] == "4.14"
    assert [p["total"] for p in row["published"]] == [563, 947]
    assert row["published"][0]["ratio"] == row["ours"]["classic"]["total"] / 563
    with pytest.raises(SystemExit, match="2"):
        main(["count", "--table", "9"])
    assert "tables are 1.1, " in capsys.readouterr().err
