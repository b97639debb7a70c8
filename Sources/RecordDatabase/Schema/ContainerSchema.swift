// The schema of a container: types, fields, indexes and permissions, one for all of its databases.

public import RecordModel
public import TextAnalysis

/// The record types of a container with their fields.
///
/// In development it grows by itself: the first save of a type or field defines it, with every index that suits its
/// kind. In production it stays as it is.
public struct ContainerSchema: Hashable, Sendable, Codable {
    /// What a schema says about the values of a field besides their type.
    public struct Traits: OptionSet, Hashable, Sendable, Codable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// `ENCRYPTED`: the values are those of `Record.encryptedValues`. They are encrypted before they are stored,
        /// and have no index.
        public static let encrypted = Traits(rawValue: 1)
        /// `NUMBER PREFERRED AS`: a field of numbers whose type was settled later, which has no effect here.
        public static let number = Traits(rawValue: 2)
        /// `UNIQUE`: no two records of the type in a database, in whatever zones, have equal values. Records without a
        /// value are not compared. For texts, numbers, dates and references; CloudKit does not have it.
        public static let unique = Traits(rawValue: 4)
        /// `NOT NULL`: every record of the type has a value. CloudKit does not have it.
        public static let required = Traits(rawValue: 8)
    }

    /// A field of a record type.
    public struct Field: Hashable, Sendable, Codable {
        /// What its values are.
        public let type: FieldType
        /// How the field can be queried. The schema language has no word for `substring`, which its texts leave out.
        public var indexes: IndexMarks
        /// What is demanded of its values.
        public var traits: Traits
        /// What searches for words make of the words of a field of text or of lists of texts; `nil` for words as they
        /// are written. CloudKit does not have it, and the schema language has no word for it: its texts leave it out.
        public var analyzer: TextAnalyzer?

        private enum CodingKeys: String, CodingKey { case type, indexes, traits, analyzer }

        /// A field with all indexes that suit its type, if none are named.
        public init(
            _ type: FieldType, indexes: IndexMarks? = nil, traits: Traits = [], analyzer: TextAnalyzer? = nil
        ) {
            self.type = type
            self.analyzer = analyzer
            self.indexes = indexes ?? (traits.contains(.encrypted) ? [] : .all(for: type))
            self.traits = traits
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(FieldType.self, forKey: .type)
            indexes = try container.decode(IndexMarks.self, forKey: .indexes)
            traits = try container.decodeIfPresent(Traits.self, forKey: .traits) ?? []
            analyzer = try container.decodeIfPresent(TextAnalyzer.self, forKey: .analyzer)
        }
    }

    /// What someone may do with the records of a type in the public database.
    public enum Permission: String, Hashable, Sendable, Codable, CaseIterable {
        /// Records can be fetched and queried.
        case read
        /// Records can be saved that were not there.
        case create
        /// Records can be changed and deleted.
        case write
    }

    /// Everyone, signed in or not.
    public static let worldRole = "_world"
    /// Everyone who is signed in.
    public static let userRole = "_icloud"
    /// Who made the record.
    public static let creatorRole = "_creator"

    /// A record type.
    public struct RecordType: Hashable, Sendable, Codable {
        /// The fields by name.
        public private(set) var fields: [String: Field]
        /// The indexes of `recordID`, the dates and the users.
        public var metadataIndexes: [String: IndexMarks]
        /// What each role may do in the public database.
        public var grants: [String: Set<Permission>]
        /// Lists of fields whose values are unique together, which `UNIQUE (a, b)` says: no two records of the type in
        /// a database, in whatever zones, have equal values of all fields of a list. Records without a value of one of
        /// them are not compared. For fields of texts, numbers, dates and references; CloudKit does not have it.
        public var uniqueTogether: [[String]] {
            didSet { facts = RecordTypeFacts(fields, uniqueTogether: uniqueTogether) }
        }
        /// What the fields say, for whoever saves records and queries them.
        private(set) var facts: RecordTypeFacts

        private enum CodingKeys: String, CodingKey { case fields, metadataIndexes, grants, uniqueTogether }

        /// All indexes that the metadata can have.
        public static let allMetadataIndexes: [String: IndexMarks] = [
            "recordID": [.queryable, .sortable], "creationDate": [.queryable, .sortable],
            "modificationDate": [.queryable, .sortable], "creatorUserRecordID": .queryable,
            "lastModifiedUserRecordID": .queryable,
        ]
        /// All may read, users may create, creators may write.
        public static let defaultGrants: [String: Set<Permission>] = [
            worldRole: [.read], userRole: [.create], creatorRole: [.write],
        ]

        /// A type of the given fields.
        public init(
            fields: [String: Field] = [:], metadataIndexes: [String: IndexMarks] = allMetadataIndexes,
            grants: [String: Set<Permission>] = defaultGrants, uniqueTogether: [[String]] = []
        ) {
            self.fields = fields
            self.uniqueTogether = uniqueTogether
            self.metadataIndexes = metadataIndexes
            self.grants = grants
            facts = RecordTypeFacts(fields, uniqueTogether: uniqueTogether)
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                fields: try container.decode([String: Field].self, forKey: .fields),
                metadataIndexes: try container.decode([String: IndexMarks].self, forKey: .metadataIndexes),
                grants: try container.decode([String: Set<Permission>].self, forKey: .grants),
                uniqueTogether: try container.decodeIfPresent([[String]].self, forKey: .uniqueTogether) ?? [])
        }

        /// Adds a field, or replaces the one of that name.
        public mutating func define(_ name: String, _ field: Field) {
            fields[name] = field
            facts = RecordTypeFacts(fields, uniqueTogether: uniqueTogether)
        }

        /// Takes a field away.
        mutating func remove(_ name: String) {
            fields[name] = nil
            facts = RecordTypeFacts(fields, uniqueTogether: uniqueTogether)
        }
    }

    /// The type of user records, which every container has.
    public static let userRecordType = "Users"

    /// The record types by name.
    public var recordTypes: [String: RecordType]
    /// The roles that an application made for itself, in addition to `_world`, `_icloud` and `_creator`.
    public var roles: Set<String>
    /// The names of the migrations that were made, in their order.
    public internal(set) var migrations: [String] = []

    private enum CodingKeys: String, CodingKey { case recordTypes, roles, migrations }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            recordTypes: try container.decode([String: RecordType].self, forKey: .recordTypes),
            roles: try container.decodeIfPresent(Set<String>.self, forKey: .roles) ?? [])
        migrations = try container.decodeIfPresent([String].self, forKey: .migrations) ?? []
    }

    /// A schema of the given types and of user records.
    public init(recordTypes: [String: RecordType] = [:], roles: Set<String> = []) {
        self.recordTypes = recordTypes
        self.roles = roles
        if recordTypes[Self.userRecordType] == nil { self.recordTypes[Self.userRecordType] = RecordType() }
    }
}

extension FieldType {
    /// Whether a field of the type can be `UNIQUE`: its values have one order and one equality.
    var canBeUnique: Bool {
        switch self {
        case .int64, .double, .string, .date, .reference: true
        default: false
        }
    }

    /// Whether words of values of the type can be analyzed.
    var canBeAnalyzed: Bool { self == .string || self == .list(.string) }

    /// Whether values of the type are references or lists of them.
    var holdsReferences: Bool {
        switch self {
        case .reference, .list(.reference): true
        default: false
        }
    }

    /// Whether values of the type are assets or lists of them.
    var holdsAssets: Bool {
        switch self {
        case .asset, .list(.asset): true
        default: false
        }
    }
}
