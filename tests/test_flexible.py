"""Flexible formulations against printed numbers, the energies, and one another."""

from dataclasses import replace
from functools import lru_cache

import king_plain
import numpy as np
import pytest
from energy_oracle import Oracle
from flexible_arms import (
    KING,
    LINEAR_SHORTENED,
    MODELS,
    UNCOUPLED,
    any_arm,
    beam_link,
    large_state,
    point,
    printed_arm,
)

from flexgen.formulations import book, flexible_composite, flexible_kinematics, king, terms
from flexgen.formulations.routines import task
from flexgen.graph.evaluate import evaluate
from flexgen.graph.trace import trace
from flexgen.manipulator.arm import NOTHING, Link, Manipulator
from flexgen.manipulator.beam import Beam

ORACLE = 1e-10
ROUNDING = 1e-12
FREE = np.zeros(6)
KINDS = ("FFF", "RFG", "FPF", "FGR", "RTB", "BB", "FRR", "BWW", "MM")


def numbers(text):
    return np.array([float(x) for x in text.replace("|", " ").split()])


def close(actual, expected, rtol=ROUNDING):
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=rtol * np.abs(expected).max())


@lru_cache(maxsize=64)
def arm_of(kinds, name, seed=0):
    return any_arm(kinds, MODELS[name], seed)


def forces(formulation, arm, q, qd, qdd, wrench=FREE, **options):
    return formulation.inverse(arm, q, qd, qdd, np.asarray(arm.gravity), wrench, **options)


q = numbers("0.3 -0.7 0.4 | 0.02 0.03 -0.01 | 0.015 0.02 -0.005 0.012")
qd = numbers("0.5 -0.4 0.3 | 0.1 -0.2 0.15 | -0.1 0.05 0.2 -0.15")
qdd = numbers("1.0 -0.5 0.8 | 0.4 -0.3 0.6 | 0.2 -0.4 0.3 0.5")
exerted = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])  # by the arm on the environment

# forces, the same with payload, bias, diagonal and first row of H; computed by another program
PRINTED = {
    "king": """
        -4.24456503047 3.39581896397 -0.666112753392 -2.67815519845 82.9694183629
        89.3311993063 2.25603740575 17.8955359613 -369.785209088 48.2977674269
        -10.1438218239 0.724840742588 -1.69819441472 -3.27891054367 67.4587445209
        97.0703444844 2.63542299189 8.33697690071 -348.979571076 42.8181503487
        0.124546060613 3.81186962495 -0.24224167129 -1.54549398876 85.0890729971
        66.6390694006 1.61336582583 27.4574667634 -382.691389756 42.6639215255
        3.83291772788 0.604890448294 0.0259502642771 0.112653403706 30.5135933568
        29.4801047735 0.0419031878095 6.6442768895 15.9143720638 7.09227989556
        3.83291772788 1.1018411145 0.161151411632 0.349244137357 9.419013388
        -5.04273605407 -0.152412672538 3.78951819216 -4.4891291403 1.64929431267
    """,
    "without shortening": """
        -4.39795390215 3.30836696125 -0.691853092085 -3.20766219636 82.314400818
        87.8872561435 2.09619505937 17.7937736696 -369.189732617 48.4614916524
        -10.2002957711 0.668678088346 -1.72393475341 -3.8267083444 67.0971877374
        95.5054532595 2.52496392447 8.25985319358 -348.269403146 43.2784257543
        -0.098157171914 3.72215622647 -0.265979579913 -1.96053050851 84.3656766817
        65.7880659944 1.49082304185 27.2702498168 -382.163755698 42.6892605235
        3.74602246409 0.59455038447 0.0259502642771 0.132540074605 29.8724796413
        28.6007289023 0.0379536727699 6.57472409504 16.0910686579 7.09480378561
        3.74602246409 1.07431097943 0.158461102997 0.349834739514 9.18665599549
        -4.90477706599 -0.153510020187 3.71328489773 -4.43113416499 1.53770553611
    """,
    "consistent": """
        -3.16304452423 3.47104481606 -0.60541570222 -3.1189311803 86.0609207738
        87.321430816 2.08804291075 19.341373224 -373.696115737 49.7844269244
        -8.94633404743 0.838513249537 -1.63749736355 -3.7336667904 70.6294227051
        95.0004404932 2.51681177586 9.20220015315 -351.332349892 44.3414020448
        1.23501854898 3.88616916905 -0.16970595402 -1.87662769853 88.3916542785
        65.228630107 1.48236822659 28.843425838 -386.908400721 44.0724384043
        3.71712029659 0.588717476997 0.0259502642771 0.131086790356 29.4200928775
        28.5522837385 0.0379536727699 6.71271803887 17.0947709403 7.20648964493
        3.71712029659 1.06471539097 0.157879583553 0.346443118858 9.11942660135
        -4.87325251696 -0.15290152465 3.83899939688 -4.73007836315 1.59455294904
    """,
}
PRINTED_BOOK = """
        -3.69611736081 3.73063821259 -0.615049313537 -3.75137757258 83.3204055
        85.5977333963 1.90178187611 19.1309206661 -369.898100633 48.6964652053
    """


