"""Pictures show the numbers they are given, with units, and leave Matplotlib as it was."""

import re
from dataclasses import dataclass
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
import xarray
from conftest import CASES, read_quietly

import flexgen
from flexgen import plots
from flexgen.geometry import centrelines
from flexgen.plots.shapes import LARGEST, displacements
from flexgen.plots.style import strokes


def load(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


def dataset(arm):
    time = np.linspace(0.0, 2.0, 50)
    q = np.outer(np.sin(time), np.arange(1.0, arm.n + 1))
    over = ("time", "coordinate")
    return xarray.Dataset(
        {
            "q": (over, q),
            "qd": (over, 2.0 * q),
            "tau": (over, 3.0 * q),
            "kinetic": ("time", time**2),
            "potential": ("time", 4.0 - time**2),
            "work": ("time", 0.0 * time),
            "drift": ("time", 1e-7 * time),
        },
        {"time": time, "coordinate": list(arm.coordinates)},
    )


def response(zeros):
    frequency = np.geomspace(0.1, 100.0, 300)
    s = 2j * np.pi * frequency
    poles = np.array([-1.0 + 40j, -1.0 - 40j])
    values = np.prod([s - z for z in zeros], axis=0) / np.prod([s - p for p in poles], axis=0)
    return SimpleNamespace(
        frequency_hz=frequency, response=values, poles=poles, zeros=np.array(zeros), units="m/N"
    )


@dataclass(frozen=True)
class Count:
    mul: int
    add: int


COUNTS = {
    "none": {"inverse": Count(100, 80), "gravity": Count(10, 5)},
    "full": {"inverse": Count(60, 50), "gravity": Count(7, 4)},
}


@pytest.fixture(scope="module")
def modes():
    model = flexgen.build(load("spatial_flexible"), "numpy", passes="none")
    from flexgen.modal import modal

    return modal(model)


def test_joints_are_drawn_with_their_own_units():
    arm = load("stanford")
    figure = plots.time_histories(dataset(arm), arm=arm)
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position [rad, m]", "rate [rad/s, m/s]", "torque [N m, N]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    names = [line.get_label() for line in figure.axes[0].lines]
    assert names[2] == "joint3 [m]"
    assert names[0] == "joint1 [rad]"
    for ax, factor in zip(figure.axes, (1.0, 2.0, 3.0), strict=True):
        for k, line in enumerate(ax.lines):
            expected = factor * (k + 1) * np.sin(line.get_xdata())
            np.testing.assert_allclose(line.get_ydata(), expected)


def test_deflections_are_drawn_apart_from_joints_and_by_unit():
    arm = load("two_link_flexible")
    joints = plots.time_histories(dataset(arm))
    assert [line.get_label() for line in joints.axes[0].lines] == ["joint1", "joint2"]
    figure = plots.deflections(dataset(arm))
    assert [ax.get_ylabel() for ax in figure.axes] == ["bending [m]", "torsion [rad]"]
    assert [len(ax.lines) for ax in figure.axes] == [4, 1]
    with pytest.raises(ValueError, match="no link is flexible"):
        plots.deflections(dataset(load("stanford")))


def test_the_total_energy_is_the_sum():
    figure = plots.energy(dataset(load("pendulum")))
    curves = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
    np.testing.assert_allclose(curves["total"], 4.0)
    assert "work done" in curves
    assert figure.axes[1].get_ylabel() == "drift [J]"
    without = plots.energy(dataset(load("pendulum")).drop_vars(["work", "drift"]))
    assert len(without.axes) == 1


def test_a_response_is_in_decibels_and_degrees():
    result = response([-30.0 + 0j])
    top, bottom = plots.frf(result, "tip").axes
    np.testing.assert_allclose(top.lines[0].get_ydata(), 20 * np.log10(abs(result.response)))
    phase = bottom.lines[0].get_ydata()
    np.testing.assert_allclose(
        np.exp(1j * np.radians(phase)), np.exp(1j * np.angle(result.response))
    )
    assert top.get_ylabel() == "magnitude [dB re 1 m/N]"
    assert bottom.get_ylabel() == "phase [deg]"


def test_zeros_in_the_right_half_plane_stand_out():
    def labels(zeros):
        return [c.get_label() for c in plots.frf(response(zeros)).axes[0].collections]

    assert labels([-30.0 + 0j]) == ["pole", "zero"]
    assert labels([30.0 + 0j, -30.0 + 0j]) == ["pole", "zero", "zero, non-minimum phase"]
    assert labels([1e6 + 0j]) == ["pole"]  # not in the band


def test_an_undamped_pole_leaves_a_gap():
    result = response([-30.0 + 0j])
    result.response[100] = np.inf
    top, bottom = plots.frf(result).axes
    for ax in (top, bottom):
        assert np.flatnonzero(np.isnan(ax.lines[0].get_ydata())).tolist() == [100]


def test_bars_are_as_long_as_the_counts():
    ax = plots.operation_counts(COUNTS).axes[0]
    widths = [bar.get_width() for group in ax.containers for bar in group]
    assert widths == [100, 10, 80, 5, 60, 7, 50, 4]
    assert [t.get_text() for t in ax.texts] == ["180", "15", "110", "11"]
    relative = plots.operation_counts(COUNTS, relative=True).axes[0]
    first = [bar.get_width() for group in relative.containers[:2] for bar in group]
    np.testing.assert_allclose(np.add(first[:2], first[2:]), 1.0)
    with pytest.raises(ValueError, match="no operations"):
        plots.operation_counts({"none": {}})


def test_every_mode_that_vibrates_has_a_picture(modes):
    arm = load("spatial_flexible")
    figure = plots.mode_shapes(modes, arm, count=4)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [f"mode {k + 1}: {modes.frequencies_hz[k]:.4g} Hz" for k in range(4)]
    with pytest.raises(ValueError, match="no mode"):
        still = SimpleNamespace(posture=np.zeros(8), frequencies_hz=np.zeros(2), shapes=np.eye(8))
        plots.mode_shapes(still, arm)


def test_displacements_of_a_mode_are_the_velocities_of_its_shape(modes):
    arm = load("spatial_flexible")
    rest = centrelines(arm, modes.posture)
    for k in range(2):
        shape = modes.shapes[:, k]
        found = displacements(arm, modes.posture, shape)
        size = np.ptp(rest.reshape(-1, 3), axis=0).max()
        assert np.linalg.norm(found, axis=-1).max() == pytest.approx(LARGEST * size)
        step = 1e-5
        way = centrelines(arm, modes.posture + step * shape) - rest
        np.testing.assert_allclose(found / np.abs(found).max(), way / np.abs(way).max(), atol=1e-3)


def test_the_phase_of_a_complex_shape_does_not_matter(modes):
    arm, shape = load("spatial_flexible"), modes.shapes[:, 0]
    real = displacements(arm, modes.posture, shape)
    turned = displacements(arm, modes.posture, shape * np.exp(0.7j))
    sign = np.sign(np.sum(turned * real))
    np.testing.assert_allclose(sign * turned, real, atol=1e-9 * np.abs(real).max())


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_saved_figure_is_whole_and_the_same_every_time(suffix, tmp_path):
    marks = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    contents = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{suffix}"
        plots.save(plots.operation_counts(COUNTS), path)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert contents[0].startswith(marks[suffix])
    assert len(list(tmp_path.iterdir())) == 2


def test_a_strange_suffix_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match=r"\.png, \.svg"):
        plots.save(plots.operation_counts(COUNTS), tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []


def test_svg_for_a_page_follows_its_colours_and_refers_to_itself_only():
    text = plots.svg_text(plots.energy(dataset(load("pendulum"))), "here")
    assert text.startswith("<svg viewBox=") and text.endswith("</svg>")
    assert "http" not in text and "#000000" not in text
    assert "currentColor" in text
    ids = set(re.findall(r'id="([^"]+)"', text))
    used = set(re.findall(r'url\(#([^)]+)\)|xlink:href="#([^"]+)"', text))
    assert {a or b for a, b in used} <= ids
    assert all(i.startswith("here-") for i in ids)


def test_no_state_is_left_behind():
    before = dict(matplotlib.rcParams)
    figure = plots.frf(response([30.0 + 0j]))
    plots.svg_text(figure)
    assert dict(matplotlib.rcParams) == before
    assert plots.frf(response([30.0 + 0j])) is not figure


def test_lines_can_be_told_apart():
    looks = {tuple(strokes(k).values()) for k in range(24)}
    assert len(looks) == 24
