// Tables that others made: what is read by the conditions of a predicate, against the evaluator over all rows.

import FoundationEssentials
import PostgreSQLStore
import PredicateSemantics
import RecordDatabase
import RecordModel
import RecordPushdown

/// Runs random predicates on tables of typed columns.
package struct TableCampaign {
    package private(set) var predicateCount = 0
    private(set) var failures = 0
    /// Predicates by what the server could tell: every row, some of them, or nothing.
    package private(set) var exact = 0
    package private(set) var partly = 0
    private(set) var nothing = 0
    private(set) var matches = 0
    /// Predicates whose matches the server counted by a field.
    package private(set) var groupCount = 0
    /// Orders for whose first rows less than half of the table was read.
    package private(set) var shortCount = 0
    /// Rows that were read for predicates, of all that there were.
    private(set) var rowsRead = 0
    private(set) var rowsThere = 0

    package init() {}

    /// A table with random rows, and these as records.
    private struct Place {
        let name: String
        let table: ServerTable
        let all: RecordSet
    }

    /// The types that a field's column may have.
    private static let types: [(field: String, types: [String])] = [
        ("whole", ["int8"]), ("small", ["int2", "int4", "real", "numeric(6,2)"]), ("flag", ["bool"]),
        ("fraction", ["float8", "numeric", "real"]), ("mixed", ["numeric", "float8", "numeric(9,3)"]),
        ("wide", ["numeric", "float8"]), ("date", ["date", "timestamptz", "timestamp"]),
        ("later", ["timestamptz", "timestamp"]), ("text", ["text", "varchar", "text COLLATE \"C\""]),
        ("few", ["varchar(40)", "text"]), ("body", ["text"]), ("prose", ["text"]), ("ascii", ["text"]),
        ("unique", ["text"]), ("tags", ["text[]", "varchar[]"]), ("numbers", ["int4[]", "int8[]"]),
        ("nested", ["jsonb"]),
    ]

    /// Runs so many predicates over one table.
    ///
    /// - Returns: The differences found.
    /// - Throws: What keeps the server from being used.
    package mutating func run(seed: UInt64, predicates: Int, records: Int, address: String) throws -> [String] {
        var generator = SeededGenerator(seed: seed)
        let name = "T \(seed) \(UUID().uuidString.prefix(8))"
        let connection = try Connection(ConnectionString(address))
        try Self.fill(name, records, &generator, connection)
        let table = try ServerTable(named: "public." + name, at: address)
        let place = Place(
            name: name, table: table, all: try table.rows(TableRequest("TRUEPREDICATE")).rest())
        var queries = RandomPredicates(generator)
        var differences: [String] = []
        for number in 0..<predicates {
            let query = number % 3 == 0 ? queries.plainQuery() : queries.query()
            guard let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments) else { continue }
            if let difference = try compare(predicate, place, streams: number % 4 == 0) {
                differences.append("seed \(seed): \(predicate)\n  \(difference)")
            }
        }
        try connection.run(Statement("DROP TABLE public.\(Statement.name(name))"))
        return differences
    }

    // MARK: Rows

    private static func fill(
        _ name: String, _ records: Int, _ generator: inout SeededGenerator, _ connection: Connection
    ) throws {
        let columns = types.map { (field: $0.field, type: generator.pick($0.types)) }
        let names = columns.map { Statement.name($0.field) }
        let definitions = zip(names, columns).map { "\($0) \($1.type)" }.joined(separator: ", ")
        let table = "public.\(Statement.name(name))"
        try connection.run(Statement("CREATE TABLE \(table) (key int PRIMARY KEY, \(definitions))"))
        for column in ["whole", "date", "text", "mixed"] {
            try connection.run(Statement("CREATE INDEX ON \(table) (\(Statement.name(column)))"))
        }
        var source = RandomRecords(generator)
        for (number, record) in source.records(records).enumerated() {
            let values = columns.map { Self.parameter(record[$0.field], $0.type) }
            let expressions = columns.enumerated().map { index, column in
                "$\(index + 2)::\(column.type.split(separator: " ")[0])"
            }
            try connection.run(
                Statement(
                    "INSERT INTO \(table) (key, \(names.joined(separator: ", "))) "
                        + "VALUES ($1, \(expressions.joined(separator: ", ")))",
                    [.int32(Int32(number))] + values))
        }
        try connection.run(Statement("ANALYZE \(table)"))
    }

    /// The value as the column takes it, none where it cannot.
    private static func parameter(_ value: FieldValue, _ type: String) -> Parameter {
        switch value {
        case .bool(let flag): return .text("\(flag)")
        case .int64, .double:
            guard let number = value.number?.asDouble else { return .null(.text) }
            let isSmall = abs(number) < (type.hasPrefix("int2") || type.contains("(") ? 9_999 : 3e38)
            if ["int2", "int4", "real"].contains(type) || type.contains("("), !isSmall, number.isFinite {
                return .null(.text)
            }
            if type.contains("("), number.isInfinite { return .null(.text) }
            if case .int64(let whole) = value { return .text("\(whole)") }
            return .text("\(number)")
        case .string(let text): return text.utf8.contains(0) ? .null(.text) : .text(text)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            if seconds.isInfinite { return .text("infinity") }
            return .text(RFC3339.format(seconds))
        case .list(let elements):
            if type.hasPrefix("int") {
                return .int64s(elements.compactMap { if case .int64(let number) = $0 { number } else { nil } })
            }
            let texts = elements.map { element -> Parameter in
                if case .string(let text) = element, !text.utf8.contains(0) { .text(text) } else { .null(.text) }
            }
            return type == "jsonb" ? json(elements) : .array(.texts, texts)
        default: return .null(.text)
        }
    }

    private static func json(_ elements: [FieldValue]) -> Parameter {
        var json = JSONWriter()
        json.write(.list(elements))
        let text = String(decoding: json.bytes, as: UTF8.self)
        return text.contains("\\u0000") ? .null(.text) : .text(text)
    }

    // MARK: Comparing

    private mutating func compare(
        _ predicate: RecordPredicate, _ place: Place, streams: Bool
    ) throws -> String? {
        let rows: TableRows
        do throws(RecordPredicateError) { rows = try place.table.rows(TableRequest(predicate)) } catch { return nil }
        predicateCount += 1
        note(rows.bounds)
        let expected = Result { () throws(RecordPredicateError) in try place.all.ordinals(matching: predicate) }
        var found: [String] = []
        do {
            if streams {
                while let piece = try rows.next() { found += try Self.names(predicate, piece) }
            } else {
                found = try Self.names(predicate, try rows.rest())
            }
        } catch let error as RecordPredicateError {
            failures += 1
            if case .success = expected { return "fails unexpectedly: \(error.message)" }
            return nil
        }
        guard case .success(let ordinals) = expected else {
            return "does not fail, and has to: \(predicate)"
        }
        (rowsThere, rowsRead) = (rowsThere + place.all.count, rowsRead + rows.rowCount)
        let names = ordinals.map { place.all.recordName(at: $0) }.sorted()
        matches += names.count
        if names != found.sorted() { return Self.difference(names, found) }
        // Counted: those of which the server is certain are not read.
        let others = try place.table.rows(TableRequest(predicate))
        let counted = try others.countCertain()
        let rest = try Self.names(predicate, try others.rest())
        if counted + rest.count != names.count {
            return "\(counted) are certain and \(rest.count) of the others match, of \(names.count) that match"
        }
        if let difference = try orderDifference(predicate, place) { return difference }
        return try groupDifference(predicate, place)
    }

    /// The first rows in an order, of those that the server gives for it.
    private mutating func orderDifference(_ predicate: RecordPredicate, _ place: Place) throws -> String? {
        let fields = Self.types.map(\.field)
        func key(_ number: Int) -> SortKey {
            let field = fields[number % fields.count]
            return number % 2 == 0 ? .ascending(field) : .descending(field)
        }
        var request = TableRequest(predicate)
        request.order = [key(predicateCount), key(predicateCount / 3)]
        if predicateCount % 5 == 0 { request.order = [key(predicateCount / 5 * 3)] }
        let limit = 1 + predicateCount % 13
        request.limit = limit
        let (rows, order) = (try place.table.rows(request), request.order + [.ascending("recordName")])
        let set = try rows.rest()
        let (expected, found): ([String], [String])
        do throws(RecordPredicateError) {
            expected = try place.all.ordinals(matching: predicate, sortedBy: order, limit: limit)
                .map { place.all.recordName(at: $0) }
            found = try set.ordinals(matching: predicate, sortedBy: order, limit: limit).map { set.recordName(at: $0) }
        } catch {
            // Orders that do not suit the values.
            return nil
        }
        if rows.rowCount < place.all.count / 2, expected.count == limit { shortCount += 1 }
        return found == expected ? nil : "the first \(limit) by \(order) are \(found) and not \(expected)"
    }

    /// The groups of a field's values as the server counts them.
    private mutating func groupDifference(_ predicate: RecordPredicate, _ place: Place) throws -> String? {
        let fields = Self.types.filter { !$0.types[0].hasSuffix("[]") && $0.types != ["jsonb"] }.map(\.field)
        let field = fields[predicateCount % fields.count]
        guard let found = try place.table.rows(TableRequest(predicate)).groups(by: field) else { return nil }
        groupCount += 1
        let expected = try place.all.group(by: [field], where: predicate, [])
        // A NaN is equal to none.
        return "\(found)" == "\(expected)" ? nil : "groups of \(field) are \(found) and not \(expected)"
    }

    private static func names(_ predicate: RecordPredicate, _ set: RecordSet) throws(RecordPredicateError) -> [String] {
        try set.ordinals(matching: predicate).map { set.recordName(at: $0) }
    }

    private static func difference(_ expected: [String], _ found: [String]) -> String {
        let (missing, extra) = (Set(expected).subtracting(found), Set(found).subtracting(expected))
        return "missing \(missing.sorted().prefix(5)), too many \(extra.sorted().prefix(5))"
    }

    private mutating func note(_ bounds: Bounds) {
        if bounds.isExact {
            exact += 1
        } else if bounds.possible == .constant(true) {
            nothing += 1
        } else {
            partly += 1
        }
    }
}

extension Campaign {
    static let tables = Campaign(
        "tables", "random predicates on typed tables of a PostgreSQL server, against the evaluator"
    ) { options in
        await withServers("tables") { servers in
            var (campaign, findings) = (TableCampaign(), Findings())
            for server in servers {
                try options.forEachBatch(of: 500) { seed, count in
                    findings.report(
                        try campaign.run(
                            seed: seed, predicates: count, records: options.records, address: server.address))
                }
            }
            print("tables, seed \(options.seed): \(campaign.summary), \(findings.count) differences")
            return findings.count == 0
        }
    }
}

extension TableCampaign {
    /// What was compared, in words.
    var summary: String {
        func percent(_ part: Int, _ whole: Int) -> Int { whole == 0 ? 0 : part * 100 / whole }
        return """
            \(predicateCount) predicates, \(failures) failing alike; of the predicates the server decides \
            \(percent(exact, predicateCount)) %, a part of \(percent(partly, predicateCount)) %, nothing of \
            \(percent(nothing, predicateCount)) %; \(matches) matches, \(percent(rowsRead, rowsThere)) % of the rows read
            """
    }
}
