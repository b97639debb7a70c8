// What a page is told, against the records themselves: random queries to the server that shows them.

import ExploreServer
import FoundationEssentials
import PredicateSyntax
import QueryExecution
import RecordDatabase
import RecordFiles
import RecordModel

/// Sends a server random queries, and compares counts, rows, pages, values, spreads, cells and exports with a set.
struct ExploreCampaign {
    /// What was compared so far.
    private(set) var comparisons = 0
    /// Queries with a result, and those that the server and the set reject alike.
    private(set) var answered = 0
    private(set) var rejected = 0
    private(set) var findings: [String] = []
    /// Results that were gone when a page of them was wanted: the records were written meanwhile.
    private(set) var gone = 0
    private var generator: SeededGenerator
    private var queries: RandomPredicates
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed ^ 0xE7)
        queries = RandomPredicates(seed: seed)
    }

    /// A query of a page, and what is compared.
    struct PageRequest {
        var text: String
        var variables: FieldValue
        var sort: [String]
        var values: [String]
        var spread: String
        var grid: PlaceGrid?
        var isExported: Bool

        /// Its conditions with their values.
        var description: String { "'\(text)' \(variables) sorted by \(sort)" }
    }

    /// A random query.
    /// - Parameter orders: Sort keys of which one is taken, or none.
    mutating func query(sortedBy orders: [String]) -> PageRequest {
        let random = generator.oneIn(4) ? queries.plainQuery() : queries.query()
        var (text, variables) = ("", [String: FieldValue]())
        for (index, part) in random.text.split(separator: "%@", omittingEmptySubsequences: false).enumerated() {
            text += index == 0 ? String(part) : "$v\(index - 1)\(part)"
        }
        for (index, value) in random.arguments.enumerated() { variables["v\(index)"] = value }
        // Conditions on a field are left out where its values are counted.
        let counted = ["tags", "few", "whole", "flag", "owner", "numbers", "text", "date"].filter { !text.contains($0) }
        let spreads = ["small", "whole", "fraction", "mixed", "date"]
        let west = generator.pick([-180.0, -20, 120])
        let grid = PlaceGrid(
            south: generator.pick([-90.0, -20]), west: west, north: generator.pick([90.0, 51]),
            east: generator.pick([180.0, 60, -120]), columns: Int.random(in: 1...40, using: &generator),
            rows: Int.random(in: 1...20, using: &generator))
        return PageRequest(
            text: text, variables: .object(variables), sort: generator.oneIn(2) ? [] : [generator.pick(orders)],
            values: Array(counted.shuffled(using: &generator).prefix(2)), spread: generator.pick(spreads),
            grid: grid, isExported: generator.oneIn(8))
    }

    // MARK: One query

    /// Sends a query, and compares its parts with those of a set.
    ///
    /// - Parameter set: The records of a version that the server names (0: of any), or of a turn that its rows
    ///   have; `nil` for records that are not known.
    mutating func compare(
        _ query: PageRequest, by client: PageCalls, with set: (_ version: Int, _ turn: Int?) -> RecordSet?
    ) {
        guard let reply = client.reply(to: "query", query.json), reply.status == 200 else {
            return find("no reply", query)
        }
        let lines = reply.body.utf8.split(separator: 0x0A).compactMap { try? JSONReader.tree(Array($0)) }
        let parts = Dictionary(grouping: lines) { $0["part"].text ?? "" }
        guard parts["done"]?.count == 1 else { return find("no last part", query) }
        // The first rows in order may be there before a record is met that the query fails on.
        guard parts["failed"] == nil, let rows = parts["rows"]?.first, let version = rows["version"].number else {
            return compareRejection(parts, query, set)
        }
        guard let set = set(version, rows["rows"].elements.first?.elements.last.number) else { return }
        do {
            let expected = try Expected(query, set)
            answered += 1
            compareRows(rows, parts, expected, query)
            try compareSummaries(parts, expected, query, set)
            guard let result = parts["count"]?.first?["result"].text else { return }
            comparePage(result, version, expected, query, client)
        } catch {
            find("the set rejects what the server answers: \(error)", query)
        }
    }

    /// The rows of a query as the set has them.
    private struct Expected {
        let names: [String]
        let matching: MatchingRows
        /// Whether the order says which record comes first, whatever the order of loading.
        let isOrdered: Bool

        init(_ query: PageRequest, _ set: RecordSet) throws {
            let predicate = try RecordPredicate(query.text, [], dialect: .full)
            let variables = query.variables.members
            let keys = query.sort.map {
                $0.hasSuffix(":desc") ? SortKey.descending(String($0.dropLast(5))) : .ascending($0)
            }
            let ordinals = try set.ordinals(matching: predicate, variables: variables, sortedBy: keys)
            names = ordinals.compactMap { set.record(at: $0)?.id.recordName }
            matching = try set.matchingRows(of: predicate, variables: variables)
            isOrdered = !query.sort.isEmpty
        }

        /// Whether rows are those of a place in the result.
        func agrees(_ shown: [String], from: Int) -> Bool {
            if isOrdered { return shown == Array(names.dropFirst(from).prefix(shown.count)) }
            return Set(shown).count == shown.count && Set(names).isSuperset(of: shown)
        }
    }

    private mutating func compareRejection(
        _ parts: [String: [JSONValue]], _ query: PageRequest, _ set: (Int, Int?) -> RecordSet?
    ) {
        rejected += 1
        comparisons += 1
        let isTold = parts["failed"] != nil || parts["check"]?.first?["diagnosis"]?["severity"].text == "error"
        if !isTold { find("no rows and no reason", query) }
        // What is wrong with the text is so for any set; what fails on a record may do so in one version alone.
        let version = parts["failed"]?.first?["version"].number ?? 0
        guard let set = set(version, nil), (try? Expected(query, set)) != nil else { return }
        find(
            "the server rejects what the set answers: \(parts["failed"]?.first ?? parts["check"]?.first ?? .null)",
            query)
    }

    private mutating func compareRows(
        _ rows: JSONValue, _ parts: [String: [JSONValue]], _ expected: Expected, _ query: PageRequest
    ) {
        let matched = parts["count"]?.first?["matched"].number
        check(matched == expected.names.count, "\(matched ?? -1) match, not \(expected.names.count)", query)
        let shown = rows["rows"].names
        check(
            shown.count == min(query.rows, expected.names.count) && expected.agrees(shown, from: 0),
            "the first rows are \(shown)", query)
    }

    private mutating func compareSummaries(
        _ parts: [String: [JSONValue]], _ expected: Expected, _ query: PageRequest, _ set: RecordSet
    ) throws {
        for field in query.values {
            let found = parts["values"]?.first { $0["field"].text == field }
            let facets = try set.facets(field, at: expected.matching, limit: 12)
            let counts = found?["values"].elements.compactMap { $0.elements.dropFirst().first.number } ?? []
            check(
                counts == facets.values.map(\.count) && found?["distinct"].number == facets.distinctCount
                    && found?["missing"].number == facets.missingCount, "values of \(field): \(found ?? .null)",
                query)
        }
        let spread = parts["spread"]?.first
        if let range = try? set.histogram(of: query.spread, bins: 60).range {
            let bins = spread?["all"].elements.count ?? 0
            let all = try? set.histogram(of: query.spread, bins: bins, within: range).counts
            let matching = try? set.histogram(
                of: query.spread, where: RecordPredicate(query.text, [], dialect: .full),
                variables: query.variables.members, bins: bins, within: range
            ).counts
            check(
                all != nil && spread?["all"].elements.map(\.number) == all.map { $0.map { Optional($0) } }
                    && spread?["matching"].elements.map(\.number) == matching.map { $0.map { Optional($0) } },
                "the spread of \(query.spread)", query)
        }
        // By hand: each place counts in its cell.
        var cells: [Int: Int] = [:]
        for name in expected.names {
            guard case .location(let place)? = set.record(named: name)?["place"],
                let cell = query.grid?.cell(place.latitude, place.longitude)
            else { continue }
            cells[cell, default: 0] += 1
        }
        let told = parts["map"]?.first?["cells"].elements.map { $0.elements.dropFirst(2).first.number ?? -1 }
        check(told?.sorted() == cells.values.sorted(), "the cells of the map", query)
    }

    private mutating func comparePage(
        _ result: String, _ version: Int, _ expected: Expected, _ query: PageRequest, _ client: PageCalls
    ) {
        let from = Int.random(in: 0...expected.names.count, using: &generator)
        let page = client.reply(
            to: "rows", .of(["result": .string(result), "from": .int64(Int64(from)), "count": .int64(30)]))
        if page?.status == 410 {
            gone += 1
        } else {
            let json = page.flatMap { try? JSONReader.tree(Array($0.body.utf8)) }
            let shown = json?["rows"].names ?? []
            check(
                json?["version"].number == version && shown.count == min(30, expected.names.count - from)
                    && expected.agrees(shown, from: from), "rows from \(from): \(shown)", query)
        }
    }

    /// Compares a file of what a query finds: its records by their names.
    mutating func compareExport(_ query: PageRequest, by client: PageCalls, with set: ([Record]) -> RecordSet?) {
        guard query.isExported else { return }
        let ticket = client.reply(to: "export", query.json.adding("format", .string("ndjson")))
        let json = ticket.flatMap { try? JSONReader.tree(Array($0.body.utf8)) }
        guard let path = json?["path"].text, let file = client.file(path) else { return find("no export", query) }
        let exported = try? RecordSet(bytes: Array(file.body.utf8), name: "records.ndjson")
        let records = exported.map { all in (0..<all.count).compactMap { all.record(at: $0) } } ?? []
        guard let set = set(records) else { return }
        let expected = try? Expected(query, set)
        let isRejected = expected == nil && file.status == 422
        let names = records.map(\.id.recordName)
        check(
            isRejected
                || file.status == 200 && names.count == expected?.names.count
                    && expected?.agrees(names, from: 0) == true,
            "an export of \(names.count), status \(file.status)", query)
    }

    // MARK: Findings

    private mutating func check(_ isTrue: Bool, _ words: @autoclosure () -> String, _ query: PageRequest) {
        comparisons += 1
        if !isTrue { find(words(), query) }
    }

    private mutating func find(_ words: String, _ query: PageRequest) {
        findings.append("seed \(seed): \(query.description): \(words)")
    }
}

