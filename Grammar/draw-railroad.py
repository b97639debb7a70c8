#!/usr/bin/env python3
"""Draws railroad.svg from PredicateFormat.ebnf: run `python3 Grammar/draw-railroad.py` after a change of the grammar.

Needs only the standard library; the same grammar gives the same bytes. The hash of the grammar is part of the drawing,
so that a test sees a stale one.
"""

import pathlib
import re
from xml.sax.saxutils import escape

FOLDER = pathlib.Path(__file__).parent
PAGE = 1180  # pixels
MARGIN = 28
CHARACTER = 7.9  # advance of one character of the monospaced type at 13 pixels
BOX = 26  # height of a box
GAP = 12  # between neighbours on a line
ROW = 12  # between lines of a choice
ARC = 9  # radius of a bend
WRAP = 760  # width at which the words of a long list go to the next line


# ---- reading the grammar -------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"\s+|(?P<comment>\(\*.*?\*\))|(?P<code>U\+[0-9A-F]{4})|(?P<exact>\"[^\"]*\")|(?P<word>'[^']*')"
    r"|(?P<special>\?[^?]*\?)|(?P<name>[A-Za-z]+)|(?P<dots>\.\.)|(?P<sign>[=;|\[\]{}()-])",
    re.S,
)


class Reader:
    """Reads productions; an expression is a tuple whose first element names its kind."""

    def __init__(self, text):
        self.tokens, position = [], 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                raise SystemExit(f"cannot read the grammar at: {text[position:position + 40]!r}")
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match.group()))
            position = match.end()
        self.place = 0
        self.sections = []

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else (None, None)

    def take(self, sign):
        if self.peek() == ("sign", sign):
            self.place += 1
            return True
        return False

    def extension(self):
        if self.peek()[0] == "comment" and self.peek()[1].strip("(* )") == "extension":
            self.place += 1
            return True
        return False

    def read(self):
        while self.place < len(self.tokens):
            kind, text = self.tokens[self.place]
            self.place += 1
            if kind == "comment":
                heading = re.fullmatch(r"\(\* ---- (.*) ---- \*\)", text)
                if heading:
                    self.sections.append((heading.group(1), []))
                continue
            if kind != "name" or not self.take("="):
                raise SystemExit(f"production expected at {text}")
            body = self.choice()
            if not self.take(";"):
                raise SystemExit(f"';' expected in {text}: {self.peek()}")
            self.sections[-1][1].append((text, body, self.extension()))
        return self.sections

    def choice(self):
        parts = []
        while True:
            part = self.sequence()
            parts.append(("marked", part) if self.extension() else part)
            if not self.take("|"):
                return parts[0] if len(parts) == 1 else ("choice", parts)

    def sequence(self):
        parts = []
        while (part := self.factor()) is not None:
            if self.take("-"):
                part = ("except", part, self.factor())
            parts.append(part)
        return parts[0] if len(parts) == 1 else ("sequence", parts)

    def factor(self):
        kind, text = self.peek()
        closing = {"(": ")", "[": "]", "{": "}"}
        if kind == "sign" and text in closing:
            self.place += 1
            inside = self.choice()
            if not self.take(closing[text]):
                raise SystemExit(f"'{closing[text]}' expected, not {self.peek()}")
            return {"(": inside, "[": ("optional", inside), "{": ("repeat", inside)}[text]
        if kind in ("exact", "word", "code", "special", "name"):
            self.place += 1
            if self.peek()[0] == "dots":
                self.place += 1
                upper = self.tokens[self.place][1]
                self.place += 1
                return ("text", f"{text[1:-1]} … {upper[1:-1]}")
            if kind == "special":
                return ("special", " ".join(text.strip("?").split()))
            if kind == "name":
                return ("name", text)
            if kind == "code":
                return ("text", chr(int(text[2:], 16)))
            return ("text" if kind == "exact" else "word", text[1:-1])
        return None


