// Keys and values within objects, at every level, and what suits the operator before the cursor.

import PredicateSyntax
import RecordModel

extension PredicateCompleter {
    /// So many values of a field are looked into.
    private static let sampleSize = 200

    /// The values that a path leads to in the first records; of lists each element.
    private func nestedValues(of path: [String]) -> [FieldValue] {
        var split = 0
        while split < path.count - 1, isReference(type(of: Array(path[...split]))) { split += 1 }
        guard split < path.count, let segments = segments(of: path[..<split]) else { return [] }
        var values = frequentValues(of: Array(path[...split]), segments).entries.prefix(Self.sampleSize).map(\.value)
        for key in path[(split + 1)...] {
            values = values.flatMap(Self.elements).compactMap { value in
                if case .object(let members) = value { members[key] } else { nil }
            }
        }
        return values.filter { !$0.isNull }
    }

    private func isReference(_ type: FieldType?) -> Bool { type == .reference || type == .list(.reference) }

    private static func elements(_ value: FieldValue) -> [FieldValue] {
        if case .list(let elements) = value { elements } else { [value] }
    }

    /// The type of what is within objects, told by their values; `nil` where there are none.
    func nestedType(of path: [String]) -> FieldType? {
        guard path.count > 1 else { return nil }
        let values = nestedValues(of: path)
        let types = Set(values.map { value in FieldType(ofNested: value) })
        return types.count == 1 ? types.first : types.isEmpty ? nil : .any
    }

    /// Keys of the objects that the first records hold.
    func objectKeys(of path: [String]) -> [String] {
        var keys: [String] = []
        for value in nestedValues(of: path).flatMap(Self.elements) {
            guard case .object(let members) = value else { continue }
            for key in members.keys.sorted() where !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// Literals of the values within objects, the most frequent of those looked at first.
    func nestedLiterals(of path: [String], _ quote: Unicode.Scalar) -> [PredicateCompletion] {
        guard path.count > 1 else { return [] }
        var counts: [FieldValue: Int] = [:]
        for value in nestedValues(of: path).flatMap(Self.elements) { counts[value, default: 0] += 1 }
        return counts.compactMap { value, count in value.literal(quote).map { (literal: $0, count: count) } }
            .sorted { ($1.count, $0.literal) < ($0.count, $1.literal) }
            .map { PredicateCompletion($0.literal, .value) }
    }

    /// What may follow `allTokens`.
    static let wordSearches: [PredicateCompletion] = [
        PredicateCompletion("TOKENMATCHES[cdl]", .comparison, "has all words"),
        PredicateCompletion("TOKENMATCHES[cdp]", .comparison, "has the phrase"),
        PredicateCompletion("TOKENMATCHES", .comparison, "has all words, by letter case"),
        PredicateCompletion("==", .comparison, "has the word"),
    ]
}

extension FieldType {
    /// The type of a value within an object.
    fileprivate init(ofNested value: FieldValue) {
        self =
            switch value {
            case .bool: .bool
            case .int64, .double: .number
            case .string: .string
            case .date: .date
            case .location: .location
            case .reference: .reference
            case .object: .object
            case .list(let elements):
                if case .object? = elements.first { .list(.object) } else { .list(nil) }
            default: .any
            }
    }
}

/// The operator that a value is completed behind, and what is before it.
struct CompletedComparison {
    /// Whether the values on both sides are compared for equality, as a whole.
    private(set) var isOfEquality = false
    /// Whether the elements of a list are compared: `ANY`, `ALL`, `NONE`.
    private(set) var isOfElements = false

    init(in text: String, before end: Int) {
        let bytes = Array(text.utf8)
        let tokens = LexicalToken.tokens(of: text).filter { $0.range.upperBound <= end }
        guard let index = tokens.lastIndex(where: { $0.kind == .comparison }) else { return }
        func word(_ token: LexicalToken) -> String { String(decoding: bytes[token.range], as: UTF8.self).uppercased() }
        isOfEquality = ["==", "=", "!=", "<>", "IN"].contains(word(tokens[index]))
        // Back over the path to what is before it.
        var start = index
        while start > 0, [.key, .punctuation].contains(tokens[start - 1].kind) { start -= 1 }
        isOfElements = start > 0 && ["ANY", "SOME", "ALL", "NONE"].contains(word(tokens[start - 1]))
    }

    /// Whether the word before a place is `allTokens`.
    static func followsAllTokens(_ text: String, before end: Int) -> Bool {
        let bytes = Array(text.utf8)
        guard let last = LexicalToken.tokens(of: text).last(where: { $0.range.upperBound <= end }) else { return false }
        return String(decoding: bytes[last.range], as: UTF8.self).lowercased() == "alltokens"
    }
}
