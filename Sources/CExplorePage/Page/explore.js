// The page: a query, its result in parts as they come, and what can be clicked to change the query.
import { $, call, hasKey, lines, make, number, post, show, takeKey } from "./server.js";
import * as editor from "./editor.js";
import * as grid from "./table.js";
import * as values from "./values.js";
import * as record from "./record.js";
import * as plan from "./plan.js";
import * as conditions from "./conditions.js";
import * as fields from "./fields.js";
import { page, query } from "./state.js";

let map = null, running = null, pause = null, resting = null;

// MARK: The address

function readAddress() {
  const f = new URLSearchParams(location.hash.slice(1));
  query.text = f.get("q") ?? "";
  query.type = f.get("t") ?? "";
  query.sort = f.getAll("s");
  query.spread = f.get("h") ?? "";
  query.asleep = f.getAll("z");
  query.columns = f.has("c") ? f.getAll("c") : null;
  query.counts = f.has("k") ? f.getAll("k") : null;
  const [view, lat, lon, zoom] = (f.get("w") ?? "table").split(",");
  query.view = ["table", "map", "plan"].includes(view) ? view : "table";
  page.place = zoom ? [Number(lat), Number(lon), Number(zoom)] : null;
  try { query.variables = JSON.parse(f.get("v") ?? "{}"); } catch { query.variables = {}; }
}
function address() {
  const f = new URLSearchParams();
  if (query.text) f.set("q", query.text);
  if (query.type) f.set("t", query.type);
  for (const key of query.sort) f.append("s", key);
  if (query.spread && query.spread !== page.usualSpread) f.set("h", query.spread);
  for (const words of query.asleep) f.append("z", words);
  for (const name of query.columns ?? []) f.append("c", name);
  for (const name of query.counts ?? []) f.append("k", name);
  if (Object.keys(query.variables).length) f.set("v", JSON.stringify(query.variables));
  if (query.view === "map" && map) f.set("w", ["map", map.lat.toFixed(3), map.lon.toFixed(3), map.zoom.toFixed(2)].join());
  else if (query.view !== "table") f.set("w", query.view);
  return "#" + f;
}
/** Puts the query into the address: as a step of the history where it is another query, else in its place. */
function keepAddress(isStep) {
  const next = address();
  if (next === (location.hash || "#")) return;
  history[isStep ? "pushState" : "replaceState"](null, "", next);
}

// MARK: Queries

const request = () => ({ text: query.text, variables: query.variables, type: query.type || undefined, sort: query.sort });

async function run({ keepsPlace = false, isStep = false } = {}) {
  clearTimeout(pause);
  running?.abort();
  const control = running = new AbortController(), turn = ++page.turn, start = performance.now();
  // An order by relevance needs words.
  if (query.sort.includes("relevance") && !conditions.isWords()) conditions.setOrder([], false);
  keepAddress(isStep);
  const body = {
    ...request(), cursor: document.activeElement === $("text") ? editor.cursor() : undefined, rows: 100,
    fields: page.shown, values: page.counted, spread: query.spread || undefined, plan: query.view === "plan",
    map: query.view === "map" && map ? { field: page.location, box: map.box(), ...map.grid() } : undefined,
  };
  try {
    const reply = await post("query", body, control.signal);
    if (reply.status === 401) return askForKey();
    if (!reply.ok) throw new Error((await reply.json()).message);
    for await (const line of lines(reply)) {
      if (turn !== page.turn) return;
      take(JSON.parse(line), start, keepsPlace);
    }
  } catch (error) {
    if (error.name !== "AbortError" && turn === page.turn) $("state").textContent = said(error);
  }
}

