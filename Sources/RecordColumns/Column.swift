// A column: the values of one field for all rows of a segment, in the form that suits their kind.

import FoundationEssentials
package import Geospatial
package import OrdinalSets
package import RecordModel

/// The values of one field for the rows of a segment. Immutable.
///
/// An object: it is handed on far more often than made.
package final class Column: Sendable {
    /// The storage of a column, by the kind of its values. Rows without a value hold a zero or an empty run.
    package enum Values: Sendable {
        /// No row has a value.
        case missing
        case int64(ColumnBuffer<Int64>)
        case double(ColumnBuffer<Double>)
        /// Whole and fractional numbers mixed.
        case number(NumberColumn)
        case bool(Bitmap)
        /// Seconds since 2001-01-01T00:00:00Z.
        case date(ColumnBuffer<Double>)
        /// Texts, each row its own.
        case text(TextColumn)
        /// Texts of few distinct values.
        case dictionary(DictionaryColumn)
        /// Byte strings.
        case data(TextColumn)
        case location(LocationColumn)
        case reference(ReferenceColumn)
        case list(ListColumn)
        /// Nested objects and whatever else has no form of its own.
        case any([FieldValue])
    }

    package let values: Values
    /// The rows that have a value; `nil` when all have.
    package let presence: Bitmap?
    /// Number of rows.
    package let count: Int
    /// What is found out about the column on first use.
    let facts: ColumnStatistics

    package convenience init(values: Values, presence: Bitmap?, count: Int) {
        self.init(values: values, presence: presence, count: count, facts: ColumnStatistics())
    }

    init(values: Values, presence: Bitmap?, count: Int, facts: consuming ColumnStatistics) {
        self.values = values
        self.presence = presence
        self.count = count
        self.facts = facts
    }

    /// A column without any value.
    package static func missing(count: Int) -> Column {
        count == 1 ? missingRow : Column(values: .missing, presence: Bitmap(count: count), count: count)
    }

    /// The column of one row without a value: records saved one by one have many.
    private static let missingRow = Column(values: .missing, presence: Bitmap(count: 1), count: 1)

    /// Whether a row below `count` has a value.
    package func isPresent(_ row: Int) -> Bool { presence?[row] ?? true }

    /// Number of rows that have a value. Complexity: O(count / 64).
    package var presentCount: Int { presence?.cardinality ?? count }

    /// The value of a row; `.null` when it has none. Complexity: O(size of the value).
    package func value(_ row: Int) -> FieldValue {
        guard row >= 0, row < count, isPresent(row) else { return .null }
        return switch values {
        case .missing: .null
        case .int64(let numbers): .int64(numbers[row])
        case .double(let numbers): .double(numbers[row])
        case .number(let numbers): numbers.value(row)
        case .bool(let bits): .bool(bits[row])
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds[row]))
        case .text(let texts): .string(texts.string(row))
        case .dictionary(let dictionary): .string(dictionary.string(row))
        case .data(let bytes): .data(Data(bytes.byteArray(row)))
        case .location(let locations): .location(locations.detailed(row))
        case .reference(let references): .reference(references.reference(row))
        case .list(let lists): .list(lists.elements(row))
        case .any(let values): values[row]
        }
    }

    /// Calls `body` with the UTF-8 of a text column's row, without making a `String`; `nil` for a row without a
    /// value and for columns of other kinds.
    package func withText<Result>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        guard isPresent(row) else { return nil }
        switch values {
        case .text(let texts): return unsafe texts.withBytes(row, body)
        case .dictionary(let dictionary):
            return unsafe dictionary.values.withBytes(Int(dictionary.codes[row]), body)
        default: return nil
        }
    }

    /// The number of a row of a column of numbers, Booleans or dates, as a double (nearest for large whole
    /// numbers); `nil` for a row without a value and for columns of other kinds.
    package func double(_ row: Int) -> Double? {
        guard isPresent(row) else { return nil }
        return switch values {
        case .int64(let numbers): Double(numbers[row])
        case .double(let numbers), .date(let numbers): numbers[row]
        case .number(let numbers): numbers.double(row)
        case .bool(let bits): bits[row] ? 1 : 0
        default: nil
        }
    }

    /// The type that a schema gives this column.
    package var type: FieldType {
        switch values {
        case .missing: .any
        case .int64: .int64
        case .double: .double
        case .number: .number
        case .bool: .bool
        case .date: .date
        case .text, .dictionary: .string
        case .data: .data
        case .location: .location
        case .reference: .reference
        case .list(let lists):
            if case .missing = lists.elements.values { .list(nil) } else { .list(lists.elements.type) }
        case .any(let values): Self.commonType(of: values)
        }
    }

    private static func commonType(of values: [FieldValue]) -> FieldType {
        var kind: FieldValue.Kind?
        for value in values where !value.isNull {
            if let kind, kind != value.kind { return .any }
            kind = value.kind
        }
        return switch kind {
        case .object: .object
        case .asset: .asset
        default: .any
        }
    }

    /// Room taken, in bytes; boxed values are estimated.
    package var byteCount: Int {
        let valueBytes =
            switch values {
            case .missing: 0
            case .int64(let numbers): numbers.byteCount
            case .double(let numbers), .date(let numbers): numbers.byteCount
            case .number(let numbers): numbers.payload.byteCount + numbers.isDouble.words.count * 8
            case .bool(let bits): bits.words.count * 8
            case .text(let texts), .data(let texts): texts.byteCount
            case .dictionary(let dictionary): dictionary.codes.byteCount + dictionary.values.byteCount
            case .location(let locations): locations.latitudes.byteCount + locations.longitudes.byteCount
            case .reference(let references):
                references.codes.byteCount + references.names.byteCount + references.deletesSelf.words.count * 8
            case .list(let lists): lists.offsets.byteCount + lists.elements.byteCount
            case .any(let values): values.count * 128
            }
        return valueBytes + (presence?.words.count ?? 0) * 8
    }
}

