"""Good cases load as written, exactly; odd ones load with a warning."""

import dataclasses
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexgen.manipulator import CaseWarning, generic_arm, load, read_case
from flexgen.manipulator.arm import CONSISTENT, KING, NOTHING, Assumptions, join
from flexgen.manipulator.bodies import broken_triangle, negative_moment, rigid_body, rounded
from flexgen.manipulator.numbers import exact_angle, number

LINK = """
[[link]]
joint = "revolute"
dh = { a = 0.5, alpha = "pi/2", d = 0.1, theta = 0.0 }
mass = 2.0
com = [-0.2, 0.0, 0.0]
inertia = { about = "com", xx = 0.01, yy = 0.02, zz = 0.02 }
"""
BENT = """
[[link]]
joint = "revolute"
dh = { a = 0.8, alpha = 0.0, d = 0.0, theta = 0.0 }
[link.beam]
mass = 0.5
EIy = 20.0
EIz = 30.0
modes = { y = 2, z = 1 }
"""
HEAD = 'name = "arm"\ngravity = [0.0, 0.0, -9.81]\n'


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "arm.toml"
        path.write_bytes(text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("0.412", 0.412),
        (" .5 ", 0.5),
        ("5.", 5.0),
        ("1e-3", 0.001),
        ("0.1 + 0.2", 0.3),  # exact decimals, not 0.30000000000000004
        ("-2**2", -4.0),
        ("2**3**2", 512.0),
        ("2**-1", 0.5),
        ("(1 + 2)*3 - 4/2", 7.0),
        ("--3", 3.0),
        ("2 - 3 - 4", -5.0),
        ("8/4/2", 1.0),
        ("pi", math.pi),
        ("-pi/2", -math.pi / 2),
        ("sqrt(2)**2", 2.0),
        ("sin(pi/6)", 0.5),
        ("cos(pi/2)", 0.0),
        ("sqrt(3)/2 - cos(pi/6)", 0.0),
        ("(sqrt(2) + sqrt(3))**2 - 5 - 2*sqrt(6)", 0.0),  # nothing cancels by itself
        ("27**(1/3)", 3.0),
        ("4**0.5", 2.0),
        ("1/3", 1 / 3),
    ],
)
def test_an_expression_has_the_value_of_mathematics(text, value):
    assert number(text) == value


@settings(deadline=None, derandomize=True, database=None, max_examples=200)
@given(st.floats(-1e6, 1e6, allow_nan=False), st.sampled_from([repr, "{:.17g}".format]))
def test_a_quoted_number_is_the_number(x, text):
    assert number(text(x)) == x


@settings(deadline=None, derandomize=True, database=None, max_examples=100)
@given(st.text("0123456789.()+-*/ pisqrtcone_", max_size=40))
def test_any_text_is_a_finite_number_or_a_value_error(text):
    try:
        assert math.isfinite(number(text))
    except ValueError as error:
        assert str(error)


@pytest.mark.parametrize("k", range(-24, 25))
def test_angles_in_steps_of_fifteen_degrees_are_exact_either_way(k):
    quoted, plain = exact_angle(f"{k}*pi/12"), exact_angle(k * math.pi / 12)
    assert quoted.value == pytest.approx(plain.value, rel=4e-16)
    assert quoted.cos == pytest.approx(math.cos(k * math.pi / 12), abs=1e-15)
    if k % 2 == 0:  # multiples of 30 degrees: no rounding in halves, zeros and ones
        assert (quoted.cos, quoted.sin) == (plain.cos, plain.sin)
        assert 0.5 in (abs(quoted.cos), abs(quoted.sin)) or quoted.is_quarter
    assert quoted.is_quarter == (k % 6 == 0)


def test_digits_in_quotes_are_the_angle_that_they_are_without():
    assert exact_angle("1.5707963267948966") == exact_angle(math.pi / 2)
    assert exact_angle("1.5707963267948966").is_quarter


