"""The page about an arm: whole, self-contained, true to the arm, and alive in a browser."""

import base64
import json
import re
import warnings
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import xarray
from browser import CHROMIUM, ask
from conftest import CASES, read_quietly

import flexgen
from flexgen.cli import main
from flexgen.geometry import centrelines
from flexgen.manipulator.case import CaseWarning
from flexgen.modal.posture import actuated
from flexgen.report import make as report_package
from flexgen.report.motion import Sweep, from_dataset, sweep
from flexgen.report.page import SCRIPTS, filled
from flexgen.report.scene import as_json, scene

NAMES = ("two_link_flexible", "stanford", "spatial_flexible", "modified_rpr")
BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
SINGLE = 1e-6  # relative: rounding of the coordinates to single precision
VOID = {"meta", "link", "input", "br", "img", "hr", "path", "use"}


def load(name):
    return read_quietly(CASES / f"{name}.toml").manipulator


@cache
def built(name):
    return flexgen.build(load(name), "numpy", passes="none")


def made_up(arm, seconds=1.0, samples=301):
    """A dataset as a simulation gives it, with smooth curves for everything."""
    time = np.linspace(0.0, seconds, samples)
    rng = np.random.default_rng(3)
    size = np.append(np.ones(arm.n_joints), 0.02 * np.ones(arm.n - arm.n_joints))
    q = size * np.sin(np.outer(time, rng.uniform(1.0, 20.0, arm.n)) + rng.uniform(0, 6, arm.n))
    over = ("time", "coordinate")
    kinetic = 1.0 + np.cos(time)
    return xarray.Dataset(
        {
            "q": (over, q),
            "qd": (over, np.gradient(q, time, axis=0)),
            "tau": (over, 0.0 * q),
            "kinetic": ("time", kinetic),
            "potential": ("time", 3.0 - kinetic),
            "work": ("time", 0.0 * time),
            "drift": ("time", 1e-9 * time),
        },
        {"time": time, "coordinate": list(arm.coordinates)},
        {"solver": "rk4", "statistics": '{"steps": 1000}', "relative_drift": 1e-9, "drifts": 0},
    )


@cache
def page(name):
    """Page of an arm with a made-up simulation."""
    arm = load(name)
    few = dict(levels=("none",), states=20, model=built(name))
    return flexgen.report(arm, simulation=made_up(arm), **few)


def embedded(text):
    """The data of the moving picture."""
    found = re.search(r'<script type="application/json" id="scene">(.*?)</script>', text, re.S)
    return json.loads(found.group(1))


def decoded(text):
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


