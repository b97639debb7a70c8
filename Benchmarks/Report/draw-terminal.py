#!/usr/bin/env python3
"""Draws a session of `predicate` as SVG: types the lines below in a terminal of tmux and draws its screen.

    Benchmarks/Report/draw-terminal.py .build/release/predicate Benchmarks/Report/terminal.svg

Run it from the project's folder, with tmux installed. What is drawn is what the program wrote, times included.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from html import escape

COLUMNS, ROWS = 100, 43
# What is typed; Enter follows each. The last line is left as it stands, with its completions.
LINES = [
    "predicate Benchmarks/Data/airports.ndjson.gz",
    ".fields name,city,country,elevationFeet",
    "country IN {'CH', 'AT', 'IT'} AND elevationFeet > 4000",
    "country NOT IN {'CH'} AND elevationFeet > 14900",
    ".let here = 47.3769,8.5417",
    ".sort distance(location,47.3769,8.5417)",
    "distanceToLocation:fromLocation:(location, $here) < 20000",
    ".sort relevance",
    "allTokens TOKENMATCHES[cd] 'são catarina'",
]
LAST = "iata != nil AND c"

CELL_WIDTH, CELL_HEIGHT, MARGIN, BAR = 8.4, 18, 16, 34
PALETTE = {
    30: "#3b4252", 31: "#ff7b72", 32: "#7ee787", 33: "#f2cc60", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#e6edf3",
    90: "#8b949e", 91: "#ffa198", 92: "#aff5b4", 93: "#f8e3a1", 94: "#a5d6ff", 95: "#e2c5ff", 96: "#b3f0ff", 97: "#ffffff",
}
PLAIN, GROUND = "#e6edf3", "#0d1117"


def session(command):
    """The screen after the lines were typed, with its colours as escape sequences."""
    socket = f"predicate-picture-{os.getpid()}"
    tmux = ["tmux", "-L", socket, "-f", "/dev/null"]

    def keys(*arguments):
        subprocess.run(tmux + ["send-keys", *arguments], check=True)

    def screen(*options):
        return subprocess.run(tmux + ["capture-pane", "-p", *options], check=True, capture_output=True, text=True).stdout

    def settle():
        """Waits until the screen has not changed for a while."""
        before, unchanged = None, 0
        for _ in range(200):
            time.sleep(0.1)
            now = screen()
            unchanged = unchanged + 1 if now == before else 0
            if unchanged == 5:
                return
            before = now
        sys.exit("the screen does not settle")

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as state:
        environment = {
            "PATH": f"{os.path.dirname(os.path.abspath(command))}:{os.environ['PATH']}", "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "XDG_STATE_HOME": state, "PS1": "$ ", "HOME": state, "HISTFILE": "",
        }
        shell = ["env", "-i", *[f"{name}={value}" for name, value in environment.items()], "bash", "--norc", "--noprofile"]
        subprocess.run(tmux + ["new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), *shell], check=True)
        try:
            settle()
            for line in LINES:
                keys("-l", line)
                keys("Enter")
                settle()
            keys("-l", LAST)
            keys("Tab")
            settle()
            return screen("-e")
        finally:
            subprocess.run(tmux + ["kill-server"])


def runs(line):
    """The stretches of a line of one style: column, text, colour, bold, dim, reversed."""
    column, style = 0, {"colour": None, "bold": False, "dim": False, "reverse": False}
    for codes, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
        if text:
            yield column, text, dict(style)
            column += sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
            continue
        for code in [int(c) for c in codes.split(";") if c] or [0]:
            if code == 0:
                style = {"colour": None, "bold": False, "dim": False, "reverse": False}
            elif code == 1:
                style["bold"] = True
            elif code == 2:
                style["dim"] = True
            elif code == 22:
                style["bold"] = style["dim"] = False
            elif code in (7, 27):
                style["reverse"] = code == 7
            elif code == 39:
                style["colour"] = None
            elif code in PALETTE:
                style["colour"] = PALETTE[code]


def picture(screen):
    lines = screen.rstrip("\n").split("\n")
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = len(lines) * CELL_HEIGHT + BAR + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" '
        'font-size="14">',
        "<title>A session of predicate: queries, words, distances, a hint, and completion</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
    ]
    out += [f'<circle cx="{20 + 20 * i}" cy="17" r="6" fill="{c}"/>' for i, c in enumerate(["#ff5f57", "#febc2e", "#28c840"])]
    for row, line in enumerate(lines):
        y = BAR + row * CELL_HEIGHT + 13
        for column, text, style in runs(line):
            if not text.strip() and not style["reverse"]:
                continue
            lead = len(text) - len(text.lstrip(" ")) if not style["reverse"] else 0
            column, text = column + lead, text[lead:] if style["reverse"] else text[lead:].rstrip(" ")
            cells = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
            x, fill = MARGIN + column * CELL_WIDTH, style["colour"] or PLAIN
            if style["reverse"]:
                out.append(
                    f'<rect x="{x:g}" y="{y - 13:g}" width="{cells * CELL_WIDTH:g}" height="{CELL_HEIGHT}" fill="{fill}"/>')
                fill = GROUND
            extra = (' font-weight="bold"' if style["bold"] else "") + (' opacity="0.6"' if style["dim"] else "")
            out.append(
                f'<text x="{x:g}" y="{y:g}" textLength="{cells * CELL_WIDTH:g}" fill="{fill}"{extra} '
                f'xml:space="preserve">{escape(text)}</text>')
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    drawn = picture(session(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(drawn)
