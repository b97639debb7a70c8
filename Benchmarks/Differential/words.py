"""Texts cut into words, as the engine does and as PyICU's word boundaries do.

Texts are the project's own files, and random mixtures of scripts, signs, marks and emoji. Words are segments with a
letter, a digit or an ideograph; boundaries are those of the root locale.
"""

import json
import os
import random
import subprocess

from common import Differences, arguments, run, skip

PIECES = """a b Z 9 42 3.14 1,000 don't e.g. x_y __ _ @home #tag C++ naïve Straße ÇA İi ſ ﬁ Ǆ café e\u0301 \u0301 \u0327 \u200d \u200b \u00ad
ἀρχή привет Ёж עברית מ״מ العربية ١٢٣ हिन्दी क्‍ष ภาษาไทย สวัสดี ພາສາ ខ្មែរ မြန်မာ 東京 東京都に行く カタカナ ひらがな ー 한국어 ㄱ \u1112\u1161\u11ab
𝒳 𠀀 😀 👩‍👩‍👧 🇨🇭 🇦 ☕️ 1️⃣ ① Ⅷ ² ½ ª º º. ... … — – - ' ’ " « » ( ) / \\ : ; , . ! ? ¿ · ・ 。 、 \u00a0 \u3000 \u2028 \ufeff \ufffd \u0000x
\t mm² 20°C A.B.C. www.example.org a@b.c 12:30 2024-01-02 12/3 £5 5€ 10% a:b a·b l·l a'b a''b 'a a' 1'000 1.000,00""".split(" ")


def texts(chance, count, files):
    """Lines of files, then random mixtures."""
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.strip("\r\n"):
                    yield line.strip("\r\n")
    for _ in range(count):
        spaced = chance.random() < 0.5
        pieces = [chance.choice(PIECES).replace("\n", " ") for _ in range(chance.randrange(1, 20))]
        yield "".join(piece + (" " if spaced and chance.random() < 0.7 else "") for piece in pieces)


def main():
    parser = arguments(__doc__.split("\n")[0], 20_000)
    parser.add_argument("files", nargs="*", help="more texts, read line by line")
    parser.add_argument("--chance-only", action="store_true", help="leave out the project's own files")
    options = parser.parse_args()
    try:
        import icu
    except ImportError:
        skip("PyICU is not here (Debian: python3-icu)")
    version = run([options.predicate, "--version"]).strip()
    own = [word for word in version.replace(",", " ").split() if word.startswith(icu.ICU_VERSION.split(".")[0] + ".")]
    if "ICU" in version and not own:
        skip(f"PyICU has ICU {icu.ICU_VERSION}, the command {version}")

    breaker = icu.BreakIterator.createWordInstance(icu.Locale.getRoot())

    def words(text):
        # The breaker counts UTF-16 units.
        units = text.encode("utf-16-le", "surrogatepass")
        breaker.setText(text)
        found, start = [], 0
        for end in breaker:
            if breaker.getRuleStatus() >= 100:
                found.append(units[2 * start:2 * end].decode("utf-16-le"))
            start = end
        return found

    tracked = subprocess.run(["git", "ls-files", "*.md", "*.swift", "*.txt", "*.cases", "*.c"], capture_output=True, text=True)
    files = [path for path in tracked.stdout.split("\n") if path and os.path.isfile(path)]
    files = ([] if options.chance_only else files) + options.files
    # Line ends of Unicode would end a line of standard input nowhere: only line feeds do.
    chosen = [text for text in texts(random.Random(options.seed), options.runs, files) if "\n" not in text]
    out = run(
        [options.predicate, "tokens", "--options", "", "-o", "ndjson"],
        "".join(f"{text}\n{SEPARATOR}\n" for text in chosen), statuses=(0, 1))
    differences = Differences()
    ours, current = [], []
    for line in out.split("\n"):
        if not line:
            continue
        word = json.loads(line)["word"]
        if word == SEPARATOR:
            ours.append(current)
            current = []
        else:
            current.append(word)
    assert len(ours) == len(chosen), (len(ours), len(chosen))
    count = 0
    for text, found in zip(chosen, ours):
        theirs = words(text)
        count += len(theirs)
        if found != theirs:
            differences.add(f"{text!r}\n  here  {found}\n  there {theirs}")
    differences.finish(
        f"ICU {icu.ICU_VERSION} by PyICU, seed {options.seed}: {len(chosen)} texts of {len(files)} files and chance, {count} words")


SEPARATOR = "qqseparatorqq"

main()
