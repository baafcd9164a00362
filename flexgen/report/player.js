// The player: what is shown at which moment, and every control on the page.
const Player = (() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const time = Kinematics.floats(scene.motion.time);
  const motion = Kinematics.floats(scene.motion.q);
  const n = scene.coordinates.length, samples = time.length;
  const duration = time[samples - 1] - time[0];
  const PERIOD = 1.6; // seconds that one vibration of a mode is shown in
  const AMPLITUDE = 0.1; // largest displacement of a mode, relative to the size of the arm
  const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const home = { yaw: scene.eye[0], pitch: scene.eye[1], distance: scene.eye[2], target: scene.target };
  const state = {
    mode: -1, now: 0, playing: !calm, speed: SPEEDS.indexOf(scene.motion.speed), stretch: scene.exaggeration,
    amplitude: 1, trace: true, frames: false, eye: { ...home }, dirty: true,
  };
  const byId = (id) => document.getElementById(id);
  const canvas = byId("view"), pen = canvas.getContext("2d"), strip = byId("strip");
  const faces = Mesh.faces(scene);
  let ink = {}, dpr = 1, tips = [], shapes = new Map();

  const exaggeration = () => scene.exaggerations[state.stretch];
  const speed = () => SPEEDS[state.speed];

  // coordinates between two samples
  function coordinates(now) {
    const t = time[0] + now;
    let low = 0, high = samples - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (time[middle] <= t) low = middle; else high = middle;
    }
    const s = samples > 1 ? Math.min(1, Math.max(0, (t - time[low]) / (time[high] - time[low]))) : 0;
    return Array.from({ length: n }, (_, k) => (1 - s) * motion[low * n + k] + s * motion[high * n + k]);
  }

  // vertices at rest and how a mode moves them, scaled so that the largest moves by AMPLITUDE
  function shape(mode) {
    if (!shapes.has(mode)) {
      const { posture, shape: phi } = scene.modes[mode];
      const step = 1e-5 / Math.max(...phi.map(Math.abs));
      const rest = Mesh.vertices(scene, posture, 1);
      const there = Mesh.vertices(scene, posture.map((x, k) => x + step * phi[k]), 1);
      const back = Mesh.vertices(scene, posture.map((x, k) => x - step * phi[k]), 1);
      const way = there.map((v, i) => v.map((x, k) => (x - back[i][k]) / (2 * step)));
      const most = Math.max(...way.map((v) => Math.hypot(...v)));
      const factor = (AMPLITUDE * scene.size) / (most || 1);
      shapes.set(mode, { rest, way: way.map((v) => v.map((x) => factor * x)) });
    }
    return shapes.get(mode);
  }

  function vertices() {
    if (state.mode < 0) return Mesh.vertices(scene, coordinates(state.now), exaggeration());
    const { rest, way } = shape(state.mode);
    const phase = state.amplitude * Math.sin((2 * Math.PI * state.now) / PERIOD);
    return rest.map((v, i) => v.map((x, k) => x + phase * way[i][k]));
  }

  function trace() {
    const last = Math.round((samples - 1) * Math.min(1, state.now / (duration || 1)));
    const stride = Math.max(1, Math.floor(samples / 1500));
    const points = [];
    for (let k = 0; k <= last; k += stride) {
      tips[k] ??= Kinematics.tip(scene, motion.subarray(k * n, k * n + n), exaggeration());
      points.push(tips[k]);
    }
    points.push(Kinematics.tip(scene, coordinates(state.now), exaggeration()));
    return points;
  }

  function draw() {
    const { width, height } = canvas;
    pen.clearRect(0, 0, width, height);
    const cam = View.camera(scene, state.eye, canvas);
    const body = vertices();
    View.grid(pen, cam, scene, ink, dpr);
    View.shadow(pen, cam, scene, body, faces, ink);
    View.triad(pen, cam, [0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1], 0.16 * scene.size, ink, dpr, true);
    if (state.mode < 0 && state.trace) View.trail(pen, cam, trace(), ink.trace, dpr);
    View.solid(pen, cam, scene, body, faces, ink, dpr);
    if (state.mode < 0 && state.frames) {
      for (const link of Kinematics.walk(scene, coordinates(state.now), exaggeration())) {
        const end = link.points[scene.points - 1];
        View.triad(pen, cam, end, link.tip, 0.09 * scene.size, ink, dpr, false);
      }
    }
    if (state.mode < 0) Strip.draw(strip, curves, time, time[0] + state.now, ink, dpr);
    words();
  }

  const digits = (x, k) => x.toFixed(k).replace(/^-(?=[0.]*$)/, "").replace("-", "\u2212");

  function words() {
    const play = byId("play");
    play.textContent = state.playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", state.playing);
    if (state.mode < 0) {
      const tip = Kinematics.tip(scene, coordinates(state.now), 1).map((x) => digits(x, 3));
      byId("clock").textContent = `${digits(time[0] + state.now, 3)} s of ${digits(time[samples - 1], 2)} s`;
      byId("readout").textContent = `tip at (${tip.join(", ")}) m`;
      byId("scrub").value = duration ? (1000 * state.now) / duration : 0;
    } else {
      const { hz } = scene.modes[state.mode];
      byId("clock").textContent = `${hz.toPrecision(4)} Hz`;
      byId("readout").textContent = `slowed down to ${digits(speed() / PERIOD, 2)} Hz, displacements scaled`;
      byId("scrub").value = (1000 * (state.now % PERIOD)) / PERIOD;
    }
    const factor = state.mode < 0 ? exaggeration() : state.amplitude;
    const what = state.mode < 0 ? (factor === 1 ? "true to scale" : `\u00d7 ${factor}`) : digits(factor, 1);
    byId("stretch-value").textContent = what;
    byId("badge").textContent = state.mode >= 0 ? scene.modes[state.mode].label
      : !scene.deflections.length ? ""
      : factor === 0 ? "deflections not shown" : factor === 1 ? "deflections true to scale" : `deflections \u00d7 ${factor}`;
  }

  const palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
  const DASHES = [[], [6, 3], [2, 2]];
  let curves = [];
  function choose(group) {
    curves = scene.groups[group].members.map((k, i) => ({
      name: scene.coordinates[k], colour: palette[i % 6], dash: DASHES[Math.floor(i / 6) % 3],
      values: Float32Array.from({ length: samples }, (_, t) => motion[t * n + k]),
    }));
    byId("legend").replaceChildren(...curves.map(({ name, colour }) => {
      const entry = document.createElement("span");
      entry.textContent = name;
      entry.style.setProperty("--mark", colour);
      return entry;
    }));
    state.dirty = true;
  }

  function fit() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const triple = (name) => colour(name).split(/\s+/).map(Number);
    dpr = Math.min(2, devicePixelRatio || 1);
    for (const element of [canvas, strip]) {
      element.width = Math.max(1, Math.round(element.clientWidth * dpr));
      element.height = Math.max(1, Math.round(element.clientHeight * dpr));
    }
    ink = {
      grid: colour("--grid"), axis: colour("--axis"), shadow: colour("--shadow"), text: colour("--quiet"),
      now: colour("--ink"), triad: ["#d0443e", "#2f9e57", "#3b7ddd"], trace: triple("--trace"),
      parts: [triple("--joint"), triple("--post")], links: [triple("--link1"), triple("--link2"), triple("--link3")],
    };
    state.dirty = true;
  }

  // go on by some seconds of the viewer's time, and draw what has changed
  function advance(seconds) {
    if (state.playing) {
      const whole = state.mode < 0 ? duration : PERIOD;
      state.now = whole > 0 ? (state.now + seconds * speed()) % whole : 0;
      state.dirty = true;
    }
    if (state.dirty) {
      state.dirty = false;
      draw();
    }
  }

  let before = null;
  function tick(stamp) {
    // a page that was out of sight does not jump
    advance(before === null ? 0 : Math.min(0.1, Math.max(0, (stamp - before) / 1000)));
    before = stamp;
    requestAnimationFrame(tick);
  }

  function show(mode) {
    state.mode = mode;
    state.now = 0;
    const modal = mode >= 0;
    state.speed = SPEEDS.indexOf(modal ? 1 : scene.motion.speed);
    byId("speed").value = state.speed;
    const slider = byId("stretch");
    Object.assign(slider, modal ? { min: 0, max: 20, value: 10 * state.amplitude }
      : { min: 0, max: scene.exaggerations.length - 1, value: state.stretch });
    byId("stretch-name").textContent = modal ? "Amplitude" : "Exaggeration of deflections";
    byId("stretch-row").hidden = !modal && !scene.deflections.length;
    byId("strip-box").hidden = modal;
    byId("trace-row").hidden = byId("frames-row").hidden = modal;
    byId("note").textContent = modal ? scene.modes[mode].note : scene.motion.note;
    fit();
  }

  const set = (change) => { Object.assign(state, change); state.dirty = true; };
  const turn = (yaw, pitch) => {
    state.eye.yaw += yaw;
    state.eye.pitch = Math.min(1.55, Math.max(-0.6, state.eye.pitch + pitch));
    state.dirty = true;
  };
  const zoom = (factor) => {
    const far = state.eye.distance * factor;
    state.eye.distance = Math.min(12 * home.distance, Math.max(0.15 * home.distance, far));
    state.dirty = true;
  };
  const look = (yaw, pitch) => { Object.assign(state.eye, home, { yaw, pitch }); state.dirty = true; };
  const step = (way) => {
    const size = state.mode < 0 ? Math.max(duration / (samples - 1 || 1), duration / 400) : PERIOD / 40;
    const whole = state.mode < 0 ? duration : PERIOD;
    set({ playing: false, now: Math.min(whole, Math.max(0, state.now + way * size)) });
  };

  return {
    scene, state, canvas, strip, byId, SPEEDS, duration, PERIOD, time, home,
    choose, fit, advance, tick, show, set, turn, zoom, look, step, coordinates,
    stretch(value) {
      if (state.mode < 0) { tips = []; set({ stretch: value }); } else set({ amplitude: value / 10 });
    },
  };
})();
