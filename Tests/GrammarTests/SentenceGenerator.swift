// Random sentences of the grammar.
import _TestSupport

/// Derives sentences at random; the same seed gives the same sentences.
struct SentenceGenerator {
    private let grammar: Grammar
    private let matcher: LexicalMatcher
    /// Productions that are not chosen, because a rule beside the grammar restricts them.
    private let excluded: Set<String>
    private var depths: [String: Int] = [:]
    private var random: SplitMix64

    init(_ grammar: Grammar, seed: UInt64, excluding excluded: Set<String>) {
        self.grammar = grammar
        self.excluded = excluded
        matcher = LexicalMatcher(grammar: grammar)
        random = SplitMix64(seed: seed)
        findDepths()
    }

    /// The tokens of one sentence; `budget` bounds how deep the derivation goes.
    mutating func tokens(budget: Int) -> [String] {
        var tokens: [String] = []
        derive(.reference("predicate"), budget, into: &tokens)
        return tokens
    }

    /// Joins tokens with white space of many kinds, and with none where two tokens cannot run together.
    mutating func join(_ tokens: [String]) -> String {
        var text = chance(10) ? " " : ""
        for (index, token) in tokens.enumerated() {
            if index > 0 {
                let previous = tokens[index - 1]
                let isTight = "(){},]".contains(previous.last ?? " ") || "(){},]".contains(token.first ?? " ")
                text += isTight && chance(50) ? "" : chance(90) ? " " : pick(["\t", "\n", "  ", "\u{A0}", "\r\n"])
            }
            text += token
        }
        return chance(10) ? text + "\n" : text
    }

    /// True in the given share of calls, in percent.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: Depths: how many productions the shortest derivation passes

    private mutating func findDepths() {
        for name in grammar.names { depths[name] = excluded.contains(name) ? 1_000_000 : 1000 }
        var changed = true
        while changed {
            changed = false
            for name in grammar.names where !excluded.contains(name) {
                guard let expression = grammar.productions[name] else { continue }
                let depth = self.depth(of: expression) + 1
                if depth < depths[name, default: 1000] {
                    depths[name] = depth
                    changed = true
                }
            }
        }
    }

    private func depth(of expression: GrammarExpression) -> Int {
        switch expression {
        case .terminal, .range, .special, .optional, .repetition: 0
        case .reference(let name): depths[name, default: 1000]
        case .sequence(let parts): parts.map(depth).max() ?? 0
        case .choice(let parts): parts.map(depth).min() ?? 0
        case .exception(let part, _): depth(of: part)
        }
    }

    // MARK: Deriving

    private mutating func derive(_ expression: GrammarExpression, _ budget: Int, into tokens: inout [String]) {
        switch expression {
        case .terminal(let text, let ignoresCase): tokens.append(ignoresCase ? anyCase(text) : text)
        case .reference(let name) where Grammar.isLexical(name): tokens.append(lexeme(name))
        case .reference(let name):
            if let body = grammar.productions[name] { derive(body, budget - 1, into: &tokens) }
        case .sequence(let parts): for part in parts { derive(part, budget, into: &tokens) }
        case .choice(let parts): derive(alternative(parts, budget), budget, into: &tokens)
        case .optional(let part):
            if depth(of: part) < budget, chance(40) { derive(part, budget, into: &tokens) }
        case .repetition(let part):
            while depth(of: part) < budget, chance(15) { derive(part, budget, into: &tokens) }
        case .range, .special, .exception: break
        }
    }

    /// One alternative that fits into the budget, or the shortest.
    private mutating func alternative(_ parts: [GrammarExpression], _ budget: Int) -> GrammarExpression {
        let shortest = parts.map(depth).min() ?? 0
        return pick(parts.filter { depth(of: $0) <= max(shortest, min(budget, 999)) })
    }

    /// A token of a lexical production. What the grammar cannot say is repaired here: a number must be finite, a length
    /// of time not too long.
    private mutating func lexeme(_ name: String) -> String {
        while true {
            var text = ""
            spell(.reference(name), into: &text)
            if name == "Duration", text.utf8.count > 12 { continue }
            if name != "Number" || text.contains("x") || Double(text)?.isInfinite != true { return text }
        }
    }

    private mutating func spell(_ expression: GrammarExpression, into text: inout String) {
        switch expression {
        case .terminal(let wanted, let ignoresCase): text += ignoresCase ? anyCase(wanted) : wanted
        case .range(let first, let last):
            let code = UInt32.random(in: first.value...last.value, using: &random)
            if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
        case .special(let set): text += character(of: set)
        case .reference(let name): if let body = grammar.productions[name] { spell(body, into: &text) }
        case .sequence(let parts): for part in parts { spell(part, into: &text) }
        case .choice(let parts): spell(pick(parts), into: &text)
        case .optional(let part): if chance(50) { spell(part, into: &text) }
        case .repetition(let part): while chance(60) { spell(part, into: &text) }
        case .exception(let part, let but):
            while true {
                var candidate = ""
                spell(part, into: &candidate)
                let scalars = Array(candidate.unicodeScalars)
                if matcher.ends(but, scalars, 0).contains(scalars.count) { continue }
                text += candidate
                return
            }
        }
    }

    private mutating func character(of set: String) -> String {
        switch set {
        case "XID_Start": pick(["a", "b", "x", "name", "K", "é", "名", "Ω"])
        case "XID_Continue": pick(["a", "z", "B", "_", "0", "9", "é", "\u{301}"])
        default: pick(Self.characters)
        }
    }

    private static let characters = [
        "a", "Z", "5", " ", "\n", "'", "\"", "\\", "%", "@", "#", "é", "東", "😀", "e\u{301}", "\u{200D}", "ß",
    ]

    private mutating func anyCase(_ word: String) -> String {
        let way = Int.random(in: 0..<6, using: &random)
        if way < 5 { return way < 3 ? word : word.lowercased() }
        return String(word.map { chance(50) ? Character($0.lowercased()) : $0 })
    }
}
