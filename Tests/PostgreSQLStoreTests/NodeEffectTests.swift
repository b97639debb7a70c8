// What containers on three servers do on nodes besides the first: assets, databases, owners' holders, schemas that were
// not accepted, and subscriptions that end.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct NodeEffectTests {
    private static let guest = "_b0b"

    private static func record(_ name: String, in zone: RecordZone.ID, _ fields: [String: FieldValue]) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone), fields: fields)
    }

    /// The rows of a table on each node.
    private static func counts(_ table: String, _ place: NodePlace) throws -> [Int64?] {
        try place.onAll("SELECT count(*) FROM \(table)").map { $0.int64(0, 0) }
    }

    @Test("The bytes of an asset are those of the node that has them, and stay while a node's records name them")
    func assetsOfOtherNodes() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let zone = try #require(try place.fill(container)[1])
        let url = FileManager.default.temporaryDirectory.appending(path: "asset-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data([1, 2, 3]).write(to: url)
        let file = FieldValue.asset(try Asset(fileURL: url))
        try container.privateDatabase.save(Self.record("x", in: zone, ["file": file]), on: container)
        let stored = try place.onAll("SELECT digest FROM asset WHERE part = 0")
        #expect(stored.map(\.count) == [0, 1, 0])
        let digest = try #require(stored[1].text(0, 0))

        let server = try place.server()
        defer { server.close() }
        var bytes: [UInt8] = []
        let isFound = try server.readAsset(digest) { bytes += $0 }
        #expect(isFound && bytes == [1, 2, 3])
        let isMadeUp = try server.readAsset("none") { bytes += $0 }
        #expect(!isMadeUp && bytes == [1, 2, 3])

        // The same bytes on a node whose records do not name them.
        try place.run("INSERT INTO asset(digest, part, bytes) VALUES ('\(digest)', 0, 'x')")
        #expect(try Self.counts("asset", place) == [1, 1, 0])
        #expect(try server.removeUnusedAssets() == [])
        #expect(try Self.counts("asset", place) == [0, 1, 0])
    }

    @Test("A database is known that one node knows, whichever that is")
    func databasesOfOneNode() throws {
        let place = try NodePlace()
        let server = try #require(try place.server() as? NodeContainer)
        defer { server.close() }
        let origin = DatabaseOrigin(container: place.identifier, scope: .private, user: "w")
        #expect(try !server.isKnown(origin))
        _ = try server.node(1).call { container throws(DatabaseError) in try container.read(origin, ServerNeed()) }
        let other = try place.server()
        defer { other.close() }
        #expect(try server.isKnown(origin) && other.isKnown(origin))
    }

    @Test("An owner has as many holders on other nodes as it may have, and no more")
    func holdersOfOtherNodes() throws {
        let place = try NodePlace()
        var configuration = Configuration()
        configuration.limits.ownersPerRecord = 3
        let container = try place.open(configuration)
        defer { container.close() }
        let nodes = try place.nodes(of: (0..<60).map { "n\($0)" })
        let owner = try #require(nodes.filter { $0.value == 1 }.keys.sorted().first)
        let others = nodes.filter { $0.value != 1 }.keys.sorted()
        try #require(others.count > 3)
        func save(_ name: String, by owner: String? = nil) throws -> [DatabaseError.Code] {
            var record = Record(type: "H", id: Record.ID(name), fields: ["a": .int64(1)])
            if let owner {
                record["of"] = .reference(RecordReference(recordID: Record.ID(owner), action: .deleteSelf))
            }
            let request = ModifyRequest(saves: [record], policy: .allKeys)
            return try container.publicDatabase.modify(request).partialErrors.map(\.value.code)
        }
        #expect(try save(owner) == [])
        for name in others.prefix(3) { #expect(try save(name, by: owner) == [], "\(name)") }
        #expect(try save(others[3], by: owner) == [.limitExceeded])
    }

    @Test("A schema that one node did not accept is on no node, and they are alike")
    func schemasThatOneNodeRefuses() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        _ = try place.fill(container)
        // The control node is the last to get a schema, and refuses once.
        try place.run("CREATE SEQUENCE times")
        try place.run(
            """
            CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF nextval('times') = 1 THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$
            """)
        try place.run("CREATE TRIGGER refused BEFORE UPDATE ON container FOR EACH ROW EXECUTE FUNCTION refused()")
        let server = try place.server()
        defer { server.close() }
        var schema = try server.schema()
        schema.recordTypes["New"] = ContainerSchema.RecordType(fields: ["n": ContainerSchema.Field(.int64)])
        let refusal = failure { try container.setSchema(schema) }
        #expect(refusal.code == .internalError, "\(refusal)")
        for server in try PostgreSQLNodes.shared().servers {
            let node = try PostgreSQLContainer(identifier: place.identifier, connectingTo: server.address)
            defer { node.close() }
            let known = try node.schema()
            #expect(known.recordTypes["New"] == nil && known.recordTypes["T"] != nil)
        }
        let nodes = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        #expect(try nodes.check().map(\.problem) == [nil, nil, nil])
    }

    @Test("What a participant is told once is told on one node, and ends on all")
    func sharedSubscriptionsThatEnd() async throws {
        let place = try NodePlace()
        let owner = try place.open()
        defer { owner.close() }
        let guest = try Container(
            identifier: place.identifier, on: place.server(), account: .user(Self.guest),
            configuration: Configuration())
        defer { guest.close() }
        let zone = try #require(try place.fill(owner)[1])
        var share = Share(zoneID: zone)
        try share.add(Share.Participant(userRecordID: Record.ID(Self.guest), permission: .readWrite))
        let saved = try owner.privateDatabase.modify(ModifyRequest(saves: [share.record])).saves
        let url = try #require(Share(saved[0].result.get())?.url)
        _ = try guest.acceptShare(guest.fetchShareMetadata(for: url))
        let once = try Subscription(recordType: "T", predicate: "a > 40", id: "once", options: [.all, .firesOnce])
        let made = try guest.sharedDatabase.modifySubscriptions(saving: [once], deletingIDs: [])
        for (_, subscription) in made.saves { _ = try subscription.get() }
        #expect(try Self.counts("subscription", place) == [1, 1, 1])
        try owner.privateDatabase.save(Self.record("x", in: zone, ["a": 50]), on: owner)
        for _ in 0..<500 {
            if try Self.counts("subscription", place) == [0, 0, 0] { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try Self.counts("subscription", place) == [0, 0, 0])
    }
}
