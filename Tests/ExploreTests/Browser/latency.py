"""Milliseconds from a key to the first rows in the page, and to the next frame: latency.py URL PREDICATE…"""

import os
import statistics
import sys

from playwright.sync_api import sync_playwright

url, *predicates = sys.argv[1:]
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

with sync_playwright() as playwright:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
    # Only this context allows the script that measures; the page itself allows none.
    page = browser.new_context(viewport={"width": 1360, "height": 820}, bypass_csp=True).new_page()
    page.goto(url)
    page.wait_for_selector("html[data-done]", timeout=120000, state="attached")
    page.evaluate(WATCH)
    paint = page.evaluate("performance.getEntriesByType('paint').map(one => Math.round(one.startTime))")
    rows = page.evaluate("Math.round(performance.getEntriesByName('rows')[0].startTime)")
    size = page.evaluate("[...performance.getEntriesByType('resource'), performance.getEntriesByType('navigation')[0]].filter(one => !one.name.includes('/api/')).reduce((sum, one) => sum + one.transferSize, 0)")
    print(f"load {os.getloadavg()[0]:.1f}; first paint {paint}, first rows {rows} ms; {size} bytes without the map")
    for predicate in predicates:
        page.locator("#text").fill("")
        page.wait_for_timeout(700)
        page.locator("#text").focus()
        page.evaluate("window.times.length = 0")
        page.keyboard.type(predicate, delay=120)
        page.wait_for_timeout(1500)
        times = [one for one in page.evaluate("window.times") if one.get("rows")]
        figures = []
        for name in ("rows", "painted"):
            found = sorted(one[name] for one in times if one.get(name))
            figures.append(f"{name} median {statistics.median(found):.1f}, worst {found[-1]:.1f}" if found else f"{name} -")
        print(f"{predicate!r}: {'; '.join(figures)} ms of {len(times)} keys; {page.locator('#state').inner_text()}")
    browser.close()
