"""Takes the pictures of README and of the article on exploring: picture.py URL README.png ARTICLE.png, with the URL of
`predicate explore` over the airports. The article has one for dark pages, too: ARTICLE~dark.png."""

import os
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

url, readme, article = sys.argv[1:]
predicate = "country IN {'US', 'MX'} AND elevationFeet > 3000"


def opened(browser, scheme, view=""):
    page = browser.new_context(viewport={"width": 1160, "height": 620}, color_scheme=scheme).new_page()
    page.goto(url + view)
    page.wait_for_selector("html[data-done]", state="attached")
    return page


def table(page):
    page.keyboard.type(predicate)
    page.keyboard.press("Escape")
    page.wait_for_timeout(1500)
    page.keyboard.press("Escape")


def world(page):
    """A circle on the map."""
    page.locator("#text").fill("elevationFeet > 3000 AND distance(location, 39.5, -106) < 900000")
    page.keyboard.press("Escape")


def take(page, out):
    page.wait_for_timeout(1500)
    page.screenshot(path=out)
    page.context.close()
    # A palette is enough, and half of the bytes.
    Image.open(out).convert("RGB").quantize(256).save(out, optimize=True)


with sync_playwright() as playwright:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
    for scheme, view, use, out in (
        ("light", "", table, readme),
        ("light", "&w=map,39.5,-104,7.5", world, article),
        ("dark", "&w=map,39.5,-104,7.5", world, article.replace(".png", "~dark.png")),
    ):
        page = opened(browser, scheme, view)
        use(page)
        take(page, out)
    browser.close()
