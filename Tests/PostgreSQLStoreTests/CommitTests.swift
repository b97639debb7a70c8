// Commits of several processes at a time: each counts once, and readers of changes miss none.

import Campaigns
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .serialized)
struct CommitTests {
    @Test func eachSaveCountsOnceOverConnectionsThatAreCut() throws {
        let result = try CommitCampaign(on: .shared(), seed: 5).cutSaves(100)
        #expect(result.findings == [])
        #expect(result.cuts.before > 2 && result.cuts.within > 4 && result.cuts.after > 4, "\(result.cuts)")
    }

    /// The control of the test above: it finds what is made twice.
    @Test func savesAreMadeTwiceWhereTheServerForgetsThem() throws {
        let result = try CommitCampaign(on: .shared(), seed: 5).cutSaves(100, forgetsTokens: true)
        #expect(!result.findings.isEmpty && result.cuts.after > 0, "\(result.cuts)")
    }

    @Test func whatWasSavedIsThereAfterTheServerCrashed() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let result = try CommitCampaign(on: server, seed: 2).savesOverCrashes(2)
        #expect(result.findings == [] && result.commits > 20, "\(result.commits) saves")
    }

    /// The server says that its disk is full for a row in the middle of a batch, and later has room again.
    @Test func nothingIsHalfSavedWhereTheDiskIsFull() throws {
        let place = try ServerPlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.privateDatabase
        func save(_ names: [String]) -> DatabaseError? {
            let records = names.map { Record(type: "T", id: Record.ID($0), fields: ["n": 1]) }
            do throws(DatabaseError) {
                for (_, result) in try database.modify(ModifyRequest(saves: records)).saves { _ = try result.get() }
                return nil
            } catch { return error }
        }
        #expect(save(["a"]) == nil)
        try place.run(
            """
            CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF NEW._n = 'c' THEN RAISE disk_full; END IF; RETURN NEW; END $$
            """)
        try place.run("CREATE TRIGGER fill BEFORE INSERT ON \"r_T\" FOR EACH ROW EXECUTE FUNCTION fill()")
        let error = save(["b", "c", "d"])
        #expect(error?.code == .serviceUnavailable && error?.retryAfter != nil, "\(String(describing: error))")
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 1)
        #expect(save(["d"]) == nil)
        try place.run("DROP TRIGGER fill ON \"r_T\"")
        #expect(save(["b", "c"]) == nil)
        let found = try database.find(Query("T", "n == 1", sortedBy: [SortKey(.recordName)]), in: .all).matches
        #expect(found.map(\.0.recordName) == ["a", "b", "c", "d"])
    }

    @Test func readersOfChangesMissNothing() throws {
        let result = try CommitCampaign(on: .shared(), seed: 1).followedCommits(160)
        #expect(result.findings == [] && result.commits == 160)
    }

    @Test func serversThatAreGoneAreToldOf() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let container = try Container(
            identifier: "commits", on: PostgreSQLContainer(identifier: "gone", connectingTo: server.address),
            account: .localUser, configuration: Configuration())
        let record = Record(type: "T", id: Record.ID("r"), fields: ["n": 1])
        _ = try container.privateDatabase.modify(ModifyRequest(saves: [record])).saves[0].result.get()
        server.stop()
        let database = container.privateDatabase
        let calls: [(Database) throws -> Void] = [
            { _ = try $0.fetch([Record.ID("r")]) },
            { _ = try $0.find(Query("T", "n == 1"), in: .all) },
            { _ = try $0.modify(ModifyRequest(saves: [Record(type: "T", id: Record.ID("s"))])) },
            { _ = try $0.fetchAllZones() },
        ]
        for call in calls {
            let error = #expect(throws: DatabaseError.self) { try call(database) }
            #expect(error?.code == .networkUnavailable, "\(String(describing: error))")
        }
        try server.start()
        let found = try database.find(Query("T", "n == 1"), in: .all).matches
        #expect(found.map(\.0) == [Record.ID("r")])
    }
}
