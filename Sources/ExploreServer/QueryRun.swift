// One query: its parts, the most urgent first.

import HTTPServing
import LineEditing
import PredicateEditing
import PredicateSyntax
import QueryExecution
import RecordDatabase

/// Runs a query of a page, and sends what it finds piece by piece. It ends where the page has gone.
struct QueryRun {
    private let explorer: Explorer
    private let json: JSONValue
    private let reply: HTTPReply
    private let query: PageQuery
    private let state: ExploredState
    private let records: RecordSet
    private let start = ContinuousClock.now
    private let fields: [String]
    private let shownRows: Int

    /// - Throws: `RequestError`.
    init(_ explorer: Explorer, _ json: JSONValue, _ reply: HTTPReply) throws(RequestError) {
        (self.explorer, self.json, self.reply) = (explorer, json, reply)
        query = try PageQuery(json)
        state = explorer.current
        records = state.records(for: query)
        fields = try json.texts("fields")
        shownRows = try json.number("rows", in: 1...500) ?? 100
    }

    /// - Throws: `RequestError` before anything was sent.
    func run() throws(RequestError) {
        let wanted = try Wanted(json)
        reply.begin(200, [("Content-Type", "application/x-ndjson")] + RequestGuard.headers)
        defer { reply.end() }
        var pending = wanted.names
        do throws(RecordPredicateError) {
            guard let predicate = try check() else { return send("done", []) }
            let failure = { (error: EvaluationError) in RecordPredicateError(error, in: query.text) }
            try QueryDeadline.run(within: explorer.limits.time, failure: failure) {
                () throws(RecordPredicateError) in
                let rows = try find(predicate)
                try summarize(rows, predicate, wanted, &pending)
            }
        } catch {
            if error.evaluationKind == .cancelled { return }
            let offsets = TextOffsets(query.text)
            let diagnosis = Diagnosis(.error, error.span.range, error.message, hint: error.hint).json(offsets)
            if error.evaluationKind == .timeLimit {
                send("late", [("diagnosis", diagnosis), ("missing", .array(pending.map(JSONValue.string)))])
            } else {
                send("failed", [("version", .count(state.version)), ("diagnosis", diagnosis)])
            }
        }
        send("done", [])
    }

    /// The summaries that a page shows.
    private struct Wanted {
        var values: [String]
        var spread: String?
        var place: String?
        var grid: PlaceGrid?
        var isPlan: Bool

        /// What the page calls them, in the order in which they are sent.
        var names: [String] {
            [spread.map { "spread of \($0)" }, place != nil && grid != nil ? "map" : nil].compactMap(\.self)
                + values.map { "values of \($0)" } + (isPlan ? ["plan"] : [])
        }

        init(_ json: JSONValue) throws(RequestError) {
            values = try json.texts("values")
            spread = try json.text("spread")
            isPlan = json["plan"] == .bool(true)
            guard let map = json["map"], map != .null else { return }
            place = try map.text("field")
            guard case .array(let box)? = map["box"], box.count == 4 else {
                throw RequestError(message: "'box' is south, west, north and east")
            }
            let sides = box.map { $0.double ?? .nan }
            let columns = try map.number("columns", in: 1...1000) ?? 60
            let lines = try map.number("rows", in: 1...1000) ?? 30
            grid = PlaceGrid(
                south: sides[0], west: sides[1], north: sides[2], east: sides[3], columns: columns, rows: lines)
            if grid == nil { throw RequestError(message: "'box' is no box on the Earth, or has too many cells") }
        }
    }

    // MARK: Parts

    /// Milliseconds since the query came.
    private var elapsed: Double { (ContinuousClock.now - start).microseconds / 1e3 }

    private func send(_ part: String, _ members: [(String, JSONValue)]) {
        let all = [("part", JSONValue.string(part)), ("at", .double(elapsed))] + members
        reply.write(JSONValue.object(all.map { JSONValue.Member(key: $0.0, value: $0.1) }).bytes + [0x0A])
    }

    /// Sends what the text is, and what is wrong with it.
    /// - Returns: The predicate; `nil` where the text is none yet.
    private func check() throws(RecordPredicateError) -> RecordPredicate? {
        let text = query.text
        let offsets = TextOffsets(text)
        let assistant = explorer.assistant(for: query, state)
        var members: [(String, JSONValue)] = [
            (
                "tokens",
                .array(
                    PredicateAssistant.highlights(of: text).map {
                        .array([
                            .int64(offsets[$0.range.lowerBound]), .int64(offsets[$0.range.upperBound]),
                            .string("\($0.role)"),
                        ])
                    })
            )
        ]
        let cursor = (try? json.number("cursor", in: 0...Int(Int32.max))).flatMap { $0 }.map(offsets.byte)
        let diagnosis = assistant.diagnosis(of: text, cursor: cursor ?? text.utf8.count)
        if let diagnosis { members.append(("diagnosis", diagnosis.json(offsets))) }
        if diagnosis?.severity == .error, (try? RecordPredicate.tree(of: text, .full)) == nil,
            let meant = ForeignLanguage.suggestion(for: text, hint: diagnosis?.hint), meant.verb == .query
        {
            members.append(("meant", .of(["text": .string(meant.predicateText), "sort": meant.sort])))
        }
        let predicate = query.isBlank || diagnosis?.severity != .unfinished ? try? query.predicate() : nil
        if let editing = try? ClauseEditing(text) { members.append(("clauses", editing.json(offsets))) }
        members.append(("isPredicate", .bool(predicate != nil && diagnosis?.severity != .error)))
        send("check", members)
        return diagnosis?.severity == .error ? nil : predicate
    }

