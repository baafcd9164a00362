"""The vector form of routines: compiled with all warnings, and compared with the graph."""

import ctypes
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from sample_programs import arm_programs, awkward_programs, random_program, sample_arm

from flexgen.build import HAND_WRITTEN
from flexgen.emit.block import blocks_text
from flexgen.graph.evaluate import evaluate
from flexgen.shipped import data_folder

pytestmark = pytest.mark.skipif(not shutil.which("gfortran"), reason="no compiler")

LANES = 64
STRICT = "-std=f2018 -Wall -Wextra -Werror -Wno-unused-dummy-argument -fcheck=all -fopenmp-simd"
COMMON = "-O0 -ffp-contract=off -shared -fPIC"


def samples():
    named = [*awkward_programs().values(), *(random_program(s, f"r{s}") for s in range(8))]
    for prefix, arm in (("a", sample_arm(5, slides=(2,))), ("b", sample_arm(4, offset=0.3))):
        for k, program in enumerate(arm_programs(arm).values()):
            named.append(replace(program, name=f"{prefix}{k}"))
    return named


def compiled(text, folder, name):
    by_hand = [str(data_folder("fortran") / file) for file in HAND_WRITTEN]
    (folder / f"{name}.f90").write_text(text)
    command = f"gfortran {STRICT} {COMMON}".split()
    command += [*by_hand, f"{name}.f90", "-o", f"{name}.so"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return ctypes.CDLL(str(folder / f"{name}.so"))


def inputs_of(program, ld, seed=5):
    rng = np.random.default_rng(seed)
    return [np.asfortranarray(rng.uniform(0.2, 0.9, (ld, i.size))) for i in program.inputs]


def called(library, program, inputs, ld):
    """Outputs (ld, size), the entries of a matrix row by row."""
    outputs = [np.full((ld, len(o.entries)), np.nan, order="F") for o in program.outputs]
    places = [ctypes.c_void_p(a.ctypes.data) for a in (*inputs, *outputs)]
    library[f"__blocks_MOD_{program.name}_block"](ctypes.byref(ctypes.c_int(ld)), *places)
    return outputs


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blocks")
    return compiled(blocks_text(samples(), header=["a header"]), folder, "whole")


def test_every_lane_holds_the_values_of_the_graph(library):
    for program in samples():
        inputs = inputs_of(program, LANES)
        found = called(library, program, inputs, LANES)
        for value, got in zip(evaluate(program, *inputs), found, strict=True):
            expected = value.reshape(LANES, -1)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(
                got, expected, rtol=0, atol=1e-13 * scale, err_msg=program.name
            )


def test_only_the_rows_of_the_block_are_written(library):
    ld = LANES + 9
    for program in samples()[::3]:
        inputs = inputs_of(program, ld)
        found = called(library, program, inputs, ld)
        block = called(library, program, [np.asfortranarray(a[:LANES]) for a in inputs], LANES)
        for long, short in zip(found, block, strict=True):
            assert np.array_equal(long[:LANES], short)
            assert np.isnan(long[LANES:]).all()


def test_parts_equal_the_whole_to_the_last_bit(library, tmp_path):
    text = blocks_text(samples(), longest=8, part=7)
    assert max(int(k) for k in re.findall(r"_block(\d+)\(", text)) > 20
    parts = compiled(text, tmp_path, "parts")
    for program in samples():
        inputs = inputs_of(program, LANES)
        both = zip(
            called(parts, program, inputs, LANES),
            called(library, program, inputs, LANES),
            strict=True,
        )
        for one, other in both:
            np.testing.assert_array_equal(one, other, err_msg=program.name)


def test_a_routine_is_cut_where_it_is_longer_than_allowed():
    program = arm_programs(sample_arm(4))["inverse"]
    steps = len(re.findall(r"^        \w.* = ", blocks_text([program]), re.M))
    assert "_block1(" not in blocks_text([program], longest=2 * steps)
    assert "_block2(" in blocks_text([program], longest=20, part=20)


def test_lines_are_short_and_the_text_is_the_same_every_time():
    text = blocks_text(samples(), longest=8, part=7)
    assert max(map(len, text.splitlines())) <= 132
    assert text == blocks_text(samples(), longest=8, part=7)


def test_sine_and_cosine_of_one_angle_come_from_one_call():
    program = arm_programs(sample_arm(4))["inverse"]
    angles = {e.args[0] for e in program.nodes() if e.kind in ("sin", "cos")}
    assert blocks_text([program]).count("call sincos(") == len(angles)
