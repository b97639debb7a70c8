// Snapshots, transactions, counts and explanations of databases on a server, and what others do to its tables.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

private struct City: RecordConvertible, Equatable {
    var name: String
    var population: Int
}

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ServerCallTests {
    private static let zone = RecordZone.ID("Z")
    private static let cities: [(String, Int64)] = [
        ("Kyiv", 2_950_000), ("Lviv", 720_000), ("Odesa", 1_010_000), ("Zürich", 440_000),
    ]

    private static func fill(_ database: Database) async throws {
        try await database.save(RecordZone(id: zone))
        _ = try await database.modifyTogether(
            saving: cities.map {
                Record(
                    type: "City", id: Record.ID($0.0 == "Zürich" ? "Zurich" : $0.0, zoneID: zone),
                    fields: ["name": .string($0.0), "population": .int64($0.1)])
            }, deleting: [], savePolicy: .ifServerRecordUnchanged)
    }

    /// The error of a call; `nil` for one that succeeds.
    private static func failure(_ call: () async throws -> Void) async -> DatabaseError? {
        do { try await call() } catch { return error as? DatabaseError }
        return nil
    }

    @Test func matchesAreCountedOnTheServer() async throws {
        let database = try ServerPlace().open().privateDatabase
        try await Self.fill(database)
        for (predicate, count, rechecked): (RecordPredicate, Int, Int) in [
            ("population > 700000", 3, 0), ("name ==[c] 'zÜRICH'", 1, 1), ("name == 'Rome'", 0, 0),
            ("name MATCHES '.*v'", 2, 2), ("TRUEPREDICATE", 4, 0),
        ] {
            let query = Query("City", predicate)
            #expect(try await database.count(matching: query, in: .all) == count, "\(predicate)")
            let counted = try await database.read { try $0.count(ofType: "City", matching: predicate) }
            #expect(counted == count, "\(predicate)")
            let pushed = try #require(try await database.explain(query, in: .zone(Self.zone)).pushed)
            #expect(pushed.rechecked == rechecked, "\(predicate): \(pushed)")
        }
        #expect(try await database.count(matching: Query("Never", "a == 1"), in: .all) == 0)
        let unknown = await Self.failure {
            _ = try await database.count(matching: Query("City", "nmae == 'Kyiv'"), in: .all)
        }
        #expect(unknown?.code == .invalidArguments)
    }

    /// Zeros of both signs are one group, which the records have to tell: a server shows the zero that it comes upon.
    @Test func zerosOfBothSignsAreNotGroupedByTheServer() async throws {
        let database = try ServerPlace().open().privateDatabase
        try await database.save(RecordZone(id: Self.zone))
        let records = [(0, -0.0), (-0.0, 0)].enumerated().map { number, zeros in
            Record(
                type: "T", id: Record.ID("r\(number)", zoneID: Self.zone),
                fields: [
                    "a": .double(zeros.0), "b": .double(zeros.1), "same": 1.5,
                    "c": .date(Date(timeIntervalSinceReferenceDate: zeros.0)),
                    "d": .date(Date(timeIntervalSinceReferenceDate: zeros.1)),
                ])
        }
        _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .ifServerRecordUnchanged)
        func groups(by field: String) throws -> [RecordGroup]? {
            try RecordSet.groups(on: database, type: "T", matching: "TRUEPREDICATE", variables: [:], by: field)
        }
        for field in ["a", "b", "c", "d"] { #expect(try groups(by: field) == nil, "\(field)") }
        #expect(try groups(by: "same")?.map(\.count) == [2])
    }

    @Test func aReadIsOfOneMoment() async throws {
        let place = try ServerPlace()
        let (database, other) = (try place.open().privateDatabase, try place.open().privateDatabase)
        try await Self.fill(database)
        let kept = Mutex<DatabaseSnapshot?>(nil)
        let counts = try await database.read { snapshot in
            let before = try snapshot.records(ofType: "City").count
            let id = Record.ID("Rome", zoneID: Self.zone)
            _ = try other.modify(ModifyRequest(saves: [Record(type: "City", id: id, fields: ["name": "Rome"])]))
                .saves[0].result.get()
            kept.withLock { $0 = snapshot }
            #expect(throws: DatabaseError.self) { try snapshot.record(for: id) }
            return [
                before, try snapshot.records(ofType: "City").count,
                try snapshot.count(ofType: "City", matching: "name == 'Rome'"),
            ]
        }
        #expect(counts == [4, 4, 0])
        #expect(try await database.count(matching: Query("City", "name == 'Rome'"), in: .all) == 1)
        let late = #expect(throws: DatabaseError.self) { try kept.withLock { $0 }?.records(ofType: "City") }
        #expect(late?.code == .badDatabase, "a snapshot ends with its body")
        #expect(throws: DatabaseError.self) { try database.snapshot() }
    }

    @Test func transfersOfSeveralProcessesLoseNothing() async throws {
        let place = try ServerPlace()
        let first = try place.open().privateDatabase
        _ = try await first.write { transaction in
            for number in 0..<4 {
                try transaction.save(Record(type: "Account", id: Record.ID("a\(number)"), fields: ["balance": 100]))
            }
        }
        let (writers, transfers) = (3, 12)
        let processes = try (0..<writers).map { _ in try place.open() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, process) in processes.enumerated() {
                group.addTask {
                    for number in 0..<transfers {
                        let (from, to) = ((writer + number) % 4, (writer + number * 2 + 1) % 4)
                        try await process.privateDatabase.write { transaction in
                            for (account, change) in [(from, Int64(-1)), (to, Int64(1))] {
                                var record = try transaction.record(for: Record.ID("a\(account)"))
                                guard case .int64(let balance) = record["balance"] else { return }
                                record["balance"] = .int64(balance + change)
                                try transaction.save(record)
                            }
                            let id = Record.ID("t\(writer)-\(number)")
                            try transaction.save(
                                Record(type: "Transfer", id: id, fields: ["from": .int64(Int64(from))]))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (total, count) = try await first.read { snapshot in
            let accounts = try snapshot.records(ofType: "Account").records(matching: "TRUEPREDICATE")
            let total = accounts.reduce(Int64(0)) { sum, account in
                if case .int64(let balance) = account["balance"] { sum + balance } else { sum }
            }
            return (total, try snapshot.count(ofType: "Transfer", matching: "TRUEPREDICATE"))
        }
        #expect(total == 400 && count == writers * transfers)
    }

    @Test func aWriterThatVanishesFreesItsLock() async throws {
        let place = try ServerPlace()
        let idle = try place.open(patience: .milliseconds(300)).privateDatabase
        let other = try place.open().privateDatabase
        try await Self.fill(other)
        let (locked, saved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writer = Task {
            try await idle.write { transaction in
                transaction.deleteRecord(withID: Record.ID("Kyiv", zoneID: Self.zone))
                locked.signal()
                // The other one can save only when the server has ended this transaction.
                guard saved.wait(timeout: .now() + 60) == .success else { throw CancellationError() }
            }
        }
        let isSaved = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                locked.wait()
                let record = Record(type: "City", id: Record.ID("Rome", zoneID: Self.zone))
                let result = try? other.modify(ModifyRequest(saves: [record])).saves[0].result.get()
                saved.signal()
                continuation.resume(returning: result != nil)
            }
        }
        #expect(isSaved)
        do {
            try await writer.value
            Issue.record("the transaction was ended, and is told to be saved")
        } catch let error as DatabaseError {
            #expect(error.code == .limitExceeded)
        }
        #expect(try await other.count(matching: Query("City", "TRUEPREDICATE"), in: .all) == 5)
    }

    // MARK: What others do to the tables

    @Test func fieldsOfOtherProcessesAreFound() async throws {
        let place = try ServerPlace()
        let (first, second) = (try place.open(), try place.open())
        try await Self.fill(first.privateDatabase)
        #expect(try await second.privateDatabase.count(matching: Query("City", "population > 0"), in: .all) == 4)
        var kyiv = try await first.privateDatabase.record(for: Record.ID("Kyiv", zoneID: Self.zone))
        kyiv["river"] = "Dnipro"
        try await first.privateDatabase.save(kyiv)
        let found = try await second.privateDatabase.count(matching: Query("City", "river == 'Dnipro'"), in: .all)
        #expect(found == 1)
    }

    @Test func tablesThatAreGoneAreToldOf() async throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try await Self.fill(database)
        let query = Query("City", "population > 700000")
        try place.run("ALTER TABLE \"r_City\" DROP COLUMN \"population~i\"")
        for _ in 0..<2 {
            let error = await Self.failure { _ = try await database.count(matching: query, in: .all) }
            #expect(error?.code == .internalError && error.text.contains("42703"), "\(error.text)")
        }
        // Other columns are as they were.
        #expect(try await database.count(matching: Query("City", "name == 'Kyiv'"), in: .all) == 1)
        try place.run("DROP TABLE \"r_City\"")
        let error = await Self.failure { _ = try await database.count(matching: query, in: .all) }
        #expect(error?.code == .internalError && error.text.contains("42P01"), "\(error.text)")
    }

    @Test func aContainerThatWasMadeAgainIsAnother() async throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try await Self.fill(database)
        try place.run("DROP SCHEMA \(Statement.name(Layout.schemaName(of: place.identifier))) CASCADE")
        _ = try place.open()
        let error = await Self.failure {
            _ = try await database.count(matching: Query("City", "population > 0"), in: .all)
        }
        #expect(error?.code == .badContainer, "\(error.text)")
    }

    @Test func indexesOfLargeTablesAreFinished() async throws {
        let place = try ServerPlace()
        let container = try place.open()
        var schema = ContainerSchema()
        let fields = ["a": ContainerSchema.Field(.int64, indexes: []), "b": ContainerSchema.Field(.int64, indexes: [])]
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: fields)
        try container.setSchema(schema)
        try place.run(
            """
            INSERT INTO "r_T"(_b, _z, _n, _s, _c, _r) SELECT 0, -1, i::text, i, i, '\\x00'
            FROM generate_series(1, 100100) i
            """)
        try place.run("ANALYZE \"r_T\"")
        // As a process leaves it that ended while it made the index.
        try place.run("CREATE INDEX \"T.a~i.q\" ON \"r_T\"(_b)")
        try place.run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = '\"T.a~i.q\"'::regclass")
        let indexed = ["a": ContainerSchema.Field(.int64), "b": ContainerSchema.Field(.int64)]
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: indexed)
        try container.setSchema(schema)
        let made = try place.number(
            """
            SELECT count(*) FROM pg_index WHERE indrelid = '"r_T"'::regclass AND indisvalid AND indnatts = 3
            AND indexrelid IN ('"T.a~i.q"'::regclass, '"T.b~i.q"'::regclass)
            """)
        #expect(made == 2)
    }

    @Test func rolesThatAnotherProcessTakesAwayAreGone() async throws {
        let place = try ServerPlace()
        let (first, second) = (try place.open(), try place.open())
        var schema = ContainerSchema()
        var type = ContainerSchema.RecordType(fields: ["a": ContainerSchema.Field(.int64)])
        type.grants = ["editor": [.create, .read, .write]]
        schema.recordTypes["Secret"] = type
        try first.setSchema(schema)
        let other = try Container(sharing: second, account: .user("_b0b"), configuration: Configuration())
        let database = other.publicDatabase
        let query = Query("Secret", "a == 1")
        func outcomes() async -> [DatabaseError.Code?] {
            [
                await Self.failure { _ = try await database.recordPage(matching: query, in: .default) }?.code,
                await Self.failure {
                    let saved = Record(type: "Secret", id: Record.ID("s"), fields: ["a": 1])
                    _ = try database.modify(ModifyRequest(saves: [saved], policy: .allKeys)).saves[0].result.get()
                }?.code,
                await Self.failure { _ = try await database.record(for: Record.ID("s")) }?.code,
                await Self.failure { try await database.write { _ = try $0.record(for: Record.ID("s")) } }?.code,
            ]
        }
        let rejected = await outcomes()
        #expect(rejected[1] == .permissionFailure)
        try first.setRoles(["editor"], ofUser: "_b0b")
        #expect(await outcomes() == [nil, nil, nil, nil])
        try first.setRoles([], ofUser: "_b0b")
        let again = await outcomes()
        #expect(again == [rejected[0], .permissionFailure, .permissionFailure, .permissionFailure])
    }

    // MARK: Other processes' commits

    @Test func liveQueriesAreToldOfOtherProcesses() async throws {
        let place = try ServerPlace()
        let (database, other) = (try place.open().privateDatabase, try place.open().privateDatabase)
        try await Self.fill(other)
        var steps = database.changes(matching: Query("City", "population > 1000000"), in: .all).makeAsyncIterator()
        guard case .initial(let records) = try await steps.next() else {
            Issue.record("the first step is the result")
            return
        }
        #expect(Set(records.map(\.id.recordName)) == ["Kyiv", "Odesa"])
        var lviv = try await other.record(for: Record.ID("Lviv", zoneID: Self.zone))
        lviv["population"] = 2_000_000
        let saved = try await other.save(lviv)
        guard case .inserted(let record, _) = try await steps.next() else {
            Issue.record("the second step is a record that came to match")
            return
        }
        #expect(record.id == saved.id && record.recordChangeTag == saved.recordChangeTag)
        try await other.deleteRecordZone(withID: Self.zone)
        var gone: Set<String> = []
        while gone.count < 3, case .removed(let id, _) = try await steps.next() { gone.insert(id.recordName) }
        #expect(gone == ["Kyiv", "Lviv", "Odesa"])
    }

    @Test func observersReadAgain() async throws {
        let place = try ServerPlace()
        let (database, other) = (try place.open().privateDatabase, try place.open().privateDatabase)
        try await Self.fill(other)
        let counts = database.observe { try $0.count(ofType: "City", matching: "population > 700000") }
        var values = counts.makeAsyncIterator()
        #expect(try await values.next() == 3)
        try await other.deleteRecord(withID: Record.ID("Kyiv", zoneID: Self.zone))
        #expect(try await values.next() == 2)
    }

    // MARK: Values

    @Test func valuesAreReadSavedAndChanged() async throws {
        let database = try ServerPlace().open().privateDatabase
        try await database.save([City(name: "Kyiv", population: 3), City(name: "Lviv", population: 1)])
        let large = try await database.values(of: City.self, matching: .where { $0.population > 2 })
        #expect(large == [City(name: "Kyiv", population: 3)])
        let names = try await database.write { transaction in
            try transaction.insert(City(name: "Odesa", population: 2))
            try transaction.updateAll(City.where { $0.population < 3 }) { $0.population += 10 }
            return try transaction.values(of: City.self, matching: .where { $0.population > 10 }).map(\.name)
        }
        #expect(names == ["Lviv", "Odesa"])
        let values = try await database.read { try $0.values(of: City.self, sortedBy: [.descending(\.population)]) }
        #expect(values.map(\.population) == [12, 11, 3])
    }
}

extension DatabaseError? {
    fileprivate var text: String { map { "\($0.code): \($0.reason)" } ?? "no error" }
}
