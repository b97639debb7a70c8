// `read` sees one moment, `write` counts all or not at all.

import Dispatch
import Foundation
import RecordModel
import RecordStore
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

private struct Rejection: Error {}

@Suite(.waits, .mayDeadlock) struct TransactionTests {
    private static let zoneID = RecordZone.ID("Savings")

    /// A container with accounts of 100 each in two zones.
    private func bank(_ folder: TemporaryFolder? = nil, accounts: Int = 4) async throws -> Container {
        let container =
            try folder.map { try Container(identifier: "test", storedAt: $0.url) } ?? Container(identifier: "test")
        _ = try await container.privateDatabase.modifyRecordZones(
            saving: [RecordZone(id: Self.zoneID)], deleting: [])
        try await container.privateDatabase.write { transaction in
            for number in 0..<accounts {
                try transaction.save(
                    Record(type: "Account", id: Self.id(number), fields: ["balance": .int64(100)]))
            }
        }
        return container
    }

    private static func id(_ number: Int) -> Record.ID {
        number.isMultiple(of: 2) ? Record.ID("a\(number)") : Record.ID("a\(number)", zoneID: zoneID)
    }

    private static func balance(_ record: Record) throws -> Int64 {
        guard case .int64(let balance) = record["balance"] else { throw Rejection() }
        return balance
    }

    private static func transfer(_ amount: Int64, from: Int, to: Int, in transaction: DatabaseTransaction) throws {
        for (number, change) in [(from, -amount), (to, amount)] {
            var account = try transaction.record(for: id(number))
            account["balance"] = .int64(try balance(account) + change)
            try transaction.save(account)
        }
    }

    private static func total(_ snapshot: DatabaseSnapshot) throws -> Int64 {
        try snapshot.records(ofType: "Account").records(matching: "TRUEPREDICATE").reduce(0) { try $0 + balance($1) }
    }

    // MARK: Reading

    @Test func aSnapshotIsOneMoment() async throws {
        let container = try await bank()
        let database = container.privateDatabase
        let before = try database.snapshot()
        try await database.write { transaction in
            try Self.transfer(30, from: 0, to: 1, in: transaction)
            transaction.deleteRecord(withID: Self.id(2))
        }
        let (now, count) = try await database.read { snapshot in
            (try Self.balance(snapshot.record(for: Self.id(1))), try snapshot.records(ofType: "Account").count)
        }
        #expect((now, count) == (130, 3))
        #expect(try Self.balance(before.record(for: Self.id(1))) == 100)
        let accounts = try before.records(ofType: "Account")
        #expect(accounts.count == 4)
        #expect(try accounts.count(matching: "balance == 100") == 4)
        #expect(try before.records(ofType: "Account", in: .zone(Self.zoneID)).count == 2)
        #expect(try before.records(ofType: "Never").count == 0)
        #expect(throws: DatabaseError.self) { try database.snapshot().record(for: Self.id(2)) }
    }

    @Test func recordsOfASnapshotAreThoseOfTheDatabase() async throws {
        let container = try await bank()
        let database = container.privateDatabase
        let set = try database.snapshot().records(ofType: "Account")
        for found in try set.records(matching: "balance > 0") + (0..<set.count).compactMap(set.record(at:)) {
            let fetched = try await database.record(for: found.id)
            #expect(found.recordChangeTag == fetched.recordChangeTag && found.fields == fetched.fields)
        }
        var account = try #require(try set.records(matching: "recordName == 'a0'").first)
        account["balance"] = 7
        #expect(try await database.save(account)["balance"] == 7)
    }

    @Test func misspeltFieldsAreErrors() async throws {
        let set = try await bank().privateDatabase.snapshot().records(ofType: "Account")
        let error = #expect(throws: RecordPredicateError.self) { try set.count(matching: "balnce > 1") }
        #expect(error?.hint?.contains("balance") == true)
    }

    @Test func othersRecordsNeedTheRightToBeRead() async throws {
        let container = try await bank()
        try await container.publicDatabase.put(record("p", ["n": 1]))
        var schema = container.schema
        schema.recordTypes["T"]?.grants = [ContainerSchema.creatorRole: [.read, .write]]
        try container.setSchema(schema)
        let snapshot = try container.publicDatabase.snapshot()
        #expect(try snapshot.record(for: Record.ID("p"))["n"] == 1)
        await fails(.permissionFailure) { try snapshot.records(ofType: "T") }
    }

    // MARK: Writing

