// The result of a live query, in order.

import QueryExecution
import RecordColumns
import RecordModel
import RecordStore

/// The records that match a query, in its order.
struct LiveResult {
    /// A record with what it is sorted by. An object, so that those behind a place move fast.
    private final class Entry: Sendable {
        let values: [FieldValue]
        let record: Record

        init(values: [FieldValue], record: Record) { (self.values, self.record) = (values, record) }
    }

    private var keys: [SortKey]
    /// The encrypted fields of the records.
    private var encryptedKeys: [String]
    private var opener: RecordOpener
    /// Who reads what others share; `nil` for the records of other databases.
    private let reader: String?
    private var entries: [Entry] = []
    /// The entries by identifier: a record's former position follows from what it was sorted by.
    private var known: [Record.ID: Entry] = [:]

    /// An empty result. The order must leave no two records of a zone level.
    init(keys: [SortKey], encryptedKeys: [String] = [], _ opener: RecordOpener, reader: String? = nil) {
        (self.keys, self.encryptedKeys, self.opener, self.reader) = (keys, encryptedKeys, opener, reader)
    }

    /// The records, in order.
    var records: [Record] { entries.map(\.record) }

    /// The records that a query gave, in the order: that of relevance is nowhere else.
    /// - Complexity: O(records).
    mutating func fill(_ rows: [SnapshotRow], of snapshot: Snapshot) {
        var results = ResultRows(snapshot)
        entries = rows.map { row in
            let version = results.version(segment: row.segment, row: row.row)
            return entry(version, version.segment.recordID(row.row), in: snapshot)
        }
        known = Dictionary(minimumCapacity: entries.count)
        for entry in entries { known[entry.record.id] = entry }
    }

    private mutating func entry(_ version: RowVersion, _ id: Record.ID, in snapshot: Snapshot) -> Entry {
        let view = RowView(segment: version.segment, row: version.row, keys: snapshot.keys)
        let shown = opener.shownRecord(id, version, encryptedKeys)
        return Entry(
            values: keys.map { $0.prepared(view.value(of: $0.criterion, in: snapshot)) },
            record: reader.map { shown.seen(by: $0) } ?? shown)
    }

    private mutating func entry(_ record: Record, in snapshot: Snapshot) -> Entry? {
        guard let version = record.version.flatMap({ RowVersion($0) }) else { return nil }
        return entry(version, record.id, in: snapshot)
    }

    /// An entry's position, or where it would go. Complexity: O(log records).
    private func position(of entry: Entry) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(entries[middle], entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isBefore(_ a: Entry, _ b: Entry) -> Bool {
        for (number, key) in keys.enumerated() {
            let order = key.compare(prepared: a.values[number], b.values[number])
            if order != 0 { return order < 0 }
        }
        let (left, right) = (a.record.id, b.record.id)
        if left.recordName != right.recordName { return left.recordName < right.recordName }
        return (left.zoneID.zoneName, left.zoneID.ownerName) < (right.zoneID.zoneName, right.zoneID.ownerName)
    }

    // MARK: Steps

    /// Has the records that a commit brings shown as they are stored by then.
    ///
    /// - Parameter encrypted: The encrypted fields of the records; `nil` where they stay.
    mutating func begin(encrypted: [String]?) {
        if let encrypted { encryptedKeys = encrypted }
        // It may have been reset since.
        opener.forgetKey()
    }

    /// Adds a record of a snapshot. Complexity: O(log records), and moving those behind it.
    mutating func insert(_ record: Record, in snapshot: Snapshot) -> QueryChange? {
        guard let entry = entry(record, in: snapshot) else { return nil }
        known[record.id] = entry
        let position = position(of: entry)
        entries.insert(entry, at: position)
        return .inserted(entry.record, at: position)
    }

    /// Takes a record away. Complexity: O(log records), and moving those behind it.
    mutating func remove(_ id: Record.ID) -> QueryChange? {
        guard let entry = known.removeValue(forKey: id), let position = find(entry) else { return nil }
        entries.remove(at: position)
        return .removed(id, at: position)
    }

    /// Puts the new state of a record in place of the old one. Complexity: O(log records), and moving those between.
    mutating func update(_ record: Record, in snapshot: Snapshot) -> QueryChange? {
        guard let old = known[record.id], let from = find(old), let entry = entry(record, in: snapshot) else {
            return nil
        }
        known[record.id] = entry
        let isBehind = from == 0 || isBefore(entries[from - 1], entry)
        if isBehind, from + 1 == entries.count || isBefore(entry, entries[from + 1]) {
            entries[from] = entry
            return .updated(entry.record, at: from)
        }
        entries.remove(at: from)
        let to = position(of: entry)
        entries.insert(entry, at: to)
        return from == to ? .updated(entry.record, at: to) : .moved(entry.record, from: from, to: to)
    }

    private func find(_ entry: Entry) -> Int? {
        let position = position(of: entry)
        return position < entries.count && entries[position] === entry ? position : nil
    }

    /// Becomes another result, and tells how: removals from behind, then what came or changed, in order.
    mutating func become(_ next: LiveResult) -> [QueryChange] {
        var changes: [QueryChange] = []
        let kept = Set(next.entries.map(\.record.id))
        for position in entries.indices.reversed() where !kept.contains(entries[position].record.id) {
            changes.append(.removed(entries[position].record.id, at: position))
            entries.remove(at: position)
        }
        for (position, entry) in next.entries.enumerated() {
            let current = position < entries.count ? entries[position] : nil
            if let current, current.record.id == entry.record.id {
                // Fields and keys of encrypted values may be known that were not.
                if current.record.recordChangeTag != entry.record.recordChangeTag
                    || current.record.encryptedValues != entry.record.encryptedValues
                {
                    changes.append(.updated(entry.record, at: position))
                }
                entries[position] = entry
                continue
            }
            // Only a record that was there before has a place: many new ones may come at once.
            if known[entry.record.id] != nil,
                let from = entries[position...].firstIndex(where: { $0.record.id == entry.record.id })
            {
                entries.remove(at: from)
                changes.append(.moved(entry.record, from: from, to: position))
            } else {
                changes.append(.inserted(entry.record, at: position))
            }
            entries.insert(entry, at: position)
        }
        known = next.known
        (keys, encryptedKeys, opener) = (next.keys, next.encryptedKeys, next.opener)
        return changes
    }
}
