// The fields of one record type while its records come in, and the segments they go to.

import RecordModel

/// A segment under construction.
final class SegmentBuilder {
    /// Number of the segment in its table.
    let index: Int
    let zoneID: RecordZone.ID
    let names = TextBuilder()
    /// The columns by the field's position in the type; `nil` for fields without a value so far.
    var columns: [ColumnBuilder?] = []
    let positions = RunLengthMap()
    /// Number of complete rows.
    var count = 0

    init(index: Int, zoneID: RecordZone.ID) {
        self.index = index
        self.zoneID = zoneID
    }

    /// About how many bytes the segment will take: every column has room for every row.
    var byteCount: Int {
        columns.reduce(names.bytes.count + 4 * count) { total, column in
            guard let room = column?.room else { return total }
            return total + room.perRow * count + room.values
        }
    }

    func isFull(_ limits: RecordLoader.Limits) -> Bool {
        if count >= limits.segmentRows || names.bytes.count >= limits.segmentExtent { return true }
        for case let column? in columns where column.extent >= limits.segmentExtent { return true }
        return false
    }
}

/// What is known of one record type of one zone, and its open segment.
final class TypeBuilder {
    private let name: [UInt8]
    let zoneID: RecordZone.ID
    /// Whether records gave identifiers of their own.
    var hasNames = false
    /// The open segment.
    private(set) var segment: SegmentBuilder
    private var segmentIndices: Set<Int>
    private var shapes: [FieldInference] = []
    /// The origin of the record that brought each field, and the number of its key.
    private var introductions: [(origin: Int, key: Int)] = []
    /// The position of the field in `shapes` by the number of its key, −1 for none.
    private var positions: [Int] = []
    /// The open segment's columns by the number of their key.
    private(set) var columnsByKey: [ColumnBuilder?] = []

    private let readsDates: Bool
    private let isWidening: Bool
    /// What is shared with other types and zones.
    private let cells: CellColumns

    init(
        name: [UInt8], zoneID: RecordZone.ID, segment: SegmentBuilder, readsDates: Bool, isWidening: Bool,
        cells: CellColumns
    ) {
        (self.readsDates, self.isWidening, self.cells) = (readsDates, isWidening, cells)
        self.name = name
        self.zoneID = zoneID
        self.segment = segment
        segmentIndices = [segment.index]
    }

    func matches(_ type: UnsafeBufferPointer<UInt8>, zoneID: RecordZone.ID) -> Bool {
        guard unsafe name.withUnsafeBufferPointer({ unsafe ByteHash.areEqual($0, type) }) else { return false }
        return self.zoneID == zoneID
    }

    /// The segments of the type, in their order, out of those of a table.
    func segments(among all: [SegmentBuilder]) -> [SegmentBuilder] { segmentIndices.sorted().map { all[$0] } }

    /// The fields that were widened.
    var mixtures: [KindMixture] { shapes.compactMap(\.anyMixture) }

    /// Whether any record of the type was committed.
    var hasRecords: Bool { segment.count > 0 || segmentIndices.count > 1 }

    func column(forKey key: Int, name: @autoclosure () -> String, origin: Int) -> ColumnBuilder {
        let known = columnsByKey
        if key < known.count, let column = known[key] { return column }
        let column = addColumn(forKey: key, name: name(), origin: origin)
        // Assigned as a whole: an append in place would make every read above check for overlapping access.
        var columns = known
        while columns.count <= key { columns.append(nil) }
        columns[key] = column
        columnsByKey = columns
        return column
    }

    private func addColumn(forKey key: Int, name: String, origin: Int) -> ColumnBuilder {
        while positions.count <= key { positions.append(-1) }
        var position = positions[key]
        if position < 0 {
            position = shapes.count
            positions[key] = position
            shapes.append(
                FieldInference(
                    name: name, readsDates: readsDates, isWidening: isWidening, cells: cells.column(forKey: key)))
            introductions.append((origin, key))
        }
        while segment.columns.count <= position { segment.columns.append(nil) }
        if let column = segment.columns[position] { return column }
        let column = ColumnBuilder(shape: shapes[position])
        segment.columns[position] = column
        return column
    }

    func rollBack(origin: Int) {
        for case let column? in segment.columns { column.rollBack(to: segment.count, origin: origin) }
        while let last = introductions.last, last.origin == origin {
            introductions.removeLast()
            shapes.removeLast()
            positions[last.key] = -1
            columnsByKey = []
        }
        if segment.columns.count > shapes.count { segment.columns.removeLast(segment.columns.count - shapes.count) }
        segment.names.truncate(to: segment.count)
    }

    /// Goes on in a new segment; the open one takes no more records.
    func `continue`(in next: SegmentBuilder) {
        for shape in shapes { shape.hasSealedSegments = true }
        segment = next
        segmentIndices.insert(next.index)
        columnsByKey = []
    }

    /// The fields that have cells of CSV, each with what it holds in the segments.
    func fieldsOfCells(_ builders: [SegmentBuilder]) -> [(shape: FieldInference, builders: [ColumnBuilder])] {
        let builders = builders.filter { $0.count > 0 }
        var fields: [(shape: FieldInference, builders: [ColumnBuilder])] = []
        for (position, shape) in shapes.enumerated() where shape.infersFromText {
            let parts = builders.map { position < $0.columns.count ? $0.columns[position] : nil }
            fields.append((shape, parts.compactMap(\.self)))
        }
        return fields
    }

    /// The finished segments by number, and the schema over all of them.
    func finish(_ builders: [SegmentBuilder]) -> (schema: RecordSchema, segments: [(Int, Segment)]) {
        let builders = builders.filter { $0.count > 0 }
        var fields: [FieldDefinition] = []
        var columns = [[Column]](repeating: [], count: builders.count)
        for (position, shape) in shapes.enumerated() {
            let parts = builders.map { position < $0.columns.count ? $0.columns[position] : nil }
            let reading = shape.reading ?? TextReading(of: parts.compactMap(\.self), shape: shape)
            var type: FieldType?
            for (number, part) in parts.enumerated() {
                let rows = builders[number].count
                let column = part?.finish(rows: rows, texts: reading) ?? .missing(count: rows)
                columns[number].append(column)
                if case .missing = column.values { continue }
                type = type.map { $0.merged(with: column.type) } ?? column.type
            }
            if type == nil || type == .list(nil) { type = shape.declaredType ?? type }
            let unknown: FieldType = shape.infersFromText ? .string : .any
            fields.append(FieldDefinition(name: shape.name, type: type ?? unknown))
        }
        let schema = RecordSchema(recordType: String(decoding: name, as: UTF8.self), fields: fields)
        let segments = zip(builders, columns).map { builder, columns in
            let names = builder.names.finish()
            return (builder.index, Segment(schema: schema, zoneID: zoneID, columns: columns, names: names))
        }
        return (schema, segments)
    }
}