    @Test(arguments: [false, true])
    func aTransactionIsOneCommit(isStored: Bool) async throws {
        let folder = TemporaryFolder()
        let container = try await bank(isStored ? folder : nil)
        let commits = Mutex<[[String]]>([])
        let watcher = container.watchCommits { event in
            commits.withLock { $0.append(event.commit.saves.map(\.id.recordName).sorted()) }
        }
        defer { container.endWatching(watcher) }
        try await container.privateDatabase.write { transaction in
            try Self.transfer(10, from: 0, to: 1, in: transaction)
            // A query in between sees what was changed, and divides nothing.
            let rich = try transaction.records(ofType: "Account").records(matching: "balance > 100")
            #expect(rich.map(\.id) == [Self.id(1)])
            try Self.transfer(10, from: 0, to: 3, in: transaction)
        }
        #expect(commits.withLock { $0 } == [["a0", "a1", "a3"]])
        let balances = try await container.privateDatabase.read { snapshot in
            try (0..<4).map { try Self.balance(snapshot.record(for: Self.id($0))) }
        }
        #expect(balances == [80, 110, 100, 110])
        guard isStored else { return }
        let contents = container.client.store.contents
        container.close()
        #expect(try Container(identifier: "test", storedAt: folder.url).client.store.contents == contents)
    }

