// A strip of curves over time below the picture, with the present moment marked.
const Strip = (() => {
  const LEFT = 58, RIGHT = 10, TOP = 8, BOTTOM = 20;

  function nice(span, count) {
    const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= raw);
  }

  const text = (x, step) => {
    if (Math.abs(x) < 1e-9 * step) return "0";
    const size = Math.abs(x);
    if (size >= 1e4 || size < 1e-3) return x.toExponential(1).replace("-", "\u2212");
    return x.toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)))).replace("-", "\u2212");
  };

  function draw(canvas, curves, time, now, ink, dpr) {
    const pen = canvas.getContext("2d");
    const w = canvas.width, h = canvas.height;
    const [left, right, top, bottom] = [LEFT, RIGHT, TOP, BOTTOM].map((x) => x * dpr);
    pen.clearRect(0, 0, w, h);
    let low = 0, high = 0;
    for (const { values } of curves) {
      for (const v of values) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (high - low < 1e-12) { low -= 1; high += 1; }
    const margin = 0.06 * (high - low);
    low -= margin; high += margin;
    const start = time[0], end = time[time.length - 1];
    const x = (t) => left + ((w - left - right) * (t - start)) / (end - start);
    const y = (v) => h - bottom - ((h - top - bottom) * (v - low)) / (high - low);
    pen.font = `${11 * dpr}px system-ui, sans-serif`;
    pen.fillStyle = ink.text;
    pen.strokeStyle = ink.grid;
    pen.lineWidth = dpr;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const rise = nice(high - low, 6);
    for (let v = Math.ceil(low / rise) * rise; v <= high; v += rise) {
      pen.beginPath(); pen.moveTo(left, y(v)); pen.lineTo(w - right, y(v)); pen.stroke();
      pen.fillText(text(v, rise), left - 6 * dpr, y(v));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const run = nice(end - start, Math.max(2, w / dpr / 110));
    for (let t = Math.ceil(start / run) * run; t <= end + 1e-9; t += run) {
      pen.fillText(`${text(t, run)} s`, Math.min(x(t), w - right - 12 * dpr), h - bottom + 5 * dpr);
    }
    pen.save();
    pen.beginPath(); pen.rect(left, 0, w - left - right, h - bottom); pen.clip();
    const stride = Math.max(1, Math.floor(time.length / (3 * w)));
    pen.lineWidth = 1.3 * dpr;
    pen.lineJoin = "round";
    for (const { values, colour, dash } of curves) {
      pen.strokeStyle = colour;
      pen.setLineDash(dash.map((d) => d * dpr));
      pen.beginPath();
      for (let k = 0; k < time.length; k += stride) pen.lineTo(x(time[k]), y(values[k]));
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.restore();
    pen.strokeStyle = ink.now;
    pen.lineWidth = 1.5 * dpr;
    pen.beginPath(); pen.moveTo(x(now), 0); pen.lineTo(x(now), h - bottom); pen.stroke();
  }

  // the moment under a pointer at x (in pixels of the page)
  function moment(canvas, x, time) {
    const width = canvas.clientWidth - LEFT - RIGHT;
    const part = Math.min(1, Math.max(0, (x - LEFT) / width));
    return time[0] + part * (time[time.length - 1] - time[0]);
  }

  return { draw, moment };
})();
