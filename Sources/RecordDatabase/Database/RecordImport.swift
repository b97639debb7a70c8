// Records of a set on their way into a database, piece by piece.

package import FoundationEssentials
import RecordColumns
import RecordFiles
public import RecordModel
import RecordStore

/// Saves the records of a set, each in place of the one of its name, which keeps the fields that the set does not name
/// or, as is told, loses them.
package struct RecordImport: Sendable {
    private let set: RecordSet
    /// The ordinals of the records that are saved; `nil` for all there are.
    private let ordinals: [Int]?
    private let database: Database
    /// The fields that records of each type have. They define those that are new, whichever record comes first.
    private let declaredTypes: [String: [String: FieldType]]
    /// Whether a record that is there loses the fields that the set does not name.
    private let replaces: Bool

    package init(_ set: RecordSet, into database: Database, replacing replaces: Bool = false) {
        (self.set, self.database, self.replaces) = (set, database, replaces)
        ordinals = set.recordType.map { set.ordinals(ofType: $0) }
        declaredTypes = set.declaredTypes
    }

    /// How many records are saved.
    package var count: Int { ordinals?.count ?? set.count }

    /// Makes the zones that records are in. Called before the first piece. Those of a shared database are made by their
    /// owners.
    package func prepare() throws(DatabaseError) {
        if database.scope == .shared { return }
        let zones = set.zoneIDs.filter { !$0.isDefault }.map { RecordZone(id: $0) }
        if !zones.isEmpty {
            for (id, result) in try database.modifyZones(saving: zones, deleting: []).saves {
                if case .failure(let error) = result {
                    throw DatabaseError(error.code, "zone '\(id.zoneName)': \(error.reason)", hint: error.hint)
                }
            }
        }
    }

    /// Saves a stretch of the records, all of them together.
    ///
    /// - Parameter clientToken: The client's own token for the zones.
    /// - Returns: Those that were rejected.
    /// - Throws: `DatabaseError` for what is wrong with the stretch as a whole; then nothing of it was saved.
    package func save(
        _ places: Range<Int>, clientToken: Data? = nil
    ) throws(DatabaseError) -> [(id: Record.ID, error: DatabaseError)] {
        try save(ordinals(places), clientToken)
    }

    /// Saves records that were rejected with their stretches, together, when all stretches are saved.
    ///
    /// - Returns: Those that were rejected again.
    /// - Throws: As `save`.
    package func save(
        late ordinals: [Int]
    ) throws(DatabaseError) -> [(id: Record.ID, error: DatabaseError)] { try save(ordinals[...], nil) }

    /// The records of a stretch that were rejected for what a later one may bring: what a reference leads to.
    package func late(_ rejected: [(id: Record.ID, error: DatabaseError)], of places: Range<Int>) -> [Int] {
        if places.count == count { return [] }
        let ids = Set(rejected.lazy.filter { $0.error.code == .referenceViolation }.map(\.id))
        return ids.isEmpty ? [] : ordinals(places).filter { ids.contains(set.recordID(at: $0)) }
    }

    private func save(
        _ piece: ArraySlice<Int>, _ clientToken: Data?
    ) throws(DatabaseError) -> [(id: Record.ID, error: DatabaseError)] {
        // Fields that a record can take a value away from were saved before.
        let schema = database.client.store.schema.current
        return try database.load(
            piece, of: set, declared: declaredTypes, clientToken: clientToken
        ) { ordinal throws(DatabaseError) in
            var record = try record(at: ordinal, schema)
            if let type = record?.type { record?.declaredTypes = declaredTypes[type] ?? [:] }
            return record
        }
    }

    /// Has a server look at its tables when many records came, rather than a minute later: until then it plans queries
    /// as if the tables were as small as before. Called behind the last piece.
    package func end() {
        guard count >= 1_000, let server = database.client.store.remote?.server else { return }
        // The records are saved in any case, and the server comes to it by itself.
        try? server.analyze(declaredTypes.keys.sorted())
    }

    /// The ordinals of a stretch.
    package func ordinals(_ places: Range<Int>) -> ArraySlice<Int> { ordinals?[places] ?? Array(places)[...] }

    /// A length of pieces whose records are checked column by column: their values are as many as those of one record
    /// may be.
    fileprivate func pieceLength(_ limits: Limits) -> Int {
        let bytes = set.snapshot.segments.reduce(0) { $0 + $1.segment.byteCount }
        return max(100, min(10_000, limits.bytesPerRecord / max(1, bytes / max(1, set.snapshot.count)) / 2))
    }

    /// The record of an ordinal as it is saved: the fields that the database writes itself are left out.
    private func record(at ordinal: Int, _ schema: ContainerSchema) throws(DatabaseError) -> Record? {
        guard let record = set.record(at: ordinal) else { return nil }
        var fields = record.fields
        let missing = missingFields(at: ordinal, schema)
        guard !missing.isEmpty || fields.keys.contains(where: SystemKeys.all.contains) else { return record }
        let parent = fields[SystemKeys.parent]
        for key in SystemKeys.all { fields[key] = nil }
        var saved = Record(type: record.type, id: record.id, fields: fields)
        if case .reference(let reference)? = parent { try saved.setParent(reference) }
        for name in missing where name != SystemKeys.parent { saved[name] = .null }
        if missing.contains(SystemKeys.parent) { saved.setParent(nil as Record.ID?) }
        return saved
    }

    /// The fields of the store that the file names without a value, or does not name where records are replaced.
    private func missingFields(at ordinal: Int, _ schema: ContainerSchema) -> [String] {
        if replaces {
            let stored = schema.recordTypes[set.recordType(at: ordinal)]?.fields ?? [:]
            let given = set.record(at: ordinal)?.fields ?? [:]
            return (Array(stored.keys) + [SystemKeys.parent]).filter { given[$0] == nil }
        }
        let names = set.nullFields(at: ordinal)
        if names.isEmpty { return [] }
        let stored = schema.recordTypes[set.recordType(at: ordinal)]?.fields ?? [:]
        return names.filter { stored[$0] != nil || $0 == SystemKeys.parent }
    }
}