    @Test func whatFailsChangesNothing() async throws {
        let container = try await bank()
        let database = container.privateDatabase
        let before = container.client.store.contents
        await #expect(throws: Rejection.self) {
            try await database.write { transaction -> Int in
                try Self.transfer(10, from: 0, to: 1, in: transaction)
                #expect(try transaction.records(ofType: "Account").count(matching: "balance == 90") == 1)
                throw Rejection()
            }
        }
        // One record contradicts the schema, in another zone than the one before it.
        await fails(.invalidArguments) {
            try await database.write { transaction -> Void in
                try transaction.save(Record(type: "Account", id: Record.ID("new"), fields: ["balance": 1]))
                try transaction.save(
                    Record(type: "Account", id: Record.ID("odd", zoneID: Self.zoneID), fields: ["balance": "much"]))
            }
        }
        #expect(container.client.store.contents == before)
    }

    @Test func changesOfOthersAreConflicts() async throws {
        let container = try await bank()
        let database = container.privateDatabase
        var stale = try await database.record(for: Self.id(0))
        try await database.write { try Self.transfer(10, from: 0, to: 1, in: $0) }
        stale["balance"] = 1_000
        let copy = stale
        await fails(.serverRecordChanged) { try await database.write { try $0.save(copy) } }
        #expect(try Self.balance(await database.record(for: Self.id(0))) == 90)
    }

    /// Zones of their own are saved as a whole: what fails there for the sake of another record is not told.
    @Test func theErrorIsThatOfTheRecordThatFailed() async throws {
        let database = try await bank().privateDatabase
        var stale: [Record] = []
        for number in [1, 3] { stale.append(try await database.record(for: Self.id(number))) }
        try await database.write { try Self.transfer(10, from: 1, to: 3, in: $0) }
        for index in stale.indices { stale[index]["balance"] = 1_000 }
        let good = (0..<3).map { Record(type: "Account", id: Record.ID("n\($0)", zoneID: Self.zoneID), fields: [:]) }
        for count in 1...2 {
            let records = stale.prefix(count) + good
            let errors = Mutex<[DatabaseError?]>([])
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { transaction in
                    for record in records { try transaction.save(record) }
                    let told = #expect(throws: DatabaseError.self) { try transaction.records(ofType: "Account") }
                    errors.withLock { $0.append(told) }
                }
            }
            for told in errors.withLock({ $0 }) + [error] {
                #expect(told?.code == (count == 1 ? .serverRecordChanged : .partialFailure))
                #expect(told?.partialErrors.count == (count == 1 ? 0 : 2))
                #expect(told?.partialErrors.values.allSatisfy { $0.code == .serverRecordChanged } == true)
            }
        }
        #expect(try database.snapshot().records(ofType: "Account").count == 4)
    }

    @Test func ownChangesAreSeen() async throws {
        let container = try await bank()
        try await container.privateDatabase.write { transaction in
            try transaction.save(Record(type: "Account", id: Record.ID("new"), fields: ["balance": 5]))
            #expect(try transaction.record(for: Record.ID("new"))["balance"] == 5)
            transaction.deleteRecord(withID: Self.id(0))
            transaction.deleteRecord(withID: Record.ID("nobody"))
            #expect(throws: DatabaseError.self) { try transaction.record(for: Self.id(0)) }
            let error = #expect(throws: DatabaseError.self) {
                try transaction.save(Record(type: "Account", id: Self.id(0), fields: [:]))
            }
            #expect(error?.hint != nil)
            #expect(try transaction.records(ofType: "Account").count == 4)
            transaction.deleteRecord(withID: Record.ID("new"))
            #expect(try transaction.records(ofType: "Account").count == 3)
            // A record that only the transaction knew may come again.
            try transaction.save(Record(type: "Account", id: Record.ID("new"), fields: ["balance": 6]))
        }
        #expect(try await container.privateDatabase.record(for: Record.ID("new"))["balance"] == 6)
        try await container.privateDatabase.deleteRecord(withID: Record.ID("new"))
        #expect(try container.privateDatabase.snapshot().records(ofType: "Account").count == 3)
    }

    /// What a transaction itself introduces it can look for: a field of a known type, and a new type.
    @Test func newFieldsAndTypesAreFound() async throws {
        let database = try await bank().privateDatabase
        try await database.write { transaction in
            var account = try transaction.record(for: Self.id(0))
            account["owner"] = "ann"
            try transaction.save(account)
            let found = try transaction.records(ofType: "Account").records(matching: "owner == 'ann'")
            #expect(found.map(\.id) == [Self.id(0)])
            try transaction.save(Record(type: "Bank", id: Record.ID("b"), fields: ["city": "Kyiv"]))
            #expect(try transaction.records(ofType: "Bank").count(matching: "city == 'Kyiv'") == 1)
        }
        let count = try database.snapshot().records(ofType: "Account").count(matching: "owner == 'ann'")
        #expect(count == 1)
    }

    @Test func manyRecordsAtOnce() async throws {
        let container = try await bank(accounts: 1_000)
        let database = container.privateDatabase
        let changed = try await database.write { transaction in
            let raised = try transaction.updateAll("Account", where: "balance < \(200)", in: .zone(Self.zoneID)) {
                $0["balance"] = .int64(try Self.balance($0) + 1)
            }
            let gone = try transaction.deleteAll("Account", where: "balance == 100")
            return [raised, gone, try transaction.records(ofType: "Account").count]
        }
        #expect(changed == [500, 500, 500])
        #expect(try Self.total(database.snapshot()) == 500 * 101)
        let failed = await #expect(throws: RecordPredicateError.self) {
            try await database.write { try $0.deleteAll("Account", where: "balnce == 1") }
        }
        #expect(failed?.hint?.contains("balance") == true)
    }

    @Test func waitingTransactionsCanBeCancelled() async throws {
        let database = try await bank().privateDatabase
        let begun = Mutex(false)
        let go = DispatchSemaphore(value: 0)
        async let first = database.write { transaction in
            begun.withLock { $0 = true }
            #expect(go.waitUnlessDeadlocked())
            try Self.transfer(1, from: 0, to: 1, in: transaction)
        }
        while !begun.withLock({ $0 }) { await Task.yield() }
        let waiting = Task { try await database.write { try Self.transfer(50, from: 0, to: 1, in: $0) } }
        waiting.cancel()
        go.signal()
        try await first
        await fails(.operationCancelled) { try await waiting.value }
        #expect(try Self.balance(await database.record(for: Self.id(0))) == 99)
    }

    /// A store that is open for reading takes no transaction.
    @Test func readersWriteNothing() async throws {
        let folder = TemporaryFolder()
        try await bank(folder).close()
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        await fails(.permissionFailure) {
            try await reader.privateDatabase.write { try Self.transfer(1, from: 0, to: 1, in: $0) }
        }
        #expect(try await reader.privateDatabase.read { try Self.total($0) } == 400)
    }

    @Test(arguments: [false, true])
    func sumsAreConstant(isStored: Bool) async throws {
        let folder = TemporaryFolder()
        let container = try await bank(isStored ? folder : nil, accounts: 10)
        let database = container.privateDatabase
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(writer))
                    for _ in 0..<20 {
                        let from = Int.random(in: 0..<10, using: &random)
                        let to = (from + Int.random(in: 1..<10, using: &random)) % 10
                        try await database.write { try Self.transfer(1, from: from, to: to, in: $0) }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<100 {
                        let total = try await database.read { try Self.total($0) }
                        #expect(total == 1_000)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Self.total(database.snapshot()) == 1_000)
        guard isStored else { return }
        container.close()
        let again = try Container(identifier: "test", storedAt: folder.url)
        #expect(try Self.total(again.privateDatabase.snapshot()) == 1_000)
    }

    private struct Place: RecordConvertible {
        var recordName: String
        var name: String
        var recordChangeTag: String?
    }

    /// In a transaction as outside of one: a value of a type that keeps change tags and has none is new.
    @Test func aNewValueIsSavedOnce() async throws {
        let database = try await bank().privateDatabase
        let place = Place(recordName: "p", name: "one")
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                try transaction.save(place)
                try transaction.save(place)
            }
        }
        #expect(error?.code == .serverRecordChanged)
        try await database.write { transaction in
            try transaction.save(place)
            try transaction.save(Place(recordName: "q", name: "other"))
        }
        await #expect(throws: DatabaseError.self) { try await database.write { try $0.save(place) } }
        #expect(try database.snapshot().records(ofType: "Place").count == 2)
    }
}