def to_all_digits(actual, printed):
    np.testing.assert_allclose(actual, printed, rtol=1e-11)


@pytest.mark.parametrize("name", PRINTED)
def test_printed_forces_and_inertia(name):
    arm = printed_arm(MODELS[name])
    plain, loaded, bias, diagonal, row = numbers(PRINTED[name]).reshape(5, 10)
    to_all_digits(forces(king, arm, q, qd, qdd), plain)
    to_all_digits(forces(king, arm, q, qd, qdd, -exerted), loaded)
    to_all_digits(terms.bias(king.inverse, arm, q, qd), bias)
    for H in (terms.inertia(king.inverse, arm, q), flexible_composite.inertia(arm, q)):
        to_all_digits(np.diag(H), diagonal)
        to_all_digits(H[0], row)


def test_printed_forces_of_book():
    to_all_digits(forces(book, printed_arm(KING), q, qd, qdd), numbers(PRINTED_BOOK))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", [n for n in MODELS if n != "king"])
@pytest.mark.parametrize("kinds", KINDS)
def test_exact_rotation_gives_the_lagrange_equations(kinds, name, seed):
    arm = arm_of(kinds, name, seed)
    state = large_state(arm, seed)[:3]
    oracle = Oracle(arm)
    close(forces(king, arm, *state), oracle.inverse(*state), ORACLE)
    close(flexible_composite.inertia(arm, state[0]), oracle.inertia(state[0]), ORACLE)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kinds", KINDS)
def test_king_equals_the_recursion_as_printed(kinds, seed):
    arm = arm_of(kinds, "king", seed)
    *state, wrench = large_state(arm, seed)
    expected = king_plain.inverse(arm, *state, arm.gravity, wrench)
    close(forces(king, arm, *state, wrench), expected, ORACLE)


@pytest.mark.parametrize("kinds", KINDS)
def test_book_gives_the_lagrange_equations_of_the_linear_rotation(kinds):
    arm = arm_of(kinds, "king")
    state = large_state(arm)[:3]
    close(forces(book, arm, *state), Oracle(arm).inverse(*state), ORACLE)


@pytest.mark.parametrize("name", [*MODELS, "linear, shortened"])
@pytest.mark.parametrize("kinds", KINDS)
def test_composite_bodies_and_unit_accelerations_give_one_inertia_matrix(kinds, name):
    arm = any_arm(kinds, MODELS.get(name, LINEAR_SHORTENED))
    state = large_state(arm)[0]
    columns = np.array([terms.inertial(king.inverse, arm, state, e) for e in np.eye(arm.n)]).T
    close(columns, columns.T)
    close(flexible_composite.inertia(arm, state), columns)
    close(terms.inertia(king.inverse, arm, state), columns)
    if name != "first order":  # which is for small deflections
        assert np.linalg.eigvalsh(columns).min() > 0.0


@pytest.mark.parametrize("formulation", [king, book])
@pytest.mark.parametrize("kinds", [k for k in KINDS if "M" not in k])
def test_the_terms_add_up(kinds, formulation):
    arm = arm_of(kinds, "king")
    beams = [link.beam for link in arm.links]
    assert any(beams)
    links = [x.beam and replace(x, beam=replace(x.beam, damping_ratio=0.1)) for x in arm.links]
    damped = replace(arm, links=tuple(x or y for x, y in zip(links, arm.links, strict=True)))
    inverse = formulation.inverse
    state, rate, growth, wrench = large_state(arm)
    whole = inverse(damped, state, rate, growth, np.asarray(arm.gravity), wrench)
    parts = (
        terms.inertial(inverse, damped, state, growth)
        + terms.coriolis(inverse, damped, state, rate)
        + terms.gravity(inverse, damped, state)
        - terms.external(inverse, damped, state, wrench)
    )
    close(parts, whole)
    H = terms.inertia(inverse, damped, state)
    close(H @ growth + terms.bias(inverse, damped, state, rate, wrench), whole)

    # 2 zeta omega m = 2 zeta sqrt(K m) on the modal rows alone
    more = whole - inverse(arm, state, rate, growth, np.asarray(arm.gravity), wrench)
    assert not np.any(more[: arm.n_joints])
    at = arm.mode_ranges[0] if beams[0] else arm.mode_ranges[1]
    beam = beams[0] or beams[1]
    k = at.y[0]
    stiffness = 1.8751040687119611**4 * beam.EIz / beam.length**3
    np.testing.assert_allclose(more[k], 0.2 * np.sqrt(stiffness * beam.mass) * rate[k], rtol=1e-9)


