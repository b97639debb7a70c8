// What could be typed next in a predicate about a record set: fields, operators, functions, options, frequent values.

import FoundationEssentials
import Indexing
import PredicateSyntax
import RecordColumns
import RecordModel
import RecordStore
import Synchronization
import TextAnalysis

/// Something that could appear at a place of a predicate.
package struct PredicateCompletion: Hashable, Sendable {
    /// What it is.
    package enum Kind: Hashable, Sendable {
        case field, keyword, comparison, option, function, constant, value, variable
    }

    /// The text to put in.
    package var text: String
    package var kind: Kind
    /// What it means, how often it occurs.
    package var detail: String
    /// Whether it is complete in itself, so that a blank may follow.
    package var isWhole: Bool

    init(_ text: String, _ kind: Kind, _ detail: String = "", isWhole: Bool = true) {
        (self.text, self.kind, self.detail, self.isWhole) = (text, kind, detail, isWhole)
    }
}

/// Completes predicates over one record set. Remembers values that it has counted; may be used from any thread.
package final class PredicateCompleter: Sendable {
    let set: RecordSet
    private let values = Mutex<[[String]: FrequentValues]>([:])

    /// A completer for the records of a set.
    package init(for set: RecordSet) { self.set = set }

    /// What could appear at a byte of a text, best first, and the bytes that it would replace.
    ///
    /// - Parameter variables: Names of variables that have values, without `$`.
    /// - Complexity: O(text + candidates); the first time for a field also what `FrequentValues` takes.
    package func completions(
        of text: String, at cursor: Int, variables: [String] = []
    ) -> (range: Range<Int>, candidates: [PredicateCompletion]) {
        let place = CompletionPlace(in: text, at: cursor)
        var candidates = candidates(place.want, typed: place.typed)
        switch place.want {
        case .value(let path, _):
            let comparison = CompletedComparison(in: text, before: place.range.lowerBound)
            let type = type(of: path)
            candidates.removeAll { !fits($0, comparison, type) }
        case .comparison where CompletedComparison.followsAllTokens(text, before: place.range.lowerBound):
            candidates = Self.wordSearches
        default: break
        }
        candidates += self.variables(variables, place.want)
        return (place.range, ranked(candidates, place.typed))
    }

    /// Those that have the letters typed, the better matches first, else in the order given.
    private func ranked(_ candidates: [PredicateCompletion], _ typed: String) -> [PredicateCompletion] {
        // A value that fits goes before the functions and fields that fit as well; of values the most frequent does.
        FuzzyMatch.ranked(candidates, typed: typed, isFirst: { $0.kind == .value }, by: \.matchedText)
    }

    /// Whether a candidate can match behind an operator: a list equals none of its elements, nothing is less than nil.
    private func fits(
        _ candidate: PredicateCompletion, _ comparison: CompletedComparison, _ type: FieldType?
    ) -> Bool {
        switch candidate.kind {
        case .value:
            guard case .list? = type else { return true }
            return comparison.isOfElements || !comparison.isOfEquality
        case .constant: return candidate.text != "nil" || comparison.isOfEquality
        default: return true
        }
    }

    private func candidates(_ want: CompletionPlace.Want, typed: String) -> [PredicateCompletion] {
        switch want {
        case .predicate: fields + Self.beginnings + Self.functions
        case .operand: fields + Self.functions + Self.constants
        case .comparison(let path): Self.comparisons(for: type(of: path))
        case .value(let path, let quote?):
            values(of: path, typed, quote).filter { $0.text.unicodeScalars.first == quote }
        case .value(let path, nil):
            values(of: path, typed, "'") + Self.constants(for: type(of: path)) + fields + Self.functions
        case .connective: Self.connectives
        case .option: Self.options
        case .index: Self.indices
        case .step(let path): steps(of: path)
        case .variable, .nothing: []
        }
    }

    private func variables(_ names: [String], _ want: CompletionPlace.Want) -> [PredicateCompletion] {
        switch want {
        case .predicate, .operand, .variable, .value(_, quote: nil):
            names.sorted().map { PredicateCompletion("$" + $0, .variable, "variable") }
        default: []
        }
    }

    // MARK: Fields and values

    private var fields: [PredicateCompletion] {
        let schema = set.mergedSchema
        var candidates = schema.fields.map { field in
            PredicateCompletion(CanonicalText.key(field.name), .field, field.type.words)
        }
        for name in ["id", "type"] where schema.position(of: name) == nil {
            guard name == "id" ? set.hasNames : set.hasTypes else { continue }
            candidates.append(
                PredicateCompletion(name, .field, name == "id" ? "the record's name" : "the record's type"))
        }
        return candidates
    }

    /// The type of a field; `nil` for what no schema tells.
    func type(of path: [String]) -> FieldType? {
        if path.count > 1, let segments = segments(of: path.dropLast()), let field = path.last,
            let type = segments.compactMap({ $0.segment.schema.type(of: field) }).first
        {
            return type
        }
        guard path.count == 1 else { return path.isEmpty ? nil : nestedType(of: path) }
        return set.mergedSchema.type(of: path[0]) ?? (["id", "type"].contains(path[0]) ? .string : nil)
    }

    /// Literals of the values that the field of a path has, most frequent first.
    private func values(of path: [String], _ typed: String, _ quote: Unicode.Scalar) -> [PredicateCompletion] {
        guard let field = path.last, let segments = segments(of: path.dropLast()) else {
            return nestedLiterals(of: path, quote)
        }
        if path.count == 1, field == "type", set.mergedSchema.position(of: field) == nil {
            return set.recordTypes.map {
                PredicateCompletion(CanonicalText.string($0, quote: quote), .value, "record type")
            }
        }
        let frequent = frequentValues(of: path, segments)
        let found = frequent.entries.compactMap { entry in
            entry.value.literal(quote).map { literal in
                let records = entry.count == 1 ? "1 record" : "\(entry.count) records"
                return PredicateCompletion(literal, .value, frequent.isExact ? records : "")
            }
        }
        return found + rareValues(of: field, segments, typed, quote, besides: frequent)
    }

    func frequentValues(of path: [String], _ segments: [StoredSegment]) -> FrequentValues {
        if let known = values.withLock({ $0[path] }) { return known }
        let found = FrequentValues(of: path.last ?? "", in: segments)
        values.withLock { $0[path] = found }
        return found
    }

    /// Where the records are stored that a path of references leads to; `nil` when it leads to none.
    func segments(of path: ArraySlice<String>) -> [StoredSegment]? {
        var segments = set.snapshot.segments.filter {
            set.recordType == nil || $0.segment.recordType == set.recordType
        }
        for step in path {
            var types: Set<String> = []
            for entry in FrequentValues(of: step, in: segments).entries.prefix(20) {
                guard case .reference(let reference) = entry.value else { continue }
                if let found = set.snapshot.find(reference.recordID) { types.insert(found.segment.recordType) }
            }
            segments = set.snapshot.segments.filter { types.contains($0.segment.recordType) }
        }
        return segments.isEmpty ? nil : segments
    }

    /// Texts that begin with what was typed and are too rare for the list of frequent ones.
    private func rareValues(
        of field: String, _ segments: [StoredSegment], _ typed: String, _ quote: Unicode.Scalar,
        besides frequent: FrequentValues
    ) -> [PredicateCompletion] {
        guard !typed.isEmpty, frequent.entries.count == FrequentValues.capacity || !frequent.isExact else { return [] }
        let known = Set(frequent.entries.map(\.value))
        var found: [PredicateCompletion] = []
        for stored in segments {
            guard let position = stored.segment.schema.position(of: field) else { continue }
            let index = stored.indexes.ordered(column: position, building: false)
            let texts =
                index?.texts(beginningWith: typed, limit: 20, in: stored)
                ?? stored.segment.columns[position].texts(beginningWith: typed, limit: 20, in: stored)
            for text in texts where !known.contains(.string(text)) {
                found.append(PredicateCompletion(CanonicalText.string(text, quote: quote), .value))
            }
        }
        return found
    }

    /// What may follow a path behind a dot: keys of nested objects, fields of other records, collection operators.
    private func steps(of path: [String]) -> [PredicateCompletion] {
        var candidates: [PredicateCompletion] = []
        switch type(of: path) {
        case .reference?, .list(.reference)?:
            var seen: Set<String> = []
            let schemas = (segments(of: path[...]) ?? []).map(\.segment.schema)
            for field in schemas.flatMap(\.fields) where seen.insert(field.name).inserted {
                candidates.append(PredicateCompletion(CanonicalText.key(field.name), .field, field.type.words))
            }
        case .object?, .any?, .list(.object)?, .list(.any)?:
            candidates += objectKeys(of: path).map { PredicateCompletion(CanonicalText.key($0), .field) }
        default: break
        }
        if case .list? = type(of: path) { return candidates + Self.collectionOperators }
        return candidates + Self.collectionOperators.prefix(1)
    }
}

