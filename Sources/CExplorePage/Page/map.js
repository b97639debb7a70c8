// The world in outline, the places that match in cells, and circles drawn on it.
import { $, number, tint } from "./server.js";

const RADIUS = 6371008.8, rad = Math.PI / 180;

/** Arcs of shores (kind 0) and borders (kind 1): their number, then for each its kind, its number of points, and zigzag
 * differences in hundredths of a degree. */
export function arcs(bytes) {
  let at = 0;
  const next = () => { let n = 0, shift = 0, byte; do { byte = bytes[at++]; n |= (byte & 127) << shift; shift += 7; } while (byte & 128); return n; };
  const zigzag = () => { const n = next(); return n & 1 ? -(n + 1) / 2 : n / 2; };
  const list = [];
  for (let left = next(); left > 0; left--) {
    const kind = next(), points = new Float32Array(2 * next());
    for (let i = 0, x = 0, y = 0; i < points.length; i += 2) { x += zigzag(); y += zigzag(); points[i] = x / 100; points[i + 1] = y / 100; }
    list.push({ kind, points });
  }
  return list;
}

export const metres = (a, b) => {
  const s = Math.sin((b[0] - a[0]) * rad / 2) ** 2 + Math.cos(a[0] * rad) * Math.cos(b[0] * rad) * Math.sin((b[1] - a[1]) * rad / 2) ** 2;
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(s)));
};

/** The point at a distance and a bearing from another. */
const destination = ([lat, lon], distance, bearing) => {
  const p = lat * rad, s = distance / RADIUS;
  const q = Math.asin(Math.sin(p) * Math.cos(s) + Math.cos(p) * Math.sin(s) * Math.cos(bearing));
  return [q / rad, lon + Math.atan2(Math.sin(bearing) * Math.sin(s) * Math.cos(p), Math.cos(s) - Math.sin(p) * Math.sin(q)) / rad];
};
const wrapped = (lon) => ((lon + 180) % 360 + 360) % 360 - 180;

export class WorldMap {
  constructor(canvas, handlers) {
    Object.assign(this, { canvas, handlers, lat: 15, lon: 0, zoom: 1, cells: [], world: [], circle: null, isDrawing: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.scaleBy(Math.exp(-event.deltaY / 400), event); }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => { this.draw(); this.tell(); }).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }
  /** Loads the outlines: coarse ones at first, finer ones with the first look from near. */
  async load(isFine) {
    const world = arcs(new Uint8Array(await (await fetch(isFine ? "/world50.bin" : "/world110.bin")).arrayBuffer()));
    if (isFine || !this.isFine) this.world = world;
    this.draw();
  }
  /** How much a degree of longitude is narrowed, so that near places keep their shapes. */
  get narrowing() { return this.zoom > 3 ? Math.cos(Math.min(80, Math.abs(this.lat)) * rad) : 1; }
  get unit() { return Math.max(this.canvas.clientWidth / 360, this.canvas.clientHeight / 180) * this.zoom; }
  x(lon) { return this.canvas.clientWidth / 2 + (lon - this.lon) * this.unit * this.narrowing; }
  y(lat) { return this.canvas.clientHeight / 2 - (lat - this.lat) * this.unit; }
  place(x, y) {
    return [this.lat - (y - this.canvas.clientHeight / 2) / this.unit, this.lon + (x - this.canvas.clientWidth / 2) / this.unit / this.narrowing];
  }
  /** South, west, north and east of what is seen; over the antimeridian west is the larger. */
  box() {
    const [north, west] = this.place(0, 0), [south, east] = this.place(this.canvas.clientWidth, this.canvas.clientHeight);
    const all = east - west >= 360;
    return [Math.max(-90, Math.min(89.9, south)), all ? -180 : wrapped(west), Math.max(-89.9, Math.min(90, north)), all ? 180 : wrapped(east)];
  }
  grid() { return { columns: Math.max(1, Math.round(this.canvas.clientWidth / 22)), rows: Math.max(1, Math.round(this.canvas.clientHeight / 22)) }; }
  tell() { clearTimeout(this.timer); this.timer = setTimeout(() => this.handlers.moved(), 60); }
  show(lat, lon, zoom) { Object.assign(this, { lat, lon, zoom }); this.clamp(); this.draw(); }
  scaleBy(factor, event) {
    const before = event ? this.place(event.offsetX, event.offsetY) : null;
    this.zoom = Math.min(4000, Math.max(1, this.zoom * factor));
    if (before) { const after = this.place(event.offsetX, event.offsetY); this.lat += before[0] - after[0]; this.lon += before[1] - after[1]; }
    this.clamp(); this.draw(); this.tell();
  }
  clamp() { this.lat = Math.max(-88, Math.min(88, this.lat)); this.lon = wrapped(this.lon); }
  key(event) {
    const step = 60 / this.unit;
    switch (event.key) {
      case "ArrowLeft": this.lon -= step / this.narrowing; break;
      case "ArrowRight": this.lon += step / this.narrowing; break;
      case "ArrowUp": this.lat += step; break;
      case "ArrowDown": this.lat -= step; break;
      case "+": case "=": event.preventDefault(); return this.scaleBy(1.5);
      case "-": event.preventDefault(); return this.scaleBy(1 / 1.5);
      default: return;
    }
    event.preventDefault();
    this.clamp(); this.draw(); this.tell();
  }
  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const start = this.place(event.offsetX, event.offsetY), from = [this.lat, this.lon];
    let far = 0;
    const move = (moved) => {
      far = Math.max(far, Math.hypot(moved.offsetX - event.offsetX, moved.offsetY - event.offsetY));
      if (this.isDrawing) {
        this.circle = { centre: [start[0], wrapped(start[1])], radius: metres(start, this.place(moved.offsetX, moved.offsetY)) };
      } else {
        this.lat = from[0] + (moved.offsetY - event.offsetY) / this.unit;
        this.lon = from[1] - (moved.offsetX - event.offsetX) / this.unit / this.narrowing;
        this.clamp();
      }
      this.draw();
    };
    const up = () => {
      this.canvas.removeEventListener("pointermove", move);
      this.canvas.removeEventListener("pointerup", up);
      if (this.isDrawing && far > 3) { this.isDrawing = false; this.handlers.circled(this.circle); }
      else if (far <= 3) this.handlers.picked(this.hit(event.offsetX, event.offsetY));
      else this.tell();
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", up);
  }
  /** The turns by whole worlds in which something is seen. */
  turns() {
    const left = this.place(0, 0)[1], right = this.place(this.canvas.clientWidth, 0)[1], list = [];
    for (let turn = Math.floor((left - 180) / 360); turn <= Math.ceil((right + 180) / 360); turn++) {
      if (turn * 360 - 180 < right && turn * 360 + 180 > left) list.push(turn * 360);
    }
    return list;
  }
  hit(x, y) {
    return this.cells.find((cell) => this.turns().some((turn) => Math.hypot(this.x(cell[1] + turn) - x, this.y(cell[0]) - y) < Math.max(8, this.size(cell[2]))));
  }
  size(count) { return count === 1 ? 2.6 : 4 + 9 * Math.sqrt(count / this.most); }
  get most() { return this.cells.reduce((most, cell) => Math.max(most, cell[2]), 1); }

