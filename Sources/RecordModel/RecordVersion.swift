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
    package var ancestor: Record? { version.map { Record(type: type, id: id, version: $0) } }
}

/// One stored version of a record, or those of its fields that were asked for. Immutable.
package protocol RecordVersion: AnyObject, Sendable {
    var metadata: Record.Metadata { get }
    /// The change tag of the metadata.
    var recordChangeTag: String? { get }
    var parent: Reference? { get }
    /// The value of a field; `.null` when there is none, or it was not asked for.
    func value(of field: String) -> FieldValue
    /// The fields that have a value and were asked for.
    var fields: [String: FieldValue] { get }
}

/// A stored version that holds its values.
package final class HeldVersion: RecordVersion {
    package let metadata: Record.Metadata
    package let parent: Reference?
    package let fields: [String: FieldValue]

    package init(metadata: Record.Metadata, parent: Reference? = nil, fields: [String: FieldValue] = [:]) {
        self.metadata = metadata
        self.parent = parent
        self.fields = fields
    }

    package var recordChangeTag: String? { metadata.recordChangeTag }

    package func value(of field: String) -> FieldValue { fields[field] ?? .null }
}
