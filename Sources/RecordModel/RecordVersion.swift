// What a record remembers of its stored version.

public import FoundationEssentials

extension Record {
    /// What the database writes about a record.
    package struct Metadata: Hashable, Sendable, Codable {
        package var creationDate: Date?
        package var creatorUserRecordID: ID?
        package var modificationDate: Date?
        package var lastModifiedUserRecordID: ID?
        package var recordChangeTag: String?

        package init(
            creationDate: Date? = nil, creatorUserRecordID: ID? = nil, modificationDate: Date? = nil,
            lastModifiedUserRecordID: ID? = nil, recordChangeTag: String? = nil
        ) {
            self.creationDate = creationDate
            self.creatorUserRecordID = creatorUserRecordID
            self.modificationDate = modificationDate
            self.lastModifiedUserRecordID = lastModifiedUserRecordID
            self.recordChangeTag = recordChangeTag
        }
    }

    /// When the record was first saved; `nil` until then.
    public var creationDate: Date? { version?.metadata.creationDate }
    /// Who saved the record first.
    public var creatorUserRecordID: ID? { version?.metadata.creatorUserRecordID }
    /// When the record was last saved.
    public var modificationDate: Date? { version?.metadata.modificationDate }
    /// Who saved the record last.
    public var lastModifiedUserRecordID: ID? { version?.metadata.lastModifiedUserRecordID }
    /// Names the stored version: every save gives a new one. Only equality has a meaning.
    public var recordChangeTag: String? { version?.recordChangeTag }

    /// The record as it was fetched or saved, without what was set since; `nil` for a record that never was.
    package var ancestor: Record? {
        version.map { version in
            var ancestor = Record(type: type, id: id, version: version)
            ancestor.encryptedValues = EncryptedValues(stored: encryptedValues.stored)
            return ancestor
        }
    }
}

/// The values of a row, or those of its desired fields, and what a database wrote about it.
package struct RecordVersion: Sendable {
    package let rows: any RecordRows
    package let row: Int

    package init(rows: any RecordRows, row: Int) { (self.rows, self.row) = (rows, row) }

    package var metadata: Record.Metadata { rows.metadata(row: row) }
    /// The change tag of the metadata.
    package var recordChangeTag: String? { rows.recordChangeTag(row: row) }
    package var parent: RecordReference? { rows.parent(row: row) }
    /// The share that the record is the root of.
    package var share: RecordReference? { rows.share(row: row) }
    /// The value of a field; `.null` when there is none, or it was not desired.
    package func value(of field: String) -> FieldValue { rows.value(of: field, row: row) }
    /// The desired fields that have a value.
    package var fields: [String: FieldValue] { rows.fields(row: row) }
}

/// Rows from which records read their values on demand: one object for all records of a result. Immutable.
package protocol RecordRows: AnyObject, Sendable {
    /// Whether a database wrote the rows: else records of them are new, and all of their values count as set.
    var isStored: Bool { get }
    func metadata(row: Int) -> Record.Metadata
    func recordChangeTag(row: Int) -> String?
    func parent(row: Int) -> RecordReference?
    func share(row: Int) -> RecordReference?
    func value(of field: String, row: Int) -> FieldValue
    func fields(row: Int) -> [String: FieldValue]
}

extension RecordRows {
    package func share(row _: Int) -> RecordReference? { nil }
}

/// A stored version that holds its values: the one row of its own.
package final class HeldVersion: RecordRows {
    package let metadata: Record.Metadata
    package let parent: RecordReference?
    package let share: RecordReference?
    package let fields: [String: FieldValue]
    package var isStored: Bool { true }

    package init(
        metadata: Record.Metadata, parent: RecordReference? = nil, share: RecordReference? = nil,
        fields: [String: FieldValue] = [:]
    ) {
        self.metadata = metadata
        (self.parent, self.share) = (parent, share)
        self.fields = fields
    }

    package func metadata(row _: Int) -> Record.Metadata { metadata }
    package func recordChangeTag(row _: Int) -> String? { metadata.recordChangeTag }
    package func parent(row _: Int) -> RecordReference? { parent }
    package func share(row _: Int) -> RecordReference? { share }
    package func value(of field: String, row _: Int) -> FieldValue { fields[field] ?? .null }
    package func fields(row _: Int) -> [String: FieldValue] { fields }
}
