"""Takes the picture of README: picture.py URL OUT, with the URL of `predicate explore` over the airports."""

import os
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

url, out = sys.argv[1:]
with sync_playwright() as playwright:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
    page = browser.new_context(viewport={"width": 1160, "height": 620}, color_scheme="light").new_page()
    page.goto(url)
    page.wait_for_selector("html[data-done]", state="attached")
    page.keyboard.type("country IN {'US', 'MX'} AND elevationFeet > 3000")
    page.keyboard.press("Escape")
    page.wait_for_timeout(1500)
    page.keyboard.press("Escape")
    page.wait_for_timeout(500)
    page.screenshot(path=out)
    browser.close()
# A palette is enough, and half of the bytes.
Image.open(out).convert("RGB").quantize(256).save(out, optimize=True)
