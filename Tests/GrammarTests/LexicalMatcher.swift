// Matches the lexical productions of the grammar against characters.

/// Finds where a lexical expression can end, by following all its ways at once.
struct LexicalMatcher {
    let grammar: Grammar

    /// True unless no match of the expression can begin with the character.
    func canBegin(_ expression: GrammarExpression, with scalar: Unicode.Scalar) -> Bool {
        switch expression {
        case .terminal, .range, .special: !ends(expression, [scalar], 0).isEmpty || startsLonger(expression, scalar)
        case .reference(let name): grammar.productions[name].map { canBegin($0, with: scalar) } ?? false
        case .sequence(let parts):
            // Conservative: what may be empty in front lets anything pass.
            parts.first.map { if case .optional = $0 { true } else { canBegin($0, with: scalar) } } ?? true
        case .choice(let parts): parts.contains { canBegin($0, with: scalar) }
        case .optional, .repetition: true
        case .exception(let part, _): canBegin(part, with: scalar)
        }
    }

    private func startsLonger(_ expression: GrammarExpression, _ scalar: Unicode.Scalar) -> Bool {
        guard case .terminal(let text, let ignoresCase) = expression, let first = text.unicodeScalars.first else {
            return false
        }
        return Self.equal(scalar, first, ignoresCase)
    }

    /// The longest match of a lexical production that begins at `start`, if there is one.
    func longestMatch(of name: String, in text: [Unicode.Scalar], from start: Int) -> Int? {
        ends(.reference(name), text, start).max()
    }

    /// True if the production matches all of the text.
    func matches(_ name: String, _ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return ends(.reference(name), scalars, 0).contains(scalars.count)
    }

    /// True if one character is of a set that the grammar describes in words.
    static func contains(_ set: String, _ scalar: Unicode.Scalar) -> Bool {
        switch set {
        case "any character": true
        case "XID_Start": scalar.properties.isXIDStart
        case "XID_Continue": scalar.properties.isXIDContinue
        default: false
        }
    }

    /// All positions at which a match that begins at `start` can end.
    func ends(_ expression: GrammarExpression, _ text: [Unicode.Scalar], _ start: Int) -> Set<Int> {
        switch expression {
        case .terminal(let wanted, let ignoresCase):
            var position = start
            for scalar in wanted.unicodeScalars {
                guard position < text.count, Self.equal(text[position], scalar, ignoresCase) else { return [] }
                position += 1
            }
            return [position]
        case .range(let first, let last):
            return start < text.count && (first...last).contains(text[start]) ? [start + 1] : []
        case .special(let set):
            return start < text.count && Self.contains(set, text[start]) ? [start + 1] : []
        case .reference(let name):
            return grammar.productions[name].map { ends($0, text, start) } ?? []
        case .sequence(let parts):
            var positions: Set<Int> = [start]
            for part in parts {
                positions = positions.reduce(into: []) { $0.formUnion(ends(part, text, $1)) }
                if positions.isEmpty { break }
            }
            return positions
        case .choice(let alternatives):
            return alternatives.reduce(into: []) { $0.formUnion(ends($1, text, start)) }
        case .optional(let part): return ends(part, text, start).union([start])
        case .repetition(let part):
            var all: Set<Int> = [start]
            var fresh: Set<Int> = [start]
            while !fresh.isEmpty {
                var next: Set<Int> = []
                for position in fresh { next.formUnion(ends(part, text, position)) }
                fresh = next.subtracting(all)
                all.formUnion(fresh)
            }
            return all
        case .exception(let part, let but):
            return ends(part, text, start).subtracting(ends(but, text, start))
        }
    }

    private static func equal(_ first: Unicode.Scalar, _ second: Unicode.Scalar, _ ignoresCase: Bool) -> Bool {
        if first == second { return true }
        guard ignoresCase, first.isASCII, second.isASCII, first.properties.isAlphabetic else { return false }
        return first.value | 0x20 == second.value | 0x20
    }
}
