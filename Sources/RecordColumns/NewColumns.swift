// The columns of new rows, and those of a single row, which are made at once: most commits save one record.

import FoundationEssentials
import Geospatial
import OrdinalSets
import RecordModel

/// The columns of new rows while they are filled, by the positions of their fields.
struct NewColumns {
    private enum Content {
        case none
        case finished(Column)
        case builder(ColumnBuilder)
    }

    private let rowCount: Int
    private var contents: [Content] = []

    init(rowCount: Int) { self.rowCount = rowCount }

    /// Puts a value into a row of a field; rows come in order.
    ///
    /// - Throws: `ColumnError` as `ColumnBuilder.append`.
    mutating func append(
        _ value: FieldValue, to field: FieldInference, at position: Int, row: Int, origin: Int
    ) throws(ColumnError) {
        while contents.count <= position { contents.append(.none) }
        if case .builder(let builder) = contents[position] {
            return try builder.append(value, row: row, origin: origin)
        }
        if rowCount == 1, let column = Column(row: value, of: field) {
            contents[position] = .finished(column)
            return
        }
        let builder = ColumnBuilder(shape: field)
        contents[position] = .builder(builder)
        try builder.append(value, row: row, origin: origin)
    }

    /// The finished columns of so many fields.
    func finish(count: Int) -> [Column] {
        (0..<count).map { position in
            switch position < contents.count ? contents[position] : .none {
            case .none: .missing(count: rowCount)
            case .finished(let column): column
            case .builder(let builder): builder.finish(rows: rowCount, texts: .texts)
            }
        }
    }
}

extension Column {
    /// The column of a single row, without a builder; `nil` where only that knows: for the first value of a field, for
    /// one of another kind than those before, and for lists and nested objects.
    convenience init?(row value: FieldValue, of field: FieldInference) {
        let values: Values
        switch (value, field.kind) {
        case (.bool(let bit), .bool): values = .bool(Bitmap(count: 1, repeating: bit))
        case (.int64(let number), .number): values = .int64(ColumnBuffer(one: number))
        case (.double(let number), .number): values = .double(ColumnBuffer(one: number))
        case (.date(let date), .date): values = .date(ColumnBuffer(one: date.timeIntervalSinceReferenceDate))
        case (.string(let text), .string):
            guard let texts = TextColumn(one: text) else { return nil }
            values = .text(texts)
        case (.location(let place), .location):
            values = .location(
                LocationColumn(
                    latitudes: ColumnBuffer(one: place.latitude), longitudes: ColumnBuffer(one: place.longitude),
                    details: place.details.map { [$0] }))
        case (.reference(let reference), .reference):
            guard let name = TextColumn(one: reference.recordID.recordName) else { return nil }
            let zone = reference.recordID.zoneID
            values = .reference(
                ReferenceColumn(
                    codes: ColumnBuffer(one: 0), names: name, zones: zone == .default ? nil : [zone],
                    deletesSelf: Bitmap(count: 1, repeating: reference.action == .deleteSelf)))
        default: return nil
        }
        self.init(values: values, presence: nil, count: 1)
    }
}

extension TextColumn {
    /// The column of one text; `nil` when it is longer than a column may be.
    fileprivate init?(one text: String) {
        var text = text
        let bytes = text.withUTF8 { bytes -> ColumnBuffer<UInt8>? in
            guard bytes.count <= Int(UInt32.max) else { return nil }
            let buffer = ColumnBuffer<UInt8>(capacity: bytes.count)
            unsafe buffer.append(contentsOf: bytes)
            return buffer
        }
        guard let bytes else { return nil }
        let offsets = ColumnBuffer<UInt32>(capacity: 2)
        offsets.append(0)
        offsets.append(UInt32(truncatingIfNeeded: bytes.count))
        self.init(bytes: bytes, offsets: offsets)
    }
}

extension ColumnBuffer {
    /// A buffer of one element.
    fileprivate convenience init(one element: Element) {
        self.init(capacity: 1)
        append(element)
    }
}
