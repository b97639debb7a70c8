// Decides whether a text derives from the grammar: tokens by longest match, then all derivations at once.

/// A recogniser made from the grammar alone, independent of the parser it is compared with.
final class Recogniser {
    /// What the grammar says about a text.
    enum Verdict: Equatable {
        case derives
        /// No token can be read at this scalar offset.
        case noToken(at: Int)
        case doesNotDerive
    }

    private enum Node {
        case terminal(Int)
        case rule(Int)
        case sequence([Int])
        case choice([Int])
        case optional(Int)
        case repetition(Int)
    }

    private let matcher: LexicalMatcher
    private var terminals: [String: Int] = [:]
    private var symbols: [(text: [Unicode.Scalar], id: Int)] = []
    private var words: [String: Int] = [:]
    private var anyCaseWords: [String: Int] = [:]
    private var lexicalNames: [(name: String, id: Int)] = []
    private var lexicalNamesByStart: [Unicode.Scalar: [(name: String, id: Int)]] = [:]
    private var firstSets: [[Bool]] = []
    private var nodes: [Node] = []
    private var ruleIndex: [String: Int] = [:]
    private var ruleNodes: [Int] = []
    private var first: [Set<Int>] = []
    private var nullable: [Bool] = []

    init(_ grammar: Grammar) throws {
        matcher = LexicalMatcher(grammar: grammar)
        let rules = grammar.names.filter { !Grammar.isLexical($0) }
        for (index, name) in rules.enumerated() { ruleIndex[name] = index }
        for name in rules {
            guard let expression = grammar.productions[name] else { continue }
            ruleNodes.append(try node(of: expression, in: name))
        }
        symbols.sort { $0.text.count > $1.text.count }
        findFirstSets()
        firstSets = first.map { set in (0..<terminals.count).map(set.contains) }
    }

    // MARK: Compiling the grammar

