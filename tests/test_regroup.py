"""Base parameters: same torques, known numbers, known rules, clean numbers."""

import numpy as np
import pytest
from conftest import CASES, TWO_WAYS, read_quietly

from flexgen.formulations import newton_euler, origin
from flexgen.formulations.parameters import labels, parameters, with_parameters
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com
from flexgen.regroup.base import base_parameters, canonical, default_order, regroup
from flexgen.regroup.units import in_units, lengths

RIGID = [
    "stanford", "puma560", "stanford3", "puma560_3", "puma560_modified", "modified_rpr", "scara",
]  # fmt: skip
# which of velocities, accelerations and gravity a purpose has
PARTS = {
    "inverse": (1, 1, 1),
    "bias": (1, 0, 1),
    "gravity": (0, 0, 1),
    "coriolis": (1, 0, 0),
    "inertia": (0, 1, 0),
}


def rigid(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


def torques(inverse, arm, state, parts=(1, 1, 1)):
    q, qd, qdd = state
    weight = np.asarray(arm.gravity) * parts[2]
    return inverse(arm, q, qd * parts[0], qdd * parts[1], weight, np.zeros(6))


def generic_modified(n, seed=1):
    """A modified-DH arm of revolute joints without any special geometry."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        A = rng.normal(size=(3, 3))
        body = body_about_com(rng.uniform(1, 5), rng.normal(size=3), A @ A.T)
        a, alpha, d = (0.0, 0.0, 0.0) if i == 0 else rng.uniform(0.2, 0.9, 3)
        links.append(Link("revolute", DH(a, angle(alpha), d, angle(0.0)), body))
    return Manipulator("generic", tuple(links), "modified")


@pytest.mark.parametrize(
    ("name", "number"), [("stanford", 33), ("puma560", 36), ("stanford3", 12), ("puma560_3", 15)]
)
def test_number_of_base_parameters_is_the_published_one(name, number):
    assert len(base_parameters(rigid(name)).names) == number


def test_generic_arm_has_seven_parameters_a_joint_less_those_of_the_first_on_a_vertical_axis():
    # Gautier and Khalil (1990): of a first link on a vertical axis only zz matters
    for n in (2, 3, 5):
        assert len(base_parameters(generic_modified(n)).names) == 7 * n - 6


def test_regrouping_follows_the_closed_rules_of_gautier_and_khalil():
    arm = generic_modified(4)
    rows = [dict(zip(labels(arm)[:10], parameters(arm)[10 * i : 10 * i + 10], strict=True))
            for i in range(4)]  # fmt: skip
    old = [{k[:-1]: v for k, v in row.items()} for row in rows]
    # from the tip inwards: yy, mz and m of a link go to the link before
    for j in (3, 2, 1):
        dh, link, before = arm.links[j].dh, old[j], old[j - 1]
        d, r, c, s = dh.a, dh.d, dh.alpha.cos, dh.alpha.sin
        yy, mz, m = link["yy"], link["mz"], link["m"]
        link["xx"] -= yy
        link["yy"] = link["mz"] = link["m"] = 0.0
        moved = yy + 2 * r * mz + r * r * m
        before["xx"] += moved
        before["xy"] += d * s * (mz + r * m)
        before["xz"] -= d * c * (mz + r * m)
        before["yy"] += c * c * moved + d * d * m
        before["yz"] += c * s * moved
        before["zz"] += s * s * moved + d * d * m
        before["mx"] += d * m
        before["my"] -= s * (mz + r * m)
        before["mz"] += c * (mz + r * m)
        before["m"] += m
    first = labels(arm)
    order = [first.index(f"{k}{j}") for j in (4, 3, 2) for k in ("yy", "mz", "m")]
    order += [j for j in range(10) if first[j] != "zz1"]
    new = dict(zip(first, parameters(regroup(arm, "inverse", order)), strict=True))
    for j in (1, 2, 3):
        for kind, value in old[j].items():
            assert new[f"{kind}{j + 1}"] == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert new["zz1"] == pytest.approx(old[0]["zz"], rel=1e-12)
    assert not any(value for name, value in new.items() if name[-1] == "1" and name != "zz1")


@pytest.mark.parametrize("purpose", PARTS)
@pytest.mark.parametrize("name", RIGID)
def test_regrouped_arm_has_the_same_torques(name, purpose, rng):
    arm = rigid(name)
    orders = [default_order(arm.n), tuple(rng.permutation(10 * arm.n))]
    for order in orders:
        new = regroup(arm, purpose, order)
        for _ in range(3):
            state = rng.uniform(-1.5, 1.5, (3, arm.n))
            expected = torques(newton_euler.inverse, arm, state, PARTS[purpose])
            found = torques(origin.inverse, new, state, PARTS[purpose])
            size = max(np.abs(expected).max(), 1e-3)
            assert np.abs(found - expected).max() < TWO_WAYS * size


def test_parameters_named_first_are_eliminated_where_the_motion_allows():
    arm = rigid("puma560")
    new = dict(zip(labels(arm), parameters(regroup(arm, "inverse", [40, 30, 20])), strict=True))
    assert new["m5"] == new["m4"] == new["m3"] == 0.0
    kept = dict(zip(labels(arm), parameters(regroup(arm, "inverse", [0, 10])), strict=True))
    assert kept["m3"] == 0.0 or kept["m2"] == 0.0


def test_numbers_are_clean():
    for name in RIGID:
        arm = rigid(name)
        for purpose in PARTS:
            values = [abs(float(v)) for v in parameters(regroup(arm, purpose)) if v]
            assert min(values, default=1.0) > 1e-9
            assert all(v == float(f"{v:.15g}") for v in values)


def test_equal_moments_stay_equal():
    # links 5 and 6 of the Stanford arm: what remains of equal moments vanishes exactly
    new = dict(zip(labels(rigid("stanford")), parameters(regroup(rigid("stanford"))), strict=True))
    assert new["xx6"] == new["yy6"] == 0.0
    assert new["yy4"] == -new["zz4"]


def test_combinations_reproduce_the_values():
    arm = rigid("puma560")
    base = base_parameters(arm)
    known = dict(zip(labels(arm), map(float, parameters(arm)), strict=True))
    for combination, value in zip(base.combinations, base.values, strict=True):
        assert sum(c * known[name] for name, c in combination) == pytest.approx(value, abs=1e-14)
    assert {"m1", "mx1", "xx1"} <= set(base.without_effect)


def test_orders_to_the_same_parameters_have_one_canonical_form(rng):
    arm = rigid("stanford")
    for _ in range(5):
        order = tuple(int(j) for j in rng.permutation(60))
        same = canonical(arm, "inverse", order)
        first, second = regroup(arm, "inverse", order), regroup(arm, "inverse", same)
        assert parameters(first) == parameters(second)


def test_other_unit_of_length_leaves_torques(rng):
    arm = rigid("puma560")
    unit = lengths(arm)[0]
    assert unit == 0.4318  # a2 and d4: the only length that occurs twice
    scaled = in_units(arm, unit)
    assert scaled.links[1].dh.a == scaled.links[3].dh.d == 1.0
    for _ in range(3):
        state = rng.uniform(-1.5, 1.5, (3, arm.n))
        expected = torques(newton_euler.inverse, arm, state)
        np.testing.assert_allclose(torques(origin.inverse, scaled, state), expected, rtol=1e-11)


def test_prismatic_joint_fixes_the_unit():
    arm = rigid("stanford")
    assert lengths(arm) == (1.0,)
    with pytest.raises(ValueError, match="prismatic"):
        in_units(arm, 0.5)


def test_parameters_survive_the_round_trip():
    arm = rigid("puma560")
    assert parameters(with_parameters(arm, parameters(arm))) == parameters(arm)
