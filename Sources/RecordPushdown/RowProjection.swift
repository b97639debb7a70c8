// The columns of a record, made by the same code that evaluates predicates.

import FoundationEssentials
import Geospatial
package import RecordModel
import TextAnalysis

/// What the columns of one record hold.
package struct RowProjection: Sendable {
    /// By column; columns without a value are not here.
    package private(set) var values: [String: SQLValue] = [:]
    package private(set) var marks: RowMarks = []
    /// The words of all texts, in the order of their bytes, each with its places, which ascend.
    package private(set) var lexemes: [(word: String, places: [Int])] = []
    /// The words with their places as the server reads a `tsvector`.
    package var words: String {
        lexemes.map { word, places in
            WordQuery.quoted(word) + ":" + places.map(String.init).joined(separator: ",")
        }.joined(separator: " ")
    }

    static let folding: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    /// The columns of a record.
    ///
    /// - Complexity: O(length of its texts).
    package init(_ fields: [String: FieldValue], _ layout: ColumnLayout) {
        var vector = WordVector()
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
            let texts = Self.texts(value)
            for text in texts {
                marks.formUnion(RowMarks(of: text))
                vector.add(text)
            }
            if let column = layout.fields[field] { project(value, texts, to: column) }
        }
        lexemes = vector.lexemes
        if vector.isCut { marks.insert(.wordsLeftOut) }
    }

    private static func texts(_ value: FieldValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .list(let elements): elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        default: []
        }
    }

    private mutating func project(_ value: FieldValue, _ texts: [String], to column: FieldColumn) {
        switch (column.kind, value) {
        case (.string, .string(let text)):
            let (plain, folded) = (TextFolding.fold(text, []), TextFolding.fold(text, Self.folding))
            values[column.name] = .text(SQLValue.storable(plain))
            // What folding leaves alone is not stored twice.
            if !plain.utf8.elementsEqual(folded.utf8) {
                values[column.name + "~cd"] = .text(SQLValue.storable(folded))
            }
        case (.string, .list):
            let plain = texts.map { SQLValue.storable(TextFolding.fold($0, [])) }
            let folded = texts.map { SQLValue.storable(TextFolding.fold($0, Self.folding)) }
            values[column.name] = .texts(plain)
            if !zip(plain, folded).allSatisfy({ $0.utf8.elementsEqual($1.utf8) }) {
                values[column.name + "~cd"] = .texts(folded)
            }
        case (.location, .location(let place)):
            let point = GeocentricPoint(place)
            let numbers = [place.latitude, place.longitude, point.x, point.y, point.z]
            for (suffix, number) in zip(["~lat", "~lon", "~x", "~y", "~z"], numbers) {
                values[column.name + suffix] = .double(number)
            }
        case (.int64, .int64(let number)): values[column.name] = .int64(number)
        case (.double, .double(let number)): values[column.name] = .double(number)
        case (.date, .date(let date)): values[column.name] = .double(date.timeIntervalSinceReferenceDate)
        case (.reference, .reference(let reference)): values[column.name] = .text(reference.recordID.recordName)
        case (_, .list(let elements)): values[column.name] = Self.list(elements, column.kind)
        default: break
        }
    }

    private static func list(_ elements: [FieldValue], _ kind: FieldColumn.Kind) -> SQLValue {
        switch kind {
        case .int64: .int64s(elements.compactMap { if case .int64(let number) = $0 { number } else { nil } })
        case .reference:
            .texts(elements.compactMap { if case .reference(let it) = $0 { it.recordID.recordName } else { nil } })
        default:
            .doubles(
                elements.compactMap { element in
                    switch element {
                    case .double(let number): number
                    case .date(let date): date.timeIntervalSinceReferenceDate
                    default: nil
                    }
                })
        }
    }
}

/// The words of texts, folded, each with its places; between two texts one place is left out, so that no phrase reaches
/// from one into the next.
private struct WordVector {
    /// What the server stores of a row's words at most: places of one word, the last place, bytes of a word, and bytes
    /// of all, with room to spare.
    private static let limits = (places: 250, lastPlace: 16_000, wordBytes: 2_000, bytes: 800_000)

    private let tokenizer = Tokenizer(options: RowProjection.folding)
    private var places: [String: [Int]] = [:]
    private var next = 1
    private var byteCount = 0
    private(set) var isCut = false

    mutating func add(_ text: String) {
        for term in tokenizer.terms(of: text) {
            add(term: SQLValue.storable(term))
            next += 1
        }
        next += 1
    }

    private mutating func add(term: String) {
        let limits = Self.limits
        let known = places[term]
        guard next <= limits.lastPlace, (known?.count ?? 0) < limits.places, term.utf8.count <= limits.wordBytes,
            byteCount + term.utf8.count + 8 <= limits.bytes
        else {
            isCut = true
            return
        }
        byteCount += known == nil ? term.utf8.count + 8 : 2
        places[term, default: []].append(next)
    }

    var lexemes: [(word: String, places: [Int])] {
        places.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }
}
