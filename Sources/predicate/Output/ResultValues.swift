// What the columns and members of a result hold, from records and from what the result knows of them.

import RecordDatabase

/// A column of a result that is laid out in columns.
enum ResultColumn {
    case value(FieldSelector)
    /// The field that the snippet is from.
    case snippetField
    case snippet

    /// The column's title.
    var title: String {
        switch self {
        case .value(let selector): selector.title
        case .snippetField: "field"
        case .snippet: "snippet"
        }
    }
}

/// The values of a result.
struct ResultValues {
    let set: RecordSet
    /// The relevance of records, by ordinal, where the result is ordered by it.
    var scores: [Int: Double] = [:]
    /// The fields that are references by a key, and are shown as the key.
    var joined: Set<String> = []
    /// What snippets show, and of how many words; `nil` when none are shown.
    var snippets: (predicate: RecordPredicate, words: Int)?

    /// The value of a field or of whatever else a column or an order names.
    func value(of criterion: SortKey.Criterion, at ordinal: Int) -> FieldValue {
        if case .relevance = criterion { return scores[ordinal].map { .double($0) } ?? .null }
        let value = set.value(of: criterion, at: ordinal)
        guard !joined.isEmpty, case .field(let name) = criterion else { return value }
        return shown(value, of: name)
    }

    /// A value of a field as its file has it: that of a join is the key.
    func shown(_ value: FieldValue, of field: String) -> FieldValue {
        guard joined.contains(field), let keys = set.loadReport?.joinedKeys else { return value }
        return keys.key(value, of: field)
    }

    /// The value of a column.
    func value(of column: ResultColumn, at ordinal: Int) -> FieldValue {
        switch column {
        case .value(let selector): value(of: selector.criterion, at: ordinal)
        case .snippetField: snippets(at: ordinal).first.map { .string($0.place) } ?? .null
        case .snippet: snippets(at: ordinal).first.map { .string($0.marked("", "")) } ?? .null
        }
    }

    /// The stretches of a record's texts, the best first.
    func snippets(at ordinal: Int) -> [Snippet] {
        guard let snippets, let record = set.record(at: ordinal) else { return [] }
        return (try? snippets.predicate.snippets(in: record, words: snippets.words, analyzers: set.analyzers)) ?? []
    }

    /// The stretches as nested values: field, element of a list, text, and the bytes of the text that are highlighted.
    func snippetList(at ordinal: Int) -> FieldValue {
        .list(
            snippets(at: ordinal).map { snippet in
                var members: [String: FieldValue] = [
                    "field": .string(snippet.field), "text": .string(snippet.text),
                    "highlights": .list(
                        snippet.highlights.map { .list([.int64(Int64($0.lowerBound)), .int64(Int64($0.upperBound))]) }),
                ]
                if let element = snippet.element { members["element"] = .int64(Int64(element)) }
                return .object(members)
            })
    }
}

extension Snippet {
    /// The field, with the place in its list: `tags[2]`.
    var place: String { element.map { "\(field)[\($0)]" } ?? field }

    /// The stretch on one line, with dots where it is cut.
    var cell: TableWriter.Cell {
        var cell = TableWriter.Cell(text: isCutAtStart ? "…" : "")
        let bytes = Array(text.utf8)
        var offset = 0
        func line(_ range: Range<Int>) -> String {
            let blanks = bytes[range].map { $0 &- 0x09 < 5 ? 0x20 : $0 }
            return ValueText.singleLine(String(decoding: blanks, as: UTF8.self))
        }
        for highlight in highlights {
            cell.text += line(offset..<highlight.lowerBound)
            let start = cell.text.utf8.count
            cell.text += line(highlight)
            cell.highlights.append(start..<cell.text.utf8.count)
            offset = highlight.upperBound
        }
        cell.text += line(offset..<bytes.count) + (isCutAtEnd ? "…" : "")
        return cell
    }
}
