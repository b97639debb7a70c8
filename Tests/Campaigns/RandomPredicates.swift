// Random predicates over the fields of random records: most of them mean something, some of them fail.

import FoundationEssentials
import RecordModel

/// Makes predicate texts with their arguments.
struct RandomPredicates {
    /// A predicate with the values of its placeholders.
    struct Query {
        var text: String
        var arguments: [FieldValue]
    }

    var generator: SeededGenerator
    var arguments: [FieldValue] = []

    /// Whether texts are asked for above all.
    private let isTextual: Bool

    init(seed: UInt64) { self.init(SeededGenerator(seed: seed)) }

    init(_ generator: SeededGenerator) {
        self.generator = generator
        isTextual = self.generator.oneIn(3)
    }

    mutating func query() -> Query {
        arguments = []
        let text = predicate(depth: Int.random(in: 0...3, using: &generator))
        return Query(text: text, arguments: arguments)
    }

    private mutating func predicate(depth: Int) -> String {
        guard depth > 0 else { return comparison() }
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: return joined(" AND ", depth)
        case 2, 3: return joined(" OR ", depth)
        case 4: return "NOT (\(predicate(depth: depth - 1)))"
        case 5: return generator.pick(["TRUEPREDICATE", "FALSEPREDICATE"])
        case 6, 7: return related()
        default: return comparison()
        }
    }

    private mutating func joined(_ connective: String, _ depth: Int) -> String {
        (0..<Int.random(in: 2...4, using: &generator)).map { _ in "(\(predicate(depth: depth - 1)))" }
            .joined(separator: connective)
    }

    /// Several questions about one field, which may be joined, repeat or contradict each other.
    private mutating func related() -> String {
        let connective = generator.pick([" AND ", " AND ", " OR "])
        let kind = Int.random(in: 0..<6, using: &generator)
        let field = generator.pick(
            [
                ["whole", "small", "fraction", "mixed", "wide", "flag"], ["text", "few", "unique"], ["tags"],
                ["numbers"], ["date"], ["place"],
            ][kind])
        let parts = (0..<Int.random(in: 2...4, using: &generator)).map { _ -> String in
            let part = generator.oneIn(6) ? comparison() : query(about: field, kind: kind)
            return generator.oneIn(5) ? "NOT (\(part))" : part
        }
        let repeated = generator.oneIn(5) ? parts + [parts[0]] : parts
        // Repetition takes the same arguments once more.
        return parts.contains { $0.contains("%") }
            ? parts.joined(separator: connective) : repeated.joined(separator: connective)
    }

    private mutating func query(about field: String, kind: Int) -> String {
        let relation = generator.pick(["==", "==", "!=", "<", "<=", ">", ">="])
        if generator.oneIn(8) { return "\(field) \(generator.pick(["==", "!="])) nil" }
        switch kind {
        case 0:
            func small(_ generator: inout SeededGenerator) -> Int { Int.random(in: -1...4, using: &generator) }
            let (a, b, c) = (small(&generator), small(&generator), small(&generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: return "\(field) BETWEEN {\(a), \(b)}"
            case 1: return "\(field) IN {\(a), \(b), \(c)}"
            case 2: return "\(number()) \(relation) \(field)"
            default: return "\(field) \(relation) \(generator.oneIn(3) ? "\(a).5" : "\(a)")"
            }
        case 1:
            let options = generator.pick(["", "", "[c]", "[cd]", "[n]", "[l]"])
            let word = generator.pick(["red", "grün", "GRÜN", "Green", "a", "ä", "Abc", "ABC"])
            let other = generator.pick(["red", "green", "abc", "b"])
            return generator.oneIn(4)
                ? "\(field) IN\(options) {'\(word)', '\(other)'}" : "\(field) \(relation)\(options) '\(word)'"
        case 2:
            let quantifier = generator.pick(["ANY", "ALL", "NONE"])
            let word = generator.pick(["a", "b", "Abc", "quick"])
            return "\(quantifier) tags \(generator.pick(["==", "==", "!="]))\(generator.pick(["", "[cd]"])) '\(word)'"
        case 3:
            let quantifier = generator.pick(["ANY", "ALL", "NONE"])
            let value = Int.random(in: -3...3, using: &generator)
            return generator.oneIn(3)
                ? "\(quantifier) numbers IN {\(value), 0}" : "\(quantifier) numbers \(relation) \(value)"
        case 4: return "date \(relation) CAST(\(Int.random(in: 0...6, using: &generator) * 86_400), 'NSDate')"
        default:
            arguments.append(.location(RandomRecords.places[Int.random(in: 0...1, using: &generator)]))
            let radius = generator.pick(["0", "1000", "1500.5", "5000", "50000", "1e7", "2.1e7"])
            return "distanceToLocation:fromLocation:(place, %@) \(generator.pick(["<", "<=", ">", ">="])) \(radius)"
        }
    }

    // MARK: Comparisons

    private mutating func comparison() -> String {
        if isTextual, !generator.oneIn(4) { return substrings() }
        switch Int.random(in: 0..<20, using: &generator) {
        case 16, 17: return paths()
        case 18, 19: return anyOperator()
        case 0, 1, 2: return numbers()
        case 3, 4: return texts()
        case 5: return substrings()
        case 6: return membership()
        case 7: return lists()
        case 8: return generator.oneIn(3) ? area() : distance()
        case 9: return dates()
        case 10: return tokens()
        case 11: return "\(field()) \(generator.pick(["==", "!="])) nil"
        case 13, 14: return arithmetic()
        default: return odd()
        }
    }

    mutating func field() -> String {
        generator.pick([
            "whole", "fraction", "mixed", "wide", "small", "flag", "text", "few", "body", "prose", "ascii", "unique",
            "date", "tags", "numbers", "place", "owner", "friends",
        ])
    }

    mutating func number() -> String {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return String(generator.pick(RandomRecords.wholes))
        case 1:
            arguments.append(.double(generator.pick(RandomRecords.fractions)))
            return "%@"
        case 2: return generator.pick(["TRUE", "FALSE", "4.5", "-0.5", "2.0"])
        default: return String(Int.random(in: -6...6, using: &generator))
        }
    }

    mutating func string() -> String {
        let word = generator.pick(generator.oneIn(3) ? RandomRecords.trickyWords : RandomRecords.words)
        let cut = generator.oneIn(3) ? String(word.prefix(Int.random(in: 0...3, using: &generator))) : word
        arguments.append(.string(cut))
        return "%@"
    }

    mutating func options() -> String { generator.pick(["", "", "[c]", "[d]", "[cd]", "[n]", "[l]", "[cdl]"]) }

    private mutating func numbers() -> String {
        let field = generator.pick(["whole", "fraction", "mixed", "wide", "flag"])
        let relation = generator.pick(["==", "!=", "<", "<=", ">", ">="])
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return "\(field) BETWEEN {\(number()), \(number())}"
        case 1: return "\(number()) \(relation) \(field)"
        case 2: return "\(field) > \(number()) AND \(field) <= \(number())"
        default: return "\(field) \(relation) \(number())"
        }
    }

    private mutating func texts() -> String {
        let field = generator.pick(["text", "few", "few", "unique", "body"])
        return "\(field) \(generator.pick(["==", "!=", "<", "<=", ">", ">="]))\(options()) \(string())"
    }

    private mutating func substrings() -> String {
        let field = generator.pick(["text", "few", "unique", "body", "prose", "prose", "ascii"])
        switch Int.random(in: 0..<7, using: &generator) {
        case 6:
            return
                "\(generator.pick(["prose", "ascii"])) TOKENMATCHES\(generator.pick(["[c]", "[cd]", "[d]"])) \(string())"
        case 0, 1:
            arguments.append(.string(pattern()))
            return "\(field) LIKE\(options()) %@"
        case 2:
            arguments.append(.string(RandomPattern.make(using: &generator)))
            return "\(field) MATCHES\(generator.pick(["", "", "[c]", "[d]", "[cd]", "[n]"])) %@"
        default:
            arguments.append(.string(needle()))
            return "\(field) \(generator.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "CONTAINS", "=="]))\(options()) %@"
        }
    }

    /// A few characters of a word, of the end of one and the start of another, or of anything.
    private mutating func needle() -> String {
        func word(_ generator: inout SeededGenerator) -> String {
            generator.pick(generator.oneIn(2) ? RandomRecords.trickyWords : RandomRecords.words)
        }
        var scalars = Array(word(&generator).unicodeScalars)
        if generator.oneIn(3) {
            scalars += Array(generator.pick([" ", ", ", "-", "\n", ""]).unicodeScalars)
            scalars += Array(word(&generator).unicodeScalars)
        }
        let start = generator.oneIn(2) ? 0 : Int.random(in: 0...scalars.count, using: &generator)
        let end = generator.oneIn(2) ? scalars.count : Int.random(in: start...scalars.count, using: &generator)
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[min(start, end)..<end])
        return generator.oneIn(4) ? text.uppercased() : text
    }

    private mutating func pattern() -> String {
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: "?"
            case 1, 2: "*"
            default: needle().replacing("*", with: "\\*")
            }
        }.joined() + generator.pick(["", "*", "*"])
    }

    private mutating func membership() -> String {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            return
                "whole IN {\((0..<Int.random(in: 0...5, using: &generator)).map { _ in number() }.joined(separator: ", "))}"
        case 1: return "text IN\(generator.pick(["", "[c]", "[cd]"])) {\(string()), \(string()), \(string())}"
        case 2: return "few IN\(generator.pick(["", "[c]", "[cd]"])) {'red', 'grün', \(string())}"
        default: return "NOT (mixed IN {\(number()), \(number())})"
        }
    }

    private mutating func lists() -> String {
        let quantifier = generator.pick(["ANY", "ALL", "NONE", "SOME"])
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: return "\(quantifier) tags ==\(options()) \(string())"
        case 1: return "\(quantifier) numbers \(generator.pick(["<", ">=", "==", "!="])) \(number())"
        case 2: return "tags CONTAINS\(options()) \(string())"
        case 3: return "\(string()) IN tags"
        case 4: return "\(quantifier) tags BEGINSWITH\(options()) \(string())"
        case 5: return "\(quantifier) numbers IN {\(number()), \(number())}"
        default:
            return
                "\(generator.pick(["tags", "numbers"])).@count \(generator.pick(["==", ">"])) \(Int.random(in: 0...3, using: &generator))"
        }
    }

    private mutating func distance() -> String {
        arguments.append(.location(generator.pick(RandomRecords.places)))
        let radius = generator.pick(["0", "1000", "1500.5", "5000", "50000", "1e7", "2.1e7", "-1"])
        let call = "distanceToLocation:fromLocation:(place, %@)"
        return generator.oneIn(4)
            ? "\(call) BETWEEN {\(radius), 1e6}" : "\(call) \(generator.pick(["<", "<=", ">", ">="])) \(radius)"
    }

    private mutating func dates() -> String {
        let day = Int.random(in: 0...30, using: &generator) * 86_400
        let relation = generator.pick(["==", "!=", "<", "<=", ">", ">="])
        if generator.oneIn(3) { return "date >= CAST(\(day), 'NSDate') AND date < CAST(\(day + 400_000), 'NSDate')" }
        // Drawn apart, so that all else of a seed stays as it is.
        var (apart, copy) = (self, generator)
        apart.generator = SeededGenerator(seed: copy.next())
        if apart.generator.oneIn(2) {
            let text = apart.writtenDates(relation)
            arguments = apart.arguments
            return text
        }
        return "date \(relation) CAST(\(day), 'NSDate')"
    }

    private mutating func tokens() -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 5: return "\(generator.pick(["prose", "prose", "body", "tags", "allTokens"])) \(phraseMatch()) \(phrase())"
        case 6: return "ascii TOKENMATCHES[cp] \(phrase(of: ["on", "ond", "a", "N", "D", "the", "filler"]))"
        case 7: return "\(generator.pick(["ANY", "ALL", "NONE"])) tags \(phraseMatch()) \(phrase())"
        case 0: return "allTokens TOKENMATCHES[cdl] \(string())"
        case 1: return "body TOKENMATCHES[cd] \(string())"
        case 2: return "self CONTAINS \(string())"
        case 3:
            let words = generator.pick(["allTokens", "tokenize(body, 'cd')", "tokenize(text, 'cdl')"])
            return "\(generator.pick(["ANY", "NONE"])) \(words) BEGINSWITH\(generator.pick(["", "[cd]"])) \(string())"
        case 4:
            let words = "{\(string()), \(string())}"
            return "\(generator.pick(["ANY", "NONE"])) allTokens IN\(generator.pick(["", "[cd]"])) \(words)"
        default: return "\(generator.pick(["ALL", "ANY"])) tokenize(\(string()), 'cdl') IN allTokens"
        }
    }

    private mutating func phraseMatch() -> String { "TOKENMATCHES\(generator.pick(["[cdp]", "[cp]", "[p]", "[cd]"]))" }

    /// One to four words, as they stand or in pieces.
    private mutating func phrase(of words: [String] = RandomRecords.words) -> String {
        let text = (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(words) }
            .joined(separator: generator.pick([" ", " ", ", ", "-"]))
        arguments.append(.string(text))
        return "%@"
    }

    private mutating func arithmetic() -> String {
        let relation = generator.pick(["==", "!=", "<", "<=", ">", ">="])
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return "\(term(depth: 2)) BETWEEN {\(number()), \(number())}"
        case 1: return "\(term(depth: 1)) IN {\(number()), \(number()), \(number())}"
        case 2: return "\(term(depth: 2)) \(relation) \(term(depth: 1))"
        case 3: return "\(number()) \(relation) \(term(depth: 2))"
        case 4: return "date \(relation) \(generator.pick(["later", "date", "later"]))"
        default: return "\(term(depth: 2)) \(relation) \(number())"
        }
    }

    /// Something computed from numbers.
    private mutating func term(depth: Int) -> String {
        guard depth > 0 else { return operand() }
        let inner = Int.random(in: 0..<depth, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return "-(\(term(depth: inner)))"
        case 1: return "\(generator.pick(["abs", "floor", "ceiling", "trunc", "sqrt"])):(\(term(depth: inner)))"
        case 2: return operand()
        default:
            let operation = generator.pick(["+", "-", "*", "*", "/"])
            return "(\(term(depth: depth - 1)) \(operation) \(term(depth: inner)))"
        }
    }

    private mutating func operand() -> String {
        generator.oneIn(3)
            ? number()
            : generator.pick([
                "whole", "small", "fraction", "mixed", "flag", "small", "wide", "few", "absent",
            ])
    }

    /// Comparisons across families, through references, and others that rarely mean something.
    private mutating func odd() -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 6: return "nested \(generator.pick(["CONTAINS", "CONTAINS", "==", "TOKENMATCHES[cd]"])) \(string())"
        case 7:
            let quantifier = generator.pick(["ANY", "ALL", "NONE"])
            return "\(quantifier) nested \(generator.pick(["==", "!=", "BEGINSWITH", "<", "IN"])) \(string())"
        case 0: return "\(field()) == \(number())"
        case 1: return "\(field()) == \(string())"
        case 2:
            arguments.append(.reference(RecordReference("r\(Int.random(in: 0...20, using: &generator))")))
            return "owner == %@"
        case 3: return "owner.few == 'red'"
        case 4: return "recordName == 'r\(Int.random(in: 0...30, using: &generator))'"
        default: return "numbers[0] \(generator.pick(["==", ">"])) \(number())"
        }
    }
}
