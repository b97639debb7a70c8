// Commits of one process that wait for each other: they share a transaction, each with its own result.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct SharedCommitTests {
    private typealias Outcome = Result<Record, DatabaseError>

    private static func record(_ name: String, _ number: Int64) -> Record {
        Record(type: "T", id: Record.ID(name), fields: ["n": .int64(number)])
    }

    /// A place with the records `a` and `b`, its container, and what makes the server wait for somebody.
    private struct Crowd {
        let place: ServerPlace
        let container: Container

        init(_ schema: ContainerSchema? = nil) throws {
            place = try ServerPlace()
            container = try place.open()
            if let schema { try container.setSchema(schema) }
            let records = [SharedCommitTests.record("a", -1), SharedCommitTests.record("b", -2)]
            for (_, result) in try container.privateDatabase.modify(ModifyRequest(saves: records)).saves {
                _ = try result.get()
            }
        }

        /// Makes requests while somebody else has the lock of the database: the first begins a transaction, and those
        /// behind it wait for that one.
        func make(_ requests: [ModifyRequest]) throws -> [Outcome] {
            let holder = try Connection(ConnectionString(place.server.address))
            try holder.run([
                Statement("SET search_path = \(Statement.name(Layout.schemaName(of: place.identifier)))"),
                Statement("BEGIN"), Statement("SELECT 1 FROM database FOR UPDATE"),
            ])
            let waitingCount =
                "SELECT count(*) FROM pg_stat_activity WHERE \(holder.backendProcess) = ANY(pg_blocking_pids(pid))"
            let outcomes = Mutex([Int: Outcome]())
            let all = DispatchGroup()
            let database = container.privateDatabase
            for (number, request) in requests.enumerated() {
                DispatchQueue(label: "saver \(number)").async(group: all) {
                    let outcome = Result { () throws(DatabaseError) in
                        let result = try database.modify(request)
                        guard let save = result.saves.first else {
                            try result.deletes[0].result.get()
                            return Record(type: "T", id: request.deletes[0])
                        }
                        return try save.result.get()
                    }
                    outcomes.withLock { $0[number] = outcome }
                }
                // The first waits for the lock before the next one comes; others have their places in order.
                while number == 0, try place.number(waitingCount) == 0 { usleep(10_000) }
                usleep(20_000)
            }
            usleep(100_000)
            try holder.run(Statement("COMMIT"))
            all.wait()
            return try outcomes.withLock { found in try requests.indices.map { try #require(found[$0]) } }
        }

        /// How many transactions saved the records that are there, but for some.
        func transactions(besides others: String) throws -> Int64? {
            try place.number("SELECT count(DISTINCT xmin::text) FROM \"r_T\" WHERE _n NOT IN (\(others))")
        }
    }

    @Test func commitsThatWaitAreStoredTogether() throws {
        let crowd = try Crowd()
        let outcomes = try crowd.make((0..<8).map { ModifyRequest(saves: [Self.record("r\($0)", Int64($0))]) })
        let tags = try outcomes.map { try #require($0.get().recordChangeTag) }
        #expect(Set(tags).count == 8)
        // One, unless the machine has so much else to do that the first does not wait for all.
        let transactions = try #require(try crowd.transactions(besides: "'a', 'b'"))
        #expect((1...4).contains(transactions))
        let found = try crowd.container.privateDatabase.fetch((0..<8).map { Record.ID("r\($0)") })
        for number in 0..<8 {
            let record = try #require(found[Record.ID("r\(number)")]).get()
            #expect(record["n"] == .int64(Int64(number)) && record.recordChangeTag == tags[number])
        }
    }

    @Test func eachStandsOnThoseBeforeIt() throws {
        let crowd = try Crowd()
        let database = crowd.container.privateDatabase
        let known = try #require(try database.fetch([Record.ID("a")])[Record.ID("a")]).get()
        var changes = [known, known]
        changes[0]["n"] = 1
        changes[1]["n"] = 2
        let outcomes = try crowd.make([
            ModifyRequest(saves: [Self.record("x", 1)]),
            ModifyRequest(saves: [changes[0]]), ModifyRequest(saves: [changes[1]]),
            ModifyRequest(saves: [Self.record("x", 2)], policy: .allKeys),
            ModifyRequest(deletes: [Record.ID("b")]),
            ModifyRequest(saves: [Self.record("b", 5)]),
            ModifyRequest(saves: [Self.record("x", 3)], policy: .changedKeys),
        ])
        let codes = outcomes.map { outcome in
            if case .failure(let error) = outcome { error.code } else { DatabaseError.Code?.none }
        }
        #expect(codes == [nil, nil, .serverRecordChanged, nil, nil, nil, nil])
        let found = try database.fetch(["a", "b", "x"].map { Record.ID($0) })
        let numbers = try ["a", "b", "x"].map { try #require(found[Record.ID($0)]).get()["n"] }
        #expect(numbers == [1, 5, 3])
    }

    @Test func eachIsMadeInItsOwnZone() throws {
        let crowd = try Crowd()
        let database = crowd.container.privateDatabase
        let zones = (0..<6).map { RecordZone.ID("Z\($0)") }
        let made = try database.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        for (_, result) in made.saves { _ = try result.get() }
        let purged = try database.modifyZones(saving: [], deleting: [zones[5]], isPurging: true)
        for (_, result) in purged.deletes { try result.get() }
        func request(_ name: String, _ zone: RecordZone.ID, of owner: String? = nil) -> ModifyRequest {
            var record = Record(type: "T", id: Record.ID(name, zoneID: zone), fields: ["n": 7])
            if let owner {
                let target = Record.ID(owner, zoneID: zone)
                record["of"] = .reference(RecordReference(recordID: target, action: .deleteSelf))
            }
            return ModifyRequest(saves: [record], policy: .allKeys)
        }
        let outcomes = try crowd.make(
            zones.map { request("r", $0) } + [
                request("r", RecordZone.ID("Y")), request("r", .default), request("s", zones[0]),
                // One that reads more by itself goes between others that were read for before.
                request("t", zones[2], of: "r"), request("u", zones[3]), request("r", zones[4]),
            ])
        let codes = outcomes.map { outcome in
            if case .failure(let error) = outcome { error.code } else { DatabaseError.Code?.none }
        }
        #expect(codes == [nil, nil, nil, nil, nil, .userDeletedZone, .zoneNotFound, nil, nil, nil, nil, nil])
        let transactions = try #require(try crowd.transactions(besides: "'a', 'b'"))
        #expect((1...5).contains(transactions))
        // Rows are in their zones, and each zone has the number of its last change.
        let rows = "\"r_T\" r JOIN zone z ON z.number = r._z WHERE r._n NOT IN ('a', 'b')"
        let places = try crowd.place.run("SELECT z.name || ' ' || r._n FROM \(rows) ORDER BY 1")
        let found = (0..<places.count).compactMap { places.text($0, 0) }
        #expect(found == ["Z0 r", "Z0 s", "Z1 r", "Z2 r", "Z2 t", "Z3 r", "Z3 u", "Z4 r", "_defaultZone r"])
        let others = "SELECT count(*) FROM zone z WHERE z.number > 0 AND z.last_change IS DISTINCT FROM"
        #expect(try crowd.place.number("\(others) (SELECT max(_c) FROM \"r_T\" r WHERE r._z = z.number)") == 0)
    }

    @Test func oneThatTheServerRejectsDoesNotTakeOthersAlong() throws {
        let crowd = try Crowd()
        try crowd.place.run(
            """
            CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF NEW._n = 'r3' THEN RAISE 'no'; END IF; RETURN NEW; END $$
            """)
        try crowd.place.run("CREATE TRIGGER reject BEFORE INSERT ON \"r_T\" FOR EACH ROW EXECUTE FUNCTION reject()")
        let outcomes = try crowd.make((0..<6).map { ModifyRequest(saves: [Self.record("r\($0)", Int64($0))]) })
        for (number, outcome) in outcomes.enumerated() {
            switch outcome {
            case .success: #expect(number != 3)
            case .failure(let error): #expect(number == 3 && error.code == .internalError, "\(error)")
            }
        }
        #expect(try crowd.place.number("SELECT count(*) FROM \"r_T\"") == 7)
    }

    @Test func valuesThatOneRecordAloneMayHaveAreCompared() throws {
        var schema = ContainerSchema()
        schema.recordTypes["T"] = ContainerSchema.RecordType(
            fields: ["n": ContainerSchema.Field(.int64, traits: [.unique])])
        let crowd = try Crowd(schema)
        let outcomes = try crowd.make(
            [1, 2, 1, 3].enumerated().map {
                ModifyRequest(saves: [Self.record("r\($0.offset)", $0.element)])
            })
        let codes = outcomes.map { outcome in
            if case .failure(let error) = outcome { error.code } else { DatabaseError.Code?.none }
        }
        #expect(codes == [nil, nil, .constraintViolation, nil])
    }

    @Test func oneThatIsCancelledWhileItWaitsIsNotMade() async throws {
        let crowd = try Crowd()
        let holder = try Connection(ConnectionString(crowd.place.server.address))
        try holder.run([
            Statement("SET search_path = \(Statement.name(Layout.schemaName(of: crowd.place.identifier)))"),
            Statement("BEGIN"), Statement("SELECT 1 FROM database FOR UPDATE"),
        ])
        let database = crowd.container.privateDatabase
        let saves = (0..<2).map { number in
            Task { try await database.save(Self.record("r\(number)", 1)) }
        }
        try await Task.sleep(for: .milliseconds(200))
        let third = Task { try await database.save(Self.record("r2", 1)) }
        try await Task.sleep(for: .milliseconds(200))
        third.cancel()
        let error = await #expect(throws: DatabaseError.self) { try await third.value }
        #expect(error?.code == .operationCancelled)
        try holder.run(Statement("COMMIT"))
        for save in saves { _ = try await save.value }
        #expect(try crowd.place.number("SELECT count(*) FROM \"r_T\" WHERE _n LIKE 'r%'") == 2)
    }
}
