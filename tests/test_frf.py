"""Frequency responses: direct solutions, closed forms of zeros, a chirp through the arm."""

import json
from functools import cache

import numpy as np
import pytest
from conftest import CASES, read_quietly

import flexgen
from flexgen.cli import main
from flexgen.formulations import flexible_composite, flexible_kinematics, king, terms
from flexgen.frf import chirp_check, frf
from flexgen.frf.zeros import transmission_zeros
from flexgen.modal import with_modes

STEP = 1e-30
WAVES = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613, 10.995540734875467])


@cache
def named(name, modes=None):
    arm = read_quietly(CASES / f"{name}.toml").manipulator
    arm = arm if modes is None else with_modes(arm, modes)
    return flexgen.build(arm, backend="numpy", passes="none")


def direct(arm, q, kp, kd, into, out, hertz):
    """c (K - w^2 M + i w C)^-1 b from the recursion on complex numbers."""
    steps = 1j * STEP * np.eye(arm.n)
    rest = np.zeros(arm.n)
    K = np.array([terms.gravity(king.inverse, arm, q + e).imag / STEP for e in steps]).T
    C = np.array([terms.coriolis(king.inverse, arm, q, rest + e).imag / STEP for e in steps]).T
    M, J = flexible_composite.inertia(arm, q), flexible_kinematics.jacobian(arm, q)
    driven = np.diag(np.arange(arm.n) < arm.n_joints)
    K, C = K + kp * driven, C + kd * driven
    rows = dict(zip(arm.coordinates, np.eye(arm.n), strict=True))
    rows |= {f"tip.{axis}": row for axis, row in zip(("x", "y", "z", "rx"), J, strict=False)}
    rows |= {f"tip.f{axis}": row for axis, row in zip("xyz", J, strict=False)}
    w = 2.0 * np.pi * np.asarray(hertz)
    return np.array([rows[out] @ np.linalg.inv(K - x * x * M + 1j * x * C) @ rows[into] for x in w])


@pytest.mark.parametrize(
    ("into", "out"),
    [
        ("joint1", "tip.y"),
        ("joint2", "joint1"),
        ("tip.fz", "tip.z"),
        ("tip.fx", "link2.bend_y1"),
        ("joint3", "tip.rx"),
    ],
)
def test_the_response_is_the_direct_solution(into, out):
    model = named("spatial_flexible")
    found = frf(model, into, out, [0.3, 0.5, -0.7], "pd", 30.0, 2.0, band=(0.2, 40.0), points=25)
    expected = direct(model.arm, found.posture, 30.0, 2.0, into, out, found.frequency_hz)
    np.testing.assert_allclose(found.response, expected, rtol=1e-9)
    np.testing.assert_allclose(found.magnitude, np.abs(expected), rtol=1e-9)


def test_the_response_is_that_of_the_linearised_model():
    model = named("double_flexible_pendulum_stiff")
    found = frf(model, "joint2", "joint1", [-1.2, 0.4], band=(0.5, 30.0), points=9)
    A, B = model.linearise(found.posture, np.zeros(model.n), model.gravity(found.posture))
    for hertz, value in zip(found.frequency_hz, found.response, strict=True):
        x = np.linalg.solve(2j * np.pi * hertz * np.eye(2 * model.n) - A, B[:, 1])
        np.testing.assert_allclose(value, x[0], rtol=1e-8)
    np.testing.assert_allclose(
        np.sort(np.abs(found.poles)), np.sort(np.abs(np.linalg.eigvals(A))), rtol=1e-6, atol=1e-6
    )


def test_base_axes_are_the_tip_axes_turned():
    model = named("deluca_siciliano")
    q, c, s = [0.4, 0.5], np.cos(0.9), np.sin(0.9)
    parts = {
        (frame, axis): frf(model, "joint1", f"tip.{axis}", q, band=(0.5, 5.0), frame=frame).response
        for frame in ("tip", "base")
        for axis in "xy"
    }
    turned = c * parts["tip", "x"] - s * parts["tip", "y"]
    np.testing.assert_allclose(parts["base", "x"], turned, rtol=1e-9)


def test_force_and_displacement_may_be_exchanged():
    # Maxwell and Betti
    model = named("deluca_siciliano")
    one = frf(model, "tip.fy", "link1.bend_y1", [0.0, 0.7], "locked", band=(0.1, 9.0))
    other = frf(model, "link1.bend_y1", "tip.y", [0.0, 0.7], "locked", band=(0.1, 9.0))
    np.testing.assert_allclose(one.response, other.response, rtol=1e-9)