extension PredicateCompletion {
    /// What typed letters are looked for in: of a literal its content, of a quoted key its name.
    fileprivate var matchedText: String {
        // By scalars: a mark behind a quote makes one character of both.
        let scalars = text.unicodeScalars
        let isText = kind == .value && (scalars.first == "'" || scalars.first == "\"")
        if isText { return String(scalars.dropFirst().dropLast()) }
        if scalars.starts(with: "#'".unicodeScalars) { return String(scalars.dropFirst(2).dropLast()) }
        return text.hasPrefix("#") ? String(text.dropFirst()) : text
    }
}

extension FieldValue {
    /// The value as predicate text; `nil` for kinds without literals.
    func literal(_ quote: Unicode.Scalar) -> String? {
        switch self {
        case .string(let text): text.utf8.count <= 200 ? CanonicalText.string(text, quote: quote) : nil
        case .int64(let number): String(number)
        case .double(let number): number.isFinite ? String(number) : nil
        case .bool(let flag): flag ? "TRUE" : "FALSE"
        case .date(let date):
            RFC3339.format(date.timeIntervalSinceReferenceDate).map { CanonicalText.string($0, quote: quote) }
        default: nil
        }
    }
}

extension FieldType {
    /// The type's name for people.
    fileprivate var words: String {
        switch self {
        case .list(let element): element.map { "list of \($0.words)" } ?? "list"
        default: String(describing: self)
        }
    }
}
