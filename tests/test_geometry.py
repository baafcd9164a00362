"""Centrelines end where the mechanics has the tips, and bend as beams do."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import CASES, read_quietly
from flexible_arms import beam_link

from flexgen.formulations import flexible_kinematics, kinematics
from flexgen.geometry import centrelines, frames, lines, reach
from flexgen.manipulator.arm import CONSISTENT, KING, Manipulator
from flexgen.manipulator.beam import Beam
from flexgen.verify import random_states

NAMES = (
    "two_link_flexible",
    "spatial_flexible",
    "deluca_siciliano",
    "arm_a",
    "cantilever_torsion",
    "stanford",
    "puma560_modified",
    "modified_rpr",
)


def load(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


def poses(arm, q):
    """Rotation and origin of the last frame by the recursion, state by state."""
    pose = flexible_kinematics.pose if arm.flexible else kinematics.pose
    found = np.zeros((len(q), 4, 4))
    found[:, 3, 3] = 1.0
    for k, state in enumerate(q):
        found[k, :3, :3], found[k, :3, 3] = pose(arm, state)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_last_point_is_the_tip(name):
    arm = load(name)
    q = random_states(arm, 20, seed=4).q
    expected = poses(arm, q)
    np.testing.assert_allclose(frames(arm, q)[:, -1], expected, atol=1e-12)
    for points in (3, 4, 21):
        line = centrelines(arm, q, points)
        assert line.shape == (20, len(arm.links), points, 3)
        np.testing.assert_allclose(line[:, -1, -1], expected[:, :3, 3], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_links_hang_together_and_begin_at_the_base(name):
    arm = load(name)
    q = random_states(arm, 5, seed=5).q
    line = centrelines(arm, q)
    np.testing.assert_allclose(line[:, 0, 0], 0.0, atol=1e-15)
    np.testing.assert_allclose(line[:, 1:, 0], line[:, :-1, -1], atol=1e-13)
    np.testing.assert_allclose(frames(arm, q)[:, :, :3, 3], line[:, :, -1], atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_every_frame_is_the_tip_of_the_arm_cut_off_there(name):
    arm = load(name)
    q = random_states(arm, 3, seed=6).q
    found = frames(arm, q)
    for i in range(1, len(arm.links)):
        short = replace(arm, links=arm.links[:i])
        kept = [*range(i), *(j for at in arm.mode_ranges[:i] for j in at.all)]
        np.testing.assert_allclose(found[:, i - 1], poses(short, q[:, kept]), atol=1e-12)


def test_one_state_is_a_batch_of_one():
    arm = load("spatial_flexible")
    q = random_states(arm, 1).q
    np.testing.assert_array_equal(centrelines(arm, q[0]), centrelines(arm, q)[0])
    np.testing.assert_array_equal(frames(arm, q[0]), frames(arm, q)[0])


def test_a_rigid_link_is_its_offset_and_its_length():
    arm = load("stanford")
    q = random_states(arm, 3, seed=7).q
    line = centrelines(arm, q)
    lengths = np.linalg.norm(np.diff(line, axis=2), axis=-1).sum(axis=-1)
    d = [link.dh.d + (link.joint == "prismatic") * q[:, i] for i, link in enumerate(arm.links)]
    expected = np.abs(np.array(d).T) + [abs(link.dh.a) for link in arm.links]
    np.testing.assert_allclose(lengths, expected, atol=1e-13)


def cantilever(modes, assumptions=KING):
    beam = Beam(0.8, 1.2, 40.0, 60.0, modes=modes)
    return Manipulator("cantilever", (beam_link(beam),), assumptions=assumptions), beam


@pytest.mark.parametrize("direction", ["y", "z"])
def test_a_pushed_cantilever_takes_the_shape_of_the_textbook(direction):
    n, force = 12, 0.7
    arm, beam = cantilever((0, n, 0) if direction == "y" else (0, 0, n))
    EI, a = (beam.EIz if direction == "y" else beam.EIy), beam.length
    Y = lines(arm)[0].Y
    wave = np.array([1.8751040687119611, 4.694091132974174, 7.854757438237613, 10.995540734875467])
    wave = np.append(wave, (np.arange(5, n + 1) - 0.5) * np.pi)
    q = np.append(0.0, force * Y[:, -1] * a**3 / (EI * wave**4))
    line = centrelines(arm, q)[0]
    x = np.linspace(0.0, a, 21)
    axis = 1 if direction == "y" else 2
    expected = force * x**2 * (3.0 * a - x) / (6.0 * EI)
    np.testing.assert_allclose(line[:, axis], expected, atol=3e-5 * expected[-1])
    np.testing.assert_allclose(line[:, 0], x, atol=1e-15)


def test_foreshortening_keeps_the_length():
    arm, beam = cantilever((0, 2, 2), CONSISTENT)
    straight, errors = beam.length, []
    for size in (0.02, 0.01):
        q = size * beam.length * np.array([0.0, 1.0, 0.2, -0.5, 0.1])
        line = centrelines(arm, q, 801)[0]
        errors.append(abs(np.linalg.norm(np.diff(line, axis=0), axis=-1).sum() - straight))
    assert errors[0] < 1e-4 * straight
    assert errors[0] / errors[1] > 12.0  # fourth order in the deflection
    without = replace(arm, assumptions=KING)
    line = centrelines(without, q, 801)[0]
    assert np.linalg.norm(np.diff(line, axis=0), axis=-1).sum() - straight > 10.0 * errors[1]


def test_exaggeration_multiplies_deflections_and_nothing_else():
    arm = load("spatial_flexible")
    q = random_states(arm, 4, seed=8).q
    more = q.copy()
    more[:, arm.n_joints :] *= 7.0
    np.testing.assert_array_equal(centrelines(arm, q, exaggeration=7.0), centrelines(arm, more))
    none = q.copy()
    none[:, arm.n_joints :] = 0.0
    np.testing.assert_array_equal(frames(arm, q, exaggeration=0.0), frames(arm, none))
    rigid = load("stanford")
    q = random_states(rigid, 2).q
    np.testing.assert_array_equal(centrelines(rigid, q, exaggeration=9.0), centrelines(rigid, q))


def test_the_reach_of_a_stretched_arm_is_its_length():
    assert reach(load("two_link_flexible"), np.zeros(7)) == pytest.approx(2.0, abs=1e-14)


def test_wrong_arguments_are_named():
    arm = load("two_link_flexible")
    with pytest.raises(ValueError, match=r"\(7,\) or \(T, 7\)"):
        centrelines(arm, np.zeros(6))
    with pytest.raises(ValueError, match="3 points"):
        centrelines(arm, np.zeros(7), points=2)
