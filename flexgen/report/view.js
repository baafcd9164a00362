// The eye: perspective projection and drawing on a two-dimensional canvas.
const View = (() => {
  const FIELD = 0.62; // half height of the picture at distance 1
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
  ];

  function camera(scene, eye, canvas) {
    // base axes e, n span the ground, up is up
    const up = scene.up, e = scene.ground[0], n = scene.ground[1];
    const c = Math.cos(eye.yaw), s = Math.sin(eye.yaw);
    const rise = Math.sin(eye.pitch), level = Math.cos(eye.pitch);
    const back = [0, 1, 2].map((k) => level * (c * e[k] + s * n[k]) + rise * up[k]);
    const right = [0, 1, 2].map((k) => -s * e[k] + c * n[k]);
    const over = cross(back, right);
    const place = [0, 1, 2].map((k) => eye.target[k] + eye.distance * back[k]);
    const scale = canvas.height / (2 * FIELD);
    const project = (p) => {
      const v = minus(p, place), depth = -dot(v, back);
      const f = scale / Math.max(depth, 1e-3 * scene.size);
      return [canvas.width / 2 + f * dot(v, right), canvas.height / 2 - f * dot(v, over), depth];
    };
    return { project, place, back, right, over };
  }

  function lines(pen, cam, pairs, colour, width) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const [a, b] of pairs) {
      const p = cam.project(a), q = cam.project(b);
      if (p[2] <= 0 || q[2] <= 0) continue;
      pen.moveTo(p[0], p[1]);
      pen.lineTo(q[0], q[1]);
    }
    pen.stroke();
  }

  const onGround = (scene, s, t, height = scene.floor) => [0, 1, 2].map((k) => (
    s * scene.ground[0][k] + t * scene.ground[1][k] + height * scene.up[k]
  ));

  function grid(pen, cam, scene, ink, dpr) {
    const { step, low, high } = scene.grid;
    const fine = [], axes = [];
    for (let k = low[0]; k <= high[0]; k++) {
      const line = [onGround(scene, k * step, low[1] * step), onGround(scene, k * step, high[1] * step)];
      (k === 0 ? axes : fine).push(line);
    }
    for (let k = low[1]; k <= high[1]; k++) {
      const line = [onGround(scene, low[0] * step, k * step), onGround(scene, high[0] * step, k * step)];
      (k === 0 ? axes : fine).push(line);
    }
    lines(pen, cam, fine, ink.grid, dpr);
    lines(pen, cam, axes, ink.axis, 1.3 * dpr);
  }

  function triad(pen, cam, origin, R, length, ink, dpr, names) {
    ["x", "y", "z"].forEach((name, j) => {
      const end = [0, 1, 2].map((k) => origin[k] + length * R[3 * k + j]);
      lines(pen, cam, [[origin, end]], ink.triad[j], 2 * dpr);
      if (!names) return;
      const p = cam.project([0, 1, 2].map((k) => origin[k] + 1.18 * length * R[3 * k + j]));
      pen.fillStyle = ink.triad[j];
      pen.font = `600 ${12 * dpr}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(name, p[0], p[1]);
    });
  }

  function shadow(pen, cam, scene, vertices, faces, ink) {
    pen.fillStyle = ink.shadow;
    pen.beginPath();
    const flat = vertices.map((v) => {
      const h = dot(v, scene.up) - scene.floor;
      return cam.project(v.map((x, k) => x - h * scene.up[k]));
    });
    for (const { corners } of faces) {
      // faces that look up: those that look down would cancel them
      const [a, b, c] = corners.map((k) => vertices[k]);
      if (dot(cross(minus(b, a), minus(c, a)), scene.up) <= 0) continue;
      corners.forEach((v, k) => pen[k ? "lineTo" : "moveTo"](flat[v][0], flat[v][1]));
      pen.closePath();
    }
    pen.fill("nonzero");
  }

  function solid(pen, cam, scene, vertices, faces, ink, dpr) {
    const flat = vertices.map(cam.project);
    const light = [0, 1, 2].map((k) => 0.35 * cam.back[k] - 0.3 * cam.right[k] + 0.8 * scene.up[k]);
    const size = Math.hypot(...light);
    const seen = [];
    for (const face of faces) {
      const [a, b, c] = face.corners.map((k) => vertices[k]);
      const normal = cross(minus(b, a), minus(c, a));
      const facing = dot(normal, minus(cam.place, a));
      if (facing <= 0) continue;
      const bright = dot(normal, light) / ((Math.hypot(...normal) || 1) * size);
      const depth = face.corners.reduce((sum, k) => sum + flat[k][2], 0) / face.corners.length;
      seen.push({ face, depth, bright });
    }
    seen.sort((p, q) => q.depth - p.depth);
    pen.lineJoin = "round";
    pen.lineWidth = 0.5 * dpr;
    for (const { face, bright } of seen) {
      const tone = 0.62 + 0.38 * Math.max(0, bright) - 0.14 * Math.max(0, -bright);
      const base = face.link < 0 ? ink.parts[-1 - face.link] : ink.links[face.link % ink.links.length];
      const colour = `rgb(${base.map((x) => Math.round(Math.min(255, x * tone))).join(",")})`;
      pen.fillStyle = pen.strokeStyle = colour;
      pen.beginPath();
      face.corners.forEach((k, i) => pen[i ? "lineTo" : "moveTo"](flat[k][0], flat[k][1]));
      pen.closePath();
      pen.fill();
      pen.stroke();
    }
  }

  // a line that fades towards its beginning
  function trail(pen, cam, points, colour, dpr) {
    pen.lineCap = "round";
    pen.lineWidth = 1.8 * dpr;
    const parts = 24, size = points.length - 1;
    for (let part = 0; part < parts && size > 0; part++) {
      const from = Math.floor((part * size) / parts), to = Math.floor(((part + 1) * size) / parts);
      pen.strokeStyle = `rgba(${colour.join(",")},${(0.1 + (0.8 * (part + 1)) / parts).toFixed(2)})`;
      pen.beginPath();
      for (let k = from; k <= to; k++) {
        const p = cam.project(points[k]);
        pen[k > from ? "lineTo" : "moveTo"](p[0], p[1]);
      }
      pen.stroke();
    }
  }

  return { camera, grid, triad, shadow, solid, trail };
})();