# ---- shapes: each has a width, a reach above and below its line, and draws itself ------------------------------------


def path(*steps):
    return f'<path d="{" ".join(steps)}"/>'


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def line(x1, x2, y):
    return path(f"M{number(x1)} {number(y)}H{number(x2)}") if x2 - x1 > 0.05 else ""


class Box:
    def __init__(self, text, kind, dashed=False):
        self.text, self.kind, self.dashed = text, kind, dashed
        self.width = max(len(text) * CHARACTER + 20, 30)
        self.up = self.down = BOX / 2

    def draw(self, x, y):
        style = f"{self.kind} dashed" if self.dashed else self.kind
        radius = {"name": 3, "special": 3}.get(self.kind, BOX / 2)
        shape = (
            f'<rect class="{style}" x="{number(x)}" y="{number(y - BOX / 2)}" width="{number(self.width)}"'
            f' height="{BOX}" rx="{number(radius)}"/>'
            f'<text class="{self.kind}" x="{number(x + self.width / 2)}" y="{number(y + 4.5)}">{escape(self.text)}</text>'
        )
        return f'<a href="#{self.text}">{shape}</a>' if self.kind == "name" else shape


class OneOf:
    """A long list of words as one box, the words on several lines."""

    def __init__(self, boxes):
        self.rows, row, width = [], [], 0
        for box in boxes:
            if row and width + box.width > WRAP:
                self.rows.append(row)
                row, width = [], 0
            row.append(box)
            width += box.width + 6
        self.rows.append(row)
        self.width = max(sum(b.width + 6 for b in r) for r in self.rows) + 14
        height = len(self.rows) * (BOX + 6) + 14
        self.up = BOX / 2 + 10
        self.down = height - self.up

    def draw(self, x, y):
        out = [
            f'<rect class="group" x="{number(x)}" y="{number(y - self.up)}" width="{number(self.width)}"'
            f' height="{number(self.up + self.down)}" rx="8"/>'
        ]
        for index, row in enumerate(self.rows):
            left = x + 10
            for box in row:
                out.append(box.draw(left, y + index * (BOX + 6)))
                left += box.width + 6
        return "".join(out)


class Row:
    def __init__(self, items):
        self.items = items
        self.width = sum(i.width for i in items) + GAP * (len(items) - 1)
        self.up = max(i.up for i in items)
        self.down = max(i.down for i in items)

    def draw(self, x, y):
        out = []
        for index, item in enumerate(self.items):
            if index:
                out.append(line(x, x + GAP, y))
                x += GAP
            out.append(item.draw(x, y))
            x += item.width
        return "".join(out)


class Choice:
    """Ways below each other; the first lies on the line. `None` is the way past, and lies above."""

    def __init__(self, items):
        self.past = items[0] is None
        self.items = [i for i in items if i is not None]
        self.inner = max(i.width for i in self.items)
        self.width = self.inner + 4 * ARC
        self.offsets, depth = [0], self.items[0].down
        for item in self.items[1:]:
            self.offsets.append(max(depth + ROW + item.up, 2 * ARC))
            depth = self.offsets[-1] + item.down
        self.down = depth
        self.up = self.items[0].up + (ROW + 2 if self.past else 0)
        if self.past:
            self.up = max(self.up, 2 * ARC)

    def draw(self, x, y):
        out, left, right = [], x + 2 * ARC, x + 2 * ARC + self.inner
        end = x + self.width
        if self.past:
            top = y - self.up
            out.append(
                path(
                    f"M{number(x)} {number(y)}q{ARC} 0 {ARC} -{ARC}V{number(top + ARC)}q0 -{ARC} {ARC} -{ARC}"
                    f"H{number(right)}q{ARC} 0 {ARC} {ARC}V{number(y - ARC)}q0 {ARC} {ARC} {ARC}"
                )
            )
        for item, offset in zip(self.items, self.offsets):
            level = y + offset
            start = left + (self.inner - item.width) / 2 if offset == 0 and len(self.items) == 1 else left
            if offset == 0:
                out.append(line(x, start, y))
                out.append(line(start + item.width, end, y))
            else:
                out.append(
                    path(
                        f"M{number(x)} {number(y)}q{ARC} 0 {ARC} {ARC}V{number(level - ARC)}q0 {ARC} {ARC} {ARC}"
                        f"H{number(start)}"
                    )
                )
                out.append(
                    path(
                        f"M{number(start + item.width)} {number(level)}H{number(right)}q{ARC} 0 {ARC} -{ARC}"
                        f"V{number(y + ARC)}q0 -{ARC} {ARC} -{ARC}"
                    )
                )
            out.append(item.draw(start, level))
        return "".join(out)


