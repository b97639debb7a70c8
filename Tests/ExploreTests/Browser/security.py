"""What others get from the page, in Debian's Chromium: security.py URL, of a server whose records, names of fields, types
and own name are markup.

Pages of another port and of another name try to read the records with the right key in hand.
"""

import http.server
import os
import sys
import threading

from checks import check, finish, run, until
from playwright.sync_api import sync_playwright

url = sys.argv[1]
base, key = url.split("/#key=")
port = base.rsplit(":", 1)[1]
name = "rebound.example"
SECRET = "onerror"

# Each tries to get at the records, and tells what it got.
TRIES = {
    "with the key": """([base, key]) => fetch(base + "/api/query", {method: "POST", body: '{"text":""}', headers:
        {"Authorization": "Bearer " + key, "Content-Type": "application/json"}}).then((r) => r.text(), () => "nothing")""",
    "without a look ahead": """([base, key]) => fetch(base + "/api/query", {method: "POST", body: '{"text":""}', mode: "no-cors",
        headers: {"Content-Type": "text/plain"}}).then((r) => r.text().then((t) => t || "nothing"), () => "nothing")""",
    "the page": """([base]) => fetch(base + "/").then((r) => r.text(), () => "nothing")""",
    "with cookies": """([base]) => fetch(base + "/api/about", {method: "POST", credentials: "include"}).then((r) => r.text(), () => "nothing")""",
    "a script": """([base]) => new Promise((done) => { const s = document.createElement("script"); s.type = "module";
        s.src = base + "/server.js"; s.onload = () => done("loaded"); s.onerror = () => done("nothing"); document.body.append(s); })""",
    "a classic script": """([base]) => new Promise((done) => { const s = document.createElement("script");
        s.src = base + "/explore.js"; s.onload = () => done("loaded"); s.onerror = () => done("nothing"); document.body.append(s); })""",
    "a style sheet": """([base]) => new Promise((done) => { const s = document.createElement("link"); s.rel = "stylesheet";
        s.href = base + "/explore.css"; s.onload = () => done("loaded"); s.onerror = () => done("nothing"); document.head.append(s); })""",
    "events": """([base]) => new Promise((done) => { const e = new EventSource(base + "/api/events");
        e.onmessage = (m) => done(m.data); e.onopen = () => done("open"); e.onerror = () => { e.close(); done("nothing"); }; })""",
    "a web socket": """([base]) => new Promise((done) => { const w = new WebSocket(base.replace("http", "ws") + "/api/events");
        w.onopen = () => done("open"); w.onerror = () => done("nothing"); })""",
    "a beacon": """([base]) => { navigator.sendBeacon(base + "/api/query", new Blob(['{"text":""}'], {type: "text/plain"})); return "nothing"; }""",
}


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of another site, with no rules of its own."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

    def log_message(self, *_):
        pass


def elsewhere():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def other_origins(browser):
    other = elsewhere()
    for site in (f"http://127.0.0.1:{other}", f"http://{name}:{other}"):
        page = browser.new_context().new_page()
        page.goto(site + "/")
        for what, code in TRIES.items():
            got = page.evaluate(code, [base, key])
            check(f"{site.split(':')[1]} gets nothing: {what}", got == "nothing", str(got)[:200])
        page.evaluate("(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }", url)
        page.wait_for_timeout(500)
        framed = [frame for frame in page.frames if frame != page.main_frame]
        shown = [frame.locator("body").inner_text() for frame in framed]
        check("the page is in no frame", len(framed) == 1 and not any(SECRET in text or "match" in text for text in shown), str(shown)[:200])
        with page.context.expect_page() as opened:
            page.evaluate("(url) => { window.other = window.open(url); }", url)
        other_window = opened.value
        body = other_window.locator("body").inner_text()
        check("a window of another site gets no page", "another site" in body and other_window.locator("#text").count() == 0, body[:200])
        check("it does not know its opener", until(lambda: other_window.evaluate("() => window.opener === null")))
        check("nor does its opener know it", until(lambda: page.evaluate("() => window.other.closed")))
        page.evaluate(
            """(base) => { const f = document.createElement("form"); f.method = "post"; f.enctype = "text/plain"; f.action = base + "/api/query";
            const i = document.createElement("input"); i.name = '{"text":"", "x":"'; i.value = '"}'; f.append(i); document.body.append(f); f.submit(); }""", base)
        page.wait_for_url(base + "/api/query")
        body = page.locator("body").inner_text()
        check("a form gets no records", "another" in body and SECRET not in body, body[:200])
        page.context.close()


