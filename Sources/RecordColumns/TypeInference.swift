// The fields of a record type whose records keep coming: what kinds of values they hold, and segments of new rows.

package import RecordModel

/// A value and the name of its field.
package typealias FieldEntry = (name: String, value: FieldValue)

/// What is known of one record type of a store. The first value of a field fixes its kind for good.
///
/// Used by one writer at a time.
package final class TypeInference {
    package let recordType: String
    private var shapes: [FieldInference] = []
    private var positions = FieldPositions()
    /// The types of the fields over all segments; `nil` as long as a field has no value.
    private var types: [FieldType?] = []
    /// The types without what was not accepted yet.
    private var acceptedTypes: [FieldType?] = []
    /// Origin of the segment that brought each field.
    private var introductions: [Int] = []
    private let limits = RecordLoader.Limits()
    /// The schema, until something changes.
    private var known: RecordSchema?

    /// A type without fields.
    package init(recordType: String) { self.recordType = recordType }

    /// A type whose records were read from files before.
    package convenience init(_ schema: RecordSchema) {
        self.init(recordType: schema.recordType)
        for field in schema.fields {
            let position = addField(field.name, origin: 0)
            types[position] = field.type == .any ? nil : field.type
            known = nil
            shapes[position].adopt(field.type)
        }
        accept()
    }

    /// The fields in order of first appearance.
    package var schema: RecordSchema {
        if let known { return known }
        let schema = RecordSchema(
            recordType: recordType, fields: zip(shapes, types).map { FieldDefinition(name: $0.name, type: $1 ?? .any) })
        known = schema
        return schema
    }

    private func addField(_ name: String, origin: Int) -> Int {
        let shape = FieldInference(name: name, readsDates: false)
        shape.hasSealedSegments = true
        shapes.append(shape)
        types.append(nil)
        introductions.append(origin)
        positions.append(name)
        known = nil
        return shapes.count - 1
    }

    /// Makes room for the fields that are new, in order of name.
    private func addFields(of fields: [String: FieldValue], origin: Int) throws(ColumnError) {
        for field in fields.keys.filter({ positions[$0] == nil }).sorted() {
            guard shapes.count < limits.maximumFields else {
                throw ColumnError(.tooManyFields(limit: limits.maximumFields))
            }
            _ = addField(field, origin: origin)
        }
    }

    /// Keeps what segments so far taught.
    package func accept() { acceptedTypes = types }

    /// Takes back what segments of that origin taught, which was not accepted.
    package func rollBack(origin: Int) {
        while let last = introductions.last, last == origin {
            introductions.removeLast()
            shapes.removeLast()
            positions.removeLast()
        }
        types = acceptedTypes
        known = nil
        for shape in shapes { shape.forget(origin: origin) }
    }

    // MARK: Segments

    /// A segment of new rows: the records in their order, all of this type and one zone.
    ///
    /// - Parameters:
    ///   - entries: More values of each record; none, or as many as records.
    ///   - origin: A number above zero of the caller's choice, for `rollBack`, which is due when this throws.
    /// - Throws: `ColumnError` of kinds `mixture`, `tooManyFields`, `tooLarge`.
    /// - Complexity: O(values).
    package func segment(
        of records: [Record], beside entries: [[FieldEntry]] = [], zoneID: RecordZone.ID, origin: Int
    ) throws(ColumnError) -> Segment {
        var columns = NewColumns(rowCount: records.count)
        let names = TextBuilder()
        var recent = RecentPositions()
        for (row, record) in records.enumerated() {
            recent.beginRow()
            var name = record.id.recordName
            guard name.withUTF8({ unsafe names.append($0) }) else { throw ColumnError(.tooLarge) }
            let fields = record.fields
            for (field, value) in fields {
                let position = try recent.position(of: field) { () throws(ColumnError) in
                    try self.position(of: field, origin: origin) { fields }
                }
                try columns.append(value, to: shapes[position], at: position, row: row, origin: origin)
            }
            guard row < entries.count else { continue }
            for (field, value) in entries[row] {
                let position = try recent.position(of: field) { () throws(ColumnError) in
                    try self.position(of: field, origin: origin) { [field: value] }
                }
                try columns.append(value, to: shapes[position], at: position, row: row, origin: origin)
            }
        }
        return segment(columns: columns.finish(count: shapes.count), names: names.finish(), zoneID: zoneID)
    }

    /// The position of a field, with room made for it and all new ones of its record.
    private func position(
        of field: String, origin: Int, among fields: () -> [String: FieldValue]
    ) throws(ColumnError) -> Int {
        if let known = positions[field] { return known }
        try addFields(of: fields(), origin: origin)
        guard let added = positions[field] else { throw ColumnError(.tooManyFields(limit: limits.maximumFields)) }
        return added
    }

    /// A segment of rows that are there already, some of their fields changed.
    ///
    /// - Parameters:
    ///   - rows: Rows of `segments`, of this type and one zone.
    ///   - changes: The new values by row of the new segment; `.null` takes a value away.
    ///   - origin: As above.
    /// - Throws: `ColumnError` as above.
    /// - Complexity: O(rows · fields + bytes).
    package func segment(
        gathering rows: RowGather, of segments: [Segment], changes: [[String: FieldValue]], zoneID: RecordZone.ID,
        origin: Int
    ) throws(ColumnError) -> Segment {
        var changed: [Int: Int] = [:]
        for change in changes {
            for field in change.keys {
                if positions[field] == nil { try addFields(of: change, origin: origin) }
                if let position = positions[field] { changed[position, default: 0] += 1 }
            }
        }
        var columns: [Column] = []
        columns.reserveCapacity(shapes.count)
        for (position, shape) in shapes.enumerated() {
            // What every row has a new value of is not looked up.
            let isReplaced = changed[position] == changes.count
            let old =
                isReplaced
                ? .missing(count: rows.count) : try Segment.column(shape.name, near: position, of: segments, rows)
            columns.append(
                changed[position] != nil ? try column(old, shape, changes: changes, origin: origin) : old)
        }
        return segment(columns: columns, names: try Segment.names(rows, of: segments), zoneID: zoneID)
    }

    private func column(
        _ old: Column, _ shape: FieldInference, changes: [[String: FieldValue]], origin: Int
    ) throws(ColumnError) -> Column {
        if changes.count == 1, let value = changes[0][shape.name], let column = Column(row: value, of: shape) {
            return column
        }
        let builder = ColumnBuilder(shape: shape)
        for (row, change) in changes.enumerated() {
            try builder.append(change[shape.name] ?? old.value(row), row: row, origin: origin)
        }
        return builder.finish(rows: changes.count, texts: .texts)
    }

    /// A segment of columns that are there already.
    ///
    /// - Parameters:
    ///   - given: The columns with values, each as long as `names`.
    ///   - origin: As above.
    /// - Throws: `ColumnError` as above.
    /// - Complexity: O(fields).
    package func segment(
        columns given: [(name: String, column: Column)], names: TextColumn, zoneID: RecordZone.ID, origin: Int
    ) throws(ColumnError) -> Segment {
        var columns: [Column?] = []
        for (name, column) in given {
            if positions[name] == nil {
                guard shapes.count < limits.maximumFields else {
                    throw ColumnError(.tooManyFields(limit: limits.maximumFields))
                }
            }
            let position = positions[name] ?? addField(name, origin: origin)
            try shapes[position].adopt(column.type, origin: origin)
            while columns.count <= position { columns.append(nil) }
            columns[position] = column
        }
        let all = shapes.indices.map { position in
            (columns.indices.contains(position) ? columns[position] : nil) ?? .missing(count: names.count)
        }
        return segment(columns: all, names: names, zoneID: zoneID)
    }

    private func segment(columns: [Column], names: TextColumn, zoneID: RecordZone.ID) -> Segment {
        for (position, column) in columns.enumerated() {
            if case .missing = column.values { continue }
            // Boxed values tell the type one by one: where there is none, nothing does.
            if case .any = column.values, column.presentCount == 0 { continue }
            let type = types[position]?.merged(with: column.type) ?? column.type
            if type == types[position] { continue }
            types[position] = type
            known = nil
        }
        return Segment(schema: schema, zoneID: zoneID, columns: columns, names: names)
    }
}

