"""Uses the page as people do, in Debian's Chromium: page.py URL [FOLDER for pictures]

Prints a line for each check, and `save` where a record is to be saved in the database that is shown. Conditions are
selectors or polls, since the page allows no `eval`.
"""

import difflib
import gzip
import os
import pathlib
import re
import sys
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from checks import check, finish, run, until
from playwright.sync_api import sync_playwright

url = sys.argv[1]
pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
base = url.split("/#")[0]


def launch(playwright):
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)


def opened(browser, address=url, **options):
    page = browser.new_context(viewport={"width": 1360, "height": 820}, reduced_motion="reduce", **options).new_page()
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("dialog", lambda dialog: (page.said.append("dialog"), dialog.dismiss()))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(address)
    page.wait_for_selector("html[data-done]", state="attached", timeout=30000)
    return page


def matched(page):
    words = page.locator("#state").inner_text().split(" ")[0].replace(",", "")
    return int(words) if words.isdigit() else -1


def text(page):
    return page.locator("#text").input_value()


def type_and_click(browser):
    page = opened(browser)
    check("the key leaves the address", "key" not in page.url, page.url)
    check("markup in records stays text", page.locator("#body img, #body script").count() == 0)
    all_records = matched(page)
    page.keyboard.type("coun", delay=30)
    page.wait_for_selector("#list li")
    page.keyboard.press("Escape")
    page.locator("#text").fill("amount > 10")
    check("a predicate is run while it is typed", until(lambda: 0 < matched(page) < all_records))
    before = matched(page)
    page.locator("#values-country button.value").first.click()
    check("a click adds a condition", until(lambda: text(page).startswith("amount > 10 AND country == ")), text(page))
    check("the count follows", until(lambda: 0 < matched(page) < before))
    page.locator("#values-country button.value").nth(1).click()
    check("a second click makes a list", until(lambda: "country IN {" in text(page)), text(page))
    page.go_back()
    check("Back leads to the text before", until(lambda: "IN {" not in text(page)), text(page))
    page.go_forward()
    check("Forward leads on", until(lambda: "IN {" in text(page)), text(page))
    page.locator("#chips .chip").last.locator("button").first.click()
    check("a condition sleeps", until(lambda: text(page) == "amount > 10"), text(page))
    page.locator("#chips .asleep button").first.click()
    check("and wakes", until(lambda: "country IN {" in text(page)), text(page))
    page.locator("#text").fill("")
    until(lambda: matched(page) == all_records)
    box = page.locator("#histogram").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 20, steps=5)
    page.mouse.up()
    check("a brush adds a range", until(lambda: "BETWEEN {" in text(page)), text(page))
    check("nothing is requested of another host", all(one.startswith((base, "data:")) for one in page.asked))
    check("nothing is said on the console", not page.said, str(page.said[:3]))
    link = page.url
    page.context.close()
    other = browser.new_context().new_page()
    other.goto(link)
    check("a link without the key shows nothing", until(lambda: other.locator("#ask[open]").count() == 1) and other.locator("#body .row").count() == 0)
    other.locator("#key").fill(url)
    other.locator("#key-form button").click()
    check("with the key it shows the same", until(lambda: other.locator("#body .row").count() > 0 and "BETWEEN {" in text(other)))
    other.context.close()


def other_languages(browser):
    page = opened(browser)
    page.locator("#text").fill("SELECT * FROM notes WHERE amount > 40 ORDER BY amount DESC")
    check("a text of another language is understood", until(lambda: page.locator("#meant:visible").count() == 1))
    page.locator("#meant").click()
    check("and becomes a predicate", until(lambda: text(page) == "amount > 40" and matched(page) > 0), text(page))
    check("with its order", until(lambda: page.locator("#head > [aria-sort=descending]").count() == 1))
    page.context.close()


def table_and_record(browser):
    page = opened(browser)
    page.locator("#head > div", has_text="amount").first.click()
    check("a click on a title sorts", until(lambda: page.locator("#head > [aria-sort=ascending]").count() == 1))
    page.keyboard.press("Escape")
    page.locator("#grid").focus()
    page.keyboard.press("End")
    last = page.locator("#grid").get_attribute("aria-rowcount")
    row = f"#body .row[aria-rowindex='{last}']"
    check("the last row is there", until(lambda: page.locator(row).count() == 1 and "…" not in page.locator(row).inner_text()), str(last))
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])")
    before = matched(page)
    page.locator("#text").fill("owner.recordName != nil")
    until(lambda: 0 < matched(page) < before)
    page.locator("#grid").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail button.link")
    first = page.locator("#detail").get_attribute("data-id")
    page.locator("#detail dd button.link").first.click()
    check("a reference is followed", until(lambda: page.locator("#detail").get_attribute("data-id") != first))
    page.wait_for_selector("#detail h3")
    page.locator("#grid").focus()
    page.keyboard.press("[")
    check("and the way back", until(lambda: page.locator("#detail").get_attribute("data-id") == first))
    page.keyboard.press("]")
    page.locator("#detail h3 + ul button.link").first.click()
    check("who refers to it is listed", until(lambda: "recordName ==" in text(page) and matched(page) > 0), text(page))
    with page.expect_download() as download:
        page.locator("#export").select_option("csv")
    lines = pathlib.Path(download.value.path()).read_text().splitlines()
    check("what matches is saved as a file", len(lines) == matched(page) + 1, str(len(lines)))
    page.context.close()