extension ExploreCampaign.PageRequest {
    /// So many rows it wants at once.
    var rows: Int { 20 }

    /// What the page sends.
    var json: JSONValue {
        var writer = JSONWriter()
        writer.write(variables)
        return .of([
            "text": .string(text), "variables": (try? JSONReader.tree(writer.bytes)) ?? .null,
            "fields": .array([.string("turn")]),
            "sort": .array(sort.map(JSONValue.string)), "rows": .int64(Int64(rows)),
            "values": .array(values.map(JSONValue.string)), "spread": .string(spread),
            "map": grid.map(Self.json) ?? .null,
        ])
    }

    private static func json(_ grid: PlaceGrid) -> JSONValue {
        .of([
            "field": .string("place"), "columns": .int64(Int64(grid.columns)), "rows": .int64(Int64(grid.rows)),
            "box": .array([grid.south, grid.west, grid.north, grid.east].map(JSONValue.double)),
        ])
    }
}

extension FieldValue {
    /// The members of an object.
    fileprivate var members: [String: FieldValue] { if case .object(let members) = self { members } else { [:] } }
}

extension JSONValue {
    fileprivate static func of(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }

    fileprivate func adding(_ key: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(key: key, value: value)])
    }
}

extension JSONValue? {
    var text: String? { if case .string(let text)? = self { text } else { nil } }
    var number: Int? { if case .int64(let number)? = self { Int(number) } else { nil } }
    var elements: [JSONValue] { if case .array(let elements)? = self { elements } else { [] } }
    /// The names of records in rows.
    fileprivate var names: [String] { elements.compactMap { Optional($0).elements.dropFirst().first.text } }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] { Optional(self).elements }
    fileprivate var number: Int? { Optional(self).number }
}