class Loop:
    """An item once or more; the way back below may carry a separator."""

    def __init__(self, item, back=None):
        self.item, self.back = item, back
        self.inner = max(item.width, back.width if back else 0)
        self.width = self.inner + 4 * ARC
        self.up = item.up
        self.level = max(item.down + ROW + (back.up if back else 0), 2 * ARC)
        self.down = self.level + (back.down if back else 0)

    def draw(self, x, y):
        left, right = x + 2 * ARC, x + 2 * ARC + self.inner
        start = left + (self.inner - self.item.width) / 2
        level = y + self.level
        out = [line(x, start, y), self.item.draw(start, y), line(start + self.item.width, x + self.width, y)]
        out.append(
            path(
                f"M{number(right)} {number(y)}q{ARC} 0 {ARC} {ARC}V{number(level - ARC)}q0 {ARC} -{ARC} {ARC}"
                + ("" if self.back else f"H{number(left)}q-{ARC} 0 -{ARC} -{ARC}V{number(y + ARC)}q0 -{ARC} {ARC} -{ARC}")
            )
        )
        if self.back:
            place = left + (self.inner - self.back.width) / 2
            out.append(line(place + self.back.width, right, level))
            out.append(self.back.draw(place, level))
            out.append(
                path(
                    f"M{number(place)} {number(level)}H{number(left)}q-{ARC} 0 -{ARC} -{ARC}"
                    f"V{number(y + ARC)}q0 -{ARC} {ARC} -{ARC}"
                )
            )
        return "".join(out)


# ---- from expressions to shapes --------------------------------------------------------------------------------------


def spelled(node):
    """The text of a sequence of exact terminals such as `"add" ":" "to" ":"`, else None."""
    if node[0] == "sequence" and all(p[0] == "text" for p in node[1]):
        return ("text", "".join(p[1] for p in node[1]))
    return node


def shape(node, dashed=False):
    kind = node[0]
    if kind in ("text", "word", "name", "special"):
        return Box(node[1], kind, dashed)
    if kind == "marked":
        return shape(node[1], True)
    if kind == "except":
        return Box(f"{describe(node[1])} except {describe(node[2])}", "special", dashed)
    if kind == "optional":
        return Choice([None, shape(node[1])])
    if kind == "repeat":
        return Choice([None, Loop(shape(node[1]))])
    if kind == "choice":
        parts = [spelled(p) for p in node[1]]
        plain = [p for p in parts if p[0] in ("text", "word")]
        if len(plain) < 6:
            return Choice([shape(p) for p in parts])
        others = [shape(p) for p in parts if p not in plain]
        group = OneOf([shape(p) for p in plain])
        return Choice([group] + others) if others else group
    items, parts, index = [], node[1], 0
    while index < len(parts):
        part, following = parts[index], parts[index + 1] if index + 1 < len(parts) else None
        if following and following[0] == "repeat":
            inside = following[1]
            if inside == part:
                items.append(Loop(shape(part)))
                index += 2
                continue
            if inside[0] == "sequence" and inside[1][-1] == part and len(inside[1]) == 2:
                items.append(Loop(shape(part), shape(inside[1][0])))
                index += 2
                continue
        items.append(shape(part))
        index += 1
    return Row(items)


