// What commits leave on a server: deletions that are kept, shares of copied rows, batches of others, and what a save
// tells that was given up while it was stored.

import Campaigns
import Dispatch
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct CommitEffectTests {
    /// A server that has the zone `Z` of a user, and nothing in it.
    private struct Scene {
        let place: ServerPlace
        let server: PostgreSQLContainer
        let origin: DatabaseOrigin

        init(copiesFrom: Int = 200) throws {
            place = try ServerPlace()
            server = try PostgreSQLContainer(
                identifier: place.identifier, connectingTo: place.server.address, copiesFrom: copiesFrom)
            origin = DatabaseOrigin(container: place.identifier, scope: .private, user: "u")
            try store { commit in
                commit.madeZones = [("Z", 1)]
                commit.schema = EdgeCommits.schema
                commit.lastChange = 1
            }
        }

        func store(_ change: (inout ServerCommit) -> Void) throws {
            try EdgeCommits.store(change, on: server, origin)
        }
    }

    @Test("The newest deletions are kept, as many as are to be, and the zone tells up to which they are forgotten")
    func deletionsThatAreKept() throws {
        let scene = try Scene()
        defer { scene.server.close() }
        try scene.store { commit in
            commit.deletionsKept = 4
            commit.deletions = (2...9).map { number in
                ServerCommit.Deletion(id: EdgeCommits.id("d\(number)", "Z"), type: "T", change: Int64(number))
            }
            commit.lastChange = 9
        }
        #expect(try scene.server.read(scene.origin, ServerNeed()).zones.map(\.forgottenThrough) == [5])
        let kept = try scene.place.run("SELECT change FROM tombstone ORDER BY change")
        #expect((0..<kept.count).map { kept.int64($0, 0) } == [6, 7, 8, 9])
    }

    @Test("The last of what came into shares is a zone's last change; no server is needed")
    func movesTouchTheirZones() throws {
        var commit = EdgeCommits.commit(saving: [(EdgeCommits.row("r", "A", change: 4), false)])
        let moves: [(zone: String, change: Int64)] = [("A", 9), ("D", 8), ("D", 15), ("B", 3)]
        commit.moves = moves.map { zone, change in
            ShareMove(id: EdgeCommits.id("m\(change)", zone), recordType: "T", from: nil, to: "s", change: change)
        }
        let statements = try EdgeCommits.parts(commit).all(EdgeCommits.schema)
        let expected: [(zone: Int32, change: Int64)] = [(5, 9), (9, 15), (6, 3)]
        #expect(
            Set(EdgeCommits.parameters(of: statements, "UPDATE zone SET last_change"))
                == Set(expected.map { [.int32($0.zone), .int64($0.change), .null(.bytes)] }))
    }

    @Test("New rows have their parents and shares, copied and inserted", arguments: [1, 200])
    func parentsAndShares(copiesFrom: Int) throws {
        let scene = try Scene(copiesFrom: copiesFrom)
        defer { scene.server.close() }
        var rows = ["a", "b"].map { EdgeCommits.row($0, "Z", change: 2) }
        rows[0].parent = RecordReference(recordID: EdgeCommits.id("p", "Z"))
        for place in rows.indices { rows[place].share = RecordReference(recordID: EdgeCommits.id("s", "Z")) }
        let saves = rows.map { (row: $0, isNew: true) }
        try scene.store { commit in
            commit.saves = saves
            commit.lastChange = 2
        }
        var need = ServerNeed()
        need.records = rows.map(\.id)
        let found = try scene.server.read(scene.origin, need).rows.sorted { $0.id.recordName < $1.id.recordName }
        #expect(found.map(\.id.recordName) == ["a", "b"])
        #expect(found.map { $0.parent?.recordID.recordName } == ["p", nil])
        #expect(found.map { $0.share?.recordID.recordName } == ["s", "s"])
    }

    @Test("A batch is another one than that of another process which has the same token")
    func tokensOfOtherProcesses() throws {
        let place = try ServerPlace()
        let containers = try [place.open(), place.open()]
        defer { for container in containers { container.close() } }
        for (number, container) in containers.enumerated() {
            let record = Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": 1])
            let request = ModifyRequest(saves: [record], clientToken: Data([1]))
            for (_, result) in try container.privateDatabase.modify(request).saves { _ = try result.get() }
        }
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 2)
    }

    @Test("Of a save that is cancelled while it is stored, nobody says that it was not made")
    func cancelledWhileItIsStored() async throws {
        let place = try ServerPlace()
        let name = "given up \(UUID().uuidString.prefix(8))"
        let server = try PostgreSQLContainer(
            identifier: place.identifier, connectingTo: place.server.address + " application_name='\(name)'")
        let container = try Container(
            identifier: place.identifier, on: server, account: .localUser, configuration: Configuration())
        defer { container.close() }
        let database = container.privateDatabase
        try database.save(Record(type: "T", id: Record.ID("a"), fields: ["n": 1]), on: container)
        try place.run(
            """
            CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$
            """)
        try place.run(
            """
            CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON "r_T" DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION slow()
            """)
        let save = Task { try await database.save(Record(type: "T", id: Record.ID("b"), fields: ["n": 1])) }
        let sleepers =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event = 'PgSleep'"
        for _ in 0..<2_000 {
            if try place.number(sleepers) != 0 { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        save.cancel()
        let error = await #expect(throws: DatabaseError.self) { try await save.value }
        #expect(error?.code == .serverResponseLost, "\(String(describing: error))")
    }

    @Test("A transaction may read for longer than the server waits for it, as long as it reads")
    func readsKeepATransaction() throws {
        let place = try ServerPlace()
        let patience = Duration.milliseconds(200)
        let container = try place.open(patience: patience)
        defer { container.close() }
        let database = container.privateDatabase
        try database.save(Record(type: "T", id: Record.ID("a"), fields: ["n": 1]), on: container)
        var longest = Duration.zero
        let failed = failure {
            try database.writeNow { transaction in
                let start = ContinuousClock.now
                var (last, number) = (start, 0)
                while last - start < patience * 3 / 2 {
                    _ = try? transaction.record(for: Record.ID("missing \(number)"))
                    number += 1
                    let now = ContinuousClock.now
                    (longest, last) = (max(longest, now - last), now)
                }
                try transaction.save(Record(type: "T", id: Record.ID("b"), fields: ["n": 2]))
            }
        }
        // On a machine with much else to do, a pause may be too long after all.
        #expect(failed.code == nil || longest > patience / 4 * 3, "\(failed), \(longest)")
    }

    @Test("Whoever watches a database is told of roles, too, that another process gives")
    func rolesAreTold() throws {
        let place = try ServerPlace()
        let (server, other) = try (
            PostgreSQLContainer(identifier: place.identifier, connectingTo: place.server.address),
            PostgreSQLContainer(identifier: place.identifier, connectingTo: place.server.address)
        )
        defer {
            server.close()
            other.close()
        }
        let told = DispatchSemaphore(value: 0)
        let origin = DatabaseOrigin(container: place.identifier, scope: .private, user: "u")
        let watch = server.watch(origin) { told.signal() }
        defer { server.endWatching(watch) }
        #expect(told.wait(timeout: .now() + 60) == .success)
        try other.setRoles(["editor"], of: "u")
        #expect(told.wait(timeout: .now() + 60) == .success)
    }

    @Test("A user whom the server does not know is not let in; that is no missing database")
    func unknownUsers() throws {
        let known = try PostgreSQLServer.shared().address
        let nobody = known.replacing("user=postgres", with: "user=nobody_\(UUID().uuidString.prefix(8).lowercased())")
        let error = try #require(throws: ServerError.self) { _ = try Connection(ConnectionString(nobody)) }
        #expect(error.databaseError.code == .permissionFailure, "\(error)")
        let nowhere = known.replacing("dbname=postgres", with: "dbname=nowhere")
        let missing = try #require(throws: ServerError.self) { _ = try Connection(ConnectionString(nowhere)) }
        #expect(missing.databaseError.code == .invalidArguments, "\(missing)")
    }
}
