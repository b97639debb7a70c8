"""Tokens of a Swift file, as far as mutation needs them: brackets that match, operators with the space around them."""

import re

PATTERN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<newline>\n)|(?P<comment>//[^\n]*)|(?P<word>[A-Za-z_$`][A-Za-z0-9_$`]*)
    |(?P<number>0x[0-9A-Fa-f_]+|0b[01_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?)
    |(?P<operator>\.\.[.<]|[-+*/%<>=&|^~!?]+)|(?P<mark>[()\[\]{},;:.@\#\\])|(?P<other>.)""",
    re.VERBOSE,
)
CLOSING = {")": "(", "]": "[", "}": "{"}
PRECEDENCE = {"<<": 10, ">>": 10, "..<": 7, "...": 7, "??": 5, "&&": 3, "||": 2, "?": 1, "=": 0}
PRECEDENCE |= dict.fromkeys(["*", "/", "%", "&*", "&"], 9) | dict.fromkeys(["+", "-", "|", "^", "&+", "&-"], 8)
PRECEDENCE |= dict.fromkeys(["<", "<=", ">", ">=", "==", "!=", "===", "!==", "~="], 4)
PRECEDENCE |= dict.fromkeys(["+=", "-=", "*=", "/=", "|=", "&=", "^=", "&+=", "&-=", "&*=", "<<=", ">>=", "%="], 0)
# Words at which an operand begins or ends.
BOUNDS = set(
    "if guard while return in where case let var try await throw else switch for repeat do catch inout defer yield "
    "consume copy borrowing unsafe".split()
)


class Token:
    """A piece of the text, with where it is and whether it is set off from its neighbours."""

    def __init__(self, kind, text, start, line, after_newline, after_space):
        self.kind, self.text, self.start, self.end, self.line = kind, text, start, start + len(text), line
        self.after_newline, self.after_space = after_newline, after_space
        self.partner = self.opener = None  # indices of the bracket's other half, and of the bracket around
        self.is_infix = False


def string_end(text, start):
    """Where a string that begins at `start` ends, interpolations included."""
    hashes = len(text[start:]) - len(text[start:].lstrip("#"))
    quote = '"""' if text.startswith('"""', start + hashes) else '"'
    place, closing = start + hashes + len(quote), quote + "#" * hashes
    escape = "\\" + "#" * hashes
    while place < len(text):
        if text.startswith(closing, place):
            return place + len(closing)
        if text.startswith(escape + "(", place):
            depth, place = 1, place + len(escape) + 1
            while depth and place < len(text):
                if text[place] == '"':
                    place = string_end(text, place)
                    continue
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                place += 1
        elif text.startswith(escape, place):
            place += len(escape) + 1
        else:
            place += 1
    return place


def tokens(text):
    """The tokens of a file without space and comments."""
    found, place, line = [], 0, 1
    newline = space = True
    while place < len(text):
        if text.startswith("/*", place):
            end = text.find("*/", place)
            end = len(text) if end < 0 else end + 2
            kind = "comment"
        elif text.startswith("#/", place):
            # A regular expression: nothing in it is an expression of its own.
            end = text.find("/#", place + 2)
            end = len(text) if end < 0 else end + 2
            kind = "string"
        elif re.match(r'#*"', text[place:place + 4]):
            end, kind = string_end(text, place), "string"
        else:
            match = PATTERN.match(text, place)
            end, kind = match.end(), match.lastgroup
            if kind not in ("space", "newline", "comment", "word", "number", "operator", "mark", "other"):
                kind = "number"
        piece = text[place:end]
        if kind in ("space", "comment"):
            space = True
        elif kind == "newline":
            newline = space = True
        else:
            found.append(Token(kind, piece, place, line, newline, space))
            newline = space = False
        line += piece.count("\n")
        place = end
    connect(found)
    return found


def connect(found):
    """Matches brackets, and tells infix operators from others by the space around them."""
    open_brackets = []
    for place, token in enumerate(found):
        token.opener = open_brackets[-1] if open_brackets else None
        if token.text in ("(", "[", "{") and token.kind == "mark":
            open_brackets.append(place)
        elif token.text in CLOSING and token.kind == "mark" and open_brackets:
            token.partner = open_brackets.pop()
            found[token.partner].partner = place
            token.opener = found[token.partner].opener
        elif token.kind == "operator" and 0 < place < len(found) - 1:
            spaced = token.after_space and found[place + 1].after_space
            is_range = token.text in ("..<", "...") and not token.after_space and not found[place + 1].after_space
            token.is_infix = spaced or is_range and found[place + 1].text not in ")],"


def is_break(found, place):
    """Whether a statement or an element ends between a token and the one before it."""
    if place <= 0 or place >= len(found):
        return True
    token, before = found[place], found[place - 1]
    if not token.after_newline:
        return False
    return not (token.is_infix or before.is_infix or token.text in (".", "?.", ":") or before.text in (",", "->"))


def left(found, place):
    """The first token of the operand to the left of an infix operator; `None` where it cannot be told."""
    limit, at = PRECEDENCE.get(found[place].text), place - 1
    if limit is None:
        return None
    while at >= 0:
        token = found[at]
        if token.text in CLOSING and token.kind == "mark" and token.partner is not None:
            at = token.partner
        elif token.text in ("(", "[", "{", ",", ";", ":") and token.kind == "mark" or token.text in BOUNDS:
            break
        elif token.is_infix:
            other = PRECEDENCE.get(token.text)
            if other is None or other == limit and limit in (4, 7):
                return None
            # Operators of one precedence: what is to the left is part of the operand, but for those from the right.
            if other < limit or other == limit == 5:
                break
        if is_break(found, at):
            at -= 1
            break
        at -= 1
    first = at + 1
    if first < place and found[at].text in ("try", "as") and found[first].text in ("?", "!"):
        first += 1
    return first if first < place else None


def right(found, place):
    """The last token of the operand to the right of an infix operator; `None` where it cannot be told."""
    limit, at = PRECEDENCE.get(found[place].text), place + 1
    if limit is None:
        return None
    while at < len(found):
        token = found[at]
        if token.text in (")", "]", "}", "{", ",", ";", ":") and token.kind == "mark" or token.text in BOUNDS:
            break
        if at > place + 1 and is_break(found, at):
            break
        if token.is_infix:
            other = PRECEDENCE.get(token.text)
            if other is None:
                return None
            if other < limit or other == limit and limit != 5:
                break
        at = token.partner + 1 if token.text in ("(", "[") and token.partner else at + 1
    return at - 1 if at > place + 1 else None
