// The line in which the predicate is typed: a text area over a mirror that is coloured, with suggestions below it.
import { $, call, make } from "./server.js";

const text = $("text"), mirror = $("mirror"), choices = $("choices"), node = document.createTextNode("");
mirror.append(node);
const kinds = ["keyword", "comparison", "option", "arithmetic", "function", "constant", "string", "number", "variable",
  "bracket", "invalid", "error", "warning"];
const paints = "highlights" in CSS;
if (paints) {
  document.body.classList.add("painted");
  for (const kind of kinds) CSS.highlights.set(kind, new Highlight());
}

let handlers = {}, context = () => ({}), offered = null, chosen = 0, suggesting = null, past = [], place = 0;

export function start(given) { ({ context, ...handlers } = given); }
export const cursor = () => text.selectionStart;
export function set(value) { text.value = value; reflect(); closeChoices(); }
export const focus = () => text.focus();
export function remember(value) { if (value && past.at(-1) !== value) past.push(value); place = past.length; }

function reflect() { node.data = text.value + "\u200b"; }

/** Colours tokens, and underlines what is wrong. */
export function paint(tokens, diagnosis) {
  if (!paints) return;
  for (const kind of kinds) CSS.highlights.get(kind).clear();
  const mark = (kind, a, b) => CSS.highlights.get(kind)?.add(new StaticRange({
    startContainer: node, startOffset: Math.min(a, node.length), endContainer: node, endOffset: Math.min(b, node.length),
  }));
  for (const [a, b, kind] of tokens) mark(kind, a, b);
  if (diagnosis && diagnosis.severity !== "unfinished" && diagnosis.end > diagnosis.start) mark(diagnosis.severity, diagnosis.start, diagnosis.end);
}

export function say(diagnosis) {
  const words = diagnosis ? diagnosis.message + (diagnosis.hint ? " · " + diagnosis.hint : "") : "";
  for (const element of [$("said"), $("foot")]) {
    element.className = diagnosis?.severity ?? "";
    element.textContent = words;
  }
  text.setAttribute("aria-invalid", diagnosis?.severity === "error");
}

text.addEventListener("input", () => { reflect(); performance.mark("key"); handlers.typed(text.value); suggest(); });

async function suggest(isWanted = false) {
  suggesting?.abort();
  const control = suggesting = new AbortController(), at = text.selectionStart;
  if (!isWanted && !/[\p{L}\p{N}_'"$#=<> (.]$/u.test(text.value.slice(0, at))) return closeChoices();
  try { offered = await call("complete", { ...context(), text: text.value, cursor: at }, control.signal); } catch { return; }
  const typed = text.value.slice(offered.start, at), list = offered.candidates;
  if (!list.length || list.length === 1 && list[0][0] === typed || document.activeElement !== text) return closeChoices();
  chosen = 0;
  $("list").replaceChildren(...list.map(([word, detail], index) => {
    const item = make("li", { id: "choice-" + index, aria: { role: "option" } }, make("span", {}, word), make("span", {}, detail));
    item.addEventListener("pointerdown", (event) => { event.preventDefault(); choose(index); });
    return item;
  }));
  const range = document.createRange();
  range.setStart(node, Math.min(offered.start, node.length));
  range.collapse(true);
  const spot = range.getBoundingClientRect(), box = mirror.getBoundingClientRect();
  choices.style.left = Math.max(0, Math.min(spot.left - box.left, box.width - 330)) + "px";
  choices.style.top = Math.max(30, spot.bottom - box.top + 4) + "px";
  choices.hidden = false;
  mark();
}
function mark() {
  [...$("list").children].forEach((item, index) => item.setAttribute("aria-selected", index === chosen));
  text.setAttribute("aria-activedescendant", "choice-" + chosen);
  $("list").children[chosen]?.scrollIntoView({ block: "nearest" });
}
function closeChoices() {
  suggesting?.abort();
  choices.hidden = true;
  text.removeAttribute("aria-activedescendant");
}
function choose(index) {
  const [word, , , isWhole] = offered.candidates[index];
  text.setRangeText(word + (isWhole ? " " : ""), offered.start, Math.max(offered.end, text.selectionStart), "end");
  closeChoices();
  reflect();
  handlers.typed(text.value);
}

text.addEventListener("keydown", (event) => {
  const done = () => event.preventDefault();
  if (!choices.hidden) {
    const count = $("list").children.length, step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !event.altKey) { chosen = (chosen + step + count) % count; mark(); return done(); }
    if (event.key === "Tab" || event.key === "Enter") { choose(chosen); return done(); }
    if (event.key === "Escape") { closeChoices(); event.stopPropagation(); return done(); }
  }
  if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    place = Math.max(0, Math.min(past.length, place + (event.key === "ArrowUp" ? -1 : 1)));
    set(past[place] ?? "");
    handlers.typed(text.value);
    return done();
  }
  if (event.key === "Enter" && !event.shiftKey) { remember(text.value); closeChoices(); handlers.entered(); done(); }
  if (event.key === " " && event.ctrlKey) { suggest(true); done(); }
  if (event.key === "Escape") { handlers.left(); done(); }
});
text.addEventListener("blur", () => { remember(text.value); setTimeout(closeChoices, 100); });