/// The positions of the fields of the row before: rows of one type have the same fields in the same order, mostly, and
/// comparing a name costs less than looking it up.
private struct RecentPositions {
    private var known: [(name: String, position: Int)] = []
    private var next = 0

    mutating func beginRow() { next = 0 }

    mutating func position(
        of name: String, lookedUp: () throws(ColumnError) -> Int
    ) throws(ColumnError) -> Int {
        defer { next += 1 }
        if next < known.count, known[next].name == name { return known[next].position }
        let position = try lookedUp()
        if next < known.count { known[next] = (name, position) } else { known.append((name, position)) }
        return position
    }
}

extension FieldInference {
    /// Fixes the kind of values that the type of a field requires.
    fileprivate func adopt(_ type: FieldType) {
        if let found = ValueKind(type) { kind = found }
        if case .list(let elements?) = type { element.adopt(elements) }
    }

    /// As `adopt(_:)`, or checks that the kind is the one that was fixed before.
    /// - Throws: `ColumnError` of kind `mixture`.
    fileprivate func adopt(_ type: FieldType, origin: Int) throws(ColumnError) {
        if let found = ValueKind(type) { try adopt(found, origin: origin) }
        if case .list(let elements?) = type { try element.adopt(elements, origin: origin) }
    }
}

extension ValueKind {
    /// The kind of the values of a type; `nil` for a type of any values.
    fileprivate init?(_ type: FieldType) {
        switch type {
        case .int64, .double, .number: self = .number
        case .bool: self = .bool
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .location: self = .location
        case .reference: self = .reference
        case .asset: self = .asset
        case .object: self = .object
        case .list: self = .list
        case .any: return nil
        }
    }
}
