"""What `predicate explore` takes in Debian's Chromium: explore.py COMMAND FILE [SERVER'S RUNS]

Prints the page's size and first rows, milliseconds from a key to the first rows in the page and to the next frame, rows
after a jump, the server's times for the parts of a query, and its processor time after a reader has gone. FILE has the
places of Benchmarks.
"""

import os
import signal
import statistics
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

command, file = sys.argv[1:3]
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 9
PREDICATES = [
    "category == 'cafe' AND rating > 3",
    "population > 100000 AND active == TRUE",
    "name BEGINSWITH[cd] 'san' AND rating > 2",
    "tags CONTAINS 'harbour' AND population < 5000",
    "distance(location, 47.4, 8.5) < 200000",
]
WATCH = """() => {
  window.times = [];
  let key = null;
  document.getElementById("text").addEventListener("input", () => { key = { at: performance.now() }; window.times.push(key); }, true);
  new MutationObserver(() => {
    const known = key;
    if (!known || known.rows) return;
    known.rows = performance.now() - known.at;
    requestAnimationFrame(() => setTimeout(() => { known.painted = performance.now() - known.at; }));
  }).observe(document.getElementById("space"), { childList: true });
}"""
QUERY = """async ([body, giveUp]) => {
  const control = new AbortController();
  if (giveUp) setTimeout(() => control.abort(), giveUp);
  try {
    const reply = await fetch("/api/query", { method: "POST", body: JSON.stringify(body), signal: control.signal,
      headers: { "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("key") } });
    return (await reply.text()).trim().split("\\n").map((line) => { const part = JSON.parse(line); return [part.part, part.at]; });
  } catch { return []; }
}"""


def processor_seconds(process):
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def figures(name, times):
    found = sorted(time for time in times if time is not None)
    return f"{name} median {statistics.median(found):.1f}, worst {found[-1]:.1f}" if found else f"{name} none"


def typing(page):
    every = []
    for predicate in PREDICATES:
        page.locator("#text").fill("")
        page.wait_for_timeout(700)
        page.locator("#text").focus()
        page.evaluate("window.times.length = 0")
        page.keyboard.type(predicate, delay=120)
        page.wait_for_timeout(1500)
        times = [one for one in page.evaluate("window.times") if one.get("rows")]
        every += times
        words = "; ".join(figures(name, [one.get(name) for one in times]) for name in ("rows", "painted"))
        print(f"{predicate!r}: {words} ms of {len(times)} keys; {page.locator('#state').inner_text()}")
    print("all keys: " + "; ".join(figures(name, [one.get(name) for one in every]) for name in ("rows", "painted")) + " ms")


def jumps(page):
    page.locator("#text").fill("")
    page.wait_for_timeout(1000)
    times = []
    for part in (0.5, 0.9, 0.2, 0.7, 0.35):
        start = time.perf_counter()
        page.locator("#grid").evaluate("(grid, part) => { grid.scrollTop = grid.scrollHeight * part; }", part)
        page.wait_for_timeout(20)
        # A row that is not there yet has nothing else in any cell; long texts end so, too.
        while (page.locator("#body .row").nth(6).locator(".cell").first.inner_text() or "…") == "…":
            page.wait_for_timeout(5)
        times.append((time.perf_counter() - start) * 1000)
    print(figures("rows after a jump", times) + " ms")


def server(page):
    box = {"field": "location", "box": [-90, -180, 90, 180], "columns": 60, "rows": 30}
    for name, body in {
        "check and first rows": {"text": "category == 'cafe' AND rating > 3", "cursor": 3},
        "counts by five fields": {"text": "", "values": ["category", "active", "tags", "rating", "owner"]},
        "spread": {"text": "", "spread": "rating"},
        "map of all": {"text": "", "map": box},
        "map of those that match": {"text": "population > 100000", "map": box},
        "sorted": {"text": "category == 'cafe'", "sort": ["population:desc"]},
    }.items():
        parts = {}
        for _ in range(runs):
            last = 0
            for part, at in page.evaluate(QUERY, [{"fields": ["name", "category", "rating"], **body}, 0]):
                parts.setdefault(part, []).append(at - last)
                last = at
        shown = ", ".join(f"{part} {sum(times) / runs:.2f}" for part, times in parts.items() if part != "done")
        print(f"server, {name}: mean {shown} ms")


def hang_up(page, process):
    heavy = {"text": "name MATCHES '.*(a.*e|e.*a).*(o.*u|u.*o).*z.*' OR body MATCHES '.*(x.*y.*z|q.*j.*v).*'", "values": ["tags"]}
    before = processor_seconds(process)
    page.evaluate(QUERY, [heavy, 0])
    whole = processor_seconds(process) - before
    before, start = processor_seconds(process), time.perf_counter()
    page.evaluate(QUERY, [heavy, 300])
    until = processor_seconds(process)
    time.sleep(2)
    after = processor_seconds(process)
    print(f"a query of {whole:.2f} s of processor time, given up after 0.3 s: {until - before:.2f} s until then, {after - until:.2f} s more")


MANY = """async ([from, count]) => {
  for (let number = from; number < from + count; number++) {
    const reply = await fetch("/api/query", { method: "POST", body: JSON.stringify({ text: `id > ${number * 97}`, rows: 20, fields: ["name"] }),
      headers: { "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("key") } });
    await reply.text();
  }
}"""


def memory(page, process):
    sizes = []
    for part in range(10):
        page.evaluate(MANY, [part * 1000, 1000])
        with open(f"/proc/{process}/status") as status:
            sizes.append(next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024)
    print(f"memory after each 1,000 of 10,000 queries: {' '.join(map(str, sizes))} MB")


server_process = subprocess.Popen([command, "explore", file, "--no-open"], stdout=subprocess.PIPE, text=True)
url = server_process.stdout.readline().strip()
with sync_playwright() as playwright:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
    # Only this context allows the script that measures; the page itself allows none.
    page = browser.new_context(viewport={"width": 1360, "height": 820}, bypass_csp=True).new_page()
    page.goto(url)
    page.wait_for_selector("html[data-done]", timeout=120000, state="attached")
    page.evaluate(WATCH)
    paint = page.evaluate("performance.getEntriesByType('paint').map((one) => Math.round(one.startTime))")
    rows = page.evaluate("Math.round(performance.getEntriesByName('rows')[0].startTime)")
    size = page.evaluate("[...performance.getEntriesByType('resource'), performance.getEntriesByType('navigation')[0]].filter(one => !one.name.includes('/api/')).reduce((sum, one) => sum + one.transferSize, 0)")
    print(f"load {os.getloadavg()[0]:.1f}; first paint {paint}, first rows {rows} ms; {size} bytes without the map")
    typing(page)
    jumps(page)
    server(page)
    hang_up(page, server_process.pid)
    memory(page, server_process.pid)
    browser.close()
start = time.perf_counter()
server_process.send_signal(signal.SIGINT)
status = server_process.wait(timeout=10)
print(f"Control-C: status {status} after {(time.perf_counter() - start) * 1000:.0f} ms; load {os.getloadavg()[0]:.1f}")