/// Whole and fractional numbers mixed: every value keeps its kind and all of its bits.
package struct NumberColumn: Sendable {
    /// The bits of an `Int64` or of a `Double`.
    package let payload: ColumnBuffer<UInt64>
    /// Rows whose payload is a `Double`.
    package let isDouble: Bitmap

    /// The number of a row, in its own kind.
    package func value(_ row: Int) -> FieldValue {
        isDouble[row]
            ? .double(Double(bitPattern: payload[row])) : .int64(Int64(bitPattern: payload[row]))
    }

    /// The number of a row, rounded to a double where it is a large whole number.
    package func double(_ row: Int) -> Double {
        isDouble[row] ? Double(bitPattern: payload[row]) : Double(Int64(bitPattern: payload[row]))
    }
}

/// Texts of few distinct values: a code for each row, and the text of each code.
package struct DictionaryColumn: Sendable {
    /// The code of each row; rows without a value have the code 0.
    package let codes: ColumnBuffer<UInt32>
    /// The distinct texts, in order of first appearance, by code.
    package let values: TextColumn

    /// The text of a row.
    package func string(_ row: Int) -> String { values.string(Int(codes[row])) }

    /// The code of a text, or `nil` when no row has it. Complexity: O(distinct values).
    package func code(of text: UnsafeBufferPointer<UInt8>) -> UInt32? {
        for code in 0..<values.count where unsafe values.equals(code, text) { return UInt32(code) }
        return nil
    }
}

/// Positions on the Earth, in degrees.
package struct LocationColumn: Sendable {
    package let latitudes: ColumnBuffer<Double>
    package let longitudes: ColumnBuffer<Double>
    /// What else is known about the place of each row; `nil` when nothing is about any.
    let details: [Location.Details?]?

    init(
        latitudes: ColumnBuffer<Double>, longitudes: ColumnBuffer<Double>, details: [Location.Details?]? = nil
    ) {
        self.latitudes = latitudes
        self.longitudes = longitudes
        self.details = details
    }

    /// The position of a row, without what else is known about it.
    package func location(_ row: Int) -> Location {
        Location(latitude: latitudes[row], longitude: longitudes[row])
    }

    /// The location of a row with what is known about it.
    func detailed(_ row: Int) -> Location {
        guard let details else { return location(row) }
        return Location(latitude: latitudes[row], longitude: longitudes[row], details: details[row])
    }
}

/// Links to records: a code for each row, and the record of each code.
package struct ReferenceColumn: Sendable {
    /// The code of each row; rows without a value have the code 0.
    package let codes: ColumnBuffer<UInt32>
    /// The distinct names of records, by code. A name occurs once for every zone it is used with.
    package let names: TextColumn
    /// The zone of each code; `nil` when all are in the default zone.
    package let zones: [RecordZone.ID]?
    /// Rows whose action is `deleteSelf`.
    package let deletesSelf: Bitmap

    /// The zone of all records; `nil` when they are in several. Complexity: O(distinct records).
    package var zone: RecordZone.ID? {
        guard let zones, let first = zones.first else { return .default }
        return zones.allSatisfy { $0 == first } ? first : nil
    }

    /// The reference of a row.
    package func reference(_ row: Int) -> RecordReference {
        let code = Int(codes[row])
        return RecordReference(
            recordID: Record.ID(names.string(code), zoneID: zones?[code] ?? .default),
            action: deletesSelf[row] ? .deleteSelf : .none)
    }
}

/// Lists: row `r` has the elements `offsets[r] ..< offsets[r + 1]`.
package struct ListColumn: Sendable {
    package let offsets: ColumnBuffer<UInt32>
    /// The elements of all rows one after another; an element without a value is a null in a list.
    package let elements: Column

    /// The positions of a row's elements.
    package func range(_ row: Int) -> Range<Int> {
        let start = Int(offsets[row])
        return start..<max(start, Int(offsets[row &+ 1]))
    }

    /// The elements of a row.
    package func elements(_ row: Int) -> [FieldValue] { range(row).map { elements.value($0) } }
}