def describe(node):
    kind = node[0]
    if kind == "choice":
        return " ".join(describe(p) for p in node[1])
    if kind == "sequence":
        return " ".join(describe(p) for p in node[1])
    return node[1]


# ---- the page --------------------------------------------------------------------------------------------------------

LIGHT = {
    "back": "#fff", "ink": "#1f2937", "soft": "#6b7280", "rail": "#64748b", "text": "#dcfce7", "textline": "#16a34a",
    "word": "#dbeafe", "wordline": "#2563eb", "name": "#fef3c7", "nameline": "#d97706", "special": "#f3f4f6",
    "specialline": "#9ca3af", "group": "#f8fafc",
}
DARK = {
    "back": "#0f172a", "ink": "#e5e7eb", "soft": "#94a3b8", "rail": "#94a3b8", "text": "#14532d", "textline": "#4ade80",
    "word": "#1e3a8a", "wordline": "#60a5fa", "name": "#78350f", "nameline": "#fbbf24", "special": "#1f2937",
    "specialline": "#6b7280", "group": "#1e293b",
}
# The colours of what is drawn: selector, fill, stroke.
COLOURS = [
    ("text", "ink", None), ("text.note", "soft", None), ("path", "none", "rail"), ("rect.page", "back", None),
    ("rect.text", "text", "textline"), ("rect.word", "word", "wordline"), ("rect.name", "name", "nameline"),
    ("rect.special", "special", "specialline"), ("rect.group", "group", "specialline"), ("circle", "rail", None),
    ("line", None, "specialline"),
]
TYPE = """
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;text-anchor:middle}
text.title,text.heading,text.large,text.note{text-anchor:start;font-family:system-ui,-apple-system,'Segoe UI',
'DejaVu Sans',sans-serif}
text.large{font-size:24px;font-weight:700}text.heading{font-size:17px;font-weight:600}
text.title{font-size:14px;font-weight:600}
""".strip().replace("\n", "")
SANS = ' text-anchor="start" font-family="DejaVu Sans,sans-serif"'
# The same for renderers without style sheets: the attributes of each kind of element.
ATTRIBUTES = {
    "text": ' font-size="13" font-family="DejaVu Sans Mono,monospace" text-anchor="middle"',
    "text.note": SANS + ' font-size="13"', "text.title": SANS + ' font-size="14" font-weight="600"',
    "text.heading": SANS + ' font-size="17" font-weight="600"',
    "text.large": SANS + ' font-size="24" font-weight="700"',
    "path": ' stroke-width="1.6"', "rect": ' stroke-width="1.4"', "rect.dashed": ' stroke-dasharray="4 3" stroke-width="2"',
}


def colour_rules(palette):
    """The colours as rules of a style sheet: without variables, which not every renderer knows."""
    rules = []
    for selector, fill, stroke in COLOURS:
        parts = [f"{name}:{palette.get(key, key)}" for name, key in (("fill", fill), ("stroke", stroke)) if key]
        rules.append(f"{selector}{{{';'.join(parts)}}}")
    return "".join(rules)


STYLE = f"{TYPE}{colour_rules(LIGHT)}@media (prefers-color-scheme:dark){{{colour_rules(DARK)}}}"


def with_attributes(drawing):
    """The drawing with the light colours as attributes, too, which style sheets override."""
    colours = {selector: (fill, stroke) for selector, fill, stroke in COLOURS}

    def attributes(match):
        element, style = match.group(1), match.group(2)
        names = [f"{element}.{part}" for part in (style or "").split()]
        fill, stroke = next((colours[name] for name in names if name in colours), colours.get(element, (None, None)))
        text = "".join(
            f' {name}="{LIGHT.get(key, key)}"' for name, key in (("fill", fill), ("stroke", stroke)) if key)
        text += next((ATTRIBUTES[name] for name in reversed(names) if name in ATTRIBUTES), ATTRIBUTES.get(element, ""))
        return match.group(0) + text

    return re.sub(r'<(text|path|rect|circle|line)(?: class="([^"]*)")?(?=[ />])', attributes, drawing)


