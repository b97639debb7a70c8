// What the page sends to its server, and how replies are read.

const fragment = new URLSearchParams(location.hash.slice(1));
// The key goes from the address to the tab's own memory, so that it is in no copied link and in no history.
if (fragment.get("key")) {
  sessionStorage.setItem("key", fragment.get("key"));
  fragment.delete("key");
  history.replaceState(null, "", "#" + fragment);
}
export const hasKey = () => sessionStorage.getItem("key") !== null;
export const takeKey = (text) => {
  const found = /key=([\w-]+)/.exec(text)?.[1] ?? text.trim();
  sessionStorage.setItem("key", found);
};

export const post = (path, body, signal) => fetch("/api/" + path, {
  method: "POST", signal, body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("key") },
});

/** The JSON of a reply; throws its message when it was rejected. */
export async function call(path, body, signal) {
  const reply = await post(path, body, signal);
  if (reply.ok) return reply.json();
  const { message } = await reply.json().catch(() => ({}));
  throw Object.assign(new Error(message ?? "the server does not reply"), { status: reply.status });
}

/** Lines of a reply, as they come. */
export async function* lines(reply) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) { if (rest) yield rest; return; }
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) yield part;
  }
}

export const $ = (id) => document.getElementById(id);
export const make = (tag, properties = {}, ...children) => {
  const { aria = {}, ...own } = properties;
  const element = Object.assign(document.createElement(tag), own);
  for (const [name, value] of Object.entries(aria)) element.setAttribute(name === "role" ? name : "aria-" + name, value);
  element.append(...children);
  return element;
};
export const number = new Intl.NumberFormat("en");

/** A value as people read it, of a field of some type; the forms are those of files of records. */
export function show(value, type) {
  if (value === null || value === undefined) return "";
  if (type === "date" && typeof value === "string") return day(value);
  if (typeof value !== "object") return String(value);
  if (value.$cut !== undefined) return value.$cut + "…";
  if (value.$date !== undefined) return day(value.$date);
  if (value.latitude !== undefined) return `${value.latitude}, ${value.longitude}`;
  if (value.reference !== undefined) return "→ " + (value.reference.name ?? value.reference);
  if (Array.isArray(value)) return value.map(show).join(", ");
  return JSON.stringify(value);
}
const day = (text) => String(text).replace(/T00:00:00(\.0+)?Z$/, "").replace("T", " ").replace(/(\.\d{3})\d+Z$/, "$1Z").replace(/Z$/, "");

/** A colour of the style sheet as canvases take it. */
export function tint(name) {
  const probe = $("probe");
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}
