// What a value knows of the record that holds it.

public import FoundationEssentials
public import RecordModel

/// What ties a value to its record: a property of this type makes lost updates errors.
///
///     struct City: RecordConvertible {
///         var metadata = RecordMetadata()
///         var name: String
///     }
///
/// A value that is read from a database gets what the database keeps about its record. When it is saved, the stored
/// record must still be the one that was read. A property of any name does, optional or not; it is no field.
public struct RecordMetadata: Hashable, Sendable, Codable {
    /// The record's identifier: its name and zone.
    public let id: Record.ID
    /// The type of the record; `nil` until the value was read from one.
    public let recordType: String?
    let stored: Record.Metadata

    /// The metadata of a record that is not saved yet.
    ///
    /// - Parameter id: A random name in the default zone if none is given.
    public init(id: Record.ID = Record.ID()) {
        self.init(id: id, recordType: nil, stored: Record.Metadata())
    }

    init(id: Record.ID, recordType: String?, stored: Record.Metadata) {
        (self.id, self.recordType, self.stored) = (id, recordType, stored)
    }

    /// The zone of the record.
    public var zoneID: RecordZone.ID { id.zoneID }
    /// When the record was first saved; `nil` until then.
    public var creationDate: Date? { stored.creationDate }
    /// Who saved the record first.
    public var creatorUserRecordID: Record.ID? { stored.creatorUserRecordID }
    /// When the record was last saved.
    public var modificationDate: Date? { stored.modificationDate }
    /// Who saved the record last.
    public var lastModifiedUserRecordID: Record.ID? { stored.lastModifiedUserRecordID }
    /// Names the stored version that was read or saved; `nil` for a value that is new.
    public var recordChangeTag: String? { stored.recordChangeTag }
}

extension RecordMetadata {
    /// The metadata of a record.
    init(_ record: Record) {
        self.init(
            id: record.id, recordType: record.type,
            stored: Record.Metadata(
                creationDate: record.creationDate, creatorUserRecordID: record.creatorUserRecordID,
                modificationDate: record.modificationDate, lastModifiedUserRecordID: record.lastModifiedUserRecordID,
                recordChangeTag: record.recordChangeTag))
    }

    /// Whether a property of a type holds metadata, or may.
    static func isType(_ type: any Any.Type) -> Bool { type == Self.self || type == Self?.self }
}
