// Counts by value, and how numbers and dates are spread: what is clicked or dragged becomes a condition.
import { $, call, make, number, show, tint } from "./server.js";

let handlers = {};
const wide = new Set();
export function start(given) { handlers = given; }

const label = (value) => { const text = show(value).replace(/^→ /, ""); return text === "" ? "(empty)" : text; };

export function reset(fields) {
  $("facets").replaceChildren(...fields.map((field) => make("section", { id: "values-" + field, aria: { label: field } }, make("h2", {}, field))));
  wide.clear();
}

// Enter chooses a value in every browser, also where a button would wait for the end of the key.
$("facets").addEventListener("keydown", (event) => {
  const button = event.target.closest("button");
  if (event.key !== "Enter" || event.altKey || !button) return;
  event.preventDefault();
  button.click();
});

/** The values of one field. */
export function draw(part) {
  const section = $("values-" + part.field);
  if (!section) return;
  const focused = section.contains(document.activeElement) ? document.activeElement.dataset.value : null;
  const most = Math.max(1, ...part.values.map((one) => one[1]));
  const items = part.values.map(([value, count, expression, isChosen]) => {
    const bar = make("i"), words = label(value);
    bar.style.width = count / most * 100 + "%";
    const button = make("button", { className: "value", title: `${part.field}: ${words} (Alt: other values)`, disabled: expression === null, aria: { pressed: isChosen } },
      bar, make("span", { textContent: words }), make("span", { textContent: number.format(count) }));
    button.dataset.value = words;
    button.addEventListener("click", (event) => handlers.edit([{ toggle: { field: part.field, value: expression, isNot: event.altKey } }]));
    return make("li", {}, button);
  });
  if (part.missing > 0) items.push(make("li", { className: "faint missing" }, make("span", { textContent: "no value" }), make("span", { textContent: number.format(part.missing) })));
  const head = make("h2", {}, part.field, make("span", { textContent: number.format(part.distinct) }));
  const parts = [head, make("ul", {}, ...items)];
  if (part.distinct > part.values.length && !wide.has(part.field)) {
    const more = make("button", { className: "link", textContent: `more of ${part.field}`, title: `The 200 most frequent values of ${part.field}` });
    more.addEventListener("click", async () => {
      wide.add(part.field);
      draw({ ...(await call("values", { ...handlers.query(), field: part.field, limit: 200 })) });
    });
    parts.push(more);
  }
  section.replaceChildren(...parts);
  if (focused !== null) [...section.querySelectorAll("button.value")].find((one) => one.dataset.value === focused)?.focus();
}

// The spread of a field

const canvas = $("histogram");
let spread = null;
const EPOCH = 978307200;
const words = (value) => spread.isDate ? new Date((value + EPOCH) * 1000).toISOString().slice(0, 10) : number.format(Number(value.toPrecision(5)));

export function drawSpread(part) {
  spread = part ?? spread;
  paintSpread();
}
export const clearSpread = () => { spread = null; canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height); };

function paintSpread(brush) {
  if (!spread || !canvas.clientWidth) return;
  const ratio = devicePixelRatio || 1, w = canvas.clientWidth, tall = canvas.clientHeight, g = canvas.getContext("2d");
  canvas.width = w * ratio;
  canvas.height = tall * ratio;
  g.scale(ratio, ratio);
  const all = Math.max(1, ...spread.all), here = Math.max(1, ...spread.matching), step = w / spread.all.length, base = tall - 13;
  g.fillStyle = tint("--line");
  spread.all.forEach((count, i) => { const high = base * Math.sqrt(count / all); g.fillRect(i * step, base - high, Math.max(1, step - 1), high); });
  g.fillStyle = tint("--accent");
  spread.matching.forEach((count, i) => { if (count) { const high = Math.max(1.5, base * Math.sqrt(count / here)); g.fillRect(i * step, base - high, Math.max(1, step - 1), high); } });
  g.fillStyle = tint("--faint");
  g.font = "10px system-ui, sans-serif";
  g.textAlign = "left";
  g.fillText(words(spread.lower), 0, tall - 2);
  g.textAlign = "right";
  g.fillText(words(spread.upper), w, tall - 2);
  if (brush) {
    g.globalAlpha = .25;
    g.fillStyle = tint("--accent");
    g.fillRect(Math.min(...brush), 0, Math.abs(brush[1] - brush[0]), base);
    g.globalAlpha = 1;
    g.fillStyle = tint("--text");
    g.textAlign = "center";
    g.fillText(brush.slice().sort((a, b) => a - b).map((x) => words(at(x))).join(" – "), w / 2, tall - 2);
  }
  const count = spread.matching.reduce((sum, one) => sum + one, 0);
  canvas.setAttribute("aria-label", `Spread of ${spread.field}: ${number.format(count)} values from ${words(spread.lower)} to ${words(spread.upper)}`);
}
const at = (x) => spread.lower + (spread.upper - spread.lower) * Math.max(0, Math.min(1, x / canvas.clientWidth));
const round = (value) => spread.isDate ? Math.round(value / 86400) * 86400 : Number(value.toPrecision(3));

canvas.addEventListener("pointerdown", (event) => {
  if (!spread) return;
  canvas.setPointerCapture(event.pointerId);
  const from = event.offsetX;
  let to = from;
  const move = (moved) => { to = Math.max(0, Math.min(canvas.clientWidth, moved.offsetX)); paintSpread([from, to]); };
  const up = () => {
    canvas.removeEventListener("pointermove", move);
    canvas.removeEventListener("pointerup", up);
    paintSpread();
    if (Math.abs(to - from) >= 3) handlers.edit([{ range: { field: spread.field, from: round(at(Math.min(from, to))), to: round(at(Math.max(from, to))), isDate: spread.isDate } }]);
  };
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
});
// The same with a keyboard: two numbers, or two days.
$("between").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!spread) return;
  const value = (text, otherwise) => text.trim() === "" ? otherwise : spread.isDate ? Date.parse(text) / 1000 - EPOCH : Number(text);
  const from = value($("from").value, spread.lower), to = value($("to").value, spread.upper);
  if (Number.isFinite(from) && Number.isFinite(to)) handlers.edit([{ range: { field: spread.field, from, to, isDate: spread.isDate } }]);
});
new ResizeObserver(() => paintSpread()).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paintSpread());
