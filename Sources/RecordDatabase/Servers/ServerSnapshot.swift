// A database on a server at one moment, read as it is needed.

import PredicateSemantics
import RecordModel
import RecordStore
import Synchronization

/// Records on servers that are read as they are needed, all of one moment.
protocol ServedRecords: Sendable {
    var schema: ContainerSchema { get }
    /// The records of a type, with those that their references lead to; those that cannot match may be missing, and
    /// there may be others.
    ///
    /// - Returns: How many of those that match are counted and not among the records, too.
    func records(
        ofType type: String, in zoneID: RecordZone.ID?, _ wanted: WantedRecords?
    ) throws(DatabaseError) -> (records: Snapshot, counted: Int)
    /// The records of all types.
    func allRecords() throws(DatabaseError) -> Snapshot
    /// The record of an identifier, if there is one.
    func record(for id: Record.ID) throws(DatabaseError) -> Snapshot
}

/// What reads a database on a server at one moment, with what a transaction changed.
struct ServerSnapshot: ServedRecords {
    private let reading: any ServerReading
    private(set) var schema: ContainerSchema
    /// The rows that were given so far; `nil` where they are not kept.
    private let known: KnownRows?
    /// What a transaction changed; `nil` for nothing.
    private var change: ServerCommit?

    /// - Parameter keepsRows: Whether rows are kept that are likely to be wanted again.
    init(_ reading: any ServerReading, _ schema: ContainerSchema, keepsRows: Bool = false) {
        (self.reading, self.schema) = (reading, schema)
        known = keepsRows ? KnownRows() : nil
    }

    /// The same with what a transaction changed, in place of what it changed before.
    func changed(by commit: ServerCommit) -> ServerSnapshot {
        var changed = self
        changed.schema = commit.schema ?? schema
        changed.change = commit
        return changed
    }

    // MARK: Reading

    func records(
        ofType type: String, in zoneID: RecordZone.ID?, _ wanted: WantedRecords?
    ) throws(DatabaseError) -> (records: Snapshot, counted: Int) {
        var need = ServerNeed()
        if let recordType = schema.recordTypes[type] {
            let binder = Self.binder(type, recordType)
            let sought = wanted.flatMap { try? binder.bind($0.predicate) }
            // How well records match depends on all others; and what a transaction changed may be behind a reference of
            // a record that it did not change.
            let isForAll = wanted?.keys.contains(where: \.isOfAllRecords) ?? true
            let isElsewhere = change != nil && sought?.followsReferences == true
            let predicate = isForAll || isElsewhere ? nil : sought
            if let bound = predicate ?? (try? binder.bind("TRUEPREDICATE")) {
                let follows =
                    sought.map { $0.followsReferences || wanted?.keys.contains(where: \.followsReferences) == true }
                    ?? recordType.fields.values.contains { $0.type == .reference || $0.type == .list(.reference) }
                var selection = ServerSelection(
                    type: type, zoneID: zoneID, predicate: bound, followsReferences: follows, order: [], start: nil,
                    limit: nil)
                selection.counts = predicate != nil && wanted?.counts == true && change == nil
                need.selection = selection
            }
        } else if let zoneID {
            // No record is needed, but whether the zone is there.
            need.zones = [zoneID]
        }
        let moment = try read(need)
        if wanted != nil { known?.insert(moment.rows, areNamed: false) }
        return (try shown(moment), moment.countedRows)
    }

    private static func binder(_ name: String, _ type: ContainerSchema.RecordType) -> Binder {
        let fields = type.fields.sorted { $0.key < $1.key }
        return Binder(
            schema: RecordSchema(
                recordType: name, fields: fields.map { FieldDefinition(name: $0.key, type: $0.value.type) }),
            settings: Binder.Settings(analyzers: type.analyzers))
    }

    func allRecords() throws(DatabaseError) -> Snapshot {
        var need = ServerNeed()
        need.wholeTypes = Set(schema.recordTypes.keys)
        return try shown(try read(need))
    }

    func record(for id: Record.ID) throws(DatabaseError) -> Snapshot {
        var moment = ServerMoment(schema: schema)
        if let row = known?.row(id) {
            moment.rows = [row]
        } else {
            var need = ServerNeed()
            need.records = [id]
            moment = try read(need)
            known?.insert(moment.rows, areNamed: true)
        }
        return try shown(moment)
    }

    /// The rows of some records, in their order, that were read by the identifiers of records; `nil` where one was not,
    /// or is not there.
    func namedRows(_ ids: [Record.ID]) -> [ServerRow]? { known?.namedRows(ids) }

    private func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        var need = need
        need.zoneStates = .named([])
        let saved = change?.saves.map(\.row) ?? []
        if saved.isEmpty { return try reading.read(need) }
        var targets: Set<Record.ID> = []
        if need.selection?.followsReferences == true { for row in saved { row.collectTargets(into: &targets) } }
        // The place of what was changed is that of what it was.
        need.records += saved.map(\.id) + targets
        return try reading.read(need)
    }

    /// The rows of a moment, with what a transaction changed.
    private func shown(_ moment: ServerMoment) throws(DatabaseError) -> Snapshot {
        try (change.map(moment.changed) ?? moment).snapshot()
    }
}

extension ServerMoment {
    /// The moment as it is after a commit, as far as its records and the references between them go.
    func changed(by commit: ServerCommit) -> ServerMoment {
        var changed = self
        changed.schema = commit.schema ?? schema
        let deleted = Set(commit.deletions.map(\.id))
        var left = Dictionary(commit.saves.map { ($0.row.id, $0.row) }) { $1 }
        changed.rows = rows.filter { !deleted.contains($0.id) }.map { left.removeValue(forKey: $0.id) ?? $0 }
        changed.rows += commit.saves.lazy.map(\.row).filter { left[$0.id] != nil }
        let removed = Set(commit.removedLinks.map(\.key))
        if !removed.isEmpty { changed.links.removeAll { removed.contains($0.key) } }
        changed.links += commit.addedLinks
        return changed
    }
}

/// Rows that a transaction read, which nobody else changes before its end. May be used from any thread.
private final class KnownRows: Sendable {
    /// Those that were read by identifiers, and those that queries found, which may be of other nodes.
    private let rows = Mutex<(named: [Record.ID: ServerRow], found: [Record.ID: ServerRow])>(([:], [:]))

    func row(_ id: Record.ID) -> ServerRow? { rows.withLock { $0.named[id] ?? $0.found[id] } }

    func namedRows(_ ids: [Record.ID]) -> [ServerRow]? {
        rows.withLock { rows in
            let found = ids.compactMap { rows.named[$0] }
            return found.count == ids.count ? found : nil
        }
    }

    func insert(_ new: [ServerRow], areNamed: Bool) {
        rows.withLock { rows in
            for row in new { if areNamed { rows.named[row.id] = row } else { rows.found[row.id] = row } }
        }
    }
}
