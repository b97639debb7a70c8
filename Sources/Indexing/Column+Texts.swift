// Which columns hold texts.

package import RecordColumns
import RecordModel

extension Column {
    /// Whether values, or elements of lists, are texts.
    var holdsText: Bool {
        switch values {
        case .text, .dictionary: true
        case .list(let lists): lists.elements.holdsText
        default: false
        }
    }

    /// Whether a value can be text or a list with texts: what `allTokens` covers.
    package var mayHoldText: Bool {
        switch type {
        case .string, .any, .list(.string), .list(.any): true
        default: false
        }
    }
}

extension SegmentIndexes {
    /// The column; all that may hold text for `nil`.
    func textColumns(_ column: Int?) -> [Column] {
        column.map { [segment.columns[$0]] } ?? segment.columns.filter(\.mayHoldText)
    }

    /// The texts of a column; `nil` for columns of other types, and those of few distinct texts.
    func texts(of key: IndexKey) -> TextColumn? {
        if case .text(let texts)? = column(of: key)?.values { texts } else { nil }
    }
}
