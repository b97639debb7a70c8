// Predicate texts from strangers: whatever they hold, the answer is a tree or an error with its place.

import PredicateSemantics
import PredicateSyntax
import RecordModel

/// Parses, prints, binds and evaluates mutated predicate texts.
struct TextCampaign {
    /// What the texts turned out to be.
    private(set) var accepted = 0
    private(set) var refused = 0
    private(set) var evaluated = 0
    private var generator: SeededGenerator
    private var queries: RandomPredicates
    private let records: [Record]

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

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        queries = RandomPredicates(seed: seed)
        var source = RandomRecords(seed: seed)
        records = source.records(20)
    }

    /// Runs one mutated text through every stage.
    /// - Returns: what went wrong, if a printed tree does not parse back equal.
    mutating func step() -> String? {
        let query = queries.query()
        let text = mutated(query.text)
        let tree: SyntaxTree
        do throws(SyntaxError) { tree = try SyntaxTree(parsing: text) } catch {
            refused += 1
            // Rendering must hold for any text and place.
            _ = SourceText(text).rendering(of: error)
            return nil
        }
        accepted += 1
        guard let again = try? SyntaxTree(parsing: tree.description), again == tree else {
            return "printed tree differs: \(text)"
        }
        _ = try? tree.validate(for: .cloudKit)
        evaluate(tree, query.arguments)
        return nil
    }

    private mutating func evaluate(_ tree: SyntaxTree, _ arguments: [FieldValue]) {
        let fitting = (0..<tree.placeholders.count).map {
            arguments.indices.contains($0) ? arguments[$0] : .string("text")
        }
        guard let bound = try? Binder().bind(tree, arguments: fitting, variables: ["x": 1]) else { return }
        let context = EvaluationContext.current()
        for record in records.prefix(4) where (try? bound.evaluate(on: record, context: context)) != nil {
            evaluated += 1
        }
    }

    private mutating func mutated(_ text: String) -> String {
        var characters = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let place = Int.random(in: 0...characters.count, using: &generator)
            let end = min(characters.count, place + Int.random(in: 0...6, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: characters.removeSubrange(place..<end)
            case 1: characters.insert(contentsOf: characters[place..<end], at: place)
            case 2: characters.insert(contentsOf: generator.pick(Self.pieces).unicodeScalars, at: place)
            default: characters.replaceSubrange(place..<end, with: generator.pick(Self.pieces).unicodeScalars)
            }
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: characters)
        return String(result)
    }
}