function take(part, start, keepsPlace) {
  switch (part.part) {
    case "check":
      [page.tokens, page.diagnosis] = [part.tokens, part.diagnosis];
      editor.paint(part.tokens, part.diagnosis);
      editor.say(part.diagnosis);
      conditions.draw(part);
      document.body.classList.toggle("stale", !part.isPredicate);
      break;
    case "rows":
      page.version = part.version;
      grid.begin(part.rows, keepsPlace);
      performance.mark("rows");
      // What is behind the rows ends at the next key: it does not hold the typing back.
      page.slow = performance.now() - start;
      break;
    case "count":
      grid.finish(part.matched, part.result);
      drawState(part);
      break;
    case "values": drawValues(part); break;
    case "spread": values.drawSpread(part); break;
    case "map": map.cells = part.cells; map.draw(); break;
    case "plan": plan.draw(part.explanation, light); break;
    case "failed": editor.say(part.diagnosis); break;
    case "late":
      editor.say(part.diagnosis);
      if (part.missing.length) $("state").textContent += ` · out of time, so without: ${part.missing.join(", ")}`;
      break;
    case "done":
      orderValues();
      document.documentElement.dataset.done = String(page.turn);
      // Live matches are those of the query that is shown.
      clearTimeout(resting);
      if (page.followed !== undefined && page.followed !== JSON.stringify(request())) {
        resting = setTimeout(() => { if (isLive() && !document.hidden) follow(); }, 1000);
      }
      break;
  }
}

/** The message of an error; browsers say little of a server that has ended. */
const said = (error) => error instanceof TypeError ? "The server does not reply: it has ended, or cannot be reached." : error.message;
const counted = (count) => `${number.format(count)} ${count === 1 ? "record" : "records"}`;
/** Learns of which types and fields the records are, and whether that is news. */
async function learn() {
  const shape = (about) => about && JSON.stringify([about.fields, about.types.map((type) => [type.name, type.fields])]);
  const before = shape(page.about), about = page.about = await call("about", {});
  $("type-label").hidden = !about.hasTypes || about.types.length < 2;
  $("type").replaceChildren(make("option", { value: "", textContent: "any" }), ...about.types.map((type) => make("option", { value: type.name, textContent: `${type.name} (${number.format(type.records)})` })));
  $("type").value = query.type;
  return shape(about) !== before;
}
function drawTotal(count = page.total) {
  page.total = count;
  const isCut = page.fields.length > page.shown.length;
  $("total").textContent = counted(count) + (isCut ? `, ${page.shown.length} of ${number.format(page.fields.length)} fields in the table` : "");
}

function drawState(part) {
  const time = part.microseconds < 1000 ? `${Math.round(part.microseconds)} µs` : `${Number((part.microseconds / 1000).toPrecision(2))} ms`;
  $("state").textContent = `${number.format(part.matched)} of ${counted(part.records)} match · found in ${time}`;
  $("none").textContent = part.records ? "No record matches." : "There are no records.";
  const relaxed = $("relaxed");
  relaxed.hidden = !part.relaxed;
  if (part.relaxed) {
    relaxed.textContent = `Ignoring case and marks, ${number.format(part.relaxed.count)} do`;
    relaxed.onclick = () => change(part.relaxed.text);
  }
}

/** What is lit in the predicate while a part of the plan is pointed at. */
function light(start, end) {
  editor.paint(page.tokens, end > start ? { severity: "warning", start, end } : page.diagnosis);
}

/** Another text: by a click, so that Back leads to the one before. */
function change(text) {
  query.text = text;
  editor.set(text);
  editor.remember(text);
  run({ isStep: true });
}
async function edit(edits) {
  try {
    const edited = await call("edit", { ...request(), edits });
    if (edited.message) return news("The predicate is not finished: " + edited.message);
    change(edited.text);
  } catch (error) { news(error.message); }
}

let typing = null;
function typed(text) {
  const isFirst = typing === null;
  clearTimeout(typing);
  typing = setTimeout(() => { typing = null; }, 2000);
  query.text = text;
  clearTimeout(pause);
  // What takes long is run when the typing rests.
  if (page.slow < 250) run({ isStep: isFirst }); else pause = setTimeout(run, 300);
}

// MARK: Fields

