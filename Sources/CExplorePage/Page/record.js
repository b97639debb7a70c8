// One record: its fields, where its references lead, and who refers to it.
import { $, call, make, number, show } from "./server.js";
import { table as grid } from "./table.js";

const detail = $("detail");
let handlers = {};
const trail = [];
let at = -1;

export function start(given) { handlers = given; }
export const isOpen = () => !detail.hidden;
export function close() { detail.hidden = true; trail.length = 0; at = -1; handlers.closed(); }

/** Shows a record: of an ordinal of a version, else by its name. */
export async function open(wanted) {
  let record;
  try { record = await call("record", wanted); } catch (error) { return handlers.failed(error.message); }
  trail.splice(at + 1);
  trail.push(record);
  at = trail.length - 1;
  draw();
}
export function step(by) {
  if (at + by < 0 || at + by >= trail.length) return;
  at += by;
  draw();
}

function draw() {
  const record = trail[at], list = make("dl");
  const types = grid.types, leads = new Map(record.references.map((reference) => [reference.id, reference]));
  for (const [name, value] of record.fields) list.append(make("dt", { textContent: name }), make("dd", {}, field(value, leads, types[name])));
  const title = make("h2", { textContent: record.id, tabIndex: -1 });
  const parts = [
    make("div", { className: "bar-of-buttons" }, button("‹", "The record before ([)", () => step(-1), at === 0),
      button("›", "The record behind (])", () => step(1), at === trail.length - 1), make("span", { className: "grow" }),
      button("×", "Close (Escape)", close)),
    title, make("p", { className: "faint", textContent: record.type + (record.zone === "_defaultZone" ? "" : " · " + record.zone) }), list,
  ];
  if (record.referrers.length) {
    parts.push(make("h3", { textContent: "Refer to this" }), make("ul", { className: "plain" }, ...record.referrers.map((one) => {
      const words = `${number.format(one.count)} ${one.type} by ${one.field}`;
      const link = make("button", { className: "link", textContent: words });
      link.addEventListener("click", () => handlers.list(one.text, one.type));
      return make("li", {}, link);
    })));
  }
  detail.replaceChildren(...parts);
  detail.hidden = false;
  detail.dataset.id = record.id;
}

function button(sign, words, act, isOff = false) {
  const element = make("button", { textContent: sign, title: words, disabled: isOff, aria: { label: words } });
  element.addEventListener("click", act);
  return element;
}

/** A value in full: nested ones folded, references as links, texts as texts. */
function field(value, leads, type) {
  if (value && typeof value === "object" && value.reference !== undefined) {
    const id = value.reference.name ?? value.reference, known = leads.get(id);
    if (known?.found === false) return document.createTextNode(`→ ${id} (not there)`);
    const link = make("button", { className: "link", textContent: "→ " + id });
    link.addEventListener("click", () => open({ id }));
    return link;
  }
  if (Array.isArray(value) && value.some((one) => one?.reference !== undefined)) {
    return make("span", {}, ...value.flatMap((one) => [field(one, leads), " "]));
  }
  const isNested = value && typeof value === "object" && value.latitude === undefined && value.$date === undefined;
  if (isNested && (Array.isArray(value) ? value.some((one) => typeof one === "object") : true)) {
    return make("details", { open: JSON.stringify(value).length < 400 }, make("summary", { textContent: Array.isArray(value) ? `${value.length} elements` : `${Object.keys(value).length} members` }),
      make("pre", { textContent: JSON.stringify(value, null, 2) }));
  }
  if (typeof value === "string" && /^https:\/\/\S+$/.test(value)) {
    return make("a", { href: value, target: "_blank", rel: "noopener noreferrer", textContent: value });
  }
  return document.createTextNode(show(value, type));
}