def test_a_case_holds_what_the_file_says(written):
    text = (
        HEAD
        + 'description = "one"\nsource = "a book"\nconvention = "modified"\n'
        + LINK
        + 'limits = { q = ["-pi", 3], qd = 2, tau = 100.0 }\n[simulate]\nspan = [0, 1.5]\n'
        + 'step = { h = 1e-3 }\n[model]\nassumptions = "king"\n'
    )
    case = read_case(written(text))
    arm = case.manipulator
    link = arm.links[0]
    assert (arm.name, arm.description, arm.source) == ("arm", "one", "a book")
    assert (arm.convention, arm.gravity, arm.n) == ("modified", (0.0, 0.0, -9.81), 1)
    assert (link.joint, link.dh.a, link.dh.d) == ("revolute", 0.5, 0.1)
    assert (link.dh.alpha.cos, link.dh.alpha.sin) == (0.0, 1.0)
    assert link.body.mass == 2.0
    assert link.body.com.tolist() == [-0.2, 0.0, 0.0]
    assert np.diag(link.body.inertia).tolist() == [0.01, 0.02, 0.02]
    assert np.diag(link.body.inertia_origin).tolist() == [0.01, 0.1, 0.1]
    assert link.limits.q == (-math.pi, 3.0)
    assert (link.limits.qd, link.limits.qdd, link.limits.tau) == (2.0, None, 100.0)
    assert case.applications["simulate"]["span"] == (0, 1.5)
    assert case.applications["simulate"]["step"] == {"h": 1e-3}
    assert dict(case.applications["model"]) == {"assumptions": "king"}
    assert list(case.applications) == ["model", "simulate"]
    assert case.warnings == ()


