// Batches that come with a token of the client: what is a repetition, and what is not, beyond one process.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SentBatchTests {
    /// What one process did before the next one begins.
    enum Ending: CaseIterable, Sendable {
        /// The container was closed: the state says what was sent.
        case closed
        /// The process was killed: the log says it.
        case killed
    }

    private static let token = Data("1".utf8)

    private func open(_ folder: TemporaryFolder, account: Account = .localUser) throws -> Container {
        try Container(identifier: "test", storedAt: folder.url, account: account)
    }

    private func end(_ container: Container, _ ending: Ending) {
        if ending == .closed { container.close() } else { container.client.store.journal?.close() }
    }

    private func send(
        _ records: [Record], deleting ids: [Record.ID] = [], _ database: Database, token: Data? = Self.token,
        _ policy: SavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> [String: String?] {
        let results = try await database.modifyRecords(
            saving: records, deleting: ids, savePolicy: policy, atomically: atomically, clientChangeTokenData: token)
        var tags: [String: String?] = [:]
        for (id, result) in results.saveResults { tags[id.recordName] = try? result.get().recordChangeTag }
        return tags
    }

    /// The next process counts its tokens anew: what it saves is stored.
    @Test(arguments: Ending.allCases)
    func anotherBatchUnderTheSameTokenIsSaved(_ ending: Ending) async throws {
        let folder = TemporaryFolder()
        var container = try open(folder)
        _ = try await send([record("a", ["n": 1])], container.privateDatabase)
        // Within one process, too.
        _ = try await send([record("b", ["n": 1])], container.privateDatabase)
        #expect(await container.privateDatabase.has("b"))
        end(container, ending)
        let batches: [([Record], [Record.ID])] = [
            ([record("c", ["n": 1])], []), ([record("c", ["n": 2])], []), ([record("c", ["m": 2])], []),
            ([], [Record.ID("c")]), ([record("c", ["n": 2], type: "U")], []),
        ]
        for (records, ids) in batches {
            container = try open(folder)
            _ = try await send(records, deleting: ids, container.privateDatabase, .allKeys)
            for saved in records {
                let found = try await container.privateDatabase.record(for: saved.id)
                for (key, value) in saved.fields { #expect(found[key] == value) }
            }
            for id in ids { #expect(await !container.privateDatabase.has(id.recordName)) }
            end(container, ending)
        }
    }

    /// A client that does not know whether its batch was saved sends it again, in this process or the next.
    @Test(arguments: Ending.allCases)
    func theSameBatchIsSavedOnce(_ ending: Ending) async throws {
        let folder = TemporaryFolder()
        var container = try open(folder)
        let batch = [record("a", ["n": 1, "t": "x", "l": .list([1, 2])]), record("b")]
        _ = try await send([record("0")], container.privateDatabase, token: Data("0".utf8))
        let first = try await send(batch, deleting: [Record.ID("0")], container.privateDatabase)
        for _ in 0..<2 {
            #expect(try await send(batch, deleting: [Record.ID("0")], container.privateDatabase) == first)
            end(container, ending)
            container = try open(folder)
        }
        // Whoever opens the store first: clients are numbered anew.
        let other = try Container(sharing: container, account: .localUser)
        #expect(try await send(batch, deleting: [Record.ID("0")], other.privateDatabase) == first)
        #expect(try await send(batch, container.privateDatabase, token: Data("2".utf8), .allKeys) != first)
        container.close()
        other.close()
    }

    /// Of the public database, batches of two users are two batches.
    @Test func batchesAreOfTheirUsers() async throws {
        let folder = TemporaryFolder()
        var container = try open(folder, account: .user(World.alice))
        let first = try await send([record("a", ["n": 1])], container.publicDatabase)
        container.close()
        container = try open(folder, account: .user(World.bob))
        await fails(.partialFailure) { try await send([record("a", ["n": 1])], container.publicDatabase) }
        container.close()
        container = try open(folder, account: .user(World.alice))
        #expect(try await send([record("a", ["n": 1])], container.publicDatabase) == first)
        container.close()
    }

    /// What failed the first time is not reported as saved the second time.
    @Test func aBatchThatFailedInPartIsNotTakenForDone() async throws {
        let world = try await World()
        let batch = [record("a", ["n": 1]), record("b", ["n": "text"])]
        try await world.mine.put(record("kind", ["n": 1]))
        for _ in 0..<2 {
            let results = try await world.mine.modifyRecords(
                saving: batch, deleting: [], savePolicy: .allKeys, atomically: false,
                clientChangeTokenData: Self.token)
            #expect(results.saveResults[Record.ID("a")]?.isSuccess == true)
            #expect(results.saveResults[Record.ID("b")]?.isSuccess == false)
            #expect(await !world.mine.has("b"))
        }
        #expect(try world.mine.lastChange().number > 0)
    }

    /// A batch that is sent again tells of its deletions, too, though nothing is left to delete.
    @Test func deletionsAreToldAgain() async throws {
        let world = try await World()
        try await world.mine.put(record("gone"))
        for _ in 0..<2 {
            let results = try await world.mine.modifyRecords(
                saving: [record("a")], deleting: [Record.ID("gone")], clientChangeTokenData: Self.token)
            #expect(results.saveResults.mapValues(\.isSuccess) == [Record.ID("a"): true])
            #expect(results.deleteResults.mapValues(\.isSuccess) == [Record.ID("gone"): true])
        }
    }

    /// A deletion is told under the identifier that was asked for, though an owner has two names for a zone.
    @Test func deletionsAreToldAsTheyWereAskedFor() async throws {
        let world = try await World()
        try await world.mine.put(record("gone", in: world.zone))
        for _ in 0..<2 {
            let results = try await world.mine.modifyRecords(
                saving: [], deleting: [world.theirs("gone")], clientChangeTokenData: Self.token)
            #expect(results.deleteResults.mapValues(\.isSuccess) == [world.theirs("gone"): true])
        }
        #expect(!(await world.mine.has("gone", in: world.zone)))
    }

    /// The last token of a database is that of the last batch, whichever zone it changed.
    @Test func theLastTokenIsThatOfTheLastBatch() async throws {
        let world = try await World()
        let zones = [RecordZone.ID.default, world.zone, RecordZone.ID.default]
        for (number, zone) in zones.enumerated() {
            let token = Data("\(number)".utf8)
            _ = try await send([record("r\(number)", in: zone)], world.mine, token: token)
            #expect(try world.mine.lastChange().clientToken == token)
        }
    }

    /// The same record below another one makes another batch.
    @Test func batchesDifferByParents() async throws {
        let world = try await World()
        try await world.mine.put(
            record("p", in: world.zone), record("q", in: world.zone), record("c", in: world.zone))
        var child = try await world.mine.record(for: world.own("c"))
        for parent in ["p", "q", nil] {
            child.setParent(parent.map(world.own))
            _ = try await send([child], world.mine, .allKeys)
            #expect(try await world.mine2.record(for: child.id).parent?.recordID.recordName == parent)
        }
    }
}
