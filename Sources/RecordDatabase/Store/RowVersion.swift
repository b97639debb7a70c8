// The stored version of a record, read from its row on demand.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

/// Names of the columns that hold what the database writes about a record.
enum MetadataColumn {
    static let creationDate = "creationDate"
    static let creator = "creatorUserRecordID"
    static let modificationDate = "modificationDate"
    static let lastModifier = "lastModifiedUserRecordID"
    static let changeTag = "recordChangeTag"
    static let parent = "parent"
    static let share = "share"
    static let all: Set<String> = [creationDate, creator, modificationDate, lastModifier, changeTag, parent, share]
    private static let names = Array(all)
    /// The lengths of the names, one a bit: all are below 64.
    private static let lengths = all.reduce(UInt64(0)) { $0 | 1 << UInt64($1.utf8.count) }

    /// Whether a name is one of them: looked at for each value that is read, so mostly by its length alone.
    static func contains(_ name: String) -> Bool {
        let length = name.utf8.count
        return length < UInt64.bitWidth && lengths >> UInt64(length) & 1 == 1 && names.contains(name)
    }
}

/// The text of a change's number: what callers see as a change tag.
enum ChangeTag {
    static func text(_ change: Int64) -> String { String(change, radix: 36) }
}

/// The stored rows of a segment as records read them, one object for all records of a result: nothing is copied until
/// it is read.
final class StoredRows: RecordRows {
    let segment: Segment
    /// The desired fields; `nil` for all.
    let desiredKeys: Set<String>?
    var isStored: Bool { true }

    init(_ segment: Segment, desiredKeys: Set<String>? = nil) {
        (self.segment, self.desiredKeys) = (segment, desiredKeys)
    }

    func metadata(row: Int) -> Record.Metadata {
        Record.Metadata(
            creationDate: date(MetadataColumn.creationDate, row),
            creatorUserRecordID: user(MetadataColumn.creator, row),
            modificationDate: date(MetadataColumn.modificationDate, row),
            lastModifiedUserRecordID: user(MetadataColumn.lastModifier, row), recordChangeTag: recordChangeTag(row: row)
        )
    }

    func recordChangeTag(row: Int) -> String? { segment.change(row).map(ChangeTag.text) }

    func parent(row: Int) -> RecordReference? {
        guard case .reference(let reference) = segment.value(of: MetadataColumn.parent, row: row) else { return nil }
        return reference
    }

    func share(row: Int) -> RecordReference? {
        guard case .reference(let reference) = segment.value(of: MetadataColumn.share, row: row) else { return nil }
        return reference
    }

    func value(of field: String, row: Int) -> FieldValue {
        if let desiredKeys, !desiredKeys.contains(field) { return .null }
        return MetadataColumn.contains(field) ? .null : segment.value(of: field, row: row)
    }

    func fields(row: Int) -> [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        for (field, column) in zip(segment.schema.fields, segment.columns) where column.isPresent(row) {
            if let desiredKeys, !desiredKeys.contains(field.name) { continue }
            if !MetadataColumn.contains(field.name) { fields[field.name] = column.value(row) }
        }
        return fields
    }

    private func date(_ column: String, _ row: Int) -> Date? {
        guard case .date(let date) = segment.value(of: column, row: row) else { return nil }
        return date
    }

    private func user(_ column: String, _ row: Int) -> Record.ID? {
        guard case .reference(let user) = segment.value(of: column, row: row) else { return nil }
        return user.recordID
    }
}

/// One of the stored rows.
struct RowVersion: Sendable {
    let rows: StoredRows
    let row: Int

    init(_ rows: StoredRows, _ row: Int) { (self.rows, self.row) = (rows, row) }

    init(_ segment: Segment, _ row: Int) { self.init(StoredRows(segment), row) }

    /// The row that a record was read from; `nil` for a version that is none.
    init?(_ version: RecordVersion) {
        guard let rows = version.rows as? StoredRows else { return nil }
        self.init(rows, version.row)
    }

    var segment: Segment { rows.segment }
    /// As records have it.
    var version: RecordVersion { RecordVersion(rows: rows, row: row) }
    var metadata: Record.Metadata { rows.metadata(row: row) }
    var recordChangeTag: String? { rows.recordChangeTag(row: row) }
    var parent: RecordReference? { rows.parent(row: row) }
    var share: RecordReference? { rows.share(row: row) }
    var fields: [String: FieldValue] { rows.fields(row: row) }
    func value(of field: String) -> FieldValue { rows.value(of: field, row: row) }

    /// The record of an identifier.
    func record(_ id: Record.ID) -> Record {
        Record(type: segment.recordType, id: id, version: version)
    }

    /// Bytes of the fields that count against limits, some fields aside.
    func byteCount(without keys: some Collection<String>) -> Int {
        var count = 0
        for (field, column) in zip(segment.schema.fields, segment.columns) where column.isPresent(row) {
            if MetadataColumn.contains(field.name) || keys.contains(field.name) { continue }
            let text = unsafe column.withText(row) { $0.count }
            count += text ?? ValueCheck.byteCount(column.value(row))
        }
        return count
    }
}

/// The rows of several segments for the records of one result.
struct ResultRows {
    private let snapshot: Snapshot
    private let desiredKeys: Set<String>?
    /// By segment; those of one result are few.
    private var known: [(segment: Int, rows: StoredRows)] = []
    private var last: (segment: Int, rows: StoredRows)?

    init(_ snapshot: Snapshot, desiredKeys: Set<String>? = nil) {
        (self.snapshot, self.desiredKeys) = (snapshot, desiredKeys)
    }

    /// A row of a segment of the snapshot.
    mutating func version(segment: Int, row: Int) -> RowVersion {
        if let last, last.segment == segment { return RowVersion(last.rows, row) }
        if let last, !known.contains(where: { $0.segment == last.segment }) { known.append(last) }
        let rows =
            known.first { $0.segment == segment }?.rows
            ?? StoredRows(snapshot.segments[segment].segment, desiredKeys: desiredKeys)
        last = (segment, rows)
        return RowVersion(rows, row)
    }
}

/// A version that was saved over another one: a row of its own.
final class AmendedVersion: RecordRows {
    private let base: RowVersion
    private let changes: [String: FieldValue]
    private let metadata: Record.Metadata
    private let parent: RecordReference?
    private let share: RecordReference?
    var isStored: Bool { true }

    /// - Parameter save: What was saved over the version.
    init(_ base: RowVersion, _ save: Commit.Save, metadata: Record.Metadata) {
        self.base = base
        self.metadata = metadata
        changes = save.fields
        parent = save.parent ?? base.parent
        share = save.share ?? base.share
    }

    func metadata(row _: Int) -> Record.Metadata { metadata }
    func recordChangeTag(row _: Int) -> String? { metadata.recordChangeTag }
    func parent(row _: Int) -> RecordReference? { parent }
    func share(row _: Int) -> RecordReference? { share }
    func value(of field: String, row _: Int) -> FieldValue { changes[field] ?? base.value(of: field) }

    func fields(row _: Int) -> [String: FieldValue] {
        var fields = base.fields
        for (field, value) in changes {
            if value.isNull { fields.removeValue(forKey: field) } else { fields[field] = value }
        }
        return fields
    }
}

extension Segment {
    /// The number of the change that wrote a row.
    func change(_ row: Int) -> Int64? {
        guard case .int64(let changes)? = column(named: MetadataColumn.changeTag)?.values, row < changes.count else {
            return nil
        }
        return changes[row]
    }
}