class Reader(HTMLParser):
    """Checks that elements are closed in order, and notes identifiers and references."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.references = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.note(attributes)

    def handle_startendtag(self, tag, attributes):
        self.note(attributes)

    def note(self, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "data", "action", "srcset"):
                self.references.append(value)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_one_file_that_fetches_nothing(name):
    text = page(name)
    assert not re.search(r"https?://|//cdn|@import|\bfetch\(|XMLHttpRequest|import\(", text)
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    for reference in reader.references:
        assert reference == "data:," or reference[1:] in reader.ids, reference
    assert all(part in reader.ids for part in re.findall(r"url\(#([^)]+)\)", text))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_small(name):
    assert len(page(name).encode()) < 5_000_000


@pytest.mark.parametrize("name", NAMES)
def test_what_is_embedded_gives_the_centrelines_back(name):
    arm, found = load(name), embedded(page(name))
    data = made_up(arm)
    time, q = decoded(found["motion"]["time"]), decoded(found["motion"]["q"]).reshape(-1, arm.n)
    np.testing.assert_allclose(time, data["time"].values, atol=1e-7)
    expected = centrelines(arm, data["q"].values)
    size = np.abs(expected).max()
    np.testing.assert_allclose(centrelines(arm, q), expected, atol=SINGLE * size)


def test_a_long_motion_is_thinned_and_keeps_the_page_small():
    arm = load("two_link_flexible")
    motion = from_dataset(made_up(arm, 100.0, 200_001), arm)
    found = scene(arm, motion)
    time = decoded(found["motion"]["time"])
    assert len(time) <= 6000
    assert time[0] == 0.0
    assert len(as_json(found)) < 1_000_000


def test_a_report_has_all_its_parts():
    text = page("two_link_flexible")
    for key in ("motion", "arm", "simulation", "modes", "counts", "checks"):
        assert f'<section id="{key}"' in text
    assert text.count("<svg ") == 5
    assert "1.719 Hz" in text or "1.72 Hz" in text  # of the linear model written out by hand
    arm, counts = load("two_link_flexible"), built("two_link_flexible").counts["inverse"]
    assert f"{counts.mul} + {counts.add} = <b>{counts.total}</b>" in text
    assert "FAILS" not in text
    assert all(f"<td>link {i}</td>" in text for i in range(1, len(arm.links) + 1))


def test_text_of_the_case_cannot_become_markup():
    evil = "</script><script>alert(1)</script><b>{{scene}}"
    arm = replace(load("pendulum"), description=evil, source=evil)
    text = flexgen.report(arm, model=built("pendulum"), levels=(), states=0)
    assert "<script>alert" not in text
    assert text.count("<script") == 2
    assert "{{scene}}" in text
    assert as_json({"a": "</script>"}) == '{"a":"\\u003c/script>"}'
    assert filled("{{a}} {{b}}", {"a": "{{b}}", "b": "2"}) == "{{b}} 2\n"


def test_the_files_of_the_page_are_installed():
    folder = Path(report_package.__file__).parent
    files = {f.name for f in folder.iterdir() if f.suffix in (".js", ".css", ".html")}
    listed = (folder.parent.parent / "meson.build").read_text()
    assert {f"{name}.js" for name in SCRIPTS} | {"page.css", "page.html"} == files
    assert all(f"'flexgen/report/{name}'" in listed for name in files)


def test_a_report_is_reproducible():
    arm = load("stanford")
    few = dict(levels=("none",), states=20, model=built("stanford"), simulation=made_up(arm))
    assert flexgen.report(arm, **few) == page("stanford")


def test_an_arm_without_a_simulation_says_so():
    text = flexgen.report(load("scara"), model=built("scara"), levels=(), states=0)
    assert "Joint sweep, made up for this page" in text
    assert '<section id="simulation"' not in text


def test_links_answer_to_the_sweep_as_their_equations_say():
    arm, model = load("double_flexible_pendulum"), built("double_flexible_pendulum")
    motion = sweep(arm, model)
    driven = list(actuated(arm))
    free = [k for k in range(arm.n) if k not in driven]
    # equations of motion from finite differences of the result alone
    h = motion.time[1]
    q = motion.q[1:-1]
    qd = (motion.q[2:] - motion.q[:-2]) / (2 * h)
    qdd = (motion.q[2:] - 2 * motion.q[1:-1] + motion.q[:-2]) / h**2
    force = model.inverse(q, qd, qdd)[:, free]
    parts = np.abs(model.gravity(q)[:, free]).max()
    assert np.percentile(np.abs(force), 99) < 1e-3 * parts
    assert np.abs(model.gravity(motion.q[0])[free]).max() < 1e-9 * parts  # begins at rest
    assert np.ptp(motion.q[:, free], axis=0).min() > 0.0


def test_the_sweep_begins_and_ends_at_rest_and_stays_within_limits():
    arm = load("scara")
    narrow = replace(arm.links[1], limits=replace(arm.links[1].limits, q=(0.2, 0.7)))
    arm = replace(arm, links=(arm.links[0], narrow, *arm.links[2:]))
    path = Sweep(arm, 2.0)
    for end in (path.time[0], path.time[-1]):
        np.testing.assert_allclose(path(end)[1:], 0.0, atol=1e-9)
    h = 1e-4
    for t in np.linspace(0.05, 9.95, 97):
        (before, _, _), (q, qd, qdd), (after, _, _) = map(path, (t - h, t, t + h))
        np.testing.assert_allclose((after - before) / (2 * h), qd, atol=1e-5)
        np.testing.assert_allclose((after - 2 * q + before) / h**2, qdd, atol=1e-4)
        assert 0.2 <= q[1] <= 0.7


def test_a_simulation_of_another_arm_is_refused():
    with pytest.raises(ValueError, match="the simulation has the coordinates"):
        flexgen.report(load("pendulum"), simulation=made_up(load("stanford")))


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return end.value.code


def test_the_command_writes_the_page(tmp_path, capsys):
    target = tmp_path / "arm.html"
    few = ("-p", "none", "--levels", "none,classic", "--states", "20", "--backend", "numpy")
    assert run("report", "pendulum", "-o", target, *few) == 0
    assert "arm.html" in capsys.readouterr().out
    assert target.read_text().startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["arm.html"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--levels", "best"), "levels are none, classic, full, search, not 'best'"),
        (("-o", "nowhere/at/all.html"), "no such directory"),
        (("--simulate", "missing.nc"), "missing.nc"),
        (("--states", "3"), "20 or more"),
    ],
)
def test_bad_usage_is_one_line_and_leaves_no_file(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run("report", "pendulum", *arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.startswith("error: ") and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_case_that_asks_for_a_simulation_gets_it(tmp_path):
    file = tmp_path / "swing.toml"
    text = (CASES / "pendulum.toml").read_text()
    file.write_text(text + "\n[simulate]\nduration = 0.5\nq = { joint1 = 0.3 }\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)
        page = flexgen.report(file, model=built("pendulum"), levels=(), states=0)
    motion = embedded(page)["motion"]
    assert motion["note"] == "Simulation that the case asks for."
    assert decoded(motion["q"])[0] == pytest.approx(0.3)
    assert decoded(motion["time"])[-1] == pytest.approx(0.5)


@BROWSER
@pytest.mark.parametrize("name", NAMES)
def test_the_browser_has_the_arm_where_we_have_it(name, tmp_path):
    arm = load(name)
    script = """
      const { Kinematics, Player } = flexgenReport, found = [];
      for (const stretch of [0, 1, 5]) for (const part of [0, 0.3, 0.77]) {
        const links = Kinematics.walk(Player.scene, Player.coordinates(part), stretch);
        found.push(links.map((link) => link.points));
      }
      return { found };
    """
    found = np.array(ask(tmp_path, page(name), script)["found"])
    data = made_up(arm)
    q = np.array([data["q"].interp(time=t).values for t in (0.0, 0.3, 0.77)])
    expected = np.concatenate([centrelines(arm, q, exaggeration=e) for e in (0.0, 1.0, 5.0)])
    np.testing.assert_allclose(found, expected, atol=10 * SINGLE * np.abs(expected).max())


@BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_player_plays_and_its_controls_work(scheme, tmp_path):
    script = """
      const { Player } = flexgenReport, { state, byId } = Player, said = {};
      const fire = (id, value, kind) => {
        byId(id).value = value;
        byId(id).dispatchEvent(new Event(kind));
        Player.advance(0);
      };
      const key = (target, name) => {
        target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
        Player.advance(0);
      };
      const picture = () => byId("view").toDataURL();
      said.running = state.now > 0;
      const first = picture(), then = state.now;
      Player.advance(0.2);
      said.advances = state.now !== then && picture() !== first;
      byId("play").click();
      const still = state.now;
      Player.advance(0.2);
      said.pauses = !state.playing && state.now === still;
      key(document.body, " ");
      said.space = state.playing;
      fire("scrub", 500, "input");
      const clock = () => byId("clock").textContent;
      said.scrubs = Math.abs(state.now - 0.5) < 1e-6 && clock().startsWith("0.500 s");
      const plain = picture();
      fire("stretch", byId("stretch").max, "input");
      said.stretches = picture() !== plain && byId("badge").textContent.includes("\u00d7");
      const turned = picture();
      key(byId("view"), "ArrowLeft");
      said.turns = picture() !== turned;
      const far = state.eye.distance;
      key(byId("view"), "+");
      said.nears = state.eye.distance < far;
      byId("view").dispatchEvent(new WheelEvent("wheel", { deltaY: 400, cancelable: true }));
      said.leaves = state.eye.distance > far;
      byId("view").setPointerCapture = () => {};  // there is no real pointer to capture
      const point = (kind, pointerId, clientX, clientY) => byId("view").dispatchEvent(
        new PointerEvent(kind, { pointerId, clientX, clientY }),
      );
      const { yaw, pitch } = state.eye;
      point("pointerdown", 1, 100, 100);
      point("pointermove", 1, 160, 120);
      said.drags = state.eye.yaw < yaw && state.eye.pitch > pitch;
      const away = state.eye.distance;
      point("pointerdown", 2, 200, 120);
      point("pointermove", 2, 300, 120);
      said.pinches = state.eye.distance < away;
      point("pointerup", 1, 160, 120);
      point("pointerup", 2, 300, 120);
      const left = state.eye.yaw;
      point("pointermove", 1, 500, 120);
      said.releases = state.eye.yaw === left;
      byId("look-top").click();
      said.top = state.eye.pitch > 1.5;
      fire("speed", 0, "change");
      said.slow = state.speed === 0;
      const traced = picture();
      byId("trace").click();
      Player.advance(0);
      said.trace = picture() !== traced;
      fire("source", 2, "change");
      state.playing = true;
      const rest = picture();
      Player.advance(0.4);
      said.mode = picture() !== rest && byId("strip-box").hidden && clock().endsWith("Hz");
      fire("source", -1, "change");
      said.back = !byId("strip-box").hidden && clock().endsWith("s");
      const blank = document.createElement("canvas");
      blank.width = byId("view").width; blank.height = byId("view").height;
      said.drawn = picture() !== blank.toDataURL();
      return said;
    """
    dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    said = ask(tmp_path, page("spatial_flexible"), script, *dark)
    assert said and all(said.values()), said
