// What a column under construction takes, and what it is made of.

import OrdinalSets
import RecordModel

extension ColumnBuilder {
    /// Bytes of text and numbers of elements that count against the limits of 32-bit offsets.
    package var extent: Int {
        switch storage {
        case .text(let texts), .data(let texts): texts.bytes.count
        case .list(let lists): max(lists.elements.count, lists.elements.extent)
        default: 0
        }
    }

    /// Bytes that every row takes, with a value or without, and bytes that the values so far take beside that; room
    /// held in reserve, presence and what nested objects hold are left out.
    var room: (perRow: Int, values: Int) {
        switch storage {
        case .undecided: return (0, 0)
        case .number, .date: return (8, 0)
        case .bool: return (1, 0)
        case .text(let texts), .data(let texts): return (4, texts.bytes.count)
        case .location: return (16, 0)
        case .reference: return (5, 0)
        case .list(let lists):
            let elements = lists.elements.room
            return (4, lists.elements.count * elements.perRow + elements.values)
        case .any: return (MemoryLayout<FieldValue>.stride, 0)
        }
    }

    /// The texts of this builder, and which rows have one; `nil` for other storage.
    var texts: (TextColumn, Bitmap?)? {
        guard case .text(let texts) = storage else { return nil }
        return (texts.column, presence.bitmap)
    }

    /// The builder of what is in lists of lists, however deep; this one, if it is of no lists.
    var leaf: ColumnBuilder {
        if case .list(let lists) = storage { lists.elements.leaf } else { self }
    }
}
