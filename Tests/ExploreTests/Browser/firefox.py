"""Uses the page in Debian's Firefox, over its own port of WebDriver BiDi: firefox.py URL [FOLDER for pictures]"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import websocket

from checks import check, finish, run, until

url = sys.argv[1]
pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
base = url.split("/#")[0]
KEYS = {"Escape": "\ue00c", "Enter": "\ue006", "Tab": "\ue004", "Down": "\ue015", "End": "\ue010", "Home": "\ue011"}


class Firefox:
    """A Firefox of its own profile, and what its page says and requests."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self.profile.name, "--remote-debugging-port", "0"],
            stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": self.profile.name})
        for line in self.process.stderr:
            if found := re.search(r"ws://\S+", line):
                break
        self.socket = websocket.create_connection(found[0] + "/session", timeout=60, suppress_origin=True)
        self.number, self.said, self.asked = 0, [], []
        self.version = self.call("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.setViewport", context=self.tab, viewport={"width": 1360, "height": 820})

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            reply = json.loads(self.socket.recv())
            if reply.get("method") == "log.entryAdded":
                self.said.append(reply["params"]["text"])
            elif reply.get("method") == "network.beforeRequestSent":
                self.asked.append(reply["params"]["request"]["url"])
            elif reply.get("id") == self.number:
                if reply["type"] == "error":
                    raise RuntimeError(reply)
                return reply["result"]

    def open(self):
        self.call("browsingContext.navigate", context=self.tab, url="about:blank", wait="complete")
        self.asked.clear()
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")
        until(lambda: self.run("!!document.documentElement.dataset.done"))

    def run(self, code):
        reply = self.call("script.evaluate", expression=code, target={"context": self.tab}, awaitPromise=True)
        return reply["result"].get("value")

    def keys(self, *keys):
        """Presses keys, by name or as the letters of a text."""
        letters = [letter for key in keys for letter in ([KEYS[key]] if key in KEYS else key)]
        actions = [{"type": kind, "value": letter} for letter in letters for kind in ("keyDown", "keyUp")]
        self.call("input.performActions", context=self.tab, actions=[{"type": "key", "id": "k", "actions": actions}])

    def drag(self, selector, start, end):
        """Drags over an element, from and to parts of its width and height; a click where both are the same."""
        box = json.loads(self.run(f"JSON.stringify(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"))
        x, y = ([round(box[side] + box[size] * part[i]) for part in (start, end)] for i, (side, size) in enumerate((("x", "width"), ("y", "height"))))
        move = lambda i: {"type": "pointerMove", "x": x[i], "y": y[i], "duration": 100 * i}
        actions = [move(0), {"type": "pointerDown", "button": 0}, move(1), {"type": "pointerUp", "button": 0}]
        self.call("input.performActions", context=self.tab, actions=[{"type": "pointer", "id": "p", "actions": actions}])

    def click(self, selector):
        self.drag(selector, (0.5, 0.5), (0.5, 0.5))

    def text(self):
        return self.run("document.getElementById('text').value")

    def matched(self):
        words = self.run("document.getElementById('state').textContent").split(" ")[0].replace(",", "")
        return int(words) if words.isdigit() else -1

    def picture(self, name):
        if pictures:
            data = self.call("browsingContext.captureScreenshot", context=self.tab)["data"]
            (pictures / f"firefox-{name}.png").write_bytes(base64.b64decode(data))

    def close(self):
        self.call("browser.close")
        self.process.wait(timeout=30)
        self.profile.cleanup()


def type_and_click(page):
    page.open()
    check("the key leaves the address", "key" not in page.run("location.href"))
    check("markup in records stays text", page.run("document.querySelectorAll('#body img, #body script').length") == 0)
    everything = page.matched()
    page.keys("amount > 10", "Escape")
    check("a predicate is run while it is typed", until(lambda: 0 < page.matched() < everything), str(page.matched()))
    before = page.matched()
    page.click("#values-country button.value")
    check("a click adds a condition", until(lambda: page.text().startswith("amount > 10 AND country == ")), page.text())
    check("the count follows", until(lambda: 0 < page.matched() < before))
    page.picture("table")
    page.run("history.back()")
    check("Back leads to the text before", until(lambda: page.text() == "amount > 10"), page.text())
    page.drag("#histogram", (0.3, 0.4), (0.6, 0.4))
    check("a brush adds a range", until(lambda: "BETWEEN {" in page.text()), page.text())
    check("nothing is requested of another host", all(one.startswith((base, "data:")) for one in page.asked), str(page.asked[:20]))
    check("nothing is said on the console", not page.said, str(page.said[:3]))


def map_and_plan(page):
    page.open()
    everything = page.matched()
    page.click("#tab-map")
    label = "document.getElementById('world').getAttribute('aria-label')"
    check("the map has places", until(lambda: re.match(r"Map: [1-9].* places in ", page.run(label))), page.run(label))
    page.click("#circle")
    page.drag("#world", (0.5, 0.5), (0.6, 0.6))
    check("a circle adds a condition", until(lambda: "distance(place, " in page.text()), page.text())
    check("and fewer match", until(lambda: 0 < page.matched() < everything), str(page.matched()))
    page.picture("map")
    page.click("#tab-plan")
    check("the plan has steps", until(lambda: page.run("document.querySelectorAll('#plan .step').length") > 0))


def keyboard_alone(page):
    page.open()
    focus = lambda: page.run("document.activeElement.id")
    page.keys("amount > 10", "Escape", "Escape")
    check("Escape leads from the predicate to the table", until(lambda: focus() == "grid"), focus())
    page.keys("j", "j", "Enter")
    check("Enter shows the record", until(lambda: page.run("!document.getElementById('detail').hidden")))
    page.picture("record")
    page.keys("Escape", "f")
    check("f leads to the values", until(lambda: page.run("document.activeElement.className") == "value"), focus())
    page.keys("Enter")
    check("Enter on a value chooses it", until(lambda: page.text().startswith("amount > 10 AND country == ")), page.text())
    check("and the focus stays there", until(lambda: page.run("document.activeElement.className") == "value"), focus())
    page.keys("/")
    check("/ leads to the predicate", until(lambda: focus() == "text"), focus())


firefox = Firefox()
check(f"Firefox {firefox.version}", True)
run((type_and_click, map_and_plan, keyboard_alone), firefox)
firefox.close()
finish()
