// A record: a named, typed bag of fields.

/// A record: an identifier, a type, and named values.
public struct Record: Hashable, Sendable {
    /// Names a record: its zone and its name within the zone.
    public struct ID: Hashable, Sendable, Codable {
        public var recordName: String
        public var zoneID: RecordZone.ID

        public init(_ recordName: String, zoneID: RecordZone.ID = .default) {
            self.recordName = recordName
            self.zoneID = zoneID
        }
    }

    public var id: ID
    /// The record type, for example `City`.
    public var type: String
    /// The values by field name; an absent field reads as `.null`, and setting `.null` removes the field.
    public private(set) var fields: [String: FieldValue]

    /// A record with the given values; `.null` values are left out.
    public init(type: String, id: ID, fields: [String: FieldValue] = [:]) {
        self.type = type
        self.id = id
        self.fields = fields.filter { !$0.value.isNull }
    }

    /// The value of a field; `.null` when absent. Complexity: O(1).
    public subscript(field: String) -> FieldValue {
        get { fields[field] ?? .null }
        set { fields[field] = newValue.isNull ? nil : newValue }
    }
}

/// A part of a database that is committed and fetched together.
public struct RecordZone: Hashable, Sendable, Codable {
    /// Names a zone.
    public struct ID: Hashable, Sendable, Codable {
        public var zoneName: String
        public var ownerName: String

        public init(_ zoneName: String, ownerName: String = "__defaultOwner__") {
            self.zoneName = zoneName
            self.ownerName = ownerName
        }

        /// The zone that every database has.
        public static let `default` = ID("_defaultZone")
    }

    public var id: ID

    public init(id: ID) { self.id = id }
}
