// UNIQUE fields on three servers: of records on different nodes, one has a value.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct NodeUniqueTests {
    private static let zones = (0..<6).map { RecordZone.ID("Z\($0)") }

    /// Records of type T with a field that is unique, and two that are together.
    private static let schema: ContainerSchema = {
        var type = ContainerSchema.RecordType(fields: [
            "s": ContainerSchema.Field(.string, traits: [.unique]), "a": ContainerSchema.Field(.int64),
            "b": ContainerSchema.Field(.double),
        ])
        type.uniqueTogether = [["a", "b"]]
        return ContainerSchema(recordTypes: ["T": type])
    }()

    private static func open(_ place: NodePlace, _ schema: ContainerSchema = schema) throws -> Container {
        let container = try place.open()
        try container.setSchema(schema)
        _ = try container.privateDatabase.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        return container
    }

    /// A record of a number: over all nodes, in the default zone and in others.
    private static func id(_ number: Int) -> Record.ID {
        number % 2 == 0 ? Record.ID("r\(number)") : Record.ID("r\(number)", zoneID: zones[number / 2 % zones.count])
    }

    private static func save(_ number: Int, _ fields: [String: FieldValue], in container: Container) throws {
        try save(Record(type: "T", id: id(number), fields: fields), in: container.privateDatabase)
    }

    private static func save(_ record: Record, in database: Database) throws {
        let request = ModifyRequest(saves: [record], policy: .changedKeys)
        for (_, result) in try database.modify(request).saves { _ = try result.get() }
    }

    private static func delete(_ number: Int, in container: Container) throws {
        for (_, result) in try container.privateDatabase.modify(ModifyRequest(deletes: [id(number)])).deletes {
            try result.get()
        }
    }

    private static func isRefused(_ call: () throws -> Void) -> Bool { failure(call).code == .constraintViolation }

    /// The claims that the nodes have.
    private static func claimCount(_ place: NodePlace) throws -> Int64 {
        try place.onAll("SELECT count(*) FROM claim").reduce(0) { $0 + ($1.int64(0, 0) ?? 0) }
    }

    @Test func valuesAreUniqueOverNodes() throws {
        let place = try NodePlace()
        let container = try Self.open(place)
        defer { container.close() }
        for number in 0..<12 {
            try Self.save(number, ["s": .string("v\(number)"), "a": .int64(Int64(number)), "b": 1], in: container)
        }
        // Each of another node, or of the same.
        for number in 0..<12 {
            let taken = FieldValue.string("v\((number + 5) % 12)")
            #expect(Self.isRefused { try Self.save(20, ["s": taken], in: container) })
            #expect(Self.isRefused { try Self.save(21, ["a": .int64(Int64(number)), "b": 1], in: container) })
            #expect(Self.isRefused { try Self.save(number, ["s": taken], in: container) })
            // What has the values itself may be saved again.
            try Self.save(number, ["s": .string("v\(number)")], in: container)
        }
        // The same text in another form, and what lacks one of two values.
        try Self.save(22, ["s": "e\u{301}"], in: container)
        #expect(Self.isRefused { try Self.save(23, ["s": "\u{E9}"], in: container) })
        for number in 24..<30 { try Self.save(number, ["a": 1], in: container) }
        // What is given up is free at once.
        try Self.save(0, ["s": "other"], in: container)
        try Self.save(1, ["s": "v0"], in: container)
        try Self.delete(2, in: container)
        try Self.save(3, ["s": "v2", "a": 2], in: container)
        #expect(try Self.claimCount(place) == 11 + 11 + 1)
        // A transaction too.
        #expect(
            Self.isRefused {
                try container.privateDatabase.writeNow { transaction in
                    try transaction.save(Record(type: "T", id: Self.id(31), fields: ["s": "v2"]))
                }
            })
        // In another database they are others.
        try container.publicDatabase.save(Record(type: "T", id: Record.ID("p"), fields: ["s": "v2"]), on: container)
    }

    @Test func oneOfThoseWhoSaveAtATimeHasAValue() async throws {
        let place = try NodePlace()
        let containers = [try Self.open(place), try place.open()]
        defer { for container in containers { container.close() } }
        await withTaskGroup(of: Void.self) { group in
            for saver in 0..<4 {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(saver))
                    for _ in 0..<25 {
                        let (number, value) = (
                            saver + 4 * Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random)
                        )
                        let found = failure {
                            if value == 0 { return try Self.delete(number, in: containers[saver % 2]) }
                            try Self.save(number, ["s": .string("\(value)")], in: containers[saver % 2])
                        }
                        let expected: [DatabaseError.Code?] = [nil, .constraintViolation, .unknownItem, .zoneBusy]
                        #expect(expected.contains(found.code), "\(found)")
                    }
                }
            }
        }
        let database = containers[0].privateDatabase
        var holders: [FieldValue: Int] = [:]
        for match in try database.find(Query("T", "s != nil"), in: .all, limit: 100).matches {
            holders[try match.1.get()["s"], default: 0] += 1
        }
        #expect(holders.values.allSatisfy { $0 == 1 }, "\(holders)")
        // Nothing is left that keeps a value from anybody.
        for match in try database.find(Query("T", "TRUEPREDICATE"), in: .all, limit: 100).matches {
            _ = try database.modify(ModifyRequest(deletes: [match.0]))
        }
        for value in 1..<4 { try Self.save(40 + value, ["s": .string("\(value)")], in: containers[1]) }
    }

    /// What a process that ends leaves behind.
    @Test func claimsOfNobodyAreNoObstacle() throws {
        let place = try NodePlace()
        let container = try Self.open(place)
        defer { container.close() }
        for number in 0..<6 { try Self.save(number, ["s": .string("v\(number)")], in: container) }
        #expect(try Self.claimCount(place) == 6)
        _ = try place.onAll("DELETE FROM \"r_T\" WHERE _n <> 'r0'")
        for number in 1..<6 { try Self.save(number + 7, ["s": .string("v\(number)")], in: container) }
        #expect(Self.isRefused { try Self.save(7, ["s": "v0"], in: container) })
        #expect(try Self.claimCount(place) >= 6)
        for number in 1..<6 {
            #expect(Self.isRefused { try Self.save(7, ["s": .string("v\(number)")], in: container) })
        }
    }

    @Test func schemaAndMigrationsLookAtAllNodes() async throws {
        let place = try NodePlace()
        var plain = Self.schema
        plain.recordTypes["T"] = ContainerSchema.RecordType(
            fields: Self.schema.recordTypes["T"]?.fields.mapValues { ContainerSchema.Field($0.type) } ?? [:])
        let container = try Self.open(place, plain)
        defer { container.close() }
        for number in 0..<8 { try Self.save(number, ["s": .string("v\(number % 7)")], in: container) }
        #expect(Self.isRefused { try container.setSchema(Self.schema) })
        #expect(container.schema == plain)
        try Self.save(7, ["s": "v7"], in: container)
        // Cut off, it is taken to the others by whoever needs all of them.
        try place.run("CREATE SEQUENCE times")
        try place.run(
            """
            CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF nextval('times') = 1 THEN RAISE EXCEPTION 'cut off'; END IF; RETURN NEW; END $$
            """)
        try place.run("CREATE TRIGGER noted BEFORE UPDATE ON container FOR EACH ROW EXECUTE FUNCTION noted()")
        #expect(failure { try container.setSchema(Self.schema) }.code != nil)
        #expect(try container.privateDatabase.names().count == 8)
        for number in 0..<8 {
            #expect(Self.isRefused { try Self.save(10 + number, ["s": .string("v\(number)")], in: container) })
        }
        // Claims follow types and fields to their new names.
        let renamed = SchemaMigration("1") { change in
            change.renameType("T", to: "U")
            change.renameField("s", of: "U", to: "t")
            change.updateRecords(ofType: "U") { fields in
                if fields["t"] == "v7" { fields["t"] = "free" }
            }
        }
        try await container.migrate([renamed])
        func save(_ number: Int, _ value: FieldValue) throws {
            try container.privateDatabase.save(
                Record(type: "U", id: Self.id(number), fields: ["t": value]), on: container)
        }
        for number in 0..<7 {
            #expect(Self.isRefused { try save(30 + number, .string("v\(number)")) })
            #expect(Self.isRefused { try save(30 + number, "free") })
        }
        try save(50, "v7")
        let same = SchemaMigration("2") { $0.updateRecords(ofType: "U") { $0["t"] = "same" } }
        let error = await #expect(throws: DatabaseError.self) { try await container.migrate([renamed, same]) }
        #expect(error?.code == .constraintViolation)
        try save(51, "same")
    }

    @Test func nodeOfAValueThatIsDownIsNamed() throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let again = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        let container = try Self.open(place)
        defer { container.close() }
        try Self.save(0, ["s": "first"], in: container)
        let nodes = try place.nodes(of: (0..<40).map { "r\(2 * $0)" })
        let here = (0..<40).map { 2 * $0 }.filter { nodes["r\($0)"] == 0 }
        own.stop()
        var errors: [(code: DatabaseError.Code?, reason: String)] = []
        for number in here.prefix(12) {
            errors.append(failure { try Self.save(number, ["s": .string("w\(number)")], in: container) })
        }
        let failed = errors.filter { $0.code != nil }
        #expect(!failed.isEmpty && failed.count < errors.count, "\(errors)")
        #expect(failed.allSatisfy { $0.reason.hasPrefix("node 1: ") }, "\(failed)")
        try own.start()
        #expect(try again.check().map(\.problem) == [nil, nil])
    }

    @Test func serversThatGetAnotherNodeHaveTheirClaims() throws {
        let alone = try ServerPlace()
        let container = try alone.open()
        try container.setSchema(Self.schema)
        let (mine, everyones) = (container.privateDatabase, container.publicDatabase)
        _ = try mine.modifyZones(saving: Self.zones.map { RecordZone(id: $0) }, deleting: [])
        // Only zones of their own in one database, only the default zone in the other.
        let odd = stride(from: 1, to: 40, by: 2)
        for number in odd {
            try Self.save(number, ["s": .string("v\(number)"), "a": .int64(Int64(number)), "b": 0.5], in: container)
        }
        for number in 0..<20 {
            let record = Record(type: "T", id: Record.ID("p\(number)"), fields: ["s": .string("v\(number)")])
            try Self.save(record, in: everyones)
        }
        try Self.delete(1, in: container)
        container.close()
        let other = try PostgreSQLNodes.shared().servers[1]
        _ = try Nodes(identifier: alone.identifier, connectingTo: alone.server.address).add(other.address)
        #expect(try alone.number("SELECT count(*) FROM claim") == 19 * 2 + 20)
        let opened = try Container(
            identifier: alone.identifier,
            on: NodeContainer.open(identifier: alone.identifier, connectingTo: alone.server.address),
            account: .localUser, configuration: Configuration())
        defer { opened.close() }
        for number in odd.dropFirst() {
            #expect(Self.isRefused { try Self.save(100 + number, ["s": .string("v\(number)")], in: opened) })
            #expect(Self.isRefused { try Self.save(200 + number, ["a": .int64(Int64(number)), "b": 0.5], in: opened) })
        }
        // Also of records whose place is the new node.
        let zones = (0..<8).map { RecordZone.ID("added\($0)") }
        _ = try opened.privateDatabase.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        func save(_ value: String, in zone: RecordZone.ID) throws {
            let record = Record(type: "T", id: Record.ID("a", zoneID: zone), fields: ["s": .string(value)])
            try Self.save(record, in: opened.privateDatabase)
        }
        for zone in zones { #expect(Self.isRefused { try save("v3", in: zone) }) }
        try save("v1", in: zones[0])
        for zone in zones.dropFirst() { #expect(Self.isRefused { try save("v1", in: zone) }) }
        try Self.delete(3, in: opened)
        try save("v3", in: zones[7])
        let inPublic = Record(type: "T", id: Record.ID("q"), fields: ["s": "v7"])
        #expect(Self.isRefused { try Self.save(inPublic, in: opened.publicDatabase) })
    }
}