function useType() {
  const types = page.about.types, one = types.find((type) => type.name === query.type);
  const isOwn = (field) => !/^(creationDate|modificationDate|creatorUserRecordID|lastModifiedUserRecordID|recordChangeTag)$/.test(field.name);
  const fields = (one ?? page.about).fields;
  // What the database itself keeps of each record is behind the records' own fields.
  page.fields = [...fields.filter(isOwn), ...fields.filter((field) => !isOwn(field))];
  const known = Object.fromEntries(page.fields.map((field) => [field.name, field.type]));
  const chosen = (names, usual) => { const known = names?.filter((name) => page.fields.some((field) => field.name === name)); return known?.length ? known : usual; };
  page.usualShown = page.fields.map((field) => field.name).slice(0, 40);
  page.shown = chosen(query.columns, page.usualShown);
  page.location = page.fields.find((field) => field.type === "location")?.name;
  $("tab-map").disabled = !page.location;
  if (!page.location && query.view === "map") query.view = "table";
  const isCounted = (field) => /^(string|bool|reference|list\(.*(string|reference).*\))$/i.test(field.type) && !/(^|[a-z])(name|title|body|text|description|url|id)$/i.test(field.name);
  page.counted = chosen(query.counts, page.fields.filter(isCounted).map((field) => field.name).slice(0, 8));
  values.reset(page.counted);
  page.distinct = new Map();
  page.isOrdered = false;
  const spreads = page.fields.filter((field) => /^(int64|double|number|date)$/.test(field.type)).map((field) => field.name);
  $("bins").hidden = spreads.length === 0;
  $("spread").replaceChildren(...spreads.map((name) => make("option", { textContent: name })));
  page.usualSpread = spreads[0] ?? "";
  if (!spreads.includes(query.spread)) query.spread = page.usualSpread;
  $("spread").value = query.spread;
  grid.columns(page.shown, known, query.sort);
}

/** What is chosen is part of the address; what would be shown anyway is not. */
function chooseFields() {
  const same = (a, b) => a.length === b.length && a.every((name) => b.includes(name));
  fields.choose({
    fields: page.fields, shown: page.shown, counted: page.counted,
    chosen: (shown, counted) => {
      if (same(shown, page.shown) && same(counted, page.counted)) return;
      if (!same(shown, page.shown)) query.columns = same(shown, page.usualShown) ? null : shown;
      if (!same(counted, page.counted)) query.counts = counted.length ? counted : null;
      useType();
      drawTotal();
      run({ keepsPlace: true, isStep: true });
    },
  });
}
$("fields").addEventListener("click", chooseFields);

/** Fields of few values come first; once, so that nothing moves later. */
function orderValues() {
  if (page.isOrdered || !page.counted.length) return;
  page.isOrdered = true;
  const size = (name) => page.distinct.get(name) ?? 0;
  page.counted.sort((a, b) => (size(a) > 500) - (size(b) > 500));
  for (const name of page.counted) $("facets").append($("values-" + name));
}

/** Fields whose values nearly all differ say little: they are counted once and left out then. */
function drawValues(part) {
  page.distinct.set(part.field, part.distinct);
  const most = Math.max(...part.values.map((one) => one[1]), 0);
  if (!query.text && !query.counts && part.distinct > 20 && most <= 2 && page.counted.length > 1) {
    page.counted = page.counted.filter((name) => name !== part.field);
    return $("values-" + part.field)?.remove();
  }
  values.draw(part);
}

function sortBy(name) {
  const key = query.sort.find((key) => key.replace(/:desc$/, "") === name);
  conditions.setOrder(!key ? [name] : key.endsWith(":desc") ? [] : [name + ":desc"]);
}

// MARK: Views

