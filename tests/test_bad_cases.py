"""Broken case files: each is refused in one line that names the place and the reason."""

import os

import pytest

from flexgen.manipulator import CaseError, load

GOOD = """\
name = "arm"
description = "one line"
source = "nowhere"
convention = "standard"
gravity = [0.0, 0.0, -9.81]

[[link]]
joint = "revolute"
dh = { a = 0.5, alpha = "pi/2", d = 0.1, theta = 0.0 }
mass = 2.0
com = [-0.2, 0.0, 0.0]
inertia = { about = "com", xx = 0.01, yy = 0.02, zz = 0.02 }
tip_mass = 0.1

[[link]]
joint = "prismatic"
dh = { a = 0.0, alpha = 0.0, d = 0.2, theta = 0.0 }
mass = 1.0
com = [0.0, 0.0, 0.1]
inertia = { about = "frame", xx = 0.03, yy = 0.03, zz = 0.01 }
limits = { q = [0.0, 1.0], qd = 2.0 }

[payload]
mass = 0.5
com = [0.0, 0.0, 0.1]

[expected.gravity]
level = { q = [0.0, 0.0], value = [1.0, 2.0], rtol = 1e-9, source = "made up" }
"""

# what is replaced in GOOD, by what, the place and a fragment of the reason
BROKEN = {
    # text of the file
    "syntax": ('name = "arm"', "name = ", "", "line 1, column 8"),
    "unclosed": ("[payload]", "[payload", "", "line 23"),
    "duplicate-key": ("mass = 2.0", "mass = 2.0\nmass = 3.0", "", "line 11"),
    "duplicate-table": ("[payload]", "[payload]\n[payload]", "", "line 24"),
    "huge-integer": ("mass = 2.0", "mass = " + "9" * 5000, "", "not valid TOML"),
    "deep-nesting": ("mass = 2.0", "mass = " + "[" * 5000 + "]" * 5000, "", "nested too deeply"),
    # names and text
    "no-name": ('name = "arm"', "", "name", "is missing"),
    "name-number": ('name = "arm"', "name = 7", "name", "expected text in quotes, not a number"),
    "name-empty": ('"arm"', '""', "name", "1 to 63 letters"),
    "name-long": ('"arm"', f'"{"x" * 64}"', "name", "1 to 63 letters"),
    "name-quote": ('"arm"', "'a\"b'", "name", "1 to 63 letters"),
    "name-newline": ('"arm"', '"arm\\n"', "name", "1 to 63 letters"),
    "name-path": ('"arm"', '"../arm"', "name", "1 to 63 letters"),
    "name-fortran": ('"arm"', '"a; call system(1) !"', "name", "1 to 63 letters"),
    "name-unicode": ('"arm"', '"bras\\u00e9"', "name", "1 to 63 letters"),
    "name-zero-byte": ('"arm"', '"a\\u0000"', "name", "1 to 63 letters"),
    "description-lines": ('"one line"', '"two\\nlines"', "description", "one line of printable"),
    "description-bell": ('"one line"', '"\\u0007"', "description", "one line of printable"),
    "description-long": ('"one line"', f'"{"x" * 1001}"', "description", "at most 1000"),
    "source-carriage": ('"nowhere"', '"a\\rb"', "source", "one line of printable"),
    "source-bidi": ('"nowhere"', '"a\\u202eb"', "source", "one line of printable"),
    # choices
    "convention": ('"standard"', '"standrad"', "convention", "'standard' or 'modified'"),
    "convention-type": ('"standard"', "1", "convention", "'standard' or 'modified', not a number"),
    "joint": ('"revolute"', '"rotary"', "link[1].joint", "'revolute' or 'prismatic'"),
    "about": ('about = "frame"', 'about = "origin"', "link[2].inertia.about", "'com' or 'frame'"),
    # numbers
    "mass-text": ("mass = 2.0", 'mass = "heavy"', "link[1].mass", "'heavy' is not known"),
    "mass-true": ("mass = 2.0", "mass = true", "link[1].mass", "not true or false"),
    "mass-date": ("mass = 2.0", "mass = 2020-01-01", "link[1].mass", "not a date"),
    "mass-table": ("mass = 2.0", "mass = { kg = 1 }", "link[1].mass", "not a table"),
    "mass-array": ("mass = 2.0", "mass = [1]", "link[1].mass", "not an array"),
    "mass-nan": ("mass = 2.0", "mass = nan", "link[1].mass", "finite"),
    "mass-inf": ("mass = 2.0", "mass = inf", "link[1].mass", "finite"),
    "mass-minus-inf": ("mass = 2.0", "mass = -inf", "link[1].mass", "finite"),
    "mass-1e400": ("mass = 2.0", "mass = 1e400", "link[1].mass", "finite"),
    "mass-many-digits": ("mass = 2.0", "mass = " + "9" * 400, "link[1].mass", "finite"),
    "mass-negative": ("mass = 2.0", "mass = -2.0", "link[1].mass", "not be negative, is -2"),
    "tip-negative": ("tip_mass = 0.1", "tip_mass = -1", "link[1].tip_mass", "not be negative"),
    "alpha-nan": ('"pi/2"', "nan", "link[1].dh.alpha", "finite"),
    "gravity-nan": ("-9.81", "nan", "gravity[3]", "finite"),
    "quoted-nan": ("mass = 2.0", 'mass = "nan"', "link[1].mass", "'nan' is not known"),
    # expressions
    "empty": ('"pi/2"', '""', "link[1].dh.alpha", "incomplete"),
    "half": ('"pi/2"', '"pi/"', "link[1].dh.alpha", "incomplete"),
    "two-values": ('"pi/2"', '"2 pi"', "link[1].dh.alpha", "'pi' is not expected"),
    "open": ('"pi/2"', '"(pi/2"', "link[1].dh.alpha", "closing parenthesis"),
    "shut": ('"pi/2"', '"pi/2)"', "link[1].dh.alpha", "')' is not expected"),
    "degrees": ('"pi/2"', '"90deg"', "link[1].dh.alpha", "'deg' is not expected"),
    "tan": ('"pi/2"', '"tan(1)"', "link[1].dh.alpha", "'tan' is not known"),
    "import": ('"pi/2"', "\"__import__('os')\"", "link[1].dh.alpha", "not allowed"),
    "import-bare": ('"pi/2"', '"__import__(1)"', "link[1].dh.alpha", "'__import__' is not known"),
    "attribute": ('"pi/2"', '"pi.real"', "link[1].dh.alpha", "'.' is not allowed"),
    "tower": ('"pi/2"', '"9**9**9"', "link[1].dh.alpha", "exponent beyond 64"),
    "tower-of-brackets": ('"pi/2"', '"((9**64)**64)**64"', "link[1].dh.alpha", "too large"),
    "fine-tower": ('"pi/2"', '"(1.0000001**64)**64"', "link[1].dh.alpha", "too large"),
    "by-zero": ('"pi/2"', '"1/0"', "link[1].dh.alpha", "division by zero"),
    "by-hidden-zero": (
        '"pi/2"',
        '"1/((sqrt(2) + sqrt(3))**2 - 5 - 2*sqrt(6))"',
        "link[1].dh.alpha",
        "by zero",
    ),
    "imaginary": ('"pi/2"', '"sqrt(-2)"', "link[1].dh.alpha", "negative"),
    "cube-root": ('"pi/2"', '"(-8)**(1/3)"', "link[1].dh.alpha", "not whole"),
    "long-expression": ('"pi/2"', f'"{"1+" * 100}1"', "link[1].dh.alpha", "longer than 200"),
    "deep-expression": ('"pi/2"', f'"{"(" * 50}1{")" * 50}"', "link[1].dh.alpha", "deeper than 30"),
    "many-signs": ('"pi/2"', f'"{"-" * 100}1"', "link[1].dh.alpha", "deeper than 30"),
    "wide-digit": ('"pi/2"', '"\\uff11"', "link[1].dh.alpha", "not allowed"),
    "control-digit": ('"pi/2"', '"1\\n"', "link[1].dh.alpha", "not allowed"),
    # vectors and tables
    "gravity-short": ("0.0, 0.0, -9.81", "0.0, -9.81", "gravity", "expected 3 entries, not 2"),
    "gravity-none": ("gravity = [0.0, 0.0, -9.81]", "", "gravity", "is missing"),
    "gravity-number": ("[0.0, 0.0, -9.81]", "9.81", "gravity", "expected an array"),
    "com-long": ("[-0.2, 0.0, 0.0]", "[0, 0, 0, 0]", "link[1].com", "expected 3 entries, not 4"),
    "com-text": ("[-0.2, 0.0, 0.0]", '[0, "x", 0]', "link[1].com[2]", "'x' is not known"),
    "dh-number": (
        "dh = { a = 0.0, alpha = 0.0, d = 0.2, theta = 0.0 }",
        "dh = 1",
        "link[2].dh",
        "a table",
    ),
    "dh-no-a": ("{ a = 0.5, ", "{ ", "link[1].dh.a", "is missing"),
    "no-mass": ("mass = 2.0\n", "", "link[1].mass", "is missing"),
    "no-com": ("com = [-0.2, 0.0, 0.0]\n", "", "link[1].com", "is missing"),
    "no-inertia": (
        'inertia = { about = "com", xx = 0.01, yy = 0.02, zz = 0.02 }\n',
        "",
        "link[1].inertia",
        "is missing",
    ),
    "no-about": ('about = "com", ', "", "link[1].inertia.about", "is missing"),
    "no-zz": (", zz = 0.02", "", "link[1].inertia.zz", "is missing"),
    "limits-turned": ("[0.0, 1.0], qd", "[1.0, 0.0], qd", "link[2].limits.q", "not below"),
    "limits-one": ("[0.0, 1.0], qd", "[1.0], qd", "link[2].limits.q", "expected 2 entries"),
    "limits-zero": ("qd = 2.0", "qd = 0.0", "link[2].limits.qd", "must be positive"),
    "payload-no-com": ("com = [0.0, 0.0, 0.1]\n\n[exp", "\n\n[exp", "payload.com", "is missing"),
    "payload-negative": ("mass = 0.5", "mass = -0.5", "payload.mass", "not be negative"),
    "link-table": (GOOD, GOOD.split("[[link]]")[0] + "link = 3\n", "link", "expected an array"),
    "no-link": (GOOD, GOOD.split("[[link]]")[0], "link", "is missing"),
    "zero-links": (GOOD, GOOD.split("[[link]]")[0] + "link = []\n", "link", "at least one"),
    "empty-file": (GOOD, "", "name", "is missing"),
    # unknown keys at every level
    "key-top": ('source = "', 'sorce = "', "sorce", "unknown key 'sorce'; did you mean 'source'"),
    "key-link": ("mass = 2.0", "mas = 2.0", "link[1].mas", "did you mean 'mass'"),
    "key-dh": ("theta = 0.0 }\nmass = 1", "thta = 0.0 }\nmass = 1", "link[2].dh.thta", "'theta'"),
    "key-inertia": ("yy = 0.02", "yyy = 0.02", "link[1].inertia.yyy", "did you mean 'yy'"),
    "key-limits": ("qd = 2.0", "velocity = 2.0", "link[2].limits.velocity", "known are q, qd"),
    "key-payload": ("[payload]\n", "[payload]\ncog = 1\n", "payload.cog", "did you mean 'com'"),
    "key-model": (
        "[payload]",
        '[model]\nasumptions = "king"\n[payload]',
        "model.asumptions",
        "'assumptions'",
    ),
    "key-newline": ('source = "', '"so\\nurce" = "', "so\\nurce", "did you mean 'source'"),
    "key-topic": ("[expected.gravity]", "[expected.gravty]", "expected.gravty", "'gravity'"),
    "key-expected": (
        ", rtol =",
        ", rtoll =",
        "expected.gravity.level.rtoll",
        "did you mean 'rtol'",
    ),
    # physics
    "negative-moment": ("xx = 0.01", "xx = -0.01", "link[1].inertia", "-0.01 about the centre"),
    "negative-principal": (
        "zz = 0.02 }",
        "zz = 0.02, yz = 0.03 }",
        "link[1].inertia",
        "moment -0.01 ",
    ),
    "negative-about-com": ("xx = 0.03", "xx = 0.005", "link[2].inertia", "is negative"),
    "negative-tip": (
        "tip_mass = 0.1",
        "tip_inertia = { xx = 1, yy = 1, zz = -1 }",
        "link[1].tip_inertia",
        "is negative",
    ),
    "negative-payload": (
        "mass = 0.5",
        "mass = 0.5\ninertia = { xx = -1, yy = 1, zz = 1 }",
        "payload.inertia",
        "is negative",
    ),
    "far": ("[-0.2, 0.0", "[-1e300, 0.0", "link[1].inertia", "range of doubles"),
    # flexible links
    "beam-and-mass": ("tip_mass = 0.1", "beam = { mass = 0.5 }", "link[1].mass", "with a beam"),
    "beam-slide": ("limits =", "beam = { mass = 0.5 }\nlimits =", "link[2].beam", "revolute joint"),
    "hub": (
        "tip_mass = 0.1",
        "hub = { mass = 1, com = [0, 0, 0] }",
        "link[1].hub",
        "flexible link",
    ),
    # what comes later
    "drive": ("tip_mass = 0.1", "drive = { stiffness = 1 }", "link[1].drive", "drives"),
    # expected numbers
    "expected-source": (', source = "made up"', "", "expected.gravity.level.source", "is missing"),
    "expected-tolerance": (
        ", rtol = 1e-9",
        "",
        "expected.gravity.level",
        "rtol or atol is missing",
    ),
    "expected-value": ("[1.0, 2.0], r", "[1.0], r", "expected.gravity.level.value", "2 numbers"),
    "expected-ragged": (
        "[1.0, 2.0], r",
        "[[1], [1, 2]], r",
        "expected.gravity.level.value",
        "equally",
    ),
    "expected-nan": ("[1.0, 2.0], r", "[nan, 1], r", "expected.gravity.level.value", "finite"),
    "expected-q": (
        "q = [0.0, 0.0], v",
        "q = [0], v",
        "expected.gravity.level.q",
        "expected 2 entries",
    ),
    "expected-extra": (
        "q = [0.0, 0.0], v",
        "q = [0, 0], qdd = [0, 0], v",
        "expected.gravity.level.qdd",
        "unknown",
    ),
    "expected-flat": (
        "level = {",
        "[expected.bias]\nlevel = 1\n[expected.x]\nlevel = {",
        "expected.bias.level",
        "table",
    ),
    "expected-number": (
        "[expected.gravity]\nlevel =",
        "[expected]\ngravity = 1\nlevel =",
        "expected.gravity",
        "table",
    ),
    # tables of applications
    "simulate-number": (
        "[payload]",
        "[payload]\nmass = 1\ncom = [0, 0, 0]\n[simulate]\nspan = [0, nan]\n[simulate.x]",
        "simulate.span[2]",
        "finite",
    ),
    "track-array": ("[payload]", "[[track]]\n[payload]", "track", "expected a table, not an array"),
}