def fields(browser):
    """What the table has and what is counted is chosen, stands in the address, and Back takes it back."""
    page = opened(browser)
    heads = lambda: page.locator("#head > div").all_inner_texts()
    sections = lambda: page.locator("#facets > section").count()
    before, counted = heads(), sections()
    page.locator("#fields").click()
    page.locator("#field-filter").fill("AMOU")
    check("names are looked for", page.locator("#field-rows tr:visible").count() == 1)
    page.get_by_label("amount: in the table").uncheck()
    page.get_by_label("amount: values counted").check()
    page.keyboard.press("Escape")
    check("a field leaves the table", until(lambda: heads() == [name for name in before if name != "amount"]), str(heads()))
    check("and its values are counted", until(lambda: sections() == counted + 1 and page.locator("#values-amount li").count() > 0))
    check("rows have the fields that are left", page.locator("#body .row").first.locator(".cell").count() == len(before) - 1)
    other = opened(browser, page.url + ("&" if "#" in page.url else "#") + "key=" + page.evaluate("sessionStorage.getItem('key')"))
    check("a link shows the same fields", until(lambda: other.locator("#values-amount li").count() > 0) and other.locator("#head > div").all_inner_texts() == heads())
    other.context.close()
    page.go_back()
    check("Back takes it back", until(lambda: heads() == before and sections() == counted), str(heads()))
    page.context.close()


def map_and_plan(browser):
    page = opened(browser)
    all_records = matched(page)
    page.locator("#tab-map").click()
    check("the map has places", until(lambda: " places in " in (page.locator("#world").get_attribute("aria-label") or "") and not (page.locator("#world").get_attribute("aria-label") or "").startswith("Map: 0")))
    page.locator("#circle").click()
    box = page.locator("#world").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.6, steps=5)
    page.mouse.up()
    check("a circle adds a condition", until(lambda: "distance(place, " in text(page)), text(page))
    check("and fewer match", until(lambda: 0 < matched(page) < all_records), str(matched(page)))
    check("and is shown in words", until(lambda: "place within " in page.locator("#chips").inner_text()), page.locator("#chips").inner_text())
    page.locator("#order").select_option(label="nearest to the circle")
    page.locator("#tab-table").click()
    check("the nearest come first", until(lambda: page.locator("#order").input_value().startswith("distance(place,") and page.locator("#body .row").count() > 0))
    page.locator("#tab-plan").click()
    check("the plan has steps", until(lambda: page.locator("#plan .step").count() > 0))
    page.locator("#tab-map").click()
    page.locator("#chips .chip").last.locator("button").last.click()
    check("the circle goes with its condition", until(lambda: text(page) == "" and matched(page) == all_records), text(page))
    page.locator("#kilometres").fill("5000")
    page.locator("#kilometres").press("Enter")
    check("a circle is drawn by its radius alone", until(lambda: "< 5000000" in text(page)), text(page))
    page.context.close()


def keyboard_alone(browser):
    page = opened(browser)
    page.keyboard.type("amount > 10")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    check("Escape leads from the predicate to the table", until(lambda: page.locator("#grid:focus").count() == 1))
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    check("Enter shows the record", until(lambda: page.locator("#detail:not([hidden])").count() == 1))
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.press("Enter")
    check("a value is chosen", until(lambda: " AND " in text(page)), text(page))
    page.keyboard.press("p")
    check("p shows the plan", until(lambda: page.locator("#plan:visible").count() == 1))
    page.keyboard.press("?")
    check("? shows the keys", until(lambda: page.locator("#keys[open]").count() == 1))
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    check("/ leads to the predicate", until(lambda: page.locator("#text:focus").count() == 1))
    page.context.close()


def zoomed(browser):
    """At 200 % of a small window, and with reduced colours: all is there, and can be reached."""
    page = opened(browser, forced_colors="active")
    page.set_viewport_size({"width": 680, "height": 410})
    for name in ("table", "map", "plan"):
        page.locator("#tab-" + name).click()
        check(f"{name} fits a small window", until(lambda: page.locator("#results, #map, #plan").locator("visible=true").count() == 1))
        wide = page.locator("body").evaluate("body => body.scrollWidth - body.clientWidth")
        check(f"{name} is no wider than the window", wide <= 0, str(wide))
    page.context.close()