def test_a_case_cannot_be_changed(written):
    case = read_case(written(HEAD + LINK + "[simulate]\nstep = { h = 1e-3 }\n"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.manipulator = None
    with pytest.raises(TypeError):
        case.applications["simulate"]["step"]["h"] = 2
    with pytest.raises(TypeError):
        case.expected["inverse"] = {}


def test_line_ends_of_windows_and_a_byte_order_mark_do_no_harm(written):
    text = "\N{ZERO WIDTH NO-BREAK SPACE}" + (HEAD + LINK).replace("\n", "\r\n")
    assert load(written(text)).name == "arm"


def test_load_is_the_manipulator_of_the_case(written):
    assert load(str(written(HEAD + LINK))).links[0].body.mass == 2.0


@pytest.mark.parametrize("name", ["a", "A-1_b", "7", "x" * 63])
def test_names_of_letters_digits_and_dashes_are_taken(written, name):
    assert load(written(HEAD.replace("arm", name) + LINK)).name == name


def test_inertia_about_the_frame_is_moved_exactly(written):
    # on paper 0.049 - 0.1*0.7^2 = 0; in doubles it is 7e-18
    inertia = '{ about = "frame", xx = 0.0, yy = 0.049, zz = 0.049 }'
    text = (HEAD + LINK).replace("mass = 2.0", "mass = 0.1").replace("[-0.2,", "[0.7,")
    text = re.sub(r"inertia = .*", f"inertia = {inertia}", text)
    body = load(written(text)).links[0].body
    assert not body.inertia.any()
    assert 0.049 - 0.1 * (0.7 * 0.7) != 0.0


def test_nothing_added_leaves_a_body_as_it_is(written):
    plain = load(written(HEAD + LINK)).links[0].body
    added = "tip_mass = 0.0\ntip_inertia = { xx = 0, yy = 0, zz = 0 }\n"
    added += "[payload]\nmass = 0.0\ncom = [1.0, 2.0, 3.0]\n"
    loaded = load(written(HEAD + LINK + added)).links[0].body
    for field in ("mass", "moment", "inertia_origin", "com", "inertia"):
        assert np.array_equal(getattr(plain, field), getattr(loaded, field))


def test_tip_and_payload_join_the_body_of_their_link(written):
    added = "tip_mass = 1.0\ntip_inertia = { xx = 0.1, yy = 0.2, zz = 0.25, xy = 0.01 }\n"
    payload = "[payload]\nmass = 3.0\ncom = [0.0, 0.0, 0.5]\n"
    payload += "inertia = { xx = 0.3, yy = 0.3, zz = 0.4 }\n"
    first, last = load(written(HEAD + LINK + added + LINK + payload)).links

    # by hand: sums of masses, of first moments, and of inertias about the frame
    assert first.body.mass == 3.0
    assert first.body.moment.tolist() == [-0.4, 0.0, 0.0]
    assert np.diag(first.body.inertia_origin).tolist() == [0.11, 0.3, 0.35]
    assert first.body.inertia_origin[0, 1] == 0.01
    assert first.body.com[0] == -0.4 / 3.0
    assert last.body.mass == 5.0
    assert last.body.moment.tolist() == [-0.4, 0.0, 1.5]
    assert np.diag(last.body.inertia_origin).tolist() == [1.06, 1.15, 0.5]


def test_a_payload_on_a_massless_link_is_the_body(written):
    text = (HEAD + LINK).replace("mass = 2.0", "mass = 0").replace("0.02", "0").replace("0.01", "0")
    body = load(written(text + "[payload]\nmass = 0.7\ncom = [0.1, 0.2, 0.3]\n")).links[0].body
    assert body.mass == 0.7
    assert body.com.tolist() == [0.1, 0.2, 0.3]
    assert not body.inertia.any()


def test_exact_joining_agrees_with_joining_in_doubles(rng):
    for _ in range(20):
        bodies = []
        for _ in range(2):
            mass, com = rng.uniform(0.1, 2.0), rng.uniform(-1.0, 1.0, 3)
            bodies.append((mass, com, np.diag(rng.uniform(1.0, 1.5, 3))))
        exactly = rounded(join(*(rigid_body(*body) for body in bodies)))
        plainly = join(*(rounded(rigid_body(*body)) for body in bodies))
        np.testing.assert_allclose(exactly.inertia, plainly.inertia, rtol=1e-13)
        np.testing.assert_allclose(exactly.com, plainly.com, rtol=1e-13)


def test_a_broken_triangle_inequality_is_a_warning_that_names_the_link(written, cases_dir):
    text = HEAD + LINK + LINK.replace("zz = 0.02", "zz = 0.05")
    with pytest.warns(CaseWarning, match=r"arm\.toml:link\[2\]\.inertia: .*0\.01 \+ 0\.02 < 0\.05"):
        case = read_case(written(text))
    assert len(case.warnings) == 1
    with pytest.warns(CaseWarning) as seen:
        load(cases_dir / "puma560.toml")
    assert [str(w.message).split(".toml:")[1].split(":")[0] for w in seen] == [
        "link[1].inertia",  # the moment about its axis only
        "link[3].inertia",
    ]


def test_rods_and_flat_bodies_on_the_limit_of_what_is_possible_are_taken(cases_dir, rng):
    assert read_case(cases_dir / "stanford.toml").warnings == ()  # link 4: xx = yy + zz
    for _ in range(50):
        across, along = rng.normal(size=(2, 3))
        rod = np.outer(along, along)  # a rod has no moment about itself
        for second in (rod, rod + np.outer(across, across)):
            body = rigid_body(1.0, [0.1, 0.2, 0.3], np.trace(second) * np.eye(3) - second)
            assert not broken_triangle(body) and not negative_moment(body)


def test_a_joint_that_moves_no_inertia_is_a_warning(written):
    nothing = LINK.replace("mass = 2.0", "mass = 0").replace("0.02", "0").replace("0.01", "0")
    with pytest.warns(CaseWarning, match=r"link\[2\]: .*singular"):
        load(written(HEAD + LINK + nothing))
    on_axis = nothing.replace("mass = 0", "mass = 1").replace("[-0.2,", "[-0.5,")
    with pytest.warns(CaseWarning, match=r"link\[2\]: .*singular"):
        load(written(HEAD + LINK + on_axis.replace("d = 0.1", "d = 0.0")))


def test_a_beam_holds_what_the_file_says(written):
    more = 'GJ = 7.0\npolar_inertia = 1e-3\nshape = "clamped-mass"\nboundary_mass = 0.1\n'
    more += "boundary_inertia = 0.2\nboundary_polar = 0.3\ndamping_ratio = 0.02\n"
    arm = load(written(HEAD + BENT + more))
    beam = arm.links[0].beam
    assert (beam.length, beam.mass, beam.EIy, beam.EIz, beam.GJ) == (0.8, 0.5, 20.0, 30.0, 7.0)
    assert (beam.polar_inertia, beam.modes, beam.damping_ratio) == (1e-3, (0, 2, 1), 0.02)
    assert (beam.shape, beam.boundary_mass) == ("clamped-mass", 0.1)
    assert (beam.boundary_inertia, beam.boundary_polar) == (0.2, 0.3)
    assert arm.coordinates == ("joint1", "link1.bend_y1", "link1.bend_y2", "link1.bend_z1")
    assert arm.flexible and arm.links[0].body is NOTHING and arm.links[0].tip is NOTHING
    assert arm.assumptions == CONSISTENT


@pytest.mark.parametrize("given", ["mass = 0.6", "density = 7500.0"])
def test_stiffness_mass_and_polar_inertia_follow_from_a_section_exactly(written, given):
    # 2e11 * 1.017876e-9 is 203.57520000000002 in doubles
    section = "{ E = 2e11, G = 8.3e10, A = 1e-4, Iy = 1.017876e-9, Iz = 3e-9, J = 4e-9 }"
    stiffness = "mass = 0.5\nEIy = 20.0\nEIz = 30.0"
    text = (HEAD + BENT).replace(stiffness, f"{given}\nsection = {section}")
    beam = load(written(text)).links[0].beam
    assert (beam.EIy, beam.EIz, beam.GJ) == (203.5752, 600.0, 332.0)
    assert (beam.mass, beam.polar_inertia) == (0.6, 7500.0 * 4.017876e-9)
    own = load(written(text + "polar_inertia = 0.25\n")).links[0].beam
    assert own.polar_inertia == 0.25
    bending = text.replace("G = 8.3e10, ", "").replace(", J = 4e-9", "")
    assert load(written(bending)).links[0].beam.GJ == 0.0


def test_stiffness_is_asked_only_where_there_are_modes(written):
    one = (HEAD + BENT).replace("EIy = 20.0\n", "").replace(", z = 1", "")
    assert load(written(one)).links[0].beam.modes == (0, 2, 0)
    none = (HEAD + BENT).replace("EIy = 20.0\nEIz = 30.0\nmodes = { y = 2, z = 1 }\n", "")
    arm = load(written(none))
    assert (arm.n, arm.flexible) == (1, True)


def test_hub_and_tip_of_a_flexible_link_are_bodies_of_their_own(written):
    hub = (
        "hub = { mass = 2.0, com = [-0.8, 0.0, 0.0], inertia = { xx = 0.1, yy = 0.2, zz = 0.25 } }"
    )
    tip = "tip_mass = 0.5\ntip_inertia = { xx = 0.01, yy = 0.01, zz = 0.02 }"
    payload = "[payload]\nmass = 1.5\ncom = [0.1, 0.0, 0.0]\n"
    text = HEAD + BENT.replace("[link.beam]", f"{hub}\n{tip}\n[link.beam]") + payload
    link = load(written(text)).links[0]
    assert link.body.mass == 2.0
    assert np.diag(link.body.inertia_origin).tolist() == [0.1, 1.48, 1.53]
    assert link.tip.mass == 2.0
    assert link.tip.moment.tolist() == [0.15, 0.0, 0.0]
    assert np.diag(link.tip.inertia_origin).tolist() == [0.01, 0.025, 0.035]
    about_frame = text.replace("{ xx = 0.1, yy = 0.2", '{ about = "frame", xx = 0.1, yy = 1.5')
    about_frame = about_frame.replace("zz = 0.25 }", "zz = 1.55 }")
    again = load(written(about_frame)).links[0]
    assert np.diag(again.body.inertia_origin).tolist() == [0.1, 1.5, 1.55]
    assert link.beam == again.beam


def test_a_payload_sits_on_the_last_link_alone(written):
    payload = "[payload]\nmass = 1.5\ncom = [0.1, 0.0, 0.0]\n"
    first, last = load(written(HEAD + BENT + LINK + payload)).links
    assert first.tip is NOTHING
    assert last.body.mass == 3.5 and last.tip is NOTHING


@pytest.mark.parametrize(
    ("table", "assumptions"),
    [
        ("", CONSISTENT),
        ('assumptions = "consistent"', CONSISTENT),
        ('assumptions = "king"', KING),
        ('foreshortening = "off"', Assumptions("cayley", True, "off")),
        ('foreshortening = "first-order"', Assumptions("cayley", True, "first-order")),
        ('assumptions = "king"\nrotation = "cayley"', Assumptions("cayley", False, "off")),
        ('assumptions = "king"\ntorsion_coupling = true', Assumptions("linear", True, "off")),
        ("torsion_coupling = false", Assumptions("cayley", False, "full")),
    ],
)
def test_single_switches_override_the_preset(written, table, assumptions):
    assert load(written(HEAD + BENT + "[model]\n" + table)).assumptions == assumptions


def test_a_massless_link_before_a_beam_is_no_idle_joint(written):
    nothing = LINK.replace("mass = 2.0", "mass = 0").replace("0.02", "0").replace("0.01", "0")
    assert read_case(written(HEAD + nothing + BENT)).warnings == ()
    on_axis = nothing.replace("mass = 0", "mass = 1").replace("[-0.2,", "[-0.5,")
    for last in (nothing, on_axis.replace("d = 0.1", "d = 0.0")):
        with pytest.warns(CaseWarning, match=r"link\[2\]: .*singular"):
            load(written(HEAD + BENT + last))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(5))
def test_a_generic_arm_is_generic_and_physical(seed, convention):
    arm = generic_arm(8, seed, convention)
    assert arm.n == len(arm.links) == 8
    for link in arm.links:
        body, dh = link.body, link.dh
        assert not negative_moment(body) and not broken_triangle(body)
        numbers = [dh.a, dh.d, dh.alpha.cos, dh.alpha.sin, body.mass, *body.com]
        numbers += body.inertia.ravel().tolist()
        assert min(map(abs, numbers)) > 1e-5
        assert all(round(x, 6) == x for x in (dh.a, dh.d, dh.alpha.value, *body.com))


def test_a_generic_arm_is_the_same_every_time_and_grows_at_its_end():
    first, again, longer, other = (generic_arm(*x) for x in ((4, 1), (4, 1), (6, 1), (4, 2)))
    for one, two in zip(first.links, again.links, strict=True):
        assert one.dh == two.dh and np.array_equal(one.body.inertia, two.body.inertia)
    for one, two in zip(first.links, longer.links, strict=False):
        assert one.dh == two.dh and np.array_equal(one.body.inertia, two.body.inertia)
    assert first.links[0].dh != other.links[0].dh
    assert first.links[0].dh.a == round(0.1 + 0.4 * 0.13436424411240122, 5)  # Mersenne twister
    with pytest.raises(ValueError, match="at least one joint"):
        generic_arm(0)
