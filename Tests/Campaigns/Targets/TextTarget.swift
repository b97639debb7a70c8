// Predicate texts from strangers: whatever they hold, the answer is a tree or an error with its place.

import PredicateSemantics
import PredicateSyntax
import RecordFiles
import RecordModel

/// Parses a text, prints it, parses that again, checks it against a dialect, binds and evaluates it.
struct TextCheck: Sendable {
    private let records: [Record]
    /// Evaluations that gave an answer.
    private(set) var evaluated = 0

    /// What takes the place of arguments that are missing, by place.
    private static let arguments: [FieldValue] = [
        .string("text"), .int64(3), .location(RandomRecords.places[2]), .list([.string("a"), .null]), .double(.nan),
    ]

    init() {
        var source = RandomRecords(seed: 1)
        records = source.records(4)
    }

    mutating func run(_ text: String, arguments: [FieldValue] = []) -> FuzzOutcome {
        // Tokens of unfinished text are shown as it is written.
        for token in LexicalToken.tokens(of: text) where token.range.upperBound > text.utf8.count {
            return .finding("a token ends behind the text")
        }
        let tree: SyntaxTree
        do throws(SyntaxError) { tree = try SyntaxTree(parsing: text) } catch {
            // Rendering must hold for any text and place.
            _ = SourceText(text).rendering(of: error)
            return .rejected
        }
        for (way, printed) in [("printed", tree.description), ("laid out", tree.formatted())] {
            guard let again = try? SyntaxTree(parsing: printed), again == tree else {
                return .finding("the tree differs that is \(way): \(text)")
            }
        }
        _ = try? tree.validate(for: .cloudKit)
        evaluate(tree, arguments)
        return .accepted
    }

    private mutating func evaluate(_ tree: SyntaxTree, _ arguments: [FieldValue]) {
        let fitting = tree.placeholders.indices.map {
            arguments.indices.contains($0) ? arguments[$0] : Self.arguments[$0 % Self.arguments.count]
        }
        guard let bound = try? Binder().bind(tree, arguments: fitting, variables: ["x": 1]) else { return }
        let context = EvaluationContext.unused
        for record in records where (try? bound.evaluate(on: record, context: context)) != nil { evaluated += 1 }
    }
}

extension FuzzTarget {
    static let text: FuzzTarget = {
        let check = TextCheck()
        return FuzzTarget(
            name: "text", summary: "predicate texts: parsed, printed, parsed again, checked, bound, evaluated",
            run: { bytes in
                var check = check
                return check.run(String(decoding: bytes, as: UTF8.self))
            },
            seeds: {
                var queries = RandomPredicates(seed: 7)
                return (0..<300).map { _ in Array(queries.query().text.utf8) }
            },
            inputOfCase: { line in
                guard case .string(let text)? = (try? JSONReader.tree(line))?["predicate"] else { return nil }
                return Array(text.utf8)
            },
            mutated: { bytes, generator in
                var mutator = PredicateMutator(generator)
                return Array(mutator.mutated(String(decoding: bytes, as: UTF8.self)).utf8)
            })
    }()
}
