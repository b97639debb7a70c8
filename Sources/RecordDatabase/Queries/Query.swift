// A query to a database: a type, a predicate, an order.

public import PredicateSemantics
import QueryExecution
public import QueryFrontEnds
import RecordModel

/// A query for records of one type.
///
///     let large = Query("City", "population > \(1_000_000)", sortedBy: [.descending("population")])
public struct Query: Hashable, Sendable, Codable {
    /// The type of the records; others never match.
    public var recordType: String
    /// What the records have to satisfy.
    public var predicate: RecordPredicate
    /// The order; ties, and records of no order, come by record name.
    public var sortKeys: [SortKey]

    /// A query; neither the type nor the predicate is checked before it runs.
    public init(_ recordType: String, _ predicate: RecordPredicate = "TRUEPREDICATE", sortedBy keys: [SortKey] = []) {
        self.recordType = recordType
        self.predicate = predicate
        sortKeys = keys
    }

    /// A query for the records of a Swift type: `Query(City.where { $0.population > 5 })`.
    public init<Value: RecordConvertible>(
        of _: Value.Type = Value.self, _ predicate: RecordPredicate.Of<Value> = .all,
        sortedBy keys: [SortKey.Of<Value>] = []
    ) { self.init(Value.recordType, predicate.untyped, sortedBy: keys.map(\.untyped)) }

    /// A query on a type with a legal name.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty or illegal type. A predicate that does not
    ///   suit the type fails when the query is executed.
    public init(
        recordType: String, predicate: RecordPredicate, sortedBy keys: [SortKey] = []
    ) throws(DatabaseError) {
        try NameRules.check(type: recordType)
        self.init(recordType, predicate, sortedBy: keys)
    }

    /// As `resultsLimit`: the database decides how many records make a page.
    public static let maximumResults = 0
}

extension Query {
    /// Where the next page of a result begins: for `recordPage(after:)`.
    ///
    /// A cursor holds values and not a snapshot: records that are saved or deleted between two pages neither repeat nor
    /// hide others. A record whose own sort values change between two pages may be given twice or not at all, as it
    /// then has another place. A cursor never expires, and serves only the database that gave it.
    public struct Cursor: Hashable, Sendable, Codable {
        let format: Int
        let query: Query
        let zones: QueryZones
        /// The database that the cursor is of.
        let origin: DatabaseOrigin
        let position: PageCursor

        private static let currentFormat = 2

        init(query: Query, zones: QueryZones, origin: DatabaseOrigin, position: PageCursor) {
            format = Self.currentFormat
            self.query = query
            self.zones = zones
            self.origin = origin
            self.position = position
        }

        private enum CodingKeys: String, CodingKey { case format, query, zones, origin, position }

        /// What a cursor of the first format had in place of `zones`: a zone, or none for the default zone.
        private enum FirstFormatKeys: String, CodingKey { case zoneID }

        /// - Throws: `DatabaseError` of code `incompatibleVersion` for the form of a newer version.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            format = try container.decode(Int.self, forKey: .format)
            guard format <= Self.currentFormat else {
                throw DatabaseError(.incompatibleVersion, "the cursor was encoded by a newer version")
            }
            query = try container.decode(Query.self, forKey: .query)
            zones =
                format > 1
                ? try container.decode(QueryZones.self, forKey: .zones)
                : .zone(
                    try decoder.container(keyedBy: FirstFormatKeys.self)
                        .decodeIfPresent(RecordZone.ID.self, forKey: .zoneID) ?? .default)
            origin = try container.decode(DatabaseOrigin.self, forKey: .origin)
            position = try container.decode(PageCursor.self, forKey: .position)
        }
    }
}