async function startMap() {
  const module = await import("./map.js");
  map = new module.WorldMap($("world"), {
    moved: () => { if (query.view === "map") run({ keepsPlace: true }); },
    circled: ({ centre, radius }) => {
      $("circle").setAttribute("aria-pressed", false);
      edit([{ circle: { field: page.location, latitude: Number(centre[0].toFixed(5)), longitude: Number(centre[1].toFixed(5)), radius: Number(radius.toPrecision(3)) } }]);
    },
    picked: (cell) => {
      if (cell?.[2] === 1) record.open({ version: page.version, ordinal: cell[3] });
      else if (cell) { map.lat = cell[0]; map.lon = cell[1]; map.scaleBy(3); }
    },
  });
  if (page.place) map.show(...page.place);
  map.circle = page.circle;
  await map.load(false);
}
function drawCircle() {
  map.isDrawing = !map.isDrawing;
  $("circle").setAttribute("aria-pressed", map.isDrawing);
}
$("circle").addEventListener("click", drawCircle);
$("zoom-in").addEventListener("click", () => map.scaleBy(1.6));
$("zoom-out").addEventListener("click", () => map.scaleBy(1 / 1.6));
$("around").addEventListener("submit", (event) => {
  event.preventDefault();
  const radius = Number($("kilometres").value) * 1000;
  if (radius > 0) { map.circle = { centre: [map.lat, map.lon], radius }; map.draw(); map.handlers.circled(map.circle); }
});

const views = ["table", "map", "plan"];
async function view(name, isStep = true) {
  if (name === "map" && !page.location) return;
  query.view = name;
  for (const one of views) {
    $("tab-" + one).setAttribute("aria-selected", one === name);
    $("tab-" + one).tabIndex = one === name ? 0 : -1;
    $(one === "table" ? "results" : one).hidden = one !== name;
  }
  if (name === "map" && !map) await startMap();
  await run({ keepsPlace: true, isStep });
}
for (const name of views) $("tab-" + name).addEventListener("click", () => view(name));
$("tabs").addEventListener("keydown", (event) => {
  const able = views.filter((name) => !$("tab-" + name).disabled), i = able.indexOf(query.view);
  const next = { ArrowRight: able[(i + 1) % able.length], ArrowLeft: able[(i + able.length - 1) % able.length] }[event.key];
  if (next) { view(next); $("tab-" + next).focus(); event.preventDefault(); }
});

// MARK: Live

let live = null, newsTimer = null;
function news(text) {
  $("news").textContent = text;
  clearTimeout(newsTimer);
  page.unreadable = "";
  newsTimer = setTimeout(() => { $("news").textContent = ""; }, 8000);
}
async function follow() {
  live?.abort();
  const control = live = new AbortController();
  page.followed = JSON.stringify(request());
  try {
    const reply = await post("events", { query: request() }, control.signal);
    let event = "";
    for await (const line of lines(reply)) {
      if (line.startsWith("event: ")) event = line.slice(7);
      if (!line.startsWith("data: ")) continue;
      const data = JSON.parse(line.slice(6));
      if (event === "matches") tellMatches(data);
      if (event === "unreadable") tellUnreadable(data.message);
      if (event === "set" && data.version !== page.liveVersion) {
        const isNew = page.liveVersion !== undefined;
        page.liveVersion = data.version;
        document.documentElement.dataset.version = data.version;
        $("live").classList.remove("lost");
        if (page.unreadable) $("news").textContent = page.unreadable = "";
        // With records come fields and types.
        if (isNew && await learn()) useType();
        drawTotal(data.records);
        if (isNew || data.version !== page.version) run({ keepsPlace: true });
      }
    }
    if (!control.signal.aborted) setTimeout(follow, 1000);
  } catch (error) {
    if (error.name !== "AbortError") { $("live").classList.add("lost"); if (error instanceof TypeError) $("state").textContent = said(error); setTimeout(() => { if (isLive() && !document.hidden && live === control) follow(); }, 2000); }
  }
}
/** It stays until the records can be read. */
function tellUnreadable(message) {
  if (page.unreadable === message) return;
  clearTimeout(newsTimer);
  $("news").textContent = "Not the newest records: " + (page.unreadable = message);
}
function tellMatches({ new: added, changed, gone }) {
  const parts = [[added, "new"], [changed, "changed"], [gone, "gone"]].filter(([count]) => count > 0);
  news(parts.map(([count, word]) => `${number.format(count)} ${word}`).join(", "));
}
const isLive = () => $("live").getAttribute("aria-pressed") === "true";
$("live").addEventListener("click", () => {
  $("live").setAttribute("aria-pressed", !isLive());
  if (isLive()) follow(); else live?.abort();
});
// A tab that nobody sees holds no connection: browsers allow six to one server.
document.addEventListener("visibilitychange", () => { if (isLive()) { if (document.hidden) live?.abort(); else follow(); } });

