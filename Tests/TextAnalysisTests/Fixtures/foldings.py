#!/usr/bin/env python3
"""Writes foldings.tsv: random texts, and their foldings by Python's own Unicode tables, as the language defines them.

Columns are code points: the text, then its form without options, with `c`, with `d` and with both. Texts are of
characters whose properties have not changed since Unicode 5.
"""

import random
import unicodedata

PIECES = (
    "a E I İ ß ẞ ﬁ Å \u212b α ᾳ Ά Σ ς й Ё \u0510 \u0511 Ա א ا か が ゔ ก क 가 각 \u1100 \u1161 \u11a8 😀 \U0001d15e 1 ǅ Ǆ ŉ "
    "ǰ ΰ և ﬃ ﬓ ᾲ ῼ Ⱥ \u2126 \u1e9b \u0300 \u0301 \u0307 \u0308 \u0323 \u0327 \u0345 \u0488 \u05b0 \u064b \u0651 "
    "\u093c \u094d \u09be \u0e31 \u0e38 \u0e48 \u3099 \u20dd \u200d \ufe0f"
).split(" ") + [" "]
LIMIT = 0x510


def stripped(text):
    """Without the non-spacing marks whose base is below the limit; other marks are no bases."""
    kept, base = [], None
    for character in text:
        category = unicodedata.category(character)
        if category[0] != "M":
            base = ord(character)
        elif category == "Mn" and base is not None and base < LIMIT:
            continue
        kept.append(character)
    return "".join(kept)


def folded(text, case, marks):
    text = unicodedata.normalize("NFD", text)
    if marks:
        text = stripped(text)
    if case:
        text = unicodedata.normalize("NFD", text.casefold())
    if marks:
        text = stripped(text)
    return unicodedata.normalize("NFC", text)


def main():
    chance = random.Random(22)
    for _ in range(1500):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 9)))
        forms = [text] + [folded(text, case, marks) for marks in (False, True) for case in (False, True)]
        print("\t".join(" ".join(f"{ord(character):04X}" for character in form) for form in forms))


if __name__ == "__main__":
    main()
