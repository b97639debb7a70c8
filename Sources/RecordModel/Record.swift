// A record: a named, typed bag of fields.

import FoundationEssentials

/// A record: an identifier, a type, and named values.
///
/// A record is a value. It remembers the stored version that it was fetched or saved as, if any, and which fields were
/// set since (`changedKeys`). Records are equal when they say the same: identifier, type, fields and metadata.
public struct Record: Sendable {
    /// Names a record: its zone and its name within the zone.
    public struct ID: Sendable, Codable {
        /// The name within the zone.
        public let recordName: String
        /// The zone that the record lies in.
        public let zoneID: RecordZone.ID

        /// A record by its name, which is not checked here: saving checks it.
        public init(_ recordName: String, zoneID: RecordZone.ID = .default) {
            self.recordName = recordName
            self.zoneID = zoneID
        }

        /// A record by its name.
        ///
        /// - Throws: `DatabaseError` of code `invalidArguments` for a name that is empty, longer than 255 characters,
        ///   not ASCII or begins with an underscore, and for such a zone.
        public init(recordName: String, zoneID: RecordZone.ID = .default) throws(DatabaseError) {
            self.init(recordName, zoneID: zoneID)
            try NameRules.check(self)
        }

        /// A record of a name that no other has: a random UUID.
        public init(zoneID: RecordZone.ID = .default) { self.init(UUID().uuidString, zoneID: zoneID) }
    }

    /// Names the record within its database.
    public let id: ID
    /// The record type, for example `City`.
    public let type: String
    /// The fields set since the record was made or read; `.null` for those taken away.
    private var edits: [String: FieldValue]
    /// How many of `edits` are `.null`.
    private var removalCount = 0
    /// Where the values are that were not set since.
    private var origin: RecordVersion?
    private var parentChange: ParentChange?
    private var rarities: Rarities?

    private indirect enum ParentChange: Equatable, Sendable {
        case none
        case reference(RecordReference)
    }

    /// What few records have. An object, so that a copy of the others costs nothing for it.
    private final class Rarities: Sendable {
        let declaredTypes: [String: FieldType]
        let encryptedValues: EncryptedValues
        let newShare: RecordReference?

        init(_ declaredTypes: [String: FieldType], _ encryptedValues: EncryptedValues, _ newShare: RecordReference?) {
            (self.declaredTypes, self.encryptedValues, self.newShare) = (declaredTypes, encryptedValues, newShare)
        }
    }

    /// The types of fields, where the Swift type that the record was made of says so: a schema that lacks a field
    /// learns them, also of fields without a value. `.any` where the value decides. Not part of what the record says.
    package var declaredTypes: [String: FieldType] {
        get { rarities?.declaredTypes ?? [:] }
        set {
            if newValue.isEmpty, rarities == nil { return }
            rarities = Rarities(newValue, encryptedValues, newShare)
        }
    }

    /// The fields that are stored encrypted. They are none of `fields`.
    public var encryptedValues: EncryptedValues {
        get { rarities?.encryptedValues ?? EncryptedValues() }
        set {
            if newValue.stored.isEmpty, newValue.edits.isEmpty, rarities == nil { return }
            rarities = Rarities(declaredTypes, newValue, newShare)
        }
    }

    /// A share that was made for the record and is not saved yet.
    package var newShare: RecordReference? {
        get { rarities?.newShare }
        set {
            if newValue == nil, rarities == nil { return }
            rarities = Rarities(declaredTypes, encryptedValues, newValue)
        }
    }

    /// A record with the given values; `.null` values are left out. Names are not checked here: saving checks them.
    public init(type: String, id: ID, fields: [String: FieldValue] = [:]) {
        self.type = type
        self.id = id
        edits = fields.values.contains(where: \.isNull) ? fields.filter { !$0.value.isNull } : fields
    }

    /// A record with the given values of Swift types: `fields: ["name": name, "age": age]`.
    @_disfavoredOverload
    public init(type: String, id: ID, fields: [String: any FieldValueConvertible]) {
        self.init(type: type, id: id, fields: fields.mapValues { $0.fieldValue })
    }

    /// A new record.
    ///
    /// - Parameter recordID: A random name in the default zone if none is given.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a type that is empty, does not begin with a letter, or
    ///   holds anything but letters, digits and underscores, and for an illegal identifier.
    public init(recordType: String, recordID: ID = ID()) throws(DatabaseError) {
        try NameRules.check(type: recordType)
        try NameRules.check(recordID)
        self.init(type: recordType, id: recordID)
    }