def other_names(browser):
    """DNS rebinding: a name of another site that leads to this machine, with the server's own port."""
    page = browser.new_context().new_page()
    reply = page.goto(f"http://{name}:{port}/#key={key}")
    check("another name is refused", reply.status == 421 and page.locator("#text").count() == 0, str(reply.status))
    status = page.evaluate(
        """(key) => fetch("/api/query", {method: "POST", body: '{"text":""}', headers:
        {"Authorization": "Bearer " + key, "Content-Type": "application/json"}}).then((r) => r.status, () => 0)""", key)
    check("its own requests, too", status in (0, 421), str(status))
    page.context.close()


def markup(browser):
    """Records, names of fields, of types and of the file are text, in every view."""
    context = browser.new_context(viewport={"width": 1360, "height": 820}, reduced_motion="reduce")
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append("dialog"), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    page.wait_for_selector("html[data-done]", state="attached", timeout=30000)

    def harmless(view):
        page.wait_for_timeout(300)
        found = page.locator("img, svg, iframe, object, embed, video, math, marquee, body style, body script, a[href^='javascript' i], [onclick], [onerror], [onload]")
        check(f"{view}: no markup of records is in the page", found.count() == 0, str(found.count()))
        check(f"{view}: nothing is executed, nothing said", not said, str(said[:3]))

    check("the texts are there", until(lambda: "<img src=x onerror=" in page.locator("#body").inner_text()))
    check("names of fields are there", "<svg onload=" in page.locator("#head").inner_text(), page.locator("#head").inner_text()[:300])
    check("the file's name is there", "<iframe srcdoc=" in page.locator("header").first.inner_text(), page.locator("header").first.inner_text()[:200])
    harmless("table")
    for value in page.locator("#values button.value").all()[:1]:
        value.click()
        harmless("a value as a condition")
    page.locator("#text").fill("")
    page.wait_for_timeout(300)
    for tab in ("map", "plan", "table"):
        page.locator("#tab-" + tab).click()
        harmless(tab)
    page.locator("#grid").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])")
    harmless("record")
    for text in ("title CONTAINS '<img'", "<img src=x onerror=alert(7)>", "title == '<script>alert(8)</script>' AND", "SELECT * FROM t WHERE title = '<svg onload=alert(9)>'"):
        page.locator("#text").fill(text)
        harmless(f"the text {text[:18]}")
    page.locator("#text").fill("")
    page.locator("#text").focus()
    page.keyboard.type("title == ", delay=20)
    page.keyboard.press("Control+Space")
    harmless("suggestions")
    check("nothing is requested of another host", all(one.startswith((base, "data:")) for one in asked))
    # A script that gets into the page after all is not executed.
    page.evaluate("() => { window.ran = []; addEventListener('securitypolicyviolation', (e) => window.ran.push(e.effectiveDirective)); }")
    assigned = page.evaluate("() => { try { document.body.innerHTML = '<img src=x onerror=window.bad=1>'; return 'taken'; } catch { return 'refused'; } }")
    check("markup is not even taken as text of the page's own", assigned == "refused", assigned)
    page.evaluate("() => { const i = document.createElement('img'); try { i.setAttribute('onerror', 'window.bad = 1'); } catch { } i.src = 'http://127.0.0.1:1/'; document.body.append(i); }")
    check("the rules of the page stop it", until(lambda: "img-src" in page.evaluate("() => window.ran")), str(page.evaluate("() => window.ran")))
    check("no handler ran", page.evaluate("() => window.bad === undefined"))
    context.close()


with sync_playwright() as playwright:
    flags = [f"--host-resolver-rules=MAP {name} 127.0.0.1"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
    run((other_origins, other_names, markup), browser)
    browser.close()
finish()