BENT = """\
name = "bent"
convention = "standard"
gravity = [0.0, 0.0, -9.81]

[[link]]
joint = "revolute"
dh = { a = 1.0, alpha = 0.0, d = 0.0, theta = 0.0 }
hub = { mass = 1.0, com = [-1.0, 0.0, 0.0], inertia = { xx = 0.1, yy = 0.1, zz = 0.1 } }
tip_mass = 0.5
tip_inertia = { xx = 0.1, yy = 0.1, zz = 0.1 }

[link.beam]
mass = 0.5
EIy = 20.0
EIz = 30.0
GJ = 10.0
polar_inertia = 1e-5
modes = { torsion = 1, y = 2, z = 1 }
damping_ratio = 0.01

[[link]]
joint = "revolute"
dh = { a = 1.0, alpha = 0.0, d = 0.0, theta = 0.0 }

[link.beam]
density = 7800.0
section = { E = 2e11, G = 8e10, A = 1e-4, Iy = 1e-9, Iz = 2e-9, J = 3e-9 }
modes = { torsion = 1, y = 1 }
shape = "clamped-mass"
boundary_mass = 0.3

[model]
assumptions = "king"
torsion_coupling = true

[expected.modal]
locked = { q = [0, 0, 0, 0, 0, 0, 0, 0], moving = ["link2.bend_y1"], value = [1], rtol = 1e-3, source = "made up" }

[expected.static]
pushed = { q = [0, 0, 0, 0, 0, 0, 0, 0], wrench = [0, 0, 1, 0, 0, 0], moving = ["link1.bend_z1"], value = [0.1], rtol = 1e-3, source = "made up" }
"""  # noqa: E501