  draw() {
    const { canvas } = this, ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w || !h) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
    if (this.zoom > 4 && !this.isFine) { this.isFine = true; this.load(true).catch(() => { this.isFine = false; }); }
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = tint("--water");
    g.fillRect(0, 0, w, h);
    for (const turn of this.turns()) { this.drawWorld(g, turn); this.drawCells(g, turn); }
    if (this.circle) for (const turn of this.turns()) this.drawCircle(g, turn);
    const total = this.cells.reduce((sum, cell) => sum + cell[2], 0);
    canvas.setAttribute("aria-label", `Map: ${number.format(total)} places in ${number.format(this.cells.length)} cells`);
  }
  drawWorld(g, turn) {
    const trace = (points) => {
      g.moveTo(this.x(points[0] + turn), this.y(points[1]));
      for (let i = 2; i < points.length; i += 2) g.lineTo(this.x(points[i] + turn), this.y(points[i + 1]));
    };
    g.fillStyle = tint("--land");
    g.strokeStyle = tint("--shore");
    g.lineWidth = .7;
    g.lineJoin = "round";
    g.beginPath();
    for (const arc of this.world) if (arc.kind === 0) trace(arc.points);
    g.fill("evenodd");
    g.stroke();
    g.globalAlpha = .55;
    g.beginPath();
    for (const arc of this.world) if (arc.kind === 1) trace(arc.points);
    g.stroke();
    g.globalAlpha = 1;
  }
  drawCells(g, turn) {
    const accent = tint("--accent"), ground = tint("--ground");
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "center";
    g.textBaseline = "middle";
    // Large ones first, so that single places are not hidden.
    for (const [lat, lon, count] of [...this.cells].sort((a, b) => b[2] - a[2])) {
      const r = this.size(count), x = this.x(lon + turn), y = this.y(lat);
      g.fillStyle = accent;
      g.globalAlpha = count === 1 ? .9 : .72;
      g.beginPath();
      g.arc(x, y, r, 0, 7);
      g.fill();
      g.globalAlpha = 1;
      if (r > 9) { g.fillStyle = ground; g.fillText(count < 1e4 ? count : Math.round(count / 1e3) + "k", x, y); }
    }
  }
  drawCircle(g, turn) {
    g.strokeStyle = tint("--error");
    g.lineWidth = 2;
    g.beginPath();
    let last;
    for (let i = 0; i <= 180; i++) {
      const [lat, lon] = destination(this.circle.centre, this.circle.radius, i * 2 * rad), at = wrapped(lon);
      if (last === undefined || Math.abs(at - last) > 180) g.moveTo(this.x(at + turn), this.y(lat)); else g.lineTo(this.x(at + turn), this.y(lat));
      last = at;
    }
    g.stroke();
    $("radius").textContent = number.format(Number((this.circle.radius / 1000).toPrecision(3))) + " km";
  }
}
