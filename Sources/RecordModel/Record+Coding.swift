// Coded forms of records: all of one, or what ties it to its stored version.

public import FoundationEssentials

extension Record: Codable {
    private enum CodingKeys: String, CodingKey {
        case format, type, id, changes, fields, metadata, parent, newParent, share, encrypted, encryptedChanges
    }

    /// The number of the coded form; readers reject later ones.
    private static let format = 1

    /// Encodes the record with its fields, metadata and changed keys. Encrypted values are encoded as they are shown:
    /// whoever has the key of the container has them, too.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(type, forKey: .type)
        try container.encode(id, forKey: .id)
        if !changes.isEmpty { try container.encode(changes, forKey: .changes) }
        if !encryptedValues.edits.isEmpty { try container.encode(encryptedValues.edits, forKey: .encryptedChanges) }
        if !encryptedValues.stored.isEmpty { try container.encode(encryptedValues.stored, forKey: .encrypted) }
        if hasParentChange { try container.encode([parent].compactMap(\.self), forKey: .newParent) }
        guard let version else { return }
        try container.encode(version.metadata, forKey: .metadata)
        try container.encodeIfPresent(version.parent, forKey: .parent)
        try container.encodeIfPresent(version.share, forKey: .share)
        let fields = version.fields.filter { encryptedValues.stored[$0.key] == nil }
        if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
    }

    /// Decodes what `encode(to:)` wrote.
    ///
    /// - Throws: `DatabaseError` of code `incompatibleVersion` for the form of a later version, `DecodingError` for
    ///   anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.format else {
            throw DatabaseError(.incompatibleVersion, "the record was encoded by a newer version")
        }
        self.init(
            type: try container.decode(String.self, forKey: .type), id: try container.decode(ID.self, forKey: .id))
        let changes = try container.decodeIfPresent([String: FieldValue].self, forKey: .changes) ?? [:]
        let newParent = try container.decodeIfPresent([RecordReference].self, forKey: .newParent)
        let metadata = try container.decodeIfPresent(Metadata.self, forKey: .metadata)
        let parent = try container.decodeIfPresent(RecordReference.self, forKey: .parent)
        let share = try container.decodeIfPresent(RecordReference.self, forKey: .share)
        let fields = try container.decodeIfPresent([String: FieldValue].self, forKey: .fields) ?? [:]
        encryptedValues = EncryptedValues(
            stored: try container.decodeIfPresent([String: FieldValue].self, forKey: .encrypted) ?? [:],
            edits: try container.decodeIfPresent([String: FieldValue].self, forKey: .encryptedChanges) ?? [:])
        restore(
            changes: changes,
            version: metadata.map { HeldVersion(metadata: $0, parent: parent, share: share, fields: fields) },
            parent: newParent.map(\.first))
    }

    /// What ties the record to its stored version, without any field: identifier, type, change tag, dates and users, as
    /// opaque bytes. Kept beside own data, they make a record that can be saved without fetching it again.
    public var encodedSystemFields: Data {
        let version = HeldVersion(
            metadata: version?.metadata ?? Metadata(), parent: version?.parent, share: version?.share)
        // A record of names, dates and numbers has no value that JSON could reject.
        return (try? JSONEncoder().encode(Record(type: type, id: id, version: version))) ?? Data()
    }

    /// The record of system fields, without any field: those set now are the only ones that a save changes.
    ///
    /// - Throws: `DatabaseError` of code `incompatibleVersion` for those of a newer version, `invalidArguments` for
    ///   other bytes.
    public init(systemFields bytes: Data) throws(DatabaseError) {
        do {
            self = try JSONDecoder().decode(Record.self, from: bytes)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(.invalidArguments, "these bytes are not the system fields of a record")
        }
    }
}
