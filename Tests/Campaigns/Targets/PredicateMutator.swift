// Predicate texts like other ones, most of which parse.

import PredicateSyntax

/// Changes predicate texts as trees, as tokens and as characters.
struct PredicateMutator {
    private var generator: SeededGenerator
    private var queries: RandomPredicates

    /// Pieces that mutations put in: every kind of token, and bytes that are none.
    private static let pieces = [
        " AND ", " OR ", "NOT ", "(", ")", "{", "}", "[", "]", ",", ".", "'", "\"", "\\", "\\u00e9", "\\ud83d", "%@",
        "%K", "%ld", "%",
        "$x", "$", "#size", "#'a b'", "#", "@count", "@", "==", "!=", "<=", ">>", "**", "-", "~", "|", "&", "^",
        "UNION ", " BETWEEN {1, 2}",
        " IN {1, 'a'}", "[cd]", "[x]", "ANY ", "ALL ", "NONE ", "SUBQUERY(tags, $t, $t == 'a').@count",
        "TERNARY(a == 1, 2, 3)",
        "CAST(1, 'NSDate')", "FUNCTION(text, 'length')", "distanceToLocation:fromLocation:(place, %@)",
        "tokenize(body, 'cd')", "SELF",
        "nil", "TRUE", "0x1F", "1e400", "9223372036854775808", ".5", "1abc", "LIKE '*a*'", "MATCHES '(a+)+$'",
        "TOKENMATCHES[cdl] 'a'",
        "TOKENMATCHES[cp] 'a b'", "[p]",
        "allTokens", "IS NULL", ";", "//", "\u{0}", "東京", "é", "👩‍👩‍👧", "\u{202E}", "size", "text[0]", "text[FIRST]",
    ]

    /// Values that take the place of others.
    private static let values = [
        "whole", "small", "text", "tags", "numbers", "place", "date", "owner", "owner.few", "friends.small", "tags[0]",
        "tags.@count", "numbers.@sum.SELF", "nil", "TRUE", "0", "-1", "9223372036854775807", "-9223372036854775808",
        "1e308", "0.5", "''", "'é'", "'a\\u0000b'", "{}", "{1, 'a', nil}", "%@", "$x", "SELF", "allTokens",
        "length(text)", "uppercase(text)", "abs(small)", "CAST(whole, 'NSString')", "CAST('1', 'NSNumber')", "now()",
        "tokenize(body, 'cd')", "TERNARY(small > 1, whole, 2)", "SUBQUERY(numbers, $n, $n > 1)", "small ** 2",
        "whole * 3", "7 / small", "modulus:by:(whole, 3)", "whole << small", "~whole", "tags UNION numbers",
        "distanceToLocation:fromLocation:(place, %@)", "stddev(numbers)", "median(numbers)", "numbers[LAST]",
    ]

    init(seed: UInt64) { self.init(SeededGenerator(seed: seed)) }

    init(_ generator: SeededGenerator) {
        self.generator = generator
        queries = RandomPredicates(seed: self.generator.next())
    }

    /// A text that differs in up to three places.
    mutating func mutated(_ text: String) -> String {
        var text = text
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: text = withOtherCharacters(text)
            case 1, 2: text = withOtherTokens(text)
            default: text = withOtherParts(text) ?? withOtherTokens(text)
            }
        }
        return text
    }

    // MARK: Trees

    /// Puts another part in the place of one, of the same kind; `nil` for a text that does not parse.
    private mutating func withOtherParts(_ text: String) -> String? {
        guard let tree = try? SyntaxTree(parsing: text) else { return nil }
        let parts = TreeParts(tree)
        guard generator.oneIn(2), !parts.values.isEmpty else {
            let place = generator.pick(parts.predicates)
            return replaced(place, in: text, with: predicate(text, place, parts))
        }
        let place = generator.pick(parts.values)
        let value = generator.oneIn(2) ? generator.pick(Self.values) : Self.part(generator.pick(parts.values), of: text)
        return replaced(place, in: text, with: generator.oneIn(3) ? "(\(value))" : value)
    }

    private mutating func predicate(_ text: String, _ place: Range<Int>, _ parts: TreeParts) -> String {
        let old = Self.part(place, of: text)
        let other = generator.oneIn(2) ? queries.query().text : Self.part(generator.pick(parts.predicates), of: text)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return "NOT (\(old))"
        case 1: return "(\(old)) AND (\(other))"
        case 2: return "((\(other)) OR (\(old)))"
        case 3: return "SUBQUERY(tags, $t, \(old)).@count > 0"
        case 4: return "TERNARY(\(old), 1, 0) == 1"
        default: return "(\(other))"
        }
    }

    private static func part(_ place: Range<Int>, of text: String) -> String {
        String(decoding: Array(text.utf8)[place], as: UTF8.self)
    }

    private func replaced(_ place: Range<Int>, in text: String, with other: String) -> String {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(place, with: Array(other.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Tokens and characters

    private mutating func withOtherTokens(_ text: String) -> String {
        let tokens = LexicalToken.tokens(of: text).filter { !$0.range.isEmpty }
        guard !tokens.isEmpty else { return withOtherCharacters(text) }
        let place = generator.pick(tokens)
        let alike = tokens.filter { $0.kind == place.kind }
        let other =
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: ""
            case 1: Self.part(place.range, of: text) + " " + Self.part(place.range, of: text)
            case 2: generator.pick(Self.pieces)
            default: Self.part(generator.pick(alike).range, of: text)
            }
        return replaced(place.range, in: text, with: other)
    }

    private mutating func withOtherCharacters(_ text: String) -> String {
        var characters = Array(text.unicodeScalars)
        let place = Int.random(in: 0...characters.count, using: &generator)
        let end = min(characters.count, place + Int.random(in: 0...6, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: characters.removeSubrange(place..<end)
        case 1: characters.insert(contentsOf: characters[place..<end], at: place)
        case 2: characters.insert(contentsOf: generator.pick(Self.pieces).unicodeScalars, at: place)
        default: characters.replaceSubrange(place..<end, with: generator.pick(Self.pieces).unicodeScalars)
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: characters)
        return String(result)
    }
}

/// Where the predicates and the values of a tree stand in its text.
private struct TreeParts {
    var predicates: [Range<Int>] = []
    var values: [Range<Int>] = []

    init(_ tree: SyntaxTree) {
        tree.root.forEachPart { part in
            switch part {
            case .predicate(let node): predicates.append(node.span.range)
            case .expression(let node): values.append(node.span.range)
            case .step: break
            }
        }
    }
}