# hub torque to tip position with clamped modes: zeros in rad/s, printed to 4 digits
ZEROS = {
    1: [54.0],
    2: [64.67, 185.6],
    3: [63.61, 280.9 - 130.5j, 280.9 + 130.5j],
    4: [63.74, 303.8, 415.7 - 335.2j, 415.7 + 335.2j],
    6: [63.72, 337.0, 616.7 - 287.3j, 616.7 + 287.3j],
}


@pytest.mark.parametrize("modes", ZEROS)
def test_the_tip_of_a_hub_arm_starts_off_the_wrong_way(modes):
    found = frf(named("single_link_hub", modes), "joint1", "tip.y")
    bad = found.non_minimum_phase
    np.testing.assert_allclose(bad[: len(ZEROS[modes])], ZEROS[modes], atol=0.06)
    assert len(found.zeros) == 2 * modes  # and none at infinity
    # undamped: every zero has its mirror images
    np.testing.assert_allclose(np.sort(found.zeros.real), np.sort(-found.zeros.real), atol=1e-6)


def test_zeros_approach_the_closed_form():
    # s = 2 k^2 sqrt(EI / (m a^3)), tan k + tanh k = 0
    exact = 2.0 * np.array([2.365020372431352, 5.497803919000836]) ** 2 * np.sqrt(10.178 / 0.3137)
    found = frf(named("single_link_hub", 6), "joint1", "tip.y").non_minimum_phase[:2]
    first, second = np.abs(found - exact) / exact
    assert first < 5e-5
    assert 0.01 < second < 0.03  # truncation: long after the poles have settled


@pytest.mark.parametrize("hub_modes", [2, 4])
def test_zeros_at_the_hub_are_the_clamped_frequencies(hub_modes):
    found = frf(named("single_link_hub", hub_modes), "joint1", "joint1")
    expected = WAVES[:hub_modes] ** 2 * np.sqrt(10.178 / 0.3137)
    np.testing.assert_allclose(np.abs(found.zeros)[::2], expected, rtol=1e-8)
    assert not len(found.non_minimum_phase)


def test_the_first_pole_of_a_free_hub():
    found = frf(named("single_link_hub"), "joint1", "tip.y")
    hertz = np.unique(np.round(np.abs(found.poles) / (2.0 * np.pi), 9))
    np.testing.assert_allclose(hertz[:2], [0.0, 5.432955238], rtol=1e-6, atol=1e-9)


def test_the_response_vanishes_at_its_zeros_and_nowhere_else():
    found = frf(named("double_flexible_pendulum_stiff"), "joint1", "tip.y", [-1.0, 0.6])
    near = np.abs(found.linear.response(found.zeros))
    away = np.abs(found.linear.response(1.1 * found.zeros + 0.1))
    assert (near < 1e-7 * away).all()


def test_higher_relative_degree_leaves_no_zeros_at_infinity():
    # (s + 2) (s - 3) / s^5: three zeros at infinity
    A = np.diag(np.ones(4), 1)
    B, C = np.eye(5)[4], np.array([-6.0, -1.0, 1.0, 0.0, 0.0])
    found = transmission_zeros(A, B, C / np.linalg.norm(C))
    np.testing.assert_allclose(np.sort(found.real), [-2.0, 3.0], rtol=1e-9)
    np.testing.assert_allclose(found.imag, 0.0, atol=1e-9)


def test_motions_that_take_no_part_are_left_out():
    found = frf(named("two_link_flexible"), "joint1", "tip.y")
    assert found.linear.coordinates == ("joint1", "joint2", "link1.bend_y1", "link2.bend_y1")
    assert len(found.poles) == 8


@pytest.mark.parametrize("joints", ["free", "pd"])
def test_a_chirp_through_the_nonlinear_arm_agrees(joints):
    model = named("double_flexible_pendulum")
    gains = {"kp": 40.0, "kd": 2.0} if joints == "pd" else {}
    found = frf(model, "joint1", "tip.x", [-1.2, 0.5], joints, band=(1.5, 6.0), **gains)
    check = chirp_check(model, found, **gains)
    assert check.largest < 2e-4
    assert np.median(check.deviation) < 1e-3
    assert check.deviation.max() < 2e-2


