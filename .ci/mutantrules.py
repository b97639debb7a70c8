"""The rules by which `.ci/mutants` changes a program: each gives an expression that is one thing or the other."""

import hashlib

from swifttokens import BOUNDS, is_break, left, right, tokens

# In the text of a mutant: the call that tells whether it is on.
SWITCH = "\0"
SWAPS = {
    "<": [("boundary", "<="), ("comparison", ">")],
    "<=": [("boundary", "<"), ("comparison", ">=")],
    ">": [("boundary", ">="), ("comparison", "<")],
    ">=": [("boundary", ">"), ("comparison", "<=")],
    "==": [("comparison", "!=")],
    "!=": [("comparison", "==")],
    "&&": [("negation", "||")],
    "||": [("negation", "&&")],
}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "|=", "&=", "^=", "&+=", "/="}
# Words with which a statement begins that is no call and no assignment.
STATEMENTS = BOUNDS | set(
    "func struct class enum extension protocol import typealias init deinit subscript actor public package internal "
    "private fileprivate static final override mutating nonmutating lazy weak unowned indirect associatedtype some any "
    "break continue fallthrough default operator prefix postfix infix precedencegroup get set willSet didSet super "
    "convenience required nonisolated isolated macro precondition preconditionFailure fatalError assert "
    "assertionFailure discard throws async".split()
) - {"try", "await"}


