// The arm as a body: vertices that follow the kinematics, and faces that never change.
const Mesh = (() => {
  const { column, along } = Kinematics;
  const SIDES = 10, RINGS = 5;
  const CIRCLE = Array.from({ length: SIDES }, (_, k) => {
    const angle = (2 * Math.PI * (k + 0.5)) / SIDES;
    return [Math.cos(angle), Math.sin(angle)];
  });
  const SQUARE = [[1, 1], [-1, 1], [-1, -1], [1, -1]];
  const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
  ];
  const unit = (v) => {
    const size = Math.hypot(...v) || 1;
    return v.map((x) => x / size);
  };
  const between = (a, b, s) => a.map((x, k) => x + s * (b[k] - x));

  // a tube is a list of rings: centre, two axes, half widths along them, outline
  function straight(from, to, u, v, radius, outline) {
    // outward faces whichever way it goes: u, v and the way form a right-handed set
    const way = to.map((x, k) => x - from[k]), across = cross(u, v);
    if (way.reduce((sum, x, k) => sum + x * across[k], 0) < 0) v = v.map((x) => -x);
    return Array.from({ length: RINGS }, (_, k) => (
      { centre: between(from, to, k / (RINGS - 1)), u, v, a: radius, b: radius, outline }
    ));
  }

  function joint(scene, link, body) {
    const r = scene.size * (link.prismatic ? 0.021 : 0.024);
    const centre = scene.standard ? body.start : body.points[scene.points - 1];
    const frame = scene.standard ? body.before : body.turned;
    const reach = scene.size * 0.028;
    return straight(
      along(centre, -reach, body.axis), along(centre, reach, body.axis),
      column(frame, 0), column(frame, 1), r, link.prismatic ? SQUARE : CIRCLE,
    );
  }

  // sections follow the twist and stay across the bent centreline
  function beam(scene, link, body, corner) {
    const rings = [];
    const y = column(body.turned, 1), z = column(body.turned, 2);
    for (let p = corner; p < scene.points; p++) {
      const next = body.points[Math.min(p + 1, scene.points - 1)];
      const last = body.points[Math.max(p - 1, corner)];
      const tangent = unit(next.map((v, k) => v - last[k]));
      const c = Math.cos(body.twists[p]), s = Math.sin(body.twists[p]);
      const lean = y.map((v, k) => c * v + s * z[k]);
      const w = unit(cross(tangent, lean));
      const u = cross(w, tangent);
      rings.push({
        centre: body.points[p], u, v: w,
        a: link.section[0] * scene.size, b: link.section[1] * scene.size, outline: SQUARE,
      });
    }
    return rings;
  }

  // all tubes of the arm: the same number of rings whatever the state
  function tubes(scene, bodies) {
    const found = [];
    if (scene.post) {
      const foot = along([0, 0, 0], scene.floor, scene.up);
      const top = along([0, 0, 0], -0.028 * scene.size, scene.up);
      found.push({ link: -2, rings: straight(foot, top, ...scene.ground, 0.017 * scene.size, CIRCLE) });
    }
    bodies.forEach((body, i) => {
      const link = scene.links[i];
      const r = scene.size * 0.013;
      const rises = link.corner > 0, reaches = link.corner < scene.points - 1;
      const first = body.points[link.corner];
      const last = body.points[scene.points - 1];
      const lift = scene.standard ? [0, 1] : [1, 2], run = scene.standard ? [1, 2] : [0, 1];
      if (rises) {
        const axes = lift.map((k) => column(body.before, k));
        found.push({ link: i, rings: straight(body.start, first, ...axes, r, CIRCLE) });
      }
      if (reaches && link.flexible) {
        found.push({ link: i, rings: beam(scene, link, body, link.corner) });
      } else if (reaches) {
        const axes = run.map((k) => column(body.turned, k));
        found.push({ link: i, rings: straight(first, last, ...axes, r, CIRCLE) });
      }
      found.push({ link: -1, rings: joint(scene, link, body) });
    });
    return found;
  }

  function vertices(scene, state, exaggeration) {
    const found = [];
    for (const tube of tubes(scene, Kinematics.walk(scene, state, exaggeration))) {
      for (const { centre, u, v, a, b, outline } of tube.rings) {
        for (const [s, t] of outline) found.push(along(along(centre, s * a, u), t * b, v));
      }
    }
    return found;
  }

  // faces: corners by number, which link they belong to (-1: a joint, -2: the post)
  function faces(scene) {
    const found = [];
    let at = 0;
    const zero = new Array(scene.coordinates.length).fill(0);
    for (const { link, rings } of tubes(scene, Kinematics.walk(scene, zero, 0))) {
      const sides = rings[0].outline.length;
      const ring = (k) => Array.from({ length: sides }, (_, s) => at + k * sides + s);
      for (let k = 0; k + 1 < rings.length; k++) {
        for (let s = 0; s < sides; s++) {
          const t = (s + 1) % sides, here = at + k * sides, there = here + sides;
          found.push({ link, corners: [here + s, here + t, there + t, there + s] });
        }
      }
      found.push({ link, corners: ring(0).reverse() }, { link, corners: ring(rings.length - 1) });
      at += rings.length * sides;
    }
    return found;
  }

  return { vertices, faces };
})();
