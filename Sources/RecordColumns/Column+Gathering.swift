// Columns of one field put together, column to column: no record and no value is made on the way.

import Geospatial
import OrdinalSets
import RecordModel

extension Column {
    /// The rows of several columns of one field, in the order of `rows`; `nil` stands for a column without values.
    ///
    /// - Throws: `ColumnError` of kind `tooLarge`.
    /// - Complexity: O(rows), and O(bytes) for texts.
    static func gathered(_ columns: [Column?], _ rows: RowGather) throws(ColumnError) -> Column {
        let gatherer = ColumnGatherer(columns: columns, rows: rows)
        let presence = gatherer.presence
        let values = try gatherer.values(presence: presence)
        if case .missing = values { return .missing(count: rows.count) }
        return Column(values: values, presence: presence, count: rows.count)
    }
}

/// Puts columns of one field together.
struct ColumnGatherer {
    /// The columns that hold values, by source.
    let columns: [Column?]
    let rows: RowGather

    init(columns: [Column?], rows: RowGather) {
        self.columns = columns.map { column in
            if case .missing? = column?.values { nil } else { column }
        }
        self.rows = rows
    }

    /// The rows that have a value; `nil` when all have.
    var presence: Bitmap? {
        let builder = PresenceBuilder()
        for stretch in rows.stretches {
            guard let column = columns[stretch.source] else {
                builder.appendMissing(stretch.rows.count)
                continue
            }
            guard let bits = column.presence else {
                builder.appendPresent(stretch.rows.count)
                continue
            }
            for row in stretch.rows { if bits[row] { builder.appendPresent() } else { builder.appendMissing(1) } }
        }
        return builder.bitmap
    }

    func values(presence: Bitmap?) throws(ColumnError) -> Column.Values {
        guard let first = columns.lazy.compactMap(\.self).first else { return .missing }
        let values: Column.Values? =
            switch first.values {
            case .missing: .missing
            case .int64, .double, .number: numbers(presence: presence)
            case .bool: bools()
            case .date:
                gather(padding: 0, \.seconds).map {
                    .date($0)
                }
            case .text, .dictionary: try texts(presence: presence)
            case .data: try strings().map { .data($0.finish()) }
            case .location: locations()
            case .reference: try references()
            case .list: try lists()
            case .any: nil
            }
        // Kinds that do not go together, which a field of kind `any` may hold, stay values.
        return values ?? .any(rows.stretches.flatMap { stretch in stretch.rows.map { value(stretch.source, $0) } })
    }

    private func value(_ source: Int, _ row: Int) -> FieldValue { columns[source]?.value(row) ?? .null }

    /// Calls `body` with each stretch and the storage of its source, `nil` for none; false when a column has another.
    func forEachStretch<Storage>(
        _ storage: (Column.Values) -> Storage?,
        _ body: (RowGather.Stretch, Storage?) throws(ColumnError) -> Void
    ) throws(ColumnError) -> Bool {
        var storages: [Storage?] = []
        for column in columns {
            guard let column else {
                storages.append(nil)
                continue
            }
            guard let found = storage(column.values) else { return false }
            storages.append(found)
        }
        for stretch in rows.stretches { try body(stretch, storages[stretch.source]) }
        return true
    }

    /// Elements of fixed size; `nil` when a column has others.
    private func gather<Element>(
        padding: Element, _ storage: (Column.Values) -> ColumnBuffer<Element>?
    ) -> ColumnBuffer<Element>? {
        let gathered = ColumnBuffer<Element>(capacity: rows.count)
        let isWhole = try? forEachStretch(storage) { stretch, buffer in
            guard let buffer else { return gathered.append(repeating: padding, count: stretch.rows.count) }
            unsafe buffer.withElements { elements in
                // SAFETY: stretches are of rows of their source, and columns have an element for each row.
                unsafe gathered.append(contentsOf: UnsafeBufferPointer(rebasing: elements[stretch.rows]))
            }
        }
        return isWhole == true ? gathered : nil
    }