@pytest.mark.parametrize("name", [n for n in MODELS if n != "king"])
@pytest.mark.parametrize("kinds", ["FFF", "FPF", "RTB"])
def test_coriolis_forces_do_the_work_of_the_changing_inertia(kinds, name):
    arm = arm_of(kinds, name)
    state, rate = large_state(arm)[:2]
    step = 1e-30
    H = flexible_composite.inertia(arm, state + 1j * step * rate)
    power = rate @ terms.coriolis(king.inverse, arm, state, rate)
    changing = 0.5 * rate @ H.imag @ rate / step
    np.testing.assert_allclose(power, changing, rtol=0.0, atol=1e-11 * (rate @ H.real @ rate))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kinds", KINDS)
def test_jacobian_by_velocities_equals_jacobian_by_unit_wrenches(kinds, name):
    arm = arm_of(kinds, name)
    state, _, _, wrench = large_state(arm)
    J = flexible_kinematics.jacobian(arm, state)
    close(terms.jacobian(king.inverse, arm, state), J)
    close(terms.external(king.inverse, arm, state, wrench), J.T @ wrench)


@pytest.mark.parametrize("name", ["consistent", "without shortening"])
@pytest.mark.parametrize("kinds", KINDS)
def test_jacobian_is_the_derivative_of_the_deflected_pose(kinds, name):
    arm = arm_of(kinds, name)
    state = large_state(arm)[0]
    R, _ = flexible_kinematics.pose(arm, state)
    close(R.T @ R, np.eye(3))
    step = 1e-30
    for k, column in enumerate(flexible_kinematics.jacobian(arm, state).T):
        moved = state.astype(complex)
        moved[k] += 1j * step
        turned, shifted = flexible_kinematics.pose(arm, moved)
        v, spin = R.T @ shifted.imag / step, R.T @ turned.imag / step
        np.testing.assert_allclose(column, [*v, spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("routine", ["inverse", "direct", "inertia", "gravity", "jacobian", "pose"])
def test_traced_programs_equal_the_mechanics_on_floats(routine, name):
    arm = arm_of("FPG", name)
    state, rate, growth, _ = large_state(arm)
    values = {"q": state, "qd": rate, "qdd": growth}
    work = task(arm, routine)
    for way in work.ways.values():
        arguments = [values[i] for i in work.inputs]
        program = trace(way, work.inputs, work.outputs, routine)
        plain = way(*arguments)
        plain = plain if isinstance(plain, tuple) else (plain,)
        for found, expected in zip(evaluate(program, *arguments), plain, strict=True):
            close(np.reshape(found, np.shape(expected)), expected)


def test_book_refuses_what_it_does_not_model():
    with pytest.raises(ValueError, match="king"):
        forces(book, printed_arm(UNCOUPLED), q, qd, qdd)
    with pytest.raises(ValueError, match="method 2"):
        task(printed_arm(KING), "inertia", "book", method=3)
    with pytest.raises(ValueError, match="rigid"):
        task(printed_arm(KING), "inverse", "hollerbach")


def test_coordinates_are_named_in_order():
    arm = printed_arm(KING)
    assert arm.n == 10
    assert arm.n_joints == 3
    assert arm.coordinates == (
        "joint1",
        "joint2",
        "joint3",
        "link1.twist1",
        "link1.bend_y1",
        "link1.bend_z1",
        "link2.twist1",
        "link2.bend_y1",
        "link2.bend_y2",
        "link2.bend_z1",
    )
    assert arm.chain == (0, 3, 4, 5, 1, 6, 7, 8, 9, 2)
    assert [list(at.y) for at in arm.mode_ranges] == [[4], [7, 8], []]


def test_links_that_cannot_be_are_refused():
    beam = Beam(1.0, 1.0, 1.0, 1.0, modes=(0, 1, 0))
    good = beam_link(beam)
    with pytest.raises(ValueError, match="revolute"):
        Link("prismatic", good.dh, NOTHING, beam=beam)
    with pytest.raises(ValueError, match="length"):
        Link("revolute", good.dh, NOTHING, beam=Beam(2.0, 1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="tip"):
        Link("revolute", good.dh, NOTHING, tip=point(1.0))
    with pytest.raises(ValueError, match="standard"):
        Manipulator("m", (good,), "modified")
