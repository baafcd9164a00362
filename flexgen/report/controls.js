// Mouse, touch, keys and the controls below the picture.
(() => {
  const { scene, state, canvas, strip, byId, SPEEDS, duration, PERIOD, time, home } = Player;
  const on = (id, event, work) => byId(id).addEventListener(event, work);

  scene.modes.forEach(({ label }, k) => byId("source").add(new Option(label, k)));
  byId("source").options[0].textContent = scene.motion.label;
  SPEEDS.forEach((s, k) => byId("speed").add(new Option(`\u00d7 ${s}`, k)));
  scene.groups.forEach(({ name }, k) => byId("group").add(new Option(name, k)));

  on("play", "click", () => Player.set({ playing: !state.playing }));
  on("source", "change", (e) => Player.show(Number(e.target.value)));
  on("speed", "change", (e) => Player.set({ speed: Number(e.target.value) }));
  on("stretch", "input", (e) => Player.stretch(Number(e.target.value)));
  on("scrub", "input", (e) => {
    const whole = state.mode < 0 ? duration : PERIOD;
    Player.set({ playing: false, now: (whole * Number(e.target.value)) / 1000 });
  });
  on("trace", "change", (e) => Player.set({ trace: e.target.checked }));
  on("frames", "change", (e) => Player.set({ frames: e.target.checked }));
  on("group", "change", (e) => Player.choose(Number(e.target.value)));
  for (const [id, yaw, pitch] of [
    ["look-free", home.yaw, home.pitch], ["look-top", -Math.PI / 2, 1.55],
    ["look-front", -Math.PI / 2, 0.02], ["look-side", 0, 0.02],
  ]) on(id, "click", () => Player.look(yaw, pitch));

  // one finger or the mouse turns, two fingers or the wheel come nearer
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
  });
  canvas.addEventListener("pointermove", (e) => {
    const old = fingers.get(e.pointerId);
    if (!old) return;
    if (fingers.size === 1) {
      Player.turn(-(e.clientX - old[0]) * 0.008, (e.clientY - old[1]) * 0.008);
    } else {
      const [other] = [...fingers].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
      const was = Math.hypot(old[0] - other[0], old[1] - other[1]);
      const is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
      if (is > 0) Player.zoom(was / is);
    }
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (e) => fingers.delete(e.pointerId));
  }
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    Player.zoom(Math.exp(0.0012 * e.deltaY));
  }, { passive: false });

  let seeking = false;
  const seek = (e) => Player.set({
    playing: false, now: Strip.moment(strip, e.clientX - strip.getBoundingClientRect().left, time) - time[0],
  });
  strip.addEventListener("pointerdown", (e) => { seeking = true; strip.setPointerCapture(e.pointerId); seek(e); });
  strip.addEventListener("pointermove", (e) => { if (seeking) seek(e); });
  strip.addEventListener("pointerup", () => { seeking = false; });

  const keys = {
    ArrowLeft: () => Player.turn(-0.1, 0), ArrowRight: () => Player.turn(0.1, 0),
    ArrowUp: () => Player.turn(0, 0.1), ArrowDown: () => Player.turn(0, -0.1),
    "+": () => Player.zoom(0.9), "=": () => Player.zoom(0.9), "-": () => Player.zoom(1.1),
    "0": () => Player.look(home.yaw, home.pitch), ".": () => Player.step(1), ",": () => Player.step(-1),
  };
  canvas.addEventListener("keydown", (e) => {
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    keys[e.key]();
    e.preventDefault();
  });
  // space plays and pauses wherever it does nothing else
  document.addEventListener("keydown", (e) => {
    if (e.key !== " " || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.closest("button, select, summary, a, input[type=checkbox]")) return;
    Player.set({ playing: !state.playing });
    e.preventDefault();
  });

  addEventListener("resize", Player.fit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", Player.fit);
  Player.choose(0);
  Player.show(-1);
  requestAnimationFrame(Player.tick);
})();