    private func numbers(presence: Bitmap?) -> Column.Values? {
        if let ints = gather(padding: 0, \.ints) {
            return .int64(ints)
        }
        if let doubles = gather(padding: 0, \.doubles) {
            return .double(doubles)
        }
        let builder = NumberBuilder()
        for stretch in rows.stretches {
            for row in stretch.rows {
                switch value(stretch.source, row) {
                case .int64(let number): builder.append(number)
                case .double(let number): builder.append(number)
                case .null: builder.appendPadding(1)
                default: return nil
                }
            }
        }
        return builder.finish(presence: presence)
    }

    private func bools() -> Column.Values? {
        let bits = BitBuilder()
        let isWhole = try? forEachStretch(\.bits) { stretch, source in
            for row in stretch.rows { bits.append(source?[row] ?? false) }
        }
        return isWhole == true ? .bool(bits.bitmap) : nil
    }

    private func locations() -> Column.Values? {
        let latitudes = gather(padding: 0, \.locations?.latitudes)
        let longitudes = gather(padding: 0, \.locations?.longitudes)
        guard let latitudes, let longitudes else { return nil }
        return .location(LocationColumn(latitudes: latitudes, longitudes: longitudes, details: details()))
    }

    /// What else is known about places; `nil` when nothing is about any.
    private func details() -> [Location.Details?]? {
        guard columns.contains(where: { $0?.values.locations?.details != nil }) else { return nil }
        return rows.stretches.flatMap { stretch -> [Location.Details?] in
            let details = columns[stretch.source]?.values.locations?.details
            return stretch.rows.map { details?[$0] ?? nil }
        }
    }

    private func references() throws(ColumnError) -> Column.Values? {
        let builder = ReferenceBuilder()
        var codes = CodeMaps(sources: columns.count, rowCount: rows.count)
        let isWhole = try forEachStretch(\.references) {
            stretch, references throws(ColumnError) in
            guard let references else { return builder.appendPadding(stretch.rows.count) }
            let presence = columns[stretch.source]?.presence
            for row in stretch.rows {
                guard presence?[row] ?? true else {
                    builder.appendPadding(1)
                    continue
                }
                let old = Int(references.codes[row])
                let code = codes.code(stretch.source, old, of: references.names.count) {
                    unsafe references.names.withBytes(old) { name in
                        unsafe builder.code(ofName: name, zone: references.zones?[old])
                    }
                }
                guard let code else { throw ColumnError(.tooLarge) }
                builder.append(code: code, deletesSelf: references.deletesSelf[row])
            }
        }
        return isWhole ? builder.finish() : nil
    }

    private func lists() throws(ColumnError) -> Column.Values? {
        let offsets = ColumnBuffer<UInt32>(capacity: rows.count + 1)
        offsets.append(0)
        var elements = RowGather()
        let isWhole = try forEachStretch(\.lists) {
            stretch, lists throws(ColumnError) in
            for row in stretch.rows {
                if let lists { elements.append(source: stretch.source, rows: lists.range(row)) }
                guard let end = UInt32(exactly: elements.count) else { throw ColumnError(.tooLarge) }
                offsets.append(end)
            }
        }
        guard isWhole else { return nil }
        let children = columns.map { $0?.values.lists?.elements }
        return .list(ListColumn(offsets: offsets, elements: try .gathered(children, elements)))
    }
}

// MARK: Storage by kind

extension Column.Values {
    fileprivate var ints: ColumnBuffer<Int64>? { if case .int64(let numbers) = self { numbers } else { nil } }
    fileprivate var doubles: ColumnBuffer<Double>? { if case .double(let numbers) = self { numbers } else { nil } }
    fileprivate var seconds: ColumnBuffer<Double>? { if case .date(let seconds) = self { seconds } else { nil } }
    fileprivate var bits: Bitmap? { if case .bool(let bits) = self { bits } else { nil } }
    fileprivate var locations: LocationColumn? { if case .location(let locations) = self { locations } else { nil } }
    fileprivate var references: ReferenceColumn? { if case .reference(let links) = self { links } else { nil } }
    fileprivate var lists: ListColumn? { if case .list(let lists) = self { lists } else { nil } }
    var dictionary: DictionaryColumn? { if case .dictionary(let dictionary) = self { dictionary } else { nil } }
}
