// What a server finds by conditions that predicates are lowered to, against the evaluator and the database in memory.

import FoundationEssentials
import PostgreSQLStore
import PredicateSemantics
import RecordDatabase
import RecordModel
import RecordPushdown

/// Asks random predicates of random records on a server.
package struct PushdownCampaign {
    /// What was compared.
    package private(set) var predicateCount = 0
    private(set) var failures = 0
    /// Predicates by what the server could tell: every row whatever it is, every row that there was, some of them, or
    /// nothing.
    package private(set) var exact = 0
    private(set) var settled = 0
    private(set) var partly = 0
    package private(set) var nothing = 0
    private(set) var matches = 0
    private(set) var certainMatches = 0
    private(set) var pages = 0
    /// Predicates whose matches the server counted by a field.
    package private(set) var groups = 0

    private static let zone = RecordZone.ID("Z")
    private static let types: [(field: String, type: FieldType)] = [
        ("whole", .int64), ("small", .int64), ("flag", .int64), ("fraction", .double), ("mixed", .double),
        ("wide", .double), ("date", .date), ("later", .date), ("text", .string), ("few", .string), ("body", .string),
        ("prose", .string), ("ascii", .string), ("unique", .string), ("tags", .list(.string)),
        ("numbers", .list(.int64)), ("place", .location), ("owner", .reference), ("friends", .list(.reference)),
        ("halves", .list(.double)),
    ]

    private let schema: ContainerSchema

    /// The same records in memory and on a server, in two zones.
    private struct Places {
        let here: Database
        let there: Database
        /// Of each server.
        let connections: [Connection]
        /// All records, in both zones.
        var all: RecordSet?
        /// The same, by zone.
        var records: [RecordZone.ID: [Record.ID: Record]] = [:]
    }

    /// - Parameter hasIndexes: Whether the fields have the indexes that suit their types, or none.
    package init(hasIndexes: Bool = true) {
        var schema = ContainerSchema()
        schema.recordTypes[RandomRecords.type] = ContainerSchema.RecordType(
            fields: Dictionary(
                uniqueKeysWithValues: Self.types.map {
                    ($0.field, ContainerSchema.Field($0.type, indexes: hasIndexes ? nil : []))
                }))
        self.schema = schema
    }

    /// Asks so many predicates of one set of records.
    ///
    /// - Returns: The differences found.
    /// - Throws: What keeps the server from being used.
    package mutating func run(
        seed: UInt64, predicates: Int, records: Int, on servers: [PostgreSQLServer]
    ) throws -> [String] {
        let identifier = "pushdown \(seed) \(UUID().uuidString.prefix(8))"
        try PostgreSQLNodes(servers).makeContainer(identifier)
        let store = try NodeContainer.open(
            identifier: identifier, connectingTo: servers[0].address, connectionCount: 2, copiesFrom: 40)
        let (here, there) = (
            try Container(identifier: "here", account: .localUser),
            try Container(
                identifier: identifier, on: store, account: .localUser, configuration: Configuration())
        )
        let path = Statement.name(Layout.schemaName(of: identifier))
        let connections = try servers.map { server in
            let connection = try Connection(ConnectionString(server.address))
            try connection.run(Statement("SELECT set_config('search_path', $1, false)", [.text(path)]))
            return connection
        }
        var places = Places(here: here.privateDatabase, there: there.privateDatabase, connections: connections)
        var source = RandomRecords(seed: seed)
        for container in [here, there] {
            try container.setSchema(schema)
            _ = try container.privateDatabase.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: [])
        }
        let saved = source.records(records)
        try save(saved, places)
        places.all = try RecordSet(on: places.there, type: RandomRecords.type)
        for zone in [RecordZone.ID.default, Self.zone] {
            let all = try places.here.find(Query(RandomRecords.type, "TRUEPREDICATE"), in: .zone(zone), limit: 100_000)
            for (id, result) in all.matches { places.records[zone, default: [:]][id] = try result.get() }
        }
        let known = places
        var (queries, generator) = (RandomPredicates(seed: seed), SeededGenerator(seed: seed))
        let differences = try (0..<predicates).flatMap { _ in
            try compare(queries.query(), known, records: saved.count, &generator, seed)
        }
        for connection in connections { try connection.run(Statement("DROP SCHEMA \(path) CASCADE")) }
        there.close()
        return differences
    }

    private func save(_ records: [Record], _ places: Places) throws {
        for zone in [RecordZone.ID.default, Self.zone] {
            for start in stride(from: 0, to: records.count, by: 100) {
                let part = records[start..<min(start + 100, records.count)].enumerated()
                    .filter { zone.isDefault || $0.offset % 3 == 0 }.map { Self.stored($0.element, in: zone) }
                for database in [places.here, places.there] {
                    let result = try database.modify(ModifyRequest(saves: part))
                    for (_, outcome) in result.saves { _ = try outcome.get() }
                }
            }
        }
    }

    /// The record as a database takes it: values of one type a field, finite numbers, references within the zone.
    private static func stored(_ record: Record, in zone: RecordZone.ID) -> Record {
        var fields: [String: FieldValue] = [:]
        func reference(_ value: FieldValue) -> FieldValue? {
            guard case .reference(let reference) = value else { return nil }
            return .reference(
                RecordReference(recordID: Record.ID(reference.recordID.recordName, zoneID: zone)))
        }
        for (field, type) in types {
            switch (type, record[field]) {
            case (.double, .double(let number)) where !number.isFinite: continue
            case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isFinite: continue
            case (.reference, let value): fields[field] = reference(value)
            case (.list(.reference), .list(let elements)): fields[field] = .list(elements.compactMap(reference))
            case (_, let value): fields[field] = value.isNull ? nil : value
            }
        }
        if case .list(let numbers) = record["numbers"], !numbers.isEmpty {
            fields["halves"] = .list(numbers.compactMap { $0.number.map { .double($0.asDouble / 2) } })
        }
        return Record(type: record.type, id: Record.ID(record.id.recordName, zoneID: zone), fields: fields)
    }

    // MARK: Comparing

    private mutating func compare(
        _ query: RandomPredicates.Query, _ places: Places, records: Int, _ generator: inout SeededGenerator,
        _ seed: UInt64
    ) throws -> [String] {
        guard let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments) else { return [] }
        predicateCount += 1
        let zone = generator.oneIn(3) ? Self.zone : .default
        let told = "seed \(seed), zone \(zone.zoneName): \(predicate)\n  "
        if let difference = try rowDifference(predicate, places, zone) { return [told + difference] }
        if let difference = try groupDifference(predicate, places) { return [told + difference] }
        let order = Self.order(&generator)
        let zones: QueryZones = generator.oneIn(4) ? .all : .zone(zone)
        let query = Query(RandomRecords.type, predicate)
        let counts = (Self.count(query, zones, places.here), Self.count(query, zones, places.there))
        if counts.0 != counts.1 { return ["\(told)\(counts.1) are counted, and not \(counts.0)"] }
        return try pageDifference(
            Query(RandomRecords.type, predicate, sortedBy: order),
            in: zones, limit: generator.pick([1, 3, 7, 20, 200]), places
        ).map { ["\(told)\(order): \($0)"] } ?? []
    }

    private static func order(_ generator: inout SeededGenerator) -> [SortKey] {
        let sortable = types.filter { [.int64, .double, .date, .string].contains($0.type) }.map(\.field)
        return (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            SortKey(.field(generator.pick(sortable)), isAscending: generator.oneIn(2))
        }
    }

    /// Rows that are certain and do not match, or match and are not possible.
    private mutating func rowDifference(
        _ predicate: RecordPredicate, _ places: Places, _ zone: RecordZone.ID
    ) throws -> String? {
        let fields = Self.types.map { FieldDefinition(name: $0.field, type: $0.type) }
        guard
            let bound = try? Binder(schema: RecordSchema(recordType: RandomRecords.type, fields: fields))
                .bind(predicate)
        else { return nil }
        guard let type = schema.recordTypes[RandomRecords.type] else { return nil }
        let layout = Layout.columns(of: RandomRecords.type, type)
        // Records of the default zone are spread over the servers.
        let bounds = Lowering(
            layout, zoneID: zone, types: Layout.columns(schema),
            joinsReferences: !zone.isDefault || places.connections.count == 1
        ).bounds(bound)
        let found = try rows(bounds, layout, places.connections, zone)
        note(bounds, isSettled: !found.values.contains { isCertain, isPossible in isPossible && !isCertain })
        let known = places.records[zone] ?? [:]
        for (id, record) in known {
            guard let (isCertain, isPossible) = found[id.recordName] else { return "\(id.recordName) has no row" }
            let source = RecordFields(record, names: bound.fieldNames) { known[$0.recordID] }
            do throws(EvaluationError) {
                let holds = try bound.evaluate(on: source)
                if holds { matches += 1 }
                if holds, isCertain { certainMatches += 1 }
                if isCertain, !holds { return "\(id.recordName) is certain, and does not match: \(record.fields)" }
                if holds, !isPossible { return "\(id.recordName) matches, and is not possible: \(record.fields)" }
            } catch {
                if !bounds.mayFail { return "fails unexpectedly: \(error.message)" }
                failures += 1
                return isPossible ? nil : "\(id.recordName) fails, and is not possible"
            }
        }
        return nil
    }

    /// Groups of a field's values as the server counts them.
    private mutating func groupDifference(_ predicate: RecordPredicate, _ places: Places) throws -> String? {
        let field = Self.types[predicateCount % Self.types.count].field
        let found = try RecordSet.groups(
            on: places.there, type: RandomRecords.type, matching: predicate, variables: [:], by: field)
        guard let found, let all = places.all else { return nil }
        groups += 1
        let expected = try all.group(by: [field], where: predicate, [])
        // A NaN is equal to none.
        return "\(found)" == "\(expected)" ? nil : "groups of \(field) are \(found) and not \(expected)"
    }

    private mutating func note(_ bounds: Bounds, isSettled: Bool) {
        if bounds.isExact {
            exact += 1
        } else if isSettled {
            settled += 1
        } else if bounds.possible == .constant(true), bounds.certain == .constant(false) {
            nothing += 1
        } else {
            partly += 1
        }
    }

    private func rows(
        _ bounds: Bounds, _ layout: ColumnLayout, _ connections: [Connection], _ zone: RecordZone.ID
    ) throws -> [String: (Bool, Bool)] {
        let text: SQLText = """
            SELECT r._n, \(bounds.certain.text) IS TRUE, \(bounds.possible.text) IS TRUE \
            FROM \(name: layout.table) AS r \
            JOIN zone z ON z.number = r._z JOIN database d ON d.number = z.database \
            WHERE d.scope <> \(.int64(Int64(DatabaseScope.public.rawValue))) AND z.name = \(.text(zone.zoneName))
            """
        let (words, values) = text.printed()
        var rows: [String: (Bool, Bool)] = [:]
        for connection in connections {
            let set = try connection.run(Statement(words, values.map(\.parameter)))
            for row in 0..<set.count {
                rows[set.text(row, 0) ?? ""] = (set.bool(row, 1) ?? false, set.bool(row, 2) ?? false)
            }
        }
        return rows
    }

    /// Pages on the server unlike those in memory.
    private mutating func pageDifference(
        _ query: Query, in zones: QueryZones, limit: Int, _ places: Places
    ) throws -> String? {
        var cursors: (here: Query.Cursor?, there: Query.Cursor?)
        for number in 0..<12 {
            let expected = Self.page(query, in: zones, after: cursors.here, limit: limit, places.here)
            let found = Self.page(query, in: zones, after: cursors.there, limit: limit, places.there)
            pages += 1
            if expected.text != found.text {
                return "page \(number) of \(limit) is\n    \(found.text)\n  and not\n    \(expected.text)"
            }
            cursors = (expected.cursor, found.cursor)
            if cursors.here == nil { return nil }
        }
        return nil
    }

    private static func count(_ query: Query, _ zones: QueryZones, _ database: Database) -> String {
        do throws(DatabaseError) {
            return "\(try database.countNow(query, in: zones))"
        } catch {
            return "\(error.code)"
        }
    }

    private static func page(
        _ query: Query, in zones: QueryZones, after cursor: Query.Cursor?, limit: Int, _ database: Database
    ) -> (text: String, cursor: Query.Cursor?) {
        do throws(DatabaseError) {
            let page =
                if let cursor {
                    try database.find(after: cursor, limit: limit)
                } else {
                    try database.find(query, in: zones, limit: limit)
                }
            let names = page.matches.map { "\($0.0.zoneID.zoneName)/\($0.0.recordName)" }
            return ("\(names.joined(separator: " ")) \(page.cursor != nil)", page.cursor)
        } catch {
            // Which of the records that fail is met first is not told.
            return ("\(error.code)", nil)
        }
    }
}

