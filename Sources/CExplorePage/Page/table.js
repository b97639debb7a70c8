// The table: only the rows that are seen are in the page, whatever their number.
import { $, call, make, show } from "./server.js";

const HEIGHT = 26, MOST = 10_000_000, BLOCK = 100;
const grid = $("grid"), body = $("body"), space = $("space");
let handlers = {};
export const table = { fields: [], types: {}, sort: [], blocks: new Map(), matched: 0, result: null, selected: -1, column: 0 };

export function start(given) { handlers = given; }

const width = (name) => {
  const type = table.types[name] ?? "";
  if (/^(int64|double|number|bool)$/.test(type)) return "number";
  if (type === "date") return "date";
  return /^(string)$/.test(type) && /name|title|body|text/i.test(name) ? "wide" : "";
};

export function columns(fields, types, sort) {
  Object.assign(table, { fields, types, sort });
  $("head").replaceChildren(...fields.map((name, index) => {
    const key = sort.find((key) => key.replace(/:desc$/, "") === name);
    const cell = make("div", { className: "cell " + width(name), textContent: name, title: `${name}: ${types[name] ?? ""}; click to sort`, aria: { role: "columnheader", colindex: index + 1 } });
    if (key) cell.setAttribute("aria-sort", key.endsWith(":desc") ? "descending" : "ascending");
    cell.addEventListener("click", () => handlers.sort(name));
    return cell;
  }));
  grid.setAttribute("aria-colcount", fields.length);
  // A row has cells, for those who are told of it.
  if (!fields.length) $("head").append(make("div", { className: "cell faint", textContent: "no fields", aria: { role: "columnheader" } }));
  draw();
}

/** The first rows of a result whose size is not known yet. */
export function begin(rows, keepsPlace) {
  table.blocks.clear();
  table.result = null;
  if (!keepsPlace) { grid.scrollTop = 0; table.selected = -1; }
  table.blocks.set(0, rows);
  table.matched = Math.max(rows.length, keepsPlace ? table.matched : 0);
  draw();
}
export function finish(matched, result) {
  table.matched = matched;
  table.result = result;
  table.selected = Math.min(table.selected, matched - 1);
  grid.setAttribute("aria-rowcount", matched + 1);
  draw();
}

const isScaled = () => table.matched * HEIGHT > MOST;
function firstSeen() {
  if (!isScaled()) return Math.floor(grid.scrollTop / HEIGHT);
  const view = grid.clientHeight - HEIGHT;
  // Beyond what browsers can draw the scroll bar is a scale.
  return Math.round(grid.scrollTop / Math.max(1, MOST - view) * Math.max(0, table.matched - Math.floor(view / HEIGHT)));
}

export function draw() {
  body.style.height = Math.min(table.matched * HEIGHT, MOST) + "px";
  const view = grid.clientHeight - HEIGHT, first = firstSeen(), rows = [];
  const last = Math.min(table.matched, first + Math.ceil(view / HEIGHT) + 4);
  for (let n = Math.max(0, first - 4); n < last; n++) {
    const block = Math.floor(n / BLOCK) * BLOCK, data = table.blocks.get(block)?.[n - block];
    if (!table.blocks.has(block)) load(block);
    const row = make("div", { className: "row", id: "row-" + n, aria: { role: "row", rowindex: n + 2, selected: n === table.selected } });
    row.style.top = (isScaled() ? grid.scrollTop + (n - first) * HEIGHT : n * HEIGHT) + "px";
    table.fields.forEach((name, column) => row.append(
      make("div", { className: "cell " + width(name), textContent: data ? show(data[column + 2], table.types[name]) : "…", aria: { role: "gridcell", colindex: column + 1 } })));
    row.addEventListener("click", () => { select(n); open(); });
    rows.push(row);
  }
  space.replaceChildren(...rows);
  $("nothing").hidden = table.matched > 0;
}

async function load(block) {
  if (!table.result) return;
  const result = table.result;
  table.blocks.set(block, null);
  try {
    const part = await call("rows", { result, from: block, count: BLOCK, fields: table.fields });
    if (result !== table.result) return;
    table.blocks.set(block, part.rows);
    draw();
  } catch (error) {
    if (result !== table.result) return;
    table.blocks.delete(block);
    if (error.status === 410) { table.result = null; handlers.gone(); }
  }
}
grid.addEventListener("scroll", () => requestAnimationFrame(draw));
new ResizeObserver(draw).observe(grid);

export function select(n) {
  table.selected = Math.max(0, Math.min(table.matched - 1, n));
  const rows = Math.floor((grid.clientHeight - HEIGHT) / HEIGHT), first = firstSeen();
  if (table.selected < first || table.selected >= first + rows) {
    const top = table.selected < first ? table.selected : table.selected - rows + 1;
    grid.scrollTop = isScaled() ? top / Math.max(1, table.matched - rows) * (MOST - rows * HEIGHT) : top * HEIGHT;
  }
  draw();
  grid.setAttribute("aria-activedescendant", "row-" + table.selected);
}
export function open() {
  const block = Math.floor(table.selected / BLOCK) * BLOCK, row = table.blocks.get(block)?.[table.selected - block];
  if (row) handlers.open(row[0], row[1]);
}

grid.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(grid.clientHeight / HEIGHT) - 2);
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
  if (step && table.matched) { select(table.selected + step); if (!$("detail").hidden) open(); event.preventDefault(); }
  if (event.key === "Enter" && table.selected >= 0) open();
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    table.column = Math.max(0, Math.min(table.fields.length - 1, table.column + (event.key === "ArrowRight" ? 1 : -1)));
    [...$("head").children].forEach((cell, index) => cell.classList.toggle("current", index === table.column));
    $("head").children[table.column]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    event.preventDefault();
  }
  if (event.key === "s" && table.fields[table.column]) handlers.sort(table.fields[table.column]);
});