    /// Finds the records that match, and sends the first of them and how many there are.
    private func find(_ predicate: RecordPredicate) throws(RecordPredicateError) -> MatchingRows {
        let clock = ContinuousClock.now
        let isSorted = !query.sort.isEmpty
        if isSorted {
            let first = try records.select(
                predicate, variables: query.variables, sortedBy: query.sort, limit: shownRows)
            sendRows(first.ordinals)
        }
        let rows = try records.matchingRows(of: predicate, variables: query.variables)
        let time = ContinuousClock.now - clock
        var ordinals = records.ordinals(at: rows)
        if isSorted {
            // The first of them as the order has them; the others when somebody looks for them.
            ordinals = try records.select(
                predicate, variables: query.variables, sortedBy: query.sort, limit: Explorer.firstSorted
            ).ordinals.map { UInt32(truncatingIfNeeded: $0) }
        } else {
            sendRows(ordinals.prefix(shownRows).map { Int($0) })
        }
        var members: [(String, JSONValue)] = [
            ("matched", .count(rows.count)), ("records", .count(records.count)),
            ("microseconds", .double(time.microseconds)),
        ]
        if let id = explorer.keep(query, rows, ordinals, version: state.version) {
            members.append(("result", .string(id)))
        }
        if rows.count == 0, let relaxed = explorer.linter(for: query, records).relaxed(query.text) {
            members.append(("relaxed", .of(["text": .string(relaxed.text), "count": .count(relaxed.count)])))
        }
        send("count", members)
        return rows
    }

    private func sendRows(_ ordinals: [Int]) {
        var writer = RowsWriter(records, fields)
        writer.begin(
            "{\"part\":\"rows\",\"at\":\(elapsed),\"version\":\(state.version),\"from\":0,"
                + "\"count\":\(ordinals.count),\"rows\":[")
        writer.write(ordinals)
        reply.write(writer.finished("]}\n"))
    }

    private func summarize(
        _ rows: MatchingRows, _ predicate: RecordPredicate, _ wanted: Wanted, _ pending: inout [String]
    ) throws(RecordPredicateError) {
        if let field = wanted.spread {
            try sendSpread(field, rows)
            pending.removeFirst()
        }
        if let field = wanted.place, let grid = wanted.grid {
            let cells = try records.cells(of: field, at: rows, in: grid)
            send("map", [("field", .string(field)), ("cells", .array(cells.map(\.json)))])
            pending.removeFirst()
        }
        for field in wanted.values {
            let counts = try explorer.counts(of: field, query, state, among: rows, limit: 12)
            send("values", counts)
            pending.removeFirst()
        }
        if wanted.isPlan {
            let explanation = try records.explain(predicate, variables: query.variables)
            send("plan", [("explanation", explanation.jsonValue)])
        }
    }

    private func sendSpread(_ field: String, _ rows: MatchingRows) throws(RecordPredicateError) {
        let all = try explorer.spread(of: field, type: query.type, in: state)
        let matching = try records.histogram(
            of: field, at: rows, bins: .equal(all.counts.count), within: all.range)
        send(
            "spread",
            [
                ("field", .string(field)), ("lower", .double(all.range.lowerBound)),
                ("upper", .double(all.range.upperBound)), ("isDate", .bool(all.isDate)),
                ("all", .array(all.counts.map(JSONValue.count))),
                ("matching", .array(matching.counts.map(JSONValue.count))),
            ])
    }
}

extension Duration {
    /// The whole of it, to a thousandth.
    var microseconds: Double {
        Double(components.seconds) * 1e6 + Double(components.attoseconds / 1_000_000_000) / 1e3
    }
}

extension TranslatedQuery {
    /// The order that the options request, as pages have it.
    fileprivate var sort: JSONValue {
        .array(zip(options, options.dropFirst()).filter { $0.0 == "--sort" }.map { .string($0.1) })
    }
}

extension Diagnosis {
    fileprivate func json(_ offsets: TextOffsets) -> JSONValue {
        .of([
            "severity": .string("\(severity)"), "start": .int64(offsets[range.lowerBound]),
            "end": .int64(offsets[range.upperBound]), "message": .string(message),
            "hint": hint.map { .string($0) } ?? .null,
        ])
    }
}

extension ClauseEditing {
    fileprivate func json(_ offsets: TextOffsets) -> JSONValue {
        .array(
            clauses.map { clause in
                .of([
                    "start": .int64(offsets[clause.range.lowerBound]), "end": .int64(offsets[clause.range.upperBound]),
                    "field": Self.field(of: clause.node).map { .string($0) } ?? .null,
                    "words": .string(text(of: clause)),
                ])
            })
    }
}

extension PlaceCell {
    fileprivate var json: JSONValue {
        .array([
            .double((middle.latitude * 1e5).rounded() / 1e5), .double((middle.longitude * 1e5).rounded() / 1e5),
            .count(count), .count(number),
        ])
    }
}