extension Campaign {
    static let postgresql = Campaign(
        "postgresql", "random predicates, orders and pages on a PostgreSQL server, against the evaluator"
    ) { options in
        await withServers("postgresql", count: options.nodes) { servers in
            var (campaign, findings) = (PushdownCampaign(hasIndexes: options.hasIndexes), Findings())
            try options.forEachBatch(of: 500) { seed, count in
                findings.report(
                    try campaign.run(seed: seed, predicates: count, records: options.records, on: servers))
            }
            print(
                "postgresql, \(options.nodes) nodes\(options.hasIndexes ? "" : " without indexes"), "
                    + "seed \(options.seed): \(campaign.summary), \(findings.count) differences")
            return findings.count == 0
        }
    }
}

extension PushdownCampaign {
    /// What was compared, in words.
    var summary: String {
        func percent(_ part: Int, _ whole: Int) -> Int { whole == 0 ? 0 : part * 100 / whole }
        let bound = exact + settled + partly + nothing
        return """
            \(predicateCount) predicates, \(pages) pages, \(failures) failing alike; of \(bound) that suit the \
            schema the server decides \(percent(exact, bound)) % whatever the records, \
            \(percent(settled, bound)) % of these records, a part of \(percent(partly, bound)) %, nothing of \
            \(percent(nothing, bound)) %; of \(matches) matches it is certain of \
            \(percent(certainMatches, matches)) %
            """
    }
}
