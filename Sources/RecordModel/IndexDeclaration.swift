// Which indexes the fields of a record type have.

/// What a field is indexed for, in CloudKit's words and one more.
public struct IndexMarks: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Comparisons: `==`, IN, ranges, BEGINSWITH, elements of lists, references, distances.
    public static let queryable = IndexMarks(rawValue: 1)
    /// The order of results.
    public static let sortable = IndexMarks(rawValue: 2)
    /// Words: TOKENMATCHES and searches of `allTokens`.
    public static let searchable = IndexMarks(rawValue: 4)
    /// Parts of texts: CONTAINS, ENDSWITH, LIKE and MATCHES. CloudKit has no such index. It takes about as much memory
    /// as the texts, so a field has one only where it is declared.
    public static let substring = IndexMarks(rawValue: 8)

    /// What CloudKit's development environment gives every field: all but `substring`.
    public static let automatic: IndexMarks = [.queryable, .sortable, .searchable]

    /// What CloudKit's schemas can mark a field of a type as.
    public static func all(for type: FieldType) -> IndexMarks {
        switch type {
        case .string: [.queryable, .sortable, .searchable]
        case .int64, .double, .date, .location: [.queryable, .sortable]
        case .reference, .object: .queryable
        case .list(.string): [.queryable, .searchable]
        case .list(let element): element.map { all(for: $0).intersection(.queryable) } ?? []
        default: []
        }
    }

    /// The words, in order: `queryable`, `sortable`, `searchable`, `substring`.
    public var names: [String] {
        [
            ("queryable", IndexMarks.queryable), ("sortable", .sortable), ("searchable", .searchable),
            ("substring", .substring),
        ]
        .filter { contains($0.1) }.map(\.0)
    }
}

/// Which fields are indexed, and for what. Indexes change how results are found, never the results.
public struct IndexDeclaration: Hashable, Sendable {
    /// The marks of single fields.
    public var fields: [String: IndexMarks]
    /// The marks of all other fields.
    public var others: IndexMarks

    /// A declaration of the named fields alone, unless `others` says more.
    public init(_ fields: [String: IndexMarks] = [:], others: IndexMarks = []) {
        self.fields = fields
        self.others = others
    }

    /// Every field as CloudKit's development environment has it.
    public static let automatic = IndexDeclaration(others: .automatic)

    /// What a field is indexed for.
    public subscript(field: String) -> IndexMarks {
        get { fields[field] ?? others }
        set { fields[field] = newValue }
    }
}
