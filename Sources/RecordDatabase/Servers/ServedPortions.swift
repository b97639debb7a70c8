// The records of a database on a server, some at a time.

package import RecordModel
import RecordStore

/// The records of a database on a server, all of one moment, those of users left out.
package struct ServedPortions: Sendable {
    package let schema: ContainerSchema
    /// The types of the records, by name.
    package let types: [String]
    /// The type that was requested; `nil` for all.
    private let type: String?
    private let reading: any ServerReading
    /// Where files of assets come to.
    fileprivate let assets: AssetFolder

    fileprivate init(_ reading: any ServerReading, _ schema: ContainerSchema, type: String?, assets: AssetFolder) {
        (self.reading, self.schema, self.type, self.assets) = (reading, schema, type, assets)
        types = schema.recordTypes.keys
            .filter { $0 != ContainerSchema.userRecordType && (type == nil || type == $0) }.sorted()
    }

    /// The schema without records.
    package var empty: RecordSet { records(Snapshot(version: 0, segments: [], schemas: [], isSealed: true)) }

    /// Calls a body with the records in portions, in order of insertion. Each call begins with the first.
    ///
    /// - Parameter types: The types that are wanted, among those there are.
    /// - Throws: `DatabaseError`, also what the body throws.
    package func forEach(
        of types: [String], _ body: (RecordSet) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let portions = try reading.portions(of: types)
        while true {
            var moment = ServerMoment(schema: schema)
            moment.rows = try portions.next()
            if moment.rows.isEmpty { return }
            try body(self.records(try moment.snapshot().sealed(withoutTypes: [ContainerSchema.userRecordType])))
        }
    }

    private func records(_ snapshot: Snapshot) -> RecordSet {
        var source = RecordSet.Source(schema: schema)
        source.serverIndexes = ServerIndexes(types.compactMap { schema.recordTypes[$0] })
        return RecordSet(snapshot, recordType: type, source: source)
    }
}

extension Database {
    /// Calls a body with what reads the records of a database on a server in portions, until the body returns.
    ///
    /// - Parameter type: Only records of this type; `nil` for all.
    /// - Throws: `DatabaseError`, also what the body throws, and of code `badDatabase` for a database in this process.
    package func withPortions<Outcome>(
        ofType type: String?, _ body: (ServedPortions) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        guard let remote = try begin(.query).1 as? RemoteDatabase else {
            throw DatabaseError(.badDatabase, "the database is not on a server")
        }
        return try remote.server.reading(remote.origin) { moment, reading throws(DatabaseError) in
            remote.store.follow(moment)
            return try body(ServedPortions(reading, moment.schema, type: type, assets: remote.store.assets))
        }
    }
}

extension RecordExport {
    /// Writes the records of a database on a server portion by portion, all of one moment, in order of insertion: the
    /// text is that of all records at once. Where its form depends on all of them (columns of CSV, lists that are all
    /// empty), they are read twice.
    ///
    /// - Parameter sink: Takes the text piece by piece, and empties the array.
    /// - Throws: As the initializer, and as writing does.
    package static func write(
        _ records: ServedPortions, as format: RecordFormat, options: Options,
        to sink: (inout [UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let shape = try shape(of: records, as: format, options)
        var isFirst = true
        func write(_ set: RecordSet, isLast: Bool) throws(DatabaseError) {
            var export = try RecordExport(set, at: ordinals(of: set), as: format, options: options, shape: shape)
            export.servedAssets = records.assets
            (export.follows, export.isFollowed) = (!isFirst, !isLast)
            isFirst = false
            try export.writePieces(to: sink)
        }
        try records.forEach(of: records.types) { set throws(DatabaseError) in try write(set, isLast: false) }
        try write(records.empty, isLast: true)
    }

    private static func shape(
        of records: ServedPortions, as format: RecordFormat, _ options: Options
    ) throws(DatabaseError) -> Shape {
        var shape = Shape()
        var open: [String] = []
        for name in records.types {
            let fields = records.schema.recordTypes[name]?.fields ?? [:]
            let isOpen =
                format == .csv || format == .tsv
                || fields.contains { key, field in
                    if case .list = field.type { return true }
                    return key == options.idKey || key == options.typeKey
                }
            if isOpen {
                open.append(name)
            } else {
                shape.take(RecordSchema(recordType: name, declaring: fields))
            }
        }
        // An object has a parent where the record has one; a table has a column for it.
        if format == .ndjson || format == .json { shape.hasParents = true }
        if !open.isEmpty { try records.forEach(of: open) { shape.take($0) } }
        return shape
    }
}

extension RecordSchema {
    fileprivate init(recordType: String, declaring fields: [String: ContainerSchema.Field]) {
        self.init(
            recordType: recordType,
            fields: fields.sorted { $0.key < $1.key }.map { FieldDefinition(name: $0.key, type: $0.value.type) })
    }
}