# the same for BENT
BROKEN_BEAMS = {
    "prismatic": ('"revolute"', '"prismatic"', "link[1].beam", "revolute joint, and this one is"),
    "no-length": ("a = 1.0", "a = 0.0", "link[1].dh.a", "length of the beam and must be positive"),
    "negative-length": ("a = 1.0", "a = -1", "link[1].dh.a", "must be positive, is -1"),
    "modified": ('"standard"', '"modified"', "convention", "flexible links need the standard"),
    "tiny": ("a = 1.0", "a = 1e-200", "link[1].beam", "range of doubles"),
    "long": ("a = 1.0", "a = 1e300", "link[1].beam", "range of doubles"),
    "thin": ("{ E = 2e11, ", "{ E = 1e-320, ", "link[2].beam", "range of doubles"),
    "thick": ("Iy = 1e-9", "Iy = 1e300", "link[2].beam", "range of doubles"),
    "far-hub": ("com = [-1.0", "com = [-1e300", "link[1].hub.inertia", "range of doubles"),
    "heavy": ("mass = 0.5\nEIy", "mass = 1e299\nEIy", "link[1].beam", "range of doubles"),
    "com-too": ("tip_mass = 0.5", "com = [0, 0, 0]", "link[1].com", "a link with a beam has none"),
    "inertia-too": (
        "tip_mass = 0.5",
        'inertia = { about = "com", xx = 1, yy = 1, zz = 1 }',
        "link[1].inertia",
        "a link with a beam has none",
    ),
    "array": ("[link.beam]", "[[link.beam]]", "link[1].beam", "a table, not an array"),
    # mass
    "no-mass": ("mass = 0.5\nEIy", "EIy", "link[1].beam.mass", "is missing"),
    "zero-mass": ("mass = 0.5\nEIy", "mass = 0\nEIy", "link[1].beam.mass", "must be positive"),
    "negative-mass": ("mass = 0.5\nEIy", "mass = -1\nEIy", "link[1].beam.mass", "positive, is -1"),
    "density-alone": ("mass = 0.5\nEIy", "density = 1\nEIy", "link[1].beam.density", "a section"),
    "two-masses": ("density =", "mass = 1\ndensity =", "link[2].beam.density", "one follows"),
    "no-density": ("7800.0", "0.0", "link[2].beam.density", "must be positive"),
    # stiffness
    "negative-EIy": ("EIy = 20.0", "EIy = -20.0", "link[1].beam.EIy", "positive, is -20"),
    "zero-EIz": ("EIz = 30.0", "EIz = 0.0", "link[1].beam.EIz", "must be positive"),
    "negative-GJ": ("GJ = 10.0", "GJ = -1", "link[1].beam.GJ", "must be positive"),
    "nan-GJ": ("GJ = 10.0", "GJ = nan", "link[1].beam.GJ", "finite"),
    "no-EIy": ("EIy = 20.0\n", "", "link[1].beam.EIy", "is missing: z modes need it"),
    "no-EIz": ("EIz = 30.0\n", "", "link[1].beam.EIz", "is missing: y modes need it"),
    "no-GJ": ("GJ = 10.0\n", "", "link[1].beam.GJ", "is missing: torsion modes need it"),
    "no-polar": ("polar_inertia = 1e-5\n", "", "link[1].beam.polar_inertia", "torsion modes need"),
    "zero-polar": ("= 1e-5\n", "= 0\n", "link[1].beam.polar_inertia", "torsion modes need"),
    "negative-polar": ("= 1e-5\n", "= -1\n", "link[1].beam.polar_inertia", "not be negative"),
    "zero-polar-too": (
        "section =",
        "polar_inertia = 0\nsection =",
        "link[2].beam.polar_inertia",
        "",
    ),
    "twice": ("section =", "EIz = 1\nsection =", "link[2].beam.EIz", "given twice"),
    "no-E": ("E = 2e11, ", "", "link[2].beam.section.E", "is missing"),
    "no-G": ("G = 8e10, ", "", "link[2].beam.section.G", "torsion modes need it"),
    "no-J": (", J = 3e-9", "", "link[2].beam.section.J", "torsion modes need it"),
    "negative-A": ("A = 1e-4", "A = -1e-4", "link[2].beam.section.A", "must be positive"),
    "key-section": ("Iz = 2e-9", "Ix = 2e-9", "link[2].beam.section.Ix", "unknown key 'Ix'"),
    # modes
    "many-modes": (", y = 2", ", y = 1000", "link[1].beam.modes.y", "0 to 50 modes, not 1000"),
    "endless-modes": (", y = 2", f", y = {'9' * 400}", "link[1].beam.modes.y", "not more"),
    "negative-modes": (", y = 2", ", y = -1", "link[1].beam.modes.y", "0 to 50 modes, not -1"),
    "half-modes": (
        ", y = 2",
        ", y = 1.5",
        "link[1].beam.modes.y",
        "whole number of modes, not 1.5",
    ),
    "true-modes": (", y = 2", ", y = true", "link[1].beam.modes.y", "not true or false"),
    "text-modes": (", y = 2", ', y = "2"', "link[1].beam.modes.y", "not text"),
    "key-modes": (", y = 2", ", x = 2", "link[1].beam.modes.x", "unknown key 'x'"),
    "modes-number": ("{ torsion = 1, y = 2, z = 1 }", "2", "link[1].beam.modes", "a table"),
    # the rest of the beam
    "shape": (
        '"clamped-mass"',
        '"pinned"',
        "link[2].beam.shape",
        "'clamped-free', 'clamped-mass' or 'pinned-free'",
    ),
    "shape-without-load": ("boundary_mass = 0.3", "", "link[2].beam.shape", "boundary_mass,"),
    "load-without-shape": ('shape = "clamped-mass"\n', "", "link[2].beam.boundary_mass", "belongs"),
    "negative-load": (
        "boundary_mass = 0.3",
        "boundary_mass = -1",
        "link[2].beam.boundary_mass",
        "",
    ),
    "damping": (
        "damping_ratio = 0.01",
        "damping_ratio = -1",
        "link[1].beam.damping_ratio",
        "is -1",
    ),
    "key-beam": ("EIz = 30.0", "EIx = 30.0", "link[1].beam.EIx", "unknown key 'EIx'"),
    # bodies on it
    "hub-no-com": (", com = [-1.0, 0.0, 0.0]", "", "link[1].hub.com", "is missing"),
    "hub-negative": ("hub = { mass = 1.0", "hub = { mass = -1.0", "link[1].hub.mass", "negative"),
    "hub-moment": (
        "inertia = { xx = 0.1",
        "inertia = { xx = -1",
        "link[1].hub.inertia",
        "negative",
    ),
    "hub-about": ("{ xx = 0.1", '{ about = "x", xx = 0.1', "link[1].hub.inertia.about", "'com'"),
    "key-hub": ("com = [-1.0", "cmo = [-1.0", "link[1].hub.cmo", "did you mean 'com'"),
    "tip-moment": (
        "tip_inertia = { xx = 0.1",
        "tip_inertia = { xx = -1",
        "link[1].tip_inertia",
        "",
    ),
    "drive": ("tip_mass = 0.5", "drive = { stiffness = 1 }", "link[1].drive", "drives"),
    # model
    "assumptions": ('"king"', '"kong"', "model.assumptions", "'consistent' or 'king', not 'kong'"),
    "rotation": ('"king"', '"king"\nrotation = "exact"', "model.rotation", "'linear' or 'cayley'"),
    "coupling": ("= true", '= "yes"', "model.torsion_coupling", "expected true or false"),
    "shortening": (
        "torsion_coupling = true",
        "foreshortening = 1",
        "model.foreshortening",
        "'off'",
    ),
    # expected numbers
    "moving": (
        "link2.bend_y1",
        "link2.bend_y2",
        "expected.modal.locked.moving",
        "'link2.bend_y1'?",
    ),
    "moving-twice": (
        '["link2.bend_y1"]',
        '["joint1", "joint1"]',
        "expected.modal.locked.moving",
        "named twice",
    ),
    "many-frequencies": (
        "value = [1]",
        "value = [1, 2]",
        "expected.modal.locked.value",
        "1 numbers",
    ),
    "one-frequency": ("value = [1]", "value = 1", "expected.modal.locked.value", "1 numbers"),
    "static-value": (
        "value = [0.1]",
        "value = [1, 2]",
        "expected.static.pushed.value",
        "1 numbers",
    ),
    "static-wrench": ("[0, 0, 1, 0, 0, 0]", "[1]", "expected.static.pushed.wrench", "6 entries"),
}


