// Coordinates -> positions: the kinematics of the arm, as flexgen.geometry has it.
// Vectors are arrays of 3, rotations arrays of 9 by rows.
const Kinematics = (() => {
  const apply = (R, v) => [
    R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
    R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
    R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
  ];
  const column = (R, j) => [R[j], R[3 + j], R[6 + j]];
  const along = (p, s, v) => [p[0] + s * v[0], p[1] + s * v[1], p[2] + s * v[2]];

  function product(A, B) {
    const C = new Array(9);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
      }
    }
    return C;
  }

  // rotation of the joint: Rz(theta) Rx(alpha), the other way about in the modified convention
  function jointRotation(scene, link, value) {
    const theta = link.theta + (link.prismatic ? 0 : value);
    const c = Math.cos(theta), s = Math.sin(theta);
    const Rz = [c, -s, 0, s, c, 0, 0, 0, 1];
    const Rx = [1, 0, 0, 0, link.ca, -link.sa, 0, link.sa, link.ca];
    return scene.standard ? product(Rz, Rx) : product(Rx, Rz);
  }

  // rotation of the deflected tip: to first order, or E = (1 - P/2)^-1 (1 + P/2)
  function tipRotation(linear, phi) {
    const [x, y, z] = phi;
    if (linear) return [1, -z, y, z, 1, -x, -y, x, 1];
    const h = [x / 2, y / 2, z / 2];
    const r = 1 / (1 + h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    const [a, b, c] = [2 * r * h[0], 2 * r * h[1], 2 * r * h[2]];
    return [
      1 - (h[1] * b + h[2] * c), h[0] * b - c, h[0] * c + b,
      h[0] * b + c, 1 - (h[0] * a + h[2] * c), h[1] * c - a,
      h[0] * c - b, h[1] * c + a, 1 - (h[0] * a + h[1] * b),
    ];
  }

  // displacement of point p of a beam in its undeformed frame, and the twist there
  function bent(link, q, p) {
    const pick = (at, k) => (k < at[1] ? q[at[0] + k] : 0);
    let y = 0, z = 0, short = 0, twist = 0;
    for (let k = 0; k < link.Y.length; k++) {
      const yk = pick(link.y, k), zk = pick(link.z, k);
      y += yk * link.Y[k][p];
      z += zk * link.Y[k][p];
      for (let m = 0; m < link.Y.length; m++) {
        short += (yk * pick(link.y, m) + zk * pick(link.z, m)) * link.S[k][m][p];
      }
    }
    for (let k = 0; k < link.X.length; k++) twist += pick(link.twist, k) * link.X[k][p];
    return { shift: [-0.5 * short, y, z], twist };
  }

  // all links: points of the centreline, rotations before and of the link, twist at every point
  function walk(scene, state, exaggeration = 1) {
    const q = Array.from(state);
    for (const k of scene.deflections) q[k] *= exaggeration;
    let R = [1, 0, 0, 0, 1, 0, 0, 0, 1], x = [0, 0, 0];
    return scene.links.map((link, i) => {
      const before = R;
      R = product(R, jointRotation(scene, link, q[i]));
      const turned = R;
      const d = link.d + (link.prismatic ? q[i] : 0);
      const axis = column(scene.standard ? before : R, 2);
      const normal = column(scene.standard ? R : before, 0);
      const points = [], twists = [];
      for (let p = 0; p < scene.points; p++) {
        let at = along(along(x, d * link.offset[p], axis), link.a * link.along[p], normal);
        if (link.flexible) {
          const { shift, twist } = bent(link, q, p);
          at = along(at, 1, apply(R, shift));
          twists.push(twist);
        }
        points.push(at);
      }
      if (link.flexible) {
        const phi = link.turn.map((row) => row.reduce((sum, w, k) => sum + w * q[k], 0));
        R = product(R, tipRotation(scene.linear, phi));
      }
      x = points[points.length - 1];
      return { points, twists, before, turned, tip: R, axis, start: points[0] };
    });
  }

  const tip = (scene, state, exaggeration) => {
    const links = walk(scene, state, exaggeration);
    return links[links.length - 1].points[scene.points - 1];
  };

  function floats(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  return { walk, tip, floats, column, along };
})();