def diagram(name, body, extension, x, y):
    """A production with its title above; returns the drawing and its size."""
    drawing = shape(body, extension)
    width = drawing.width + 44
    middle = y + 26 + drawing.up
    title = name + (" (extension)" if extension else "")
    out = [
        f'<g id="{name}"><title>{name}</title><text class="title" x="{number(x)}" y="{number(y + 13)}">{title}</text>',
        f'<circle cx="{number(x + 4)}" cy="{number(middle)}" r="4"/>',
        line(x + 4, x + 22, middle),
        drawing.draw(x + 22, middle),
        line(x + 22 + drawing.width, x + 40 + drawing.width, middle),
        f'<circle cx="{number(x + 40 + drawing.width)}" cy="{number(middle)}" r="4"/></g>',
    ]
    return "".join(out), max(width, len(title) * 8.5), 26 + drawing.up + drawing.down


def fingerprint(data):
    """FNV-1a of 64 bits: enough to see a change, and a test recomputes it in three lines."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def legend(y):
    x, out = MARGIN, []
    for text, kind, meaning in (
        ("AND", "word", "a word, in either case"),
        ("==", "text", "exactly these characters"),
        ("name", "name", "another diagram"),
        ("XID_Start", "special", "a set of characters"),
    ):
        box = Box(text, kind)
        drawn = box.draw(x, y).replace(' href="#name"', "")
        out.append(drawn)
        x += box.width + 8
        out.append(f'<text class="note" x="{number(x)}" y="{number(y + 4.5)}">{meaning}</text>')
        x += len(meaning) * 7 + 22
    box = Box("key", "text", True)
    out.append(box.draw(x, y) + f'<text class="note" x="{number(x + box.width + 8)}" y="{number(y + 4.5)}">an extension</text>')
    return "".join(out)


def page(source):
    sections = Reader(source.decode("utf-8")).read()
    out, y = [], 54
    out.append(f'<text class="large" x="{MARGIN}" y="{y}">The predicate language</text>')
    y += 34
    out.append(legend(y))
    y += 40
    for heading, productions in sections:
        y += 14
        out.append(f'<line x1="{MARGIN}" y1="{number(y)}" x2="{PAGE - MARGIN}" y2="{number(y)}"/>')
        y += 30
        out.append(f'<text class="heading" x="{MARGIN}" y="{number(y)}">{escape(heading[0].upper() + heading[1:])}</text>')
        y += 22
        x, tallest = MARGIN, 0
        for name, body, extension in productions:
            drawn, width, height = diagram(name, body, extension, x, y)
            if x > MARGIN and x + width > PAGE - MARGIN:
                x, y, tallest = MARGIN, y + tallest + 30, 0
                drawn, width, height = diagram(name, body, extension, x, y)
            if x + width > PAGE:
                raise SystemExit(f"{name} is {width:.0f} wide: too wide for the page")
            out.append(drawn)
            x += width + 46
            tallest = max(tallest, height)
        y += tallest + 20
    height = number(y + 10)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PAGE}" height="{height}" viewBox="0 0 {PAGE} {height}"'
        f' data-grammar="{fingerprint(source)}"><title>Railroad diagrams of the predicate language</title>'
        f"<style>{STYLE}</style>"
        + with_attributes(f'<rect class="page" width="{PAGE}" height="{height}"/>\n' + "\n".join(out))
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    source = (FOLDER / "PredicateFormat.ebnf").read_bytes()
    (FOLDER / "railroad.svg").write_text(page(source), encoding="utf-8")
