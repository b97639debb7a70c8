// Which fields the table has, and of which the values are counted: chosen in a list of all of them.
import { $, make } from "./server.js";

/** The server takes so many in one query. */
const MOST = 500;

/**
 * Opens the list. What is chosen there is given back when it closes.
 * @param fields All fields with their types.
 * @param shown The names of those in the table.
 * @param counted The names of those whose values are counted.
 */
export function choose({ fields, shown, counted, chosen }) {
  const lists = [["in the table", new Set(shown)], ["values counted", new Set(counted)]];
  const box = (name, [words, set]) => {
    const input = make("input", { type: "checkbox", checked: set.has(name), aria: { label: `${name}: ${words}` } });
    input.addEventListener("change", () => {
      if (input.checked && set.size < MOST) set.add(name); else set.delete(name);
      input.checked = set.has(name);
    });
    return make("td", {}, input);
  };
  const rows = fields.map((field) => make("tr", {}, make("td", { textContent: field.name }), make("td", { className: "faint", textContent: field.type }), ...lists.map((list) => box(field.name, list))));
  $("field-rows").replaceChildren(...rows);
  const filter = $("field-filter");
  filter.value = "";
  filter.oninput = () => rows.forEach((row, index) => { row.hidden = !fields[index].name.toLowerCase().includes(filter.value.trim().toLowerCase()); });
  const inOrder = (set) => fields.map((field) => field.name).filter((name) => set.has(name));
  $("choose").onclose = () => chosen(...lists.map(([, set]) => inOrder(set)));
  $("choose").showModal();
}
