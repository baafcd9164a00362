"""Modes: closed forms, beam finite elements, published arms; postures, damping, bad input."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from conftest import CASES, FLEXIBLE, read_quietly
from flexible_arms import KING, NOTHING, beam_link, point

import flexgen
from flexgen.cli import main
from flexgen.manipulator.arm import Manipulator
from flexgen.manipulator.beam import Beam
from flexgen.modal import NoEquilibrium, convergence, linear, modal, shape_lines, with_modes
from flexgen.modal.eigen import modes
from flexgen.model import ModelWarning

WAVES = [
    1.8751040687119611,
    4.694091132974175,
    7.854757438237613,
    10.995540734875467,
]  # cos b cosh b = -1
STILL = (0.0, 0.0, 0.0)


def quick(arm):
    return flexgen.build(arm, backend="numpy", passes="none")


@cache
def named(name):
    return quick(read_quietly(CASES / f"{name}.toml").manipulator)


def single(beam, gravity=STILL, tip=NOTHING):
    return Manipulator("single", (beam_link(beam, tip=tip),), gravity=gravity)


def hertz(squares):
    return np.sqrt(squares) / (2.0 * np.pi)


@pytest.mark.parametrize("direction", ["y", "z"])
def test_a_cantilever_has_the_frequencies_of_the_closed_form(direction):
    count = (0, 3, 0) if direction == "y" else (0, 0, 3)
    found = modal(quick(single(Beam(0.8, 0.5, 12.0, 12.0, modes=count))))
    expected = np.array(WAVES[:3]) ** 2 / (2 * np.pi) * np.sqrt(12.0 / (0.5 * 0.8**3))
    np.testing.assert_allclose(found.frequencies_hz, expected, rtol=1e-12)
    assert found.labels == tuple(f"link1.bend_{direction}{k}" for k in (1, 2, 3))
    assert found.kinds == ("vibration",) * 3
    (alone,) = found.link_frequencies
    np.testing.assert_allclose(alone.shapes_hz, expected, rtol=1e-12)


def expected_modes():
    """Expected frequencies of whole arms with joints locked or free."""
    for path in FLEXIBLE:
        case = read_quietly(path)
        names, joints = case.manipulator.coordinates, case.manipulator.n_joints
        for key, entry in case.expected.get("modal", {}).items():
            moving = entry.arguments.get("moving", names)
            held = {names: "free", names[joints:]: "locked"}.get(moving)
            if held:
                yield pytest.param(path.stem, entry, held, id=f"{path.stem}-{key}")


@pytest.mark.parametrize(("name", "entry", "joints"), list(expected_modes()))
def test_cases_have_the_expected_frequencies(name, entry, joints):
    found = modal(named(name), np.array(entry.arguments["q"]), joints, sag="none")
    lowest = found.frequencies_hz[: len(entry.value)]
    np.testing.assert_allclose(lowest, entry.value, rtol=entry.rtol, atol=entry.atol)


# two-link arm of De Luca and Siciliano (1991): beam finite elements, Hz, printed to 4 or 5 digits
WHOLE_ARM = [
    (0.0, "locked", [0.4381, 1.9728, 2.6689, 16.118]),
    (np.pi / 4, "locked", [0.4488, 1.8855, 2.6383, 16.028]),
    (np.pi / 2, "locked", [0.4780, 1.6914, 2.6779, 15.950]),
    (0.0, "free", [0.0, 0.0, 1.4199, 2.6473, 16.117, 22.126]),
    (np.pi / 4, "free", [0.0, 0.0, 1.4204, 2.5766, 16.028, 22.115]),
    (np.pi / 2, "free", [0.0, 0.0, 1.4210, 2.5128, 15.950, 22.105]),
]


@cache
def four_modes():
    return quick(with_modes(named("deluca_siciliano").arm, 4))


@pytest.mark.parametrize(("elbow", "joints", "elements"), WHOLE_ARM)
def test_frequencies_of_an_arm_come_down_to_finite_elements(elbow, joints, elements):
    arm = named("deluca_siciliano").arm
    found = convergence(arm, lambda _: four_modes(), 4, {"joint2": elbow}, joints)
    assert found.modes == (1, 2, 3, 4)
    np.testing.assert_allclose(
        found.frequencies_hz[-1][: len(elements)], elements, rtol=1e-4, atol=1e-6
    )
    # Ritz: a mode more never raises a frequency
    for fewer, more in zip(found.frequencies_hz, found.frequencies_hz[1:], strict=False):
        assert (more[: len(fewer)] <= fewer * (1.0 + 1e-9) + 1e-9).all()


def test_links_alone_are_not_the_arm():
    # printed by De Luca and Siciliano, 2 decimals
    one, two = modal(named("deluca_siciliano")).link_frequencies
    np.testing.assert_allclose(one.shapes_hz + two.shapes_hz, [0.48, 1.80, 2.18, 15.91], atol=5e-3)
    np.testing.assert_allclose(two.clamped_hz, two.shapes_hz, rtol=1e-6)  # shapes of its payload


def test_a_link_alone_carries_its_tip():
    # a light beam with a heavy tip: 3 EI / l^3 against the mass and 33/140 of the beam's; four
    # free shapes have all of the compliance but what is missing in sum 12 / b^4 = 1
    tip, beam = point(5.0), Beam(1.0, 0.01, 10.0, 10.0, modes=(0, 4, 0))
    (alone,) = modal(quick(single(beam, tip=tip))).link_frequencies
    share = (12.0 / np.array(WAVES) ** 4).sum()
    expected = hertz(30.0 / share / (5.0 + 33.0 / 140.0 * 0.01))
    np.testing.assert_allclose(alone.clamped_hz[0], expected, rtol=1e-6)
    np.testing.assert_allclose(
        modal(quick(single(beam, tip=tip))).frequencies_hz, alone.clamped_hz, rtol=1e-10
    )


def test_fewer_modes_are_higher_modes_held():
    arm = named("double_flexible_pendulum_stiff").arm
    found = convergence(arm, quick, 2, {"joint1": 0.4, "joint2": -0.3})
    for count, frequencies in zip(found.modes, found.frequencies_hz, strict=True):
        own = modal(quick(with_modes(arm, count)), {"joint1": 0.4, "joint2": -0.3})
        np.testing.assert_allclose(frequencies, own.frequencies_hz, rtol=1e-8)


def test_joints_of_a_free_arm_are_rigid_bodies():
    found = modal(named("deluca_siciliano"), joints="free")
    assert found.kinds[:2] == ("rigid", "rigid")
    assert found.rigid == 2
    assert (found.frequencies_hz[:2] == 0.0).all()
    assert np.isnan(found.damping[:2]).all()
    np.testing.assert_array_equal(found.damping[2:], 0.0)


def test_a_pendulum_under_control_swings_as_on_paper():
    # (m l^2 / 3) x'' + kd x' + (kp - (m g l / 2) sin q) x = 0 about q
    kp, kd, q = 7.0, 0.3, 0.5
    found = modal(named("pendulum"), [q], "pd", kp, kd, sag="links")
    square = (kp - 5.886 * np.sin(q)) / 0.4
    np.testing.assert_allclose(found.frequencies_hz, [hertz(square)], rtol=1e-12)
    np.testing.assert_allclose(found.damping, [kd / 0.4 / (2.0 * np.sqrt(square))], rtol=1e-12)
    np.testing.assert_allclose(found.hold, [5.886 * np.cos(q)], rtol=1e-12)


def test_a_pendulum_gives_way_to_its_weight():
    found = modal(named("pendulum"), [0.5], "pd", 7.0)
    (q,) = found.posture
    np.testing.assert_allclose(5.886 * np.cos(q), 7.0 * (0.5 - q), rtol=1e-10)


@pytest.mark.parametrize("start", [0.0, 1.5, -1.5, np.pi / 2 + 0.01])
def test_a_free_pendulum_hangs(start):
    found = modal(named("pendulum"), [start], "free")
    np.testing.assert_allclose(np.sin(found.posture), -1.0, atol=1e-12)
    np.testing.assert_allclose(found.frequencies_hz, [hertz(5.886 / 0.4)], rtol=1e-9)


def test_a_pendulum_on_its_head_is_unstable():
    found = modal(named("pendulum"), [np.pi / 2], "free", sag="none")
    assert found.kinds == ("unstable",)
    np.testing.assert_allclose(found.poles.real.max(), np.sqrt(5.886 / 0.4), rtol=1e-12)
    assert found.frequencies_hz == [0.0]


def test_overdamped_control_has_a_ratio_above_one():
    found = modal(named("pendulum"), [0.0], "pd", 7.0, 9.0, sag="none")
    np.testing.assert_allclose(found.damping, [9.0 / (2.0 * np.sqrt(7.0 * 0.4))], rtol=1e-10)
    np.testing.assert_allclose(
        np.sort(found.poles[:, 0].real), np.sort(np.roots([0.4, 9.0, 7.0])), rtol=1e-10
    )


def test_a_clamped_link_has_the_damping_of_its_beam():
    beam = Beam(1.0, 0.3, 10.0, 14.0, 5.0, 0.01, (1, 2, 2), damping_ratio=0.023)
    found = modal(quick(single(beam)))
    np.testing.assert_allclose(found.damping, 0.023, rtol=1e-10)


def test_a_horizontal_beam_sags_before_it_vibrates():
    # stiff enough to be linear: the tip of a uniform beam sags by m g a^3 / 8 EI
    beam = Beam(1.3, 0.5, 2030.0, 1500.0, modes=(0, 0, 4))
    model = quick(single(beam, (0.0, 0.0, -9.81)))
    found = modal(model)
    sag = model.pose(found.posture)[2, 3]
    np.testing.assert_allclose(sag, -0.5 * 9.81 * 1.3**3 / (8 * 2030.0), rtol=1e-4)
    np.testing.assert_allclose(found.hold[1:], 0.0, atol=1e-9)
    assert (modal(model, sag="none").posture == 0.0).all()


def test_poles_and_shapes_solve_the_eigenproblem():
    model = named("spatial_flexible")
    q = np.linspace(0.3, 0.9, model.arm.n_joints)
    found = modal(model, q, "pd", 40.0, 3.0, sag="links")
    still = np.zeros(model.n)
    K, C = model.inverse_derivatives(found.posture, still, still)
    driven = np.diag(np.r_[np.ones(3), np.zeros(model.n - 3)])
    M, K, C = model.inertia(found.posture), K + 40.0 * driven, C + 3.0 * driven
    np.testing.assert_allclose(found.shapes.T @ M @ found.shapes, np.eye(model.n), atol=1e-9)
    squares = (2 * np.pi * found.frequencies_hz) ** 2
    np.testing.assert_allclose(K @ found.shapes, M @ found.shapes * squares, atol=1e-7)
    for s in found.poles.ravel():
        values = np.linalg.svd(s * s * M + s * C + K, compute_uv=False)
        assert values[-1] < 1e-9 * values[0]
    np.testing.assert_allclose(found.shares.sum(axis=0), 1.0, rtol=1e-9)


def test_motions_in_different_planes_do_not_mix():
    # a round beam has its frequencies twice
    found = modal(quick(single(Beam(1.0, 0.3, 10.0, 10.0, modes=(0, 2, 2)))))
    assert (np.count_nonzero(found.shapes, axis=0) == 1).all()


def test_close_poles_go_to_their_own_modes():
    M, K = np.eye(3), np.diag([1.0, 1.02, 9.0])
    C = np.diag([0.02, 0.6, 12.0])  # the last does not vibrate
    found = modes(M, C, K)
    np.testing.assert_allclose(found.damping, [0.01, 0.3 / np.sqrt(1.02), 2.0], rtol=1e-12)


# El-Rayyes (1990), case 4, read off plots: a plausibility check of a fitted inertia, not an oracle
REPORTED = [(0.0, 31.2, 0.01), (0.0, 11.3, 0.03), (np.pi / 2, 4.0, 0.06), (np.pi / 2, 38.0, 0.01)]


@pytest.mark.parametrize(("elbow", "reported", "near"), REPORTED)
def test_the_two_link_arm_is_near_what_the_original_reports(elbow, reported, near):
    found = modal(named("two_link_flexible"), {"joint2": elbow}, "free").frequencies_hz
    assert np.abs(found / reported - 1.0).min() < near


def test_linear_rotations_under_load_are_warned_of():
    arm = replace(named("double_flexible_pendulum_stiff").arm, assumptions=KING)
    with pytest.warns(ModelWarning, match="not symmetric"):
        modal(quick(arm), {"joint1": 0.3, "joint2": 0.6})


def test_lines_move_as_the_tip_does():
    model = named("spatial_flexible")
    found = modal(model, [0.2, -0.4, 0.5])
    lines = shape_lines(model.arm, found, 9)
    assert lines.displacements.shape == (5, 3, 9, 3)
    tip = model.jacobian(found.posture, "base")[:3] @ found.shapes
    np.testing.assert_allclose(lines.displacements[:, -1, -1], tip.T, atol=1e-7)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"joints": "locked"}, "nothing can move"),
        ({"joints": "loose"}, "joints must be"),
        ({"joints": "pd"}, "needs the gain kp"),
        ({"joints": "free", "kp": 1.0}, "gains belong"),
        ({"joints": "pd", "kp": -1.0}, "kp must not be negative"),
        ({"joints": "pd", "kp": [1.0, 2.0]}, "kp must be one number or 1"),
        ({"joints": "free", "q": {"join1": 1.0}}, "did you mean 'joint1'"),
        ({"joints": "free", "q": [1.0, 2.0]}, "a posture has 1 joints"),
        ({"joints": "free", "q": [np.nan]}, "must be finite"),
        ({"joints": "free", "sag": "some"}, "sag must be"),
    ],
)
def test_wrong_arguments_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        modal(named("pendulum"), **arguments)


def test_an_arm_that_finds_no_rest_says_so(monkeypatch):
    monkeypatch.setattr(linear, "STEPS", 2)
    with pytest.raises(NoEquilibrium, match=r"no posture at rest within 2 steps; .* at joint1"):
        modal(named("pendulum"), [1.0], "free")


def run(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    return end.value.code, *capsys.readouterr()


def test_the_command_prints_what_the_function_gives(capsys):
    words = ("deluca_siciliano", "--posture", "joint2=pi/2", "--convergence", 2, "--lines", 3)
    status, text, _ = run(capsys, "modal", *words, "--json")
    found = json.loads(text)
    expected = modal(named("deluca_siciliano"), {"joint2": np.pi / 2})
    assert status == 0
    np.testing.assert_allclose(found["frequencies_hz"], expected.frequencies_hz, rtol=1e-12)
    np.testing.assert_allclose(found["shapes"], expected.shapes, atol=1e-12)
    np.testing.assert_allclose(found["convergence"]["2"], expected.frequencies_hz, rtol=1e-9)
    assert np.shape(found["lines"]["modes"]) == (4, 2, 3, 3)
    status, text, _ = run(capsys, "modal", *words[:3])
    assert status == 0
    assert "links alone" in text


TABLE = '[modal]\nposture = {{ joint1 = "pi/6" }}\n{}\n'


def pendulum_with(tmp_path, table):
    path = tmp_path / "case.toml"
    path.write_text((CASES / "pendulum.toml").read_text() + "\n" + table)
    return path


def test_the_table_is_read_and_options_override_it(capsys, tmp_path):
    path = pendulum_with(tmp_path, TABLE.format('joints = "pd"\nkp = 9.0\nsag = "none"'))
    first = json.loads(run(capsys, "modal", path, "--json")[1])
    np.testing.assert_allclose(first["frequencies_hz"], [hertz((9.0 - 5.886 / 2) / 0.4)])
    other = json.loads(run(capsys, "modal", path, "--kp", "20", "--json")[1])
    np.testing.assert_allclose(other["frequencies_hz"], [hertz((20.0 - 5.886 / 2) / 0.4)])
    loose = json.loads(run(capsys, "modal", path, "--joints", "free", "--sag", "--json")[1])
    np.testing.assert_allclose(loose["frequencies_hz"], [hertz(5.886 / 0.4)])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("joint = 'free'", "modal.joint: unknown key 'joint'; did you mean 'joints'?"),
        ("joints = 'loose'", "modal.joints: expected 'locked', 'free' or 'pd', not 'loose'"),
        ("kp = 3.0", 'modal.kp: belongs to joints = "pd"'),
        ("joints = 'pd'", 'modal.kp: is missing: joints = "pd" needs it'),
        ("joints = 'pd'\nkp = [1, 2]", "modal.kp: expected one number or 1, not 2"),
        ("joints = 'pd'\nkp = -1", "modal.kp: must not be negative"),
        ("convergence = 0", "modal.convergence: "),
        ("sag = true", "modal.sag: expected 'all', 'links' or 'none', not "),
    ],
)
def test_a_bad_table_is_one_line(capsys, tmp_path, line, says):
    path = pendulum_with(tmp_path, TABLE.format(line))
    status, text, error = run(capsys, "modal", path)
    assert (status, text) == (2, "")
    assert error.startswith(f"error: {path}:{says}")
    assert error.count("\n") == 1


def test_an_unknown_coordinate_in_the_table_is_named(capsys, tmp_path):
    path = pendulum_with(tmp_path, "[modal]\nposture = { elbow1 = 1.0 }")
    status, _, error = run(capsys, "modal", path)
    assert status == 2
    assert error.startswith(f"error: {path}:modal.posture.elbow1: unknown coordinate 'elbow1'")
