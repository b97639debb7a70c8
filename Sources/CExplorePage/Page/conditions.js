// The query's conditions as chips, what its text means in another language, and the order of the records.
import { $, make, number } from "./server.js";
import * as editor from "./editor.js";
import * as grid from "./table.js";
import { page, query } from "./state.js";

let handlers = {};
export function start(given) { handlers = given; }

/** What a checked text shows: its conditions, the circle among them, its orders. */
export function draw(part) {
  if (part.clauses) { drawChips(part.clauses); showCircle(part.clauses); }
  drawMeant(part.meant);
  drawOrders();
}

/** The field, place and radius of a circle. */
function circleOf(text) {
  const found = /^distance\((.+), (-?[\d.]+), (-?[\d.]+)\) < ([\d.]+)$/.exec(text);
  return found ? { field: found[1], centre: [Number(found[2]), Number(found[3])], radius: Number(found[4]) } : null;
}
function showCircle(clauses) {
  page.circle = clauses.map((clause) => circleOf(clause.words)).find((circle) => circle?.field === page.location) ?? null;
  const map = handlers.map();
  if (map && !map.isDrawing) { map.circle = page.circle; map.draw(); }
}
function drawChips(clauses) {
  const words = (text) => {
    const circle = circleOf(text);
    if (circle) return `${circle.field} within ${number.format(circle.radius / 1000)} km of ${circle.centre.map((degrees) => degrees.toFixed(2)).join(", ")}`;
    const range = /^(.+) BETWEEN \{(.+), (.+)\}$/.exec(text);
    return (range ? `${range[1]}: ${range[2]} – ${range[3]}` : text).replace(/\bdate\((['"])([^'"]+)\1\)/g, (_, quote, day) => day.replace("T", " ").replace(/Z$/, ""));
  };
  const chip = (text, isAsleep, toggle, remove) => {
    const name = make("button", { textContent: words(text), title: isAsleep ? "Use this condition again" : "Leave this condition out for a moment", aria: { pressed: !isAsleep } });
    name.addEventListener("click", toggle);
    const gone = make("button", { textContent: "×", title: "Remove this condition", aria: { label: "Remove " + words(text) } });
    gone.addEventListener("click", remove);
    return make("li", { className: isAsleep ? "chip asleep" : "chip" }, name, gone);
  };
  $("chips").replaceChildren(
    ...clauses.map((clause, index) => chip(clause.words, false,
      () => { query.asleep.push(clause.words); handlers.edit([{ remove: index }]); }, () => handlers.edit([{ remove: index }]))),
    ...query.asleep.map((text, index) => chip(text, true,
      () => { query.asleep.splice(index, 1); handlers.edit([{ join: text }]); }, () => { query.asleep.splice(index, 1); drawChips(clauses); handlers.keepAddress(true); })));
}

/** What the text says in another query language. */
function drawMeant(meant) {
  const button = $("meant");
  button.hidden = !meant;
  if (!meant) return;
  button.textContent = "As a predicate: " + meant.text;
  button.onclick = () => { if (meant.sort.length) setOrder(meant.sort, false); handlers.change(meant.text); editor.focus(); };
}

// MARK: Order

export const isWords = () => /\bTOKENMATCHES\b/i.test(query.text);
/** Orders that no column has: the best match, the nearest. */
function drawOrders() {
  const map = handlers.map();
  const place = page.circle?.centre ?? (map && page.location ? [map.lat, map.lon] : null);
  const orders = [["", "as loaded"]];
  if (isWords()) orders.push(["relevance", "best match first"]);
  if (place && page.location) {
    const near = page.circle ? "the circle" : "the map's middle";
    orders.push([`distance(${page.location},${place.map((degrees) => Number(degrees.toFixed(5))).join()})`, `nearest to ${near}`]);
  }
  const current = query.sort.join("; ");
  if (!orders.some(([key]) => key === current)) {
    orders.push([current, current.startsWith("distance(") ? "nearest to a place" : current.replaceAll(":desc", " ↓")]);
  }
  $("order-label").hidden = orders.length < 2;
  $("order").replaceChildren(...orders.map(([key, words]) => make("option", { value: key, textContent: words })));
  $("order").value = current;
}
export function setOrder(keys, isRun = true) {
  query.sort = keys;
  grid.columns(page.shown, grid.table.types, query.sort);
  if (isRun) handlers.run({ isStep: true });
}
$("order").addEventListener("change", () => setOrder($("order").value ? $("order").value.split("; ") : []));