    /// A new record of a random name in a zone.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments`, as `init(recordType:recordID:)`.
    public init(recordType: String, zoneID: RecordZone.ID) throws(DatabaseError) {
        try self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    /// A record as it is stored.
    package init(type: String, id: ID, version: RecordVersion) {
        self.type = type
        self.id = id
        edits = [:]
        origin = version
    }

    /// A record of values that are held elsewhere.
    package init(type: String, id: ID, version: HeldVersion) {
        self.init(type: type, id: id, version: RecordVersion(rows: version, row: 0))
    }

    /// The stored version that the record was fetched or saved as; `nil` for one that no database has written.
    package var version: RecordVersion? { origin.flatMap { $0.rows.isStored ? $0 : nil } }

    /// The fields set since the stored version, or all of them without one; `.null` for those taken away.
    package var changes: [String: FieldValue] { origin == nil || version != nil ? edits : fields }

    /// The value of a field; `.null` when absent. Setting `.null` removes the field. Complexity: O(1).
    public subscript(field: String) -> FieldValue {
        get {
            if let value = edits[field] { return value }
            // What is stored is not for readers.
            if let rarities, rarities.encryptedValues.stored[field] != nil { return .null }
            return origin?.value(of: field) ?? .null
        }
        set {
            if let old = edits.updateValue(newValue, forKey: field), old.isNull { removalCount -= 1 }
            if newValue.isNull { removalCount += 1 }
        }
    }

    /// The values by field name, without absent ones. Complexity: O(fields) for a stored record, else O(1).
    public var fields: [String: FieldValue] {
        guard var fields = origin?.fields else {
            return removalCount == 0 ? edits : edits.filter { !$0.value.isNull }
        }
        for field in encryptedValues.stored.keys { fields.removeValue(forKey: field) }
        for (field, value) in edits {
            if value.isNull { fields.removeValue(forKey: field) } else { fields[field] = value }
        }
        return fields
    }

    /// The record that this one is below in a hierarchy: it cannot be deleted as long as this one is there. A reference
    /// whose action is `none`.
    public var parent: RecordReference? {
        switch parentChange {
        case nil: version?.parent
        case .some(.none): nil
        case .reference(let reference): reference
        }
    }

    /// The share of the record and of all below it; `nil` for a record that is no root of a share. The database sets it
    /// when a share is saved, and takes it away when the share ends.
    public var share: RecordReference? { version?.share ?? newShare }

    /// The stored record as others see it: under another name, with a version in their terms.
    package func seen(as id: ID, _ version: RecordVersion) -> Record {
        var record = Record(type: type, id: id, version: version)
        record.encryptedValues = EncryptedValues(stored: encryptedValues.stored)
        return record
    }

    /// What the record says after a save: the stored version, with what was set since it was sent.
    ///
    /// - Parameters:
    ///   - stored: The record as the database saved it.
    ///   - sent: The record as it was sent.
    package func saved(as stored: Record, sent: Record) -> Record {
        var record = stored
        for (field, value) in Self.news(in: changes, since: sent.changes) { record[field] = value }
        // Of a record that was not stored, what was taken away is no change.
        if version == nil {
            for field in sent.changes.keys where (self[field] as FieldValue).isNull { record[field] = FieldValue.null }
        }
        for (field, value) in Self.news(in: encryptedValues.edits, since: sent.encryptedValues.edits) {
            record.encryptedValues[field] = value
        }
        if let parentChange, parentChange != sent.parentChange { record.parentChange = parentChange }
        if let newShare, newShare != sent.newShare { record.newShare = newShare }
        return record
    }

    private static func news(
        in changes: [String: FieldValue], since sent: [String: FieldValue]
    ) -> [String: FieldValue] {
        changes.filter { sent[$0.key]?.isIdentical(to: $0.value) != true }
    }

    /// Whether the parent was set since the stored version.
    package var hasParentChange: Bool { parentChange != nil }

    /// Puts the record below another one, or takes it out of its hierarchy.
    public mutating func setParent(_ record: ID?) {
        parentChange = record.map { .reference(RecordReference(recordID: $0)) } ?? ParentChange.none
    }

    /// Puts the record below the one that a reference leads to.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a reference that deletes its holder.
    public mutating func setParent(_ reference: RecordReference) throws(DatabaseError) {
        guard reference.action == .none else {
            throw DatabaseError(.invalidArguments, "a parent reference cannot have the action deleteSelf")
        }
        setParent(reference.recordID)
    }

    package mutating func restore(
        changes: [String: FieldValue], version: HeldVersion?, parent: RecordReference??
    ) {
        edits = changes
        removalCount = changes.values.count(where: \.isNull)
        origin = version.map { RecordVersion(rows: $0, row: 0) }
        parentChange = parent.map { $0.map { .reference($0) } ?? ParentChange.none }
    }
}

extension Record: Hashable {
    public static func == (a: Record, b: Record) -> Bool {
        a.id == b.id && a.type == b.type && a.version?.metadata == b.version?.metadata && a.parent == b.parent
            && a.fields == b.fields && a.encryptedValues.fields == b.encryptedValues.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Record.ID: Hashable {
    public static func == (a: Record.ID, b: Record.ID) -> Bool {
        a.recordName == b.recordName && a.zoneID == b.zoneID
    }

    /// Names alone tell most records apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(recordName) }
}