    private func add(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    private func terminal(_ key: String) -> (id: Int, isNew: Bool) {
        if let id = terminals[key] { return (id, false) }
        terminals[key] = terminals.count
        return (terminals.count - 1, true)
    }

    private func node(of expression: GrammarExpression, in rule: String) throws -> Int {
        switch expression {
        case .terminal(let text, let ignoresCase): return add(.terminal(literal(text, ignoresCase)))
        case .reference(let name) where Grammar.isLexical(name):
            let (id, isNew) = terminal(name)
            if isNew { lexicalNames.append((name, id)) }
            return add(.terminal(id))
        case .reference(let name):
            guard let index = ruleIndex[name] else { throw Grammar.Failure(description: "\(name) is not defined") }
            return add(.rule(index))
        case .sequence(let parts): return add(.sequence(try parts.map { try node(of: $0, in: rule) }))
        case .choice(let parts): return add(.choice(try parts.map { try node(of: $0, in: rule) }))
        case .optional(let part): return add(.optional(try node(of: part, in: rule)))
        case .repetition(let part): return add(.repetition(try node(of: part, in: rule)))
        case .range, .special, .exception:
            throw Grammar.Failure(description: "characters in the syntactic production \(rule)")
        }
    }

    private func literal(_ text: String, _ ignoresCase: Bool) -> Int {
        let (id, isNew) = terminal(ignoresCase ? "'\(text)'" : "\"\(text)\"")
        guard isNew else { return id }
        if !matcher.matches("Word", text) {
            symbols.append((Array(text.unicodeScalars), id))
        } else if ignoresCase {
            anyCaseWords[text] = id
        } else {
            words[text] = id
        }
        return id
    }

    /// For every node the terminals it can begin with, and whether it can be empty.
    private func findFirstSets() {
        first = Array(repeating: [], count: nodes.count)
        nullable = Array(repeating: false, count: nodes.count)
        var changed = true
        while changed {
            changed = false
            for index in nodes.indices {
                let (newFirst, newNullable) = firstSet(of: nodes[index])
                if newFirst != first[index] || newNullable != nullable[index] {
                    first[index] = newFirst
                    nullable[index] = newNullable
                    changed = true
                }
            }
        }
    }

    private func firstSet(of node: Node) -> (Set<Int>, Bool) {
        switch node {
        case .terminal(let id): return ([id], false)
        case .rule(let rule): return (first[ruleNodes[rule]], nullable[ruleNodes[rule]])
        case .choice(let parts):
            return (parts.reduce(into: []) { $0.formUnion(first[$1]) }, parts.contains { nullable[$0] })
        case .optional(let part), .repetition(let part): return (first[part], true)
        case .sequence(let parts):
            var all: Set<Int> = []
            for part in parts {
                all.formUnion(first[part])
                if !nullable[part] { return (all, false) }
            }
            return (all, true)
        }
    }

    // MARK: Tokens

    /// One token: where it ends and every terminal it can be.
    private struct Token {
        var terminals: [Int]
        var end: Int
    }

    private func token(in text: [Unicode.Scalar], at start: Int) -> Token? {
        var found = Token(terminals: [], end: start)
        func propose(_ id: Int, _ end: Int) {
            if end > found.end { found = Token(terminals: [], end: end) }
            if end == found.end, end > start { found.terminals.append(id) }
        }
        if let end = matcher.longestMatch(of: "Word", in: text, from: start) {
            var word = String.UnicodeScalarView()
            word.append(contentsOf: text[start..<end])
            if let id = words[String(word)] { propose(id, end) }
            if let id = anyCaseWords[String(word).uppercased()], word.allSatisfy(\.isASCII) { propose(id, end) }
        }
        for (symbol, id) in symbols where start + symbol.count <= text.count {
            let isWordLike = symbol.count > 2
            let candidate = text[start..<start + symbol.count]
            guard
                zip(candidate, symbol).allSatisfy({ lhs, rhs in
                    lhs == rhs || isWordLike && lhs.isASCII && lhs.value & ~0x20 == rhs.value
                })
            else { continue }
            if isWordLike, isWordPart(text, start + symbol.count) || text[safe: start + symbol.count] == "-" {
                continue
            }
            propose(id, start + symbol.count)
        }
        for (name, id) in lexicalNames(beginningWith: text[start]) {
            if let end = matcher.longestMatch(of: name, in: text, from: start) { propose(id, end) }
        }
        if found.terminals.isEmpty { return nil }
        let isNumber = text[start].properties.numericType == .decimal && text[start].isASCII
        if isNumber, isWordPart(text, found.end) { return nil }
        return found
    }

    private func lexicalNames(beginningWith scalar: Unicode.Scalar) -> [(name: String, id: Int)] {
        if let known = lexicalNamesByStart[scalar] { return known }
        let names = lexicalNames.filter { matcher.canBegin(.reference($0.name), with: scalar) }
        lexicalNamesByStart[scalar] = names
        return names
    }

    private func isWordPart(_ text: [Unicode.Scalar], _ position: Int) -> Bool {
        guard let scalar = text[safe: position] else { return false }
        return LexicalMatcher.contains("XID_Continue", scalar)
    }

    // MARK: Derivations

    /// Whether the text is a predicate by the grammar. At most 127 tokens.
    func verdict(on text: String) -> Verdict {
        let scalars = Array(text.unicodeScalars)
        var tokens: [[Int]] = []
        var position = 0
        while position < scalars.count {
            if scalars[position].properties.isWhitespace {
                position += 1
                continue
            }
            guard let token = token(in: scalars, at: position) else { return .noToken(at: position) }
            tokens.append(token.terminals)
            position = token.end
        }
        guard tokens.count < 128, let start = ruleIndex["predicate"] else { return .doesNotDerive }
        var derivation = Derivation(recogniser: self, tokens: tokens)
        let ends = derivation.ends(ofRule: start, at: 0)
        return ends & (1 << UInt128(tokens.count)) != 0 ? .derives : .doesNotDerive
    }

    /// One run over one text; sets of positions are bits of a number.
    private struct Derivation {
        let recogniser: Recogniser
        let tokens: [[Int]]
        var memory: [UInt128?]

        init(recogniser: Recogniser, tokens: [[Int]]) {
            self.recogniser = recogniser
            self.tokens = tokens
            memory = Array(repeating: nil, count: recogniser.ruleNodes.count * (tokens.count + 1))
        }

        mutating func ends(ofRule rule: Int, at position: Int) -> UInt128 {
            let key = rule * (tokens.count + 1) + position
            if let known = memory[key] { return known }
            let found = ends(of: recogniser.ruleNodes[rule], at: position)
            memory[key] = found
            return found
        }

        private mutating func ends(of node: Int, at position: Int) -> UInt128 {
            let stay: UInt128 = recogniser.nullable[node] ? 1 << UInt128(position) : 0
            guard position < tokens.count, tokens[position].contains(where: { recogniser.firstSets[node][$0] }) else {
                return stay
            }
            switch recogniser.nodes[node] {
            case .terminal: return 1 << UInt128(position + 1)
            case .rule(let rule): return ends(ofRule: rule, at: position)
            case .choice(let parts):
                var all: UInt128 = 0
                for part in parts { all |= ends(of: part, at: position) }
                return all
            case .optional(let part): return ends(of: part, at: position) | stay
            case .repetition(let part):
                var all = stay
                var fresh = stay
                while fresh != 0 {
                    fresh = ends(of: part, from: fresh) & ~all
                    all |= fresh
                }
                return all
            case .sequence(let parts):
                var current: UInt128 = 1 << UInt128(position)
                for part in parts where current != 0 { current = ends(of: part, from: current) }
                return current
            }
        }

        private mutating func ends(of node: Int, from starts: UInt128) -> UInt128 {
            var all: UInt128 = 0
            var rest = starts
            while rest != 0 {
                let position = rest.trailingZeroBitCount
                rest &= rest - 1
                all |= ends(of: node, at: position)
            }
            return all
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