def refused(path):
    with pytest.raises(CaseError) as caught:
        load(path)
    line = str(caught.value)
    assert "\n" not in line and line.isprintable()
    assert line.startswith(f"{path}:")
    return line.removeprefix(f"{path}:")


@pytest.mark.parametrize(("old", "new", "place", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_case_is_refused_in_one_line(tmp_path, old, new, place, reason):
    assert old in GOOD
    path = tmp_path / "arm.toml"
    path.write_bytes(GOOD.replace(old, new, 1).encode())
    found, _, said = refused(path).partition(": " if place else " ")
    assert found == place
    assert reason in said


@pytest.mark.parametrize(("old", "new", "place", "reason"), BROKEN_BEAMS.values(), ids=BROKEN_BEAMS)
def test_a_broken_flexible_case_is_refused_in_one_line(tmp_path, old, new, place, reason):
    assert old in BENT
    path = tmp_path / "bent.toml"
    path.write_bytes(BENT.replace(old, new, 1).encode())
    found, _, said = refused(path).partition(": ")
    assert found == place
    assert reason in said


@pytest.mark.parametrize(("text", "n"), [(GOOD, 2), (BENT, 8)], ids=["rigid", "flexible"])
def test_the_unbroken_case_is_taken(tmp_path, text, n):
    path = tmp_path / "arm.toml"
    path.write_text(text)
    assert load(path).n == n


def test_a_file_of_ten_megabytes_is_refused_unread(tmp_path):
    path = tmp_path / "big.toml"
    with path.open("wb") as stream:
        stream.truncate(10_000_000)
    assert "larger than 5 MB" in refused(path)


def test_bytes_that_are_not_utf8_are_refused(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "arm"\nsource = "M\xfcller"\n')
    assert "line 2: is not UTF-8 text" in refused(path)


def test_a_directory_is_refused(tmp_path):
    assert "is a directory" in refused(tmp_path)


def test_a_missing_file_is_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "none.toml")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    assert "not a regular file" in refused(tmp_path / "pipe.toml")


def test_a_file_name_with_a_line_end_or_a_zero_byte_still_gives_one_line(tmp_path):
    for name in ("a\nb.toml", "a\0b.toml"):
        with pytest.raises(CaseError) as caught:
            load(f"{tmp_path}/{name}")
        assert str(caught.value).isprintable()


def test_an_arm_without_any_inertia_is_refused(tmp_path):
    path = tmp_path / "arm.toml"
    text = GOOD.split("[[link]]")
    link = text[1].replace("mass = 2.0", "mass = 0").replace("0.02", "0").replace("0.01", "0")
    path.write_text(text[0] + "[[link]]" + link.replace("tip_mass = 0.1", ""))
    assert refused(path) == "link: no link has mass or inertia"


def test_a_misspelt_key_is_told_before_the_key_that_is_missing_for_it(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(GOOD.replace("mass = 2.0", "mas = 2.0"))
    assert refused(path) == "link[1].mas: unknown key 'mas'; did you mean 'mass'? (and 1 more)"
