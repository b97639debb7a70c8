// Every limit at its edge: what is as large as it says is taken, what is one larger is refused with an error of its
// kind.

import Foundation
import PredicateSyntax
import Testing

@testable import RecordDatabase

@Suite struct LimitEdgeTests {
    // MARK: Predicates

    private static func repeated(_ part: String, _ count: Int, by separator: String) -> String {
        Array(repeating: part, count: count).joined(separator: separator)
    }

    /// Limits of the syntax, and texts of a size that they are about.
    private static let texts: [(limits: SyntaxLimits, text: @Sendable (Int) -> String)] = [
        (SyntaxLimits(maximumLength: 20), { "a == " + String(repeating: "1", count: $0 - 5) }),
        (
            SyntaxLimits(maximumDepth: 20),
            { String(repeating: "(", count: $0) + "a == 1" + String(repeating: ")", count: $0) }
        ),
        (SyntaxLimits(maximumListCount: 20), { "a IN {" + repeated("1", $0, by: ",") + "}" }),
        (SyntaxLimits(maximumListCount: 20), { repeated("a == 1", $0, by: " AND ") }),
        (SyntaxLimits(maximumListCount: 20), { repeated("a == 1", $0, by: " OR ") }),
        (SyntaxLimits(maximumListCount: 20), { "max(" + repeated("1", $0, by: ",") + ") == 1" }),
        (SyntaxLimits(maximumListCount: 20), { "a." + repeated("b", $0, by: ".") + " == 1" }),
    ]

    @Test(arguments: texts.indices) func syntax(_ index: Int) throws {
        let (limits, text) = Self.texts[index]
        #expect(throws: Never.self) { try SyntaxTree(parsing: text(20), limits: limits) }
        let error = #expect(throws: SyntaxError.self) { try SyntaxTree(parsing: text(21), limits: limits) }
        #expect(error?.kind == .limit)
    }

    @Test func regularExpressions() throws {
        func pattern(_ count: Int) -> RecordPredicate { "s MATCHES \(String(repeating: "x", count: count))" }
        let set = try RecordSet(records: [Record(type: "T", id: Record.ID("r"), fields: ["s": "x"])])
        #expect(try set.count(matching: pattern(65_536)) == 0)
        let error = #expect(throws: RecordPredicateError.self) { try set.count(matching: pattern(65_537)) }
        #expect(error?.description.contains("too long") == true)
    }