// MARK: Copies and files

async function copy(what) {
  let text = location.origin + "/" + address();
  if (what === "command") {
    const quoted = (word) => "'" + word.replaceAll("'", "'\\''") + "'";
    text = ["predicate query", quoted(query.text || "TRUEPREDICATE"), page.about.name, ...query.sort.map((key) => "--sort " + quoted(key))].join(" ");
  } else if (what !== "link") {
    const translated = await call("translate", { ...request(), to: what });
    if (translated.message) return news(translated.message);
    text = translated.text;
  }
  try { await navigator.clipboard.writeText(text); news("Copied: " + text.slice(0, 120)); } catch { news(text); }
}
$("copy").addEventListener("change", () => { const what = $("copy").value; $("copy").value = ""; copy(what).catch((error) => news(error.message)); });
$("export").addEventListener("change", async () => {
  const format = $("export").value;
  $("export").value = "";
  try {
    const { path } = await call("export", { ...request(), format });
    make("a", { href: path, download: "records." + format }).click();
  } catch (error) { news(error.message); }
});

// MARK: Keys

$("help").addEventListener("click", () => $("keys").showModal());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && record.isOpen() && event.target !== $("text")) { record.close(); return event.preventDefault(); }
  if (/^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName)) return;
  const act = {
    "/": editor.focus, t: () => view("table"), m: () => view("map"), p: () => view("plan"), l: () => $("live").click(),
    g: () => $("grid").focus(), f: () => ($("facets").querySelector("button") ?? $("facets")).focus(), "?": () => $("keys").showModal(),
    "[": () => record.step(-1), "]": () => record.step(1), c: () => query.view === "map" && drawCircle(),
  }[event.key];
  if (act) { event.preventDefault(); act(); }
});
addEventListener("popstate", () => { readAddress(); restore(); });

function restore() {
  editor.set(query.text);
  $("type").value = query.type;
  if (map && page.place) map.show(...page.place);
  useType();
  view(query.view, false);
}

// MARK: The beginning

function askForKey() {
  $("state").textContent = "The key is missing.";
  if (!$("ask").open) $("ask").showModal();
}
$("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  takeKey($("key").value);
  $("ask").close();
  // A page that has begun, and was told of a server with another key since, begins again.
  if (page.about) location.reload(); else begin();
});

async function begin() {
  readAddress();
  if (!hasKey()) return askForKey();
  try { await learn(); } catch (error) { if (error.status === 401) return askForKey(); $("state").textContent = error.message; return; }
  const about = page.about;
  $("name").textContent = about.name;
  document.title = about.name + " · predicate";
  $("type").addEventListener("change", () => { query.type = $("type").value; query.sort = []; useType(); run({ isStep: true }); });
  $("copy").append(...about.languages.map((name) => make("option", { value: name, textContent: name })));
  $("spread").addEventListener("change", () => { query.spread = $("spread").value; values.clearSpread(); run({ keepsPlace: true }); });
  editor.start({
    context: () => ({ variables: query.variables, type: query.type || undefined }), typed,
    entered: () => run(), left: () => $("grid").focus(),
  });
  conditions.start({ edit, change, run, keepAddress, map: () => map });
  grid.start({ sort: sortBy, open: (ordinal, id) => record.open({ version: page.version, ordinal, id }), gone: () => run({ keepsPlace: true }) });
  values.start({ edit, query: request });
  record.start({
    failed: news, closed: () => (query.view === "table" ? $("grid") : $("tab-" + query.view)).focus(),
    list: (text, type) => { query.type = page.about.types.length > 1 ? type : ""; $("type").value = query.type; useType(); change(text); },
  });
  restore();
  drawTotal(about.records);
  editor.focus();
  performance.mark("ready");
  if (!document.hidden) follow();
}
begin();