extension RecordSet {
    /// The fields that records of each type have, with their types.
    fileprivate var declaredTypes: [String: [String: FieldType]] {
        var types: [String: [String: FieldType]] = [:]
        for schema in schemas {
            let fields = schema.fields.filter { !SystemKeys.all.contains($0.name) }
            types[schema.recordType] = Dictionary(
                fields.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        }
        return types
    }
}

extension Database {
    /// Saves all records of a set, such as those of a file.
    ///
    ///     let cities = try RecordSet(contentsOf: "cities.ndjson", …)
    ///     let count = try await database.import(cities)
    ///
    /// Zones that are new are made first; types and fields are defined by the first records that are saved, as by other
    /// saves: in development, by users who may create such records. A field of whole and fractional numbers is DOUBLE.
    /// A record of a name that is there already gets the new values, and keeps those of other fields. Records are saved
    /// in pieces, each of which counts as a whole; the limits on items and bytes of a request do not hold. Records
    /// whose parents or owners come in later pieces are saved last, together.
    ///
    /// - Parameter progress: Called with the number of records that are done, after each piece.
    /// - Returns: How many records were saved: all of them.
    /// - Throws: `DatabaseError` of code `partialFailure` when records were rejected, with the error of each: all
    ///   others are saved. Of code `operationCancelled` when the task was cancelled: whole pieces are saved. Others for
    ///   what is wrong with the schema or the store.
    @discardableResult
    public func `import`(
        _ records: RecordSet, progress: (Int) -> Void = { _ in }
    ) async throws(DatabaseError) -> Int {
        let caller = try begin(.modifyRecords, isWriting: true).0
        let wanted = try await BackgroundThread.perform { () throws(DatabaseError) in
            let wanted = RecordImport(records, into: self)
            try wanted.prepare()
            return wanted
        }
        let length = wanted.pieceLength(caller.configuration.limits)
        var errors: [DatabaseError.Item: DatabaseError] = [:]
        var late: [Int] = []
        for start in stride(from: 0, to: wanted.count, by: length) {
            if Task.isCancelled { throw .cancelled }
            let end = min(wanted.count, start + length)
            let rejected = try await BackgroundThread.perform { () throws(DatabaseError) in
                try wanted.save(start..<end)
            }
            for (id, error) in rejected { errors[.record(id)] = error }
            late += wanted.late(rejected, of: start..<end)
            progress(end)
        }
        if !late.isEmpty {
            let waiting = late
            let rejected = try await BackgroundThread.perform { () throws(DatabaseError) in
                try wanted.save(late: waiting)
            }
            for ordinal in waiting { errors[.record(records.recordID(at: ordinal))] = nil }
            for (id, error) in rejected { errors[.record(id)] = error }
        }
        await BackgroundThread.perform { wanted.end() }
        if !errors.isEmpty { throw DatabaseError(partialErrors: errors) }
        return wanted.count
    }
}