def digest(text):
    """What tells a text from others."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Mutant:
    """A change of a stretch of a file; `SWITCH` in its text stands for the call that tells whether it is on."""

    def __init__(self, file, line, last_line, start, end, rule, before, after, text):
        self.file, self.line, self.last_line, self.start, self.end = file, line, last_line, start, end
        self.rule, self.before, self.after, self.text = rule, before, after, text
        self.number = 0
        # The line on which it begins, and where in it, from 1.
        self.whole_line, self.column = "", 1
        # Tells the text of the file from others.
        self.digest = ""

    @property
    def place(self):
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def key(self):
        """Tells it from all other mutants of this and other texts of the file."""
        return f"{self.digest} {self}"

    @property
    def module(self):
        return self.file.split("/")[1]

    def __str__(self):
        squeeze = lambda text: " ".join(text.split())[:100]
        return f"{self.place}: {self.rule}: `{squeeze(self.before)}` -> `{squeeze(self.after)}`"


class Rules:
    """All mutants of one file."""

    def __init__(self, file, text):
        self.file, self.text, self.tokens, self.lines = file, text, tokens(text), text.split("\n")
        self.digest = digest(text)
        self.found = []
        self.excluded = self.patterns()

    def patterns(self):
        """Tokens of patterns and attributes, which must stay what they are, and of what only debug builds check."""
        excluded, found = set(), self.tokens
        for place, token in enumerate(found):
            at = place + 1
            if token.text == "case" and token.kind == "word":
                while at < len(found) and found[at].text not in (":", "=") and not is_break(found, at):
                    at = found[at].partner + 1 if found[at].text in "([" and found[at].partner else at + 1
            elif token.text in ("@", "#") and token.kind == "mark":
                at += 1
                if at < len(found) and found[at].text == "(" and not found[at].after_space:
                    at = found[at].partner or at
            elif token.text in ("assert", "precondition") and found[at].text == "(":
                at = found[at].partner or at
            else:
                continue
            excluded.update(range(place, at))
        return excluded

    def source(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def add(self, rule, first, last, after, text, before=None):
        start, end = self.tokens[first], self.tokens[last]
        last_line = end.line + end.text.count("\n")
        if start.start >= end.end or any(place in self.excluded for place in (first, last)):
            return
        before = self.source(first, last) if before is None else before
        mutant = Mutant(self.file, start.line, last_line, start.start, end.end, rule, before, after, text)
        mutant.digest, mutant.whole_line = self.digest, self.lines[start.line - 1]
        mutant.column = start.start - self.text.rfind("\n", 0, start.start)
        self.found.append(mutant)

    def all(self):
        for place, token in enumerate(self.tokens):
            if place in self.excluded:
                continue
            if token.is_infix:
                self.infix(place, token)
            elif token.kind == "number" or token.text in ("true", "false"):
                self.literal(place, token)
            elif token.text == "!" and token.after_space | (self.tokens[place - 1].text in "([{!"):
                self.prefix(place)
            elif token.text in ("if", "guard", "while") and token.kind == "word":
                self.conditions(place, token.text)
            elif token.text == "(" and place and not token.after_space:
                self.arguments(place)
            if token.kind == "word" and token.text not in STATEMENTS or token.text in ("try", "_"):
                self.statement(place)
        return self.found

    def infix(self, place, token):
        if self.tokens[place - 1].text in ("func", "operator"):
            return
        first, last = left(self.tokens, place), right(self.tokens, place)
        if first is None or last is None or self.tokens[first - 1].text == "where":
            return
        one, other = self.source(first, place - 1), self.source(place + 1, last)
        whole = self.source(first, last)
        for rule, operator in SWAPS.get(token.text, []):
            if token.text in ("==", "!=") and "nil" in (one, other):
                rule = "nil"
            after = f"{one} {operator} {other}"
            self.add(rule, first, last, after, f"({SWITCH} ? ({after}) : ({whole}))")
        if token.text in ("&&", "||"):
            self.add("removed", first, last, one, f"({SWITCH} ? ({one}) : ({whole}))")
        elif token.text == "??":
            self.add("nil", first, last, other, f"({SWITCH} ? ({other}) : ({whole}))")
        elif token.text == "..<":
            self.add("boundary", place + 1, last, f"{other} - 1", f"({SWITCH} ? ({other}) - 1 : ({other}))")
        elif token.text in ("+", "-") and not one.endswith('"') and not other.startswith('"'):
            operator = "-" if token.text == "+" else "+"
            after = f"{one} {operator} {other}"
            self.add("arithmetic", first, last, after, f"({SWITCH} ? ({after}) : ({whole}))")

    def literal(self, place, token):
        if self.tokens[place - 1].text == "." or "." in token.text or self.tokens[place - 1].text in ("..<", "..."):
            return
        if token.kind == "number":
            self.add("boundary", place, place, f"{token.text} + 1", f"({SWITCH} ? {token.text} + 1 : {token.text})")
        elif self.tokens[place - 1].text in ("return", ":", ":=", "{"):
            other = "false" if token.text == "true" else "true"
            self.add("negation", place, place, other, f"({SWITCH} ? {other} : {token.text})")

    def prefix(self, place):
        """The operand of a negation: a path of names, calls and subscripts."""
        at = place + 1
        if at >= len(self.tokens) or self.tokens[at].after_space:
            return
        while at < len(self.tokens):
            token = self.tokens[at]
            if at > place + 1 and token.after_space or token.text in (",", ")", "]", "}", ";", ":", "{"):
                break
            at = token.partner + 1 if token.text in ("(", "[") and token.partner else at + 1
        operand = self.source(place + 1, at - 1)
        self.add("negation", place, at - 1, operand, f"({SWITCH} ? {operand} : !{operand})")

    def conditions(self, place, word):
        elements, first, at = [], place + 1, place + 1
        while at < len(self.tokens):
            token = self.tokens[at]
            # The end of a loop whose condition comes last.
            if word == "while" and is_break(self.tokens, at) and token.text != "{":
                elements.append((first, at - 1))
                break
            if token.text in ("{", "else", ",") and token.kind in ("mark", "word"):
                elements.append((first, at - 1))
                first = at + 1
                if token.text != ",":
                    break
            at = token.partner + 1 if token.text in ("(", "[") and token.partner else at + 1
        for first, last in elements:
            if first > last or self.tokens[first].text == "#":
                continue
            condition = self.source(first, last)
            start = self.tokens[first].text
            if start in ("let", "var", "case"):
                if word == "if" and start != "case":
                    self.add("nil", first, first, "never " + condition, f"!{SWITCH}, {start}", condition)
            elif start not in ("try", "await"):
                never = word != "guard" and len(elements) == 1
                text = f"(!{SWITCH} && ({condition}))" if never else f"({SWITCH} || ({condition}))"
                self.add("removed", first, last, "false" if never else "true", text)

    def arguments(self, place):
        """Two arguments beside each other, of the same label or of none, in each other's place."""
        elements, first, at, end = [], place + 1, place + 1, self.tokens[place].partner
        before = self.tokens[place - 1]
        if end is None or before.kind != "word" or self.tokens[place - 2].text == "func":
            return
        if before.text in STATEMENTS or before.text in ("min", "max"):
            return
        while at <= end:
            token = self.tokens[at]
            if at == end or token.text == "," and token.kind == "mark":
                elements.append((first, at - 1))
                first = at + 1
            at = token.partner + 1 if token.text in ("(", "[", "{") and token.partner else at + 1
        for (first, last), (other, end) in zip(elements, elements[1:]):
            words = self.source(first, end).replace(",", " ").split()
            if first != last or other != end or len(words) != 2 or words[0] == words[1]:
                continue
            one, two = words
            if self.tokens[first].kind == "word" == self.tokens[end].kind:
                text = f"({SWITCH} ? {two} : {one}), ({SWITCH} ? {one} : {two})"
                self.add("swapped", first, end, f"{two}, {one}", text)

    def statement(self, place):
        found = self.tokens
        token, opener = found[place], found[place].opener
        if opener is None or found[opener].text != "{" or place == 0:
            return
        if not (found[place - 1].text in ("{", ";") or is_break(found, place)):
            return
        at, operators, is_call = place, set(), False
        while at < len(found):
            piece = found[at]
            if at > place and is_break(found, at) or piece.text in ("}", ";"):
                break
            if piece.text in ("(", "[", "{") and piece.partner:
                is_call = piece.text != "["
                at = piece.partner + 1
                continue
            if piece.text == ":" and at == place + 1 or piece.text in ("else", "in"):
                return
            if piece.is_infix:
                operators.add(piece.text)
            is_call = False
            at += 1
        whole = self.source(place, at - 1)
        # What a member is set to at first has to stay, or nothing compiles.
        is_assignment = operators & ASSIGNMENTS and not whole.startswith("self.")
        # The only expression of a closure or of a getter is its value.
        is_value = found[place - 1].text == "{" and found[at].text == "}" and not self.is_block(opener)
        is_call = is_call and not operators and not is_value and not whole.startswith("self.init")
        if is_assignment or is_call:
            self.add("removed", place, at - 1, "", f"if !{SWITCH} {{ {whole} }}")

    def is_block(self, opener):
        """Whether a brace opens the body of a statement, or of a function without a result."""
        words, at = set(), opener
        while at > 0 and not is_break(self.tokens, at) and self.tokens[at - 1].text not in ("{", ";"):
            at -= 1
            words.add(self.tokens[at].text)
        blocks = {"if", "else", "for", "while", "defer", "do", "catch"}
        return bool(words & blocks) or "func" in words and "->" not in words


def mutants(file, text):
    """All mutants of a file, in the order of their places."""
    return sorted(Rules(file, text).all(), key=lambda mutant: (mutant.start, mutant.end))
