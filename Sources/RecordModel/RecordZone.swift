// Zones: the parts of a database.

/// A part of a database whose records are committed together and whose changes are listed together.
public struct RecordZone: Hashable, Sendable, Codable {
    /// Names a zone: its name and whose it is.
    public struct ID: Sendable {
        /// The names of a zone: an object, as every record names its zone, and all records of a result the same one.
        private final class Names: Sendable {
            let zoneName: String
            let ownerName: String

            init(_ zoneName: String, _ ownerName: String) { (self.zoneName, self.ownerName) = (zoneName, ownerName) }
        }

        private let names: Names

        /// The name within the owner's zones.
        public var zoneName: String { names.zoneName }
        /// The name of the user whose zone it is, or `currentUserName`.
        public var ownerName: String { names.ownerName }

        /// The name of the zone that every database has.
        public static let defaultZoneName = "_defaultZone"
        /// The current user, wherever the owner of a zone is named.
        public static let currentUserName = "__defaultOwner__"

        /// A zone by its name, which is not checked here: saving and fetching check it.
        public init(_ zoneName: String, ownerName: String = ID.currentUserName) {
            names = Names(zoneName, ownerName)
        }

        /// A zone by its name.
        ///
        /// - Throws: `DatabaseError` of code `invalidArguments` for a name that is empty, longer than 255 characters,
        ///   not ASCII, or begins with an underscore (the default zone's may), and for an empty owner.
        public init(zoneName: String, ownerName: String = ID.currentUserName) throws(DatabaseError) {
            self.init(zoneName, ownerName: ownerName)
            try NameRules.check(self)
        }

        /// The zone that every database has.
        public static let `default` = ID(defaultZoneName)

        /// Whether this is the zone that every database has, whoever is named as the owner.
        public var isDefault: Bool { zoneName == Self.defaultZoneName }
    }

    /// What a zone can do beyond holding records.
    public struct Capabilities: OptionSet, Hashable, Sendable, Codable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Changes since an earlier moment can be listed.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// A batch is saved as a whole or not at all.
        public static let atomic = Capabilities(rawValue: 2)
        /// Hierarchies of records can be shared.
        public static let sharing = Capabilities(rawValue: 4)
        /// The zone can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// Names the zone within its database.
    public let id: ID
    /// Empty until the zone comes from a database.
    public package(set) var capabilities: Capabilities
    /// The share of the zone as a whole; `nil` when there is none, or the zone does not come from a database.
    public package(set) var share: RecordReference?

    /// A zone that is not saved yet.
    public init(id: ID) { self.init(id: id, capabilities: []) }

    /// A zone of the current user that is not saved yet.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an illegal name, as `ID(zoneName:ownerName:)`.
    public init(zoneName: String) throws(DatabaseError) { self.init(id: try ID(zoneName: zoneName)) }

    package init(id: ID, capabilities: Capabilities) {
        self.id = id
        self.capabilities = capabilities
        share = nil
    }

    /// The zone that every database has.
    public static let `default` = RecordZone(id: .default)
}

extension RecordZone.ID: Hashable {
    /// Whether two identifiers name one zone.
    public static func == (a: Self, b: Self) -> Bool {
        a.names === b.names || a.zoneName == b.zoneName && a.ownerName == b.ownerName
    }

    /// Hashes both names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(zoneName)
        hasher.combine(ownerName)
    }
}

extension RecordZone.ID: Codable {
    private enum CodingKeys: String, CodingKey {
        case zoneName, ownerName
    }

    /// A zone as `encode(to:)` wrote it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .zoneName),
            ownerName: try container.decode(String.self, forKey: .ownerName))
    }

    /// Writes both names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(zoneName, forKey: .zoneName)
        try container.encode(ownerName, forKey: .ownerName)
    }
}
