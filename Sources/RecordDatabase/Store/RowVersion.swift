// The stored version of a record, read from its row when asked for.

import FoundationEssentials
import RecordColumns
import RecordModel

/// Names of the columns that hold what the database writes about a record.
enum MetadataColumn {
    static let creationDate = "creationDate"
    static let creator = "creatorUserRecordID"
    static let modificationDate = "modificationDate"
    static let lastModifier = "lastModifiedUserRecordID"
    static let changeTag = "recordChangeTag"
    static let parent = "parent"
    static let all: Set<String> = [creationDate, creator, modificationDate, lastModifier, changeTag, parent]
}

/// The text of a change's number: what callers see as a change tag.
enum ChangeTag {
    static func text(_ change: Int64) -> String { String(change, radix: 36) }
}

/// A version that reads a row of a segment: nothing is copied until it is asked for.
final class RowVersion: RecordVersion {
    let segment: Segment
    let row: Int
    /// The fields that were asked for; `nil` for all.
    let desiredKeys: Set<String>?

    init(_ segment: Segment, _ row: Int, desiredKeys: Set<String>? = nil) {
        self.segment = segment
        self.row = row
        self.desiredKeys = desiredKeys
    }

    var metadata: Record.Metadata {
        Record.Metadata(
            creationDate: date(MetadataColumn.creationDate), creatorUserRecordID: user(MetadataColumn.creator),
            modificationDate: date(MetadataColumn.modificationDate),
            lastModifiedUserRecordID: user(MetadataColumn.lastModifier), recordChangeTag: recordChangeTag)
    }

    var recordChangeTag: String? { segment.change(row).map(ChangeTag.text) }

    var parent: Reference? {
        guard case .reference(let reference) = segment.value(of: MetadataColumn.parent, row: row) else { return nil }
        return reference
    }

    func value(of field: String) -> FieldValue {
        if let desiredKeys, !desiredKeys.contains(field) { return .null }
        return MetadataColumn.all.contains(field) ? .null : segment.value(of: field, row: row)
    }

    var fields: [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        for (field, column) in zip(segment.schema.fields, segment.columns) where column.isPresent(row) {
            if let desiredKeys, !desiredKeys.contains(field.name) { continue }
            if !MetadataColumn.all.contains(field.name) { fields[field.name] = column.value(row) }
        }
        return fields
    }

    /// Bytes of the fields that count against limits, some fields aside.
    func byteCount(without keys: some Collection<String>) -> Int {
        var count = 0
        for (field, column) in zip(segment.schema.fields, segment.columns) where column.isPresent(row) {
            if MetadataColumn.all.contains(field.name) || keys.contains(field.name) { continue }
            let text = unsafe column.withText(row) { $0.count }
            count += text ?? ValueCheck.byteCount(column.value(row))
        }
        return count
    }

    private func date(_ column: String) -> Date? {
        guard case .date(let date) = segment.value(of: column, row: row) else { return nil }
        return date
    }

    private func user(_ column: String) -> Record.ID? {
        guard case .reference(let user) = segment.value(of: column, row: row) else { return nil }
        return user.recordID
    }
}

/// A version that was saved over another one.
final class AmendedVersion: RecordVersion {
    private let base: RowVersion
    private let changes: [String: FieldValue]
    let metadata: Record.Metadata
    let parent: Reference?

    init(_ base: RowVersion, changes: [String: FieldValue], metadata: Record.Metadata, parent: Reference?) {
        self.base = base
        self.changes = changes
        self.metadata = metadata
        self.parent = parent
    }

    var recordChangeTag: String? { metadata.recordChangeTag }

    func value(of field: String) -> FieldValue { changes[field] ?? base.value(of: field) }

    var fields: [String: FieldValue] {
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