    /// Classes of characters that are dear to compile: of one pattern, of all of a predicate, and of a field's.
    @Test func classesOfRegularExpressions() throws {
        func pattern(_ count: Int) -> String { String(repeating: "\\p{Lu}", count: count) }
        func alternatives(_ count: Int) throws -> RecordPredicate {
            let patterns = (0..<count).map { FieldValue.string("\($0)" + pattern(64)) }
            return try RecordPredicate(format: Self.repeated("s MATCHES[c] %@", count, by: " OR "), arguments: patterns)
        }
        let set = try RecordSet(
            records: [64, 128, 129].map {
                Record(
                    type: "T", id: Record.ID("\($0)"),
                    fields: ["s": "x", "p": .string(pattern($0)), "n": .int64(Int64($0))])
            })
        #expect(try set.count(matching: "s MATCHES[c] \(pattern(128))") == 0)
        let one = #expect(throws: RecordPredicateError.self) {
            try set.count(matching: "s MATCHES[c] \(pattern(129))")
        }
        #expect(one?.description.contains("too many classes") == true)
        #expect(try set.count(matching: alternatives(8)) == 0)
        let all = #expect(throws: RecordPredicateError.self) { try set.count(matching: alternatives(9)) }
        #expect(all?.description.contains("of the predicate") == true)
        #expect(try set.count(matching: "n <= 128 AND s MATCHES[c] p") == 0)
        let field = #expect(throws: RecordPredicateError.self) { try set.count(matching: "s MATCHES[c] p") }
        #expect(field?.evaluationKind == .invalidPattern)
    }

    // MARK: Files

    private static let line = #"{"id":"r","type":"T","a":1}"# + "\n"

    /// A limit of loads, what sets it, and a file that needs just so much.
    private static let files:
        [(name: String, needs: Int, set: @Sendable (inout LoadLimits, Int) -> Void, text: String)] = [
            (
                "bytes", 3 * line.utf8.count, { $0.maximumBytes = $1 },
                numbered(3) { line.replacingOccurrences(of: "\"r\"", with: "\"\($0)\"") }
            ),
            ("record", line.utf8.count - 1, { $0.maximumRecordBytes = $1 }, line),
            ("records", 5, { $0.maximumRecords = $1 }, numbered(5) { "{\"id\":\"r\($0)\"}\n" }),
            ("types", 5, { $0.maximumTypes = $1 }, numbered(5) { "{\"id\":\"r\($0)\",\"type\":\"T\($0)\"}\n" }),
            // What names a record, its type and its zone counts, too.
            ("fields", 8, { $0.maximumFields = $1 }, numbered(5) { "{\"id\":\"r\($0)\",\"f\($0)\":1}\n" }),
            ("depth", 5, { $0.maximumDepth = $1 }, "{\"a\":[[{\"b\":[1]}]]}\n"),
        ]

    private static func numbered(_ count: Int, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined()
    }

    @Test(arguments: files.indices) func loads(_ index: Int) throws {
        let (name, needs, set, text) = Self.files[index]
        func load(_ limit: Int) throws -> Int {
            var options = LoadOptions()
            options.skipBadLines = false
            set(&options.limits, limit)
            return try RecordSet(bytes: Array(text.utf8), name: "a.ndjson", options: options).count
        }
        #expect(try load(needs) > 0, "\(name)")
        let error = #expect(throws: FileError.self, "\(name)") { try load(needs - 1) }
        #expect(error?.kind == .limit, "\(name): \(String(describing: error))")
    }

    /// The memory of columns is reckoned now and then; the same file is taken under a limit that leaves it room.
    @Test func memoryOfLoads() throws {
        let text = Self.numbered(6000) {
            "{\"id\":\"r\($0)\",\"text\":\"\(String(repeating: "x", count: 100)) \($0)\"}\n"
        }
        func load(_ limit: Int) throws -> Int {
            var options = LoadOptions()
            options.limits.maximumMemory = limit
            return try RecordSet(bytes: Array(text.utf8), name: "a.ndjson", options: options).count
        }
        #expect(try load(32 << 20) == 6000)
        let error = #expect(throws: FileError.self) { try load(100_000) }
        #expect(error?.kind == .limit && error?.line != nil)
    }

    // MARK: Questions

    @Test func resultsAndSteps() throws {
        let list = FieldValue.list((0..<640).map { .int64(Int64($0)) })
        var set = try RecordSet(
            records: (0..<50).map {
                Record(type: "T", id: Record.ID("r\($0)"), fields: ["a": list, "n": .int64(Int64($0))])
            })
        set.limits.resultBytes = 8 * 50
        #expect(try set.ordinals(matching: "n >= 0").count == 50)
        set.limits.resultBytes = 8 * 50 - 1
        let results = #expect(throws: RecordPredicateError.self) { try set.ordinals(matching: "n >= 0") }
        #expect(results?.evaluationKind == .resultLimit)
        set.limits = QueryLimits(stepsPerRecord: 640 * 641)
        let predicate: RecordPredicate = "SUBQUERY(a, $x, ANY {$x, $x} < n - 1000).@count > 0"
        #expect(try set.count(matching: predicate) == 0)
        #expect(try set.prepare(predicate).count() == 0)
        set.limits.stepsPerRecord = 640
        for query in [{ try set.count(matching: predicate) }, { try set.prepare(predicate).count() }] {
            let steps = #expect(throws: RecordPredicateError.self) { try query() }
            #expect(steps?.evaluationKind == .stepLimit)
            #expect(steps?.description.contains("640 steps") == true)
        }
        // What an index or a kernel answers takes none.
        set.limits.stepsPerRecord = 0
        #expect(try set.count(matching: "n >= 10") == 40)
    }

    // MARK: Databases

    private static func size(_ count: Int) -> [String: FieldValue] { ["d": .data(Data(count: count))] }

    /// A limit of databases, what sets it to 20, and a call that is about so many.
    private static let calls:
        [(
            name: String, code: DatabaseError.Code, set: @Sendable (inout Limits) -> Void,
            call: @Sendable (Database, Int) async throws -> Void
        )] = [
            (
                "items saved", .limitExceeded, { $0.itemsPerRequest = 20 },
                { database, count in
                    _ = try await database.modifyRecords(saving: (0..<count).map { record("r\($0)") }, deleting: [])
                }
            ),
            (
                "items fetched", .limitExceeded, { $0.itemsPerRequest = 20 },
                { database, count in _ = try await database.records(for: (0..<count).map { Record.ID("r\($0)") }) }
            ),
            (
                "bytes of a batch", .limitExceeded, { $0.bytesPerRequest = 20 },
                { database, count in
                    let records = [record("a", size(10)), record("b", size(count - 10))]
                    _ = try await database.modifyRecords(saving: records, deleting: [])
                }
            ),
            (
                "bytes of a record", .limitExceeded, { $0.bytesPerRecord = 20 },
                { database, count in try await database.save(record("a", size(count))) }
            ),
            (
                "names of records", .invalidArguments, { $0.nameLength = 20 },
                { database, count in try await database.save(record(String(repeating: "n", count: count))) }
            ),
            (
                "names of types", .invalidArguments, { $0.nameLength = 20 },
                { database, count in
                    try await database.save(record("a", [:], type: "T" + String(repeating: "n", count: count - 1)))
                }
            ),
            (
                "names of fields", .invalidArguments, { $0.nameLength = 20 },
                { database, count in try await database.save(record("a", [String(repeating: "n", count: count): 1])) }
            ),
            (
                "names of zones", .invalidArguments, { $0.nameLength = 20 },
                { database, count in
                    try await database.save(RecordZone(id: RecordZone.ID(String(repeating: "n", count: count))))
                }
            ),
            (
                "steps of a query", .limitExceeded, { $0.queryStepsPerRecord = 64 * 20 },
                { database, count in
                    let list = FieldValue.list((0..<64 * count).map { .int64(Int64($0)) })
                    try await database.save(record("a", ["list": list]))
                    _ = try await database.records(
                        matching: Query("T", "SUBQUERY(list, $x, TRUEPREDICATE).@count == 0"), in: .default)
                }
            ),
        ]

    @Test(arguments: calls.indices) func databases(_ index: Int) async throws {
        let (name, code, set, call) = Self.calls[index]
        try await call(World().client(World.alice) { set(&$0.limits) }.privateDatabase, 20)
        let other = try await World().client(World.alice) { set(&$0.limits) }.privateDatabase
        let error = await fails(code) { try await call(other, 21) }
        #expect(error != nil, "\(name)")
    }

    /// What the database writes about a record counts nothing: one that is as large as it may be can be changed.
    @Test func fullRecordsCanBeChanged() async throws {
        let world = try await World { $0.limits.bytesPerRecord = 20 }
        // A number takes eight bytes.
        var full = try await world.mine.save(record("a", ["d": .data(Data(count: 12)), "n": 1]))
        full["n"] = 2
        let changed = try await world.mine.save(full)
        #expect(changed.fields == ["d": .data(Data(count: 12)), "n": 2])
        full = changed
        full["d"] = .data(Data(count: 13))
        let larger = full
        await fails(.limitExceeded) { try await world.mine.save(larger) }
    }

    /// Stretches of changes are as long as they may be, and go on.
    @Test func stretchesOfChanges() async throws {
        let world = try await World()
        _ = try await world.mine.modifyRecords(
            saving: (0..<21).map { record("r\($0)", in: world.zone) }, deleting: [])
        let client = try world.client(World.alice) { $0.limits.changesPerRequest = 20 }.privateDatabase
        let first = try await client.recordZoneChanges(inZoneWith: world.zone, since: nil)
        #expect(first.modificationResultsByID.count == 20 && first.moreComing)
        let rest = try await client.recordZoneChanges(inZoneWith: world.zone, since: first.changeToken)
        #expect(rest.modificationResultsByID.count == 1 && !rest.moreComing)
    }
}