def outlines(browser):
    """The outlines of the world decode to lines on the Earth; shores that enclose land are closed."""
    for name, least in (("world110", 4000), ("world50", 15000)):
        with urllib.request.urlopen(f"{base}/{name}.bin") as reply:
            numbers = iter(variable(gzip.decompress(reply.read())))
        points, closed, shores, far = 0, 0, 0, 0
        for _ in range(next(numbers)):
            kind, count, x, y, line = next(numbers), next(numbers), 0, 0, []
            for _ in range(count):
                x, y = x + zigzag(next(numbers)), y + zigzag(next(numbers))
                line.append((x, y))
                far += abs(x) > 18000 or abs(y) > 9000
            points += count
            shores += kind == 0
            closed += kind == 0 and line[0] == line[-1]
        rest = sum(1 for _ in numbers)
        check(f"{name} decodes", not rest and not far and points > least and closed == shores > 100, f"{points} points, {closed} of {shores} shores are closed, {far} points beyond the Earth")


def variable(data):
    """Numbers of seven bits a byte, the last without the eighth."""
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def zigzag(number):
    return -(number + 1) // 2 if number & 1 else number // 2


def live(browser):
    page = opened(browser)
    page.locator("#text").fill("amount == 4711")
    until(lambda: matched(page) == 0)
    time.sleep(0.5)
    print("save", flush=True)
    check("what is saved is shown", until(lambda: matched(page) == 1), str(matched(page)))
    page.context.close()


def tree(browser):
    """What a screen reader is told of the page: as tree.yaml has it."""
    page = opened(browser)
    page.locator("#text").fill("amount > 47 AND country == 'CH'")
    until(lambda: page.locator("#chips .chip").count() == 2 and 0 < matched(page) < 10)
    page.locator("#grid").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail dd")
    told = re.sub(r"found in [\d.,]+ (µs|ms)", "found in …", page.locator("body").aria_snapshot()) + "\n"
    told = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:[\d.]+", "…", told)
    if pictures:
        (pictures / "tree.yaml").write_text(told)
    expected = (pathlib.Path(__file__).parent / "tree.yaml").read_text()
    difference = difflib.unified_diff(expected.splitlines(), told.splitlines(), "expected", "told", lineterm="")
    check("the accessibility tree is as it was", told == expected, "\n".join(difference))
    page.context.close()


def accessible(browser):
    """No rule of axe is violated, in any view, light or dark."""
    sizes = {"wide": {"width": 1360, "height": 820}, "narrow": {"width": 390, "height": 800}}
    looks = [("light", "wide"), ("dark", "wide"), ("light", "narrow"), ("dark", "narrow")]
    # The narrow page has the same elements: it is checked where somebody looks at the pictures.
    for scheme, size in looks if pictures else looks[:2]:
        page = opened(browser, color_scheme=scheme)
        page.set_viewport_size(sizes[size])
        states = {
            "table": lambda: None,
            "plan": lambda: (page.locator("#text").fill("amount > 10 AND title CONTAINS 'Note'"), page.locator("#tab-plan").click()),
            "map": lambda: (page.locator("#text").fill("amount > 10 AND distance(place, 10, 20) < 5000000"), page.locator("#tab-map").click()),
            "error": lambda: (page.locator("#tab-table").click(), page.locator("#text").fill("amount ==== 3")),
            "other": lambda: page.locator("#text").fill("SELECT * FROM t WHERE amount = 3"),
            "nothing": lambda: page.locator("#text").fill("country == 'ch'"),
            "chips": lambda: (page.locator("#text").fill("country == 'CH' AND amount BETWEEN {10, 40}"), until(lambda: page.locator("#chips .chip").count() == 2), page.locator("#chips .chip button").first.click()),
            "suggestions": lambda: (page.locator("#text").fill(""), page.locator("#text").focus(), page.keyboard.type("cou"), page.wait_for_selector("#list li")),
            "record": lambda: (page.keyboard.press("Escape"), page.locator("#text").fill(""), page.locator("#grid").focus(), page.keyboard.press("j"), page.keyboard.press("j"), page.keyboard.press("Enter")),
            "keys": lambda: (page.keyboard.press("Escape"), page.locator("#help").click()),
            "fields": lambda: (page.keyboard.press("Escape"), page.locator("#fields").click()),
        }
        for name, go in states.items():
            go()
            time.sleep(0.4)
            found = Axe().run(page).response
            words = "; ".join(f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found["violations"])
            check(f"axe, {scheme}, {size}, {name}", not found["violations"], f"{len(found['passes'])} rules passed {words}")
            if pictures:
                page.screenshot(path=pictures / f"{name}-{scheme}-{size}.png")
        page.context.close()


with sync_playwright() as playwright:
    browser = launch(playwright)
    run((type_and_click, other_languages, table_and_record, fields, map_and_plan, keyboard_alone, zoomed, outlines, tree, live, accessible), browser)
    browser.close()
finish()