def test_a_chirp_sees_a_wrong_linear_model():
    model = named("pendulum")
    right = frf(model, "joint1", "joint1", [-1.2], band=(0.3, 3.0))
    wrong = frf(model, "joint1", "joint1", [-0.9], band=(0.3, 3.0))
    good = chirp_check(model, right)
    assert good.deviation.max() < 1e-3
    mixed = chirp_check(model, type(wrong)(**{**vars(wrong), "posture": right.posture}))
    assert np.median(mixed.deviation) > 1e-2


def test_a_chirp_that_would_take_too_long_is_refused():
    found = frf(named("single_link_hub"), "joint1", "tip.y", band=(0.01, 500.0))
    with pytest.raises(ValueError, match="narrower band"):
        chirp_check(named("single_link_hub"), found)


@pytest.mark.parametrize(
    ("into", "out", "more", "says"),
    [
        ("tip.y", "tip.y", {}, "unknown input 'tip.y'; did you mean 'tip."),
        ("joint1", "tip.fy", {}, "unknown output 'tip.fy'; did you mean"),
        ("joint1", "tip.z", {}, "joint1 does not reach tip.z"),
        ("joint1", "tip.y", {"joints": "locked"}, "joint1 does not reach tip.y"),
        ("joint1", "tip.y", {"band": (5.0, 1.0)}, "a band goes"),
        ("joint1", "tip.y", {"band": (0.0, 1.0)}, "a band goes"),
        ("joint1", "tip.y", {"points": 1}, "at least 2 points"),
    ],
)
def test_wrong_arguments_are_refused(into, out, more, says):
    with pytest.raises(ValueError, match=says):
        frf(named("single_link_hub"), into, out, **more)


def run(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    return end.value.code, *capsys.readouterr()


def test_the_command_prints_what_the_function_gives(capsys):
    words = ("frf", "single_link_hub", "--input", "joint1", "--output", "tip.y")
    status, text, _ = run(capsys, *words, "--from", 1, "--to", 80, "--points", 50, "--json")
    assert status == 0
    found = json.loads(text)
    expected = frf(named("single_link_hub"), "joint1", "tip.y", band=(1.0, 80.0), points=50)
    np.testing.assert_allclose(found["magnitude"], expected.magnitude, rtol=1e-10)
    assert found["units"] == "m/(N m)"
    np.testing.assert_allclose(found["non_minimum_phase"][0], [63.74, 0.0], atol=0.01)
    status, text, _ = run(capsys, *words)
    assert status == 0
    assert text.count("non-minimum phase") == 3


TABLE = '[frf]\ninput = "joint1"\noutput = "joint1"\nband = [0.3, 3.0]\n{}\n'


def pendulum_with(tmp_path, table):
    path = tmp_path / "case.toml"
    path.write_text((CASES / "pendulum.toml").read_text() + "\n" + table)
    return path


def test_the_table_is_read(capsys, tmp_path):
    path = pendulum_with(tmp_path, TABLE.format("posture = { joint1 = -1.2 }\npoints = 5"))
    status, text, _ = run(capsys, "frf", path, "--json")
    assert status == 0
    found = json.loads(text)
    w = 2.0 * np.pi * np.geomspace(0.3, 3.0, 5)
    expected = 1.0 / np.abs(-5.886 * np.sin(-1.2) - 0.4 * w * w)
    np.testing.assert_allclose(found["magnitude"], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("inputs = 1", "frf.inputs: unknown key 'inputs'; did you mean 'input'?"),
        ("points = 1", "frf.points: "),
        ("frame = 'world'", "frf.frame: expected 'tip' or 'base', not 'world'"),
        ("kd = 1.0", 'frf.kd: belongs to joints = "pd"'),
    ],
)
def test_a_bad_table_is_one_line(capsys, tmp_path, line, says):
    path = pendulum_with(tmp_path, TABLE.format(line))
    status, text, error = run(capsys, "frf", path)
    assert (status, text) == (2, "")
    assert error.startswith(f"error: {path}:{says}")
    assert error.count("\n") == 1


def test_a_missing_input_is_asked_for(capsys):
    status, _, error = run(capsys, "frf", "pendulum", "--output", "joint1")
    assert status == 2
    assert "frf.input is missing; give --input" in error
