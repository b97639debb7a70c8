// Saving, inserting, deleting and reading Swift values: in databases, transactions and snapshots.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

/// Keeps the change tag of its record.
private struct Account: RecordConvertible, Equatable {
    var metadata = RecordMetadata()
    var owner: String
    var balance: Int
    var note: String?

    init(_ name: String, owner: String = "Ann", balance: Int = 100, note: String? = nil) {
        metadata = RecordMetadata(id: Record.ID(name))
        (self.owner, self.balance, self.note) = (owner, balance, note)
    }
}

/// The same without a place for the tag.
private struct Plain: RecordConvertible, Equatable {
    static let recordType = "Account"
    var recordName: String?
    var owner: String
    var balance: Int
    var note: String?
}

/// Has its tag in a property of its own.
private struct Tagged: RecordConvertible, Equatable {
    static let recordType = "Account"
    var recordID: Record.ID?
    var recordChangeTag: String?
    var owner: String
    var balance: Int
}

/// Names no record.
private struct Nameless: RecordConvertible { var note: String }

private struct Rejection: Error {}

@Suite(.mayDeadlock) struct ValueCallTests {
    private func container(_ folder: TemporaryFolder?) throws -> Container {
        try folder.map { try Container(identifier: "values", storedAt: $0.url) } ?? Container(identifier: "values")
    }

    private func database() throws -> Database { try container(nil).privateDatabase }

    private func codingError(_ kind: RecordCodingError.Kind, _ body: () async throws -> Void) async {
        let error = await #expect(throws: RecordCodingError.self) { try await body() }
        #expect(error?.kind == kind)
    }

    @Test(arguments: [false, true]) func valuesComeBackWithTheirMetadata(isStored: Bool) async throws {
        let folder = isStored ? TemporaryFolder() : nil
        var container = try container(folder)
        let saved = try await container.privateDatabase.save(Account("a"))
        #expect(saved.metadata.recordChangeTag != nil && saved.metadata.creationDate != nil)
        #expect(saved.metadata.recordType == "Account" && saved.metadata.zoneID == .default)
        if isStored {
            container.close()
            container = try self.container(folder)
        }
        let read: Account = try await container.privateDatabase.value(for: Record.ID("a"))
        #expect(read == saved)
    }

    @Test func lostUpdatesAreErrors() async throws {
        let database = try database()
        var first = try await database.save(Account("a"))
        var second: Account = try await database.value(for: Record.ID("a"))
        first.balance = 90
        let kept = try await database.save(first)
        second.balance = 50
        let late = second
        let error = await fails(.serverRecordChanged) { try await database.save(late) }
        #expect(error?.serverRecord?["balance"] == 90)
        // The same through the property of the tag, and in a transaction.
        let tagged: Tagged = try await database.value(for: Record.ID("a"))
        try await database.save(tagged)
        await fails(.serverRecordChanged) { try await database.save(tagged) }
        await fails(.serverRecordChanged) { try await database.save(kept) }
        await fails(.serverRecordChanged) { try await database.write { try $0.save(kept) } }
        try await database.deleteRecord(withID: Record.ID("a"))
        await fails(.unknownItem) { try await database.save(kept) }
    }

    @Test func withoutATagTheLastWriterWins() async throws {
        let database = try database()
        try await database.save(Account("a", note: "n"))
        try await database.save(Plain(recordName: "a", owner: "Bob", balance: 1))
        let account: Account = try await database.value(for: Record.ID("a"))
        // A property that is nil clears its field.
        #expect(account.owner == "Bob" && account.note == nil)
        let new = try await database.save(Plain(owner: "Eve", balance: 2))
        let other = try await database.save(Plain(owner: "Eve", balance: 2))
        #expect(new.recordName != nil && new.recordName != other.recordName)
        let mixed = [Plain(owner: "Eve", balance: 3), Plain(recordName: "a", owner: "Eve", balance: 4)]
        try await database.save(mixed)
        try await database.write { try $0.save(mixed) }
        #expect(try await database.values(of: Plain.self, matching: "owner == 'Eve'").count == 5)
        #expect(try await database.value(for: Record.ID("a"), as: Plain.self).balance == 4)
    }

    @Test func aNewValueMustBeNew() async throws {
        let database = try database()
        let saved = try await database.insert(Account("a"))
        for insert in [
            { try await database.insert(Account("a")) }, { try await database.insert(saved) },
            { try await database.save(Account("a")) },
        ] as [() async throws -> Account] {
            let error = await fails(.serverRecordChanged) { try await insert() }
            #expect(error?.reason.contains("exists") == true)
        }
        await fails(.serverRecordChanged) { try await database.insert([saved]) }
        await fails(.serverRecordChanged) { try await database.insert(Plain(recordName: "a", owner: "x", balance: 1)) }
        try await database.write { transaction in
            #expect(throws: DatabaseError.self) { try transaction.insert(Account("a")) }
            try transaction.insert(Account("b"))
            #expect(throws: DatabaseError.self) { try transaction.insert(Account("b")) }
        }
        #expect(try await database.values(of: Account.self).count == 2)
    }

    @Test func upsertingInsertsAndReplaces() async throws {
        let database = try database()
        let first = try await database.upsert(Account("a", note: "n"))
        _ = try await database.save(first)
        // Its tag is an old one by now.
        var old = first
        (old.balance, old.note) = (7, nil)
        let replaced = try await database.upsert(old)
        #expect(replaced.balance == 7 && replaced.note == nil)
        try await database.write { transaction in
            try transaction.upsert([Account("a", balance: 8), Account("b", balance: 9)])
            try transaction.upsert(Plain(recordName: "b", owner: "Bob", balance: 10))
        }
        let all = try await database.values(of: Plain.self, sortedBy: [.ascending("recordName")])
        #expect(all.map(\.balance) == [8, 10] && all.map(\.owner) == ["Ann", "Bob"])
    }

    @Test func deletingValues() async throws {
        let database = try database()
        let saved = try await database.save((0..<5).map { Account("a\($0)") })
        try await database.delete(saved[0])
        try await database.delete(saved[0])
        try await database.delete([saved[1], saved[2]])
        try await database.write { transaction in
            try transaction.delete(saved[3])
            #expect(try transaction.values(of: Account.self).count == 1)
        }
        #expect(try await database.values(of: Account.self).map(\.metadata.id) == [saved[4].metadata.id])
    }

    @Test func valuesWithoutIdentifiers() async throws {
        let database = try database()
        try await database.insert(Nameless(note: "a"))
        try await database.save([Nameless(note: "b"), Nameless(note: "c")])
        #expect(try await database.values(of: Nameless.self).count == 3)
        let values = Nameless(note: "x")
        await codingError(.missingValue) { try await database.upsert(values) }
        await codingError(.missingValue) { try await database.delete(values) }
        await codingError(.missingValue) { try await database.write { try $0.delete(values) } }
    }

    @Test func arraysCountAllOrNotAtAll() async throws {
        let database = try database()
        try await database.save(Account("a450"))
        // More than a request of CloudKit's may hold, in the default zone, which CloudKit does not save as a whole.
        let many = (0..<1_000).map { Account("a\($0)", balance: $0) }
        let error = await fails(.serverRecordChanged) { try await database.insert(many) }
        #expect(error?.serverRecord?.id.recordName == "a450")
        try await database.save(Account("a7"))
        // Only those that are at fault are named.
        #expect(await fails(.partialFailure) { try await database.insert(many) }?.partialErrors.count == 2)
        #expect(try await database.values(of: Account.self).count == 2)
        let saved = try await database.upsert(many)
        #expect(saved.map(\.balance) == Array(0..<1_000))
        #expect(try await database.values(of: Account.self).count == 1_000)
        let sorted = try await database.values(
            of: Account.self, matching: "balance >= 400", sortedBy: [.descending("balance")], limit: 550)
        #expect(sorted.map(\.balance) == Array((450...999).reversed()))
        #expect(try await database.values(of: Account.self, limit: 0).isEmpty)
    }

    @Test func transactionsThatRollBack() async throws {
        let database = try database()
        let saved = try await database.save(Account("a"))
        await #expect(throws: Rejection.self) {
            try await database.write { transaction in
                var account: Account = try transaction.value(for: saved.metadata.id)
                account.balance = 0
                try transaction.save(account)
                try transaction.insert(Account("b"))
                #expect(try transaction.values(of: Account.self, matching: "balance == 0").count == 1)
                throw Rejection()
            }
        }
        #expect(try await database.values(of: Account.self) == [saved])
        let snapshot = try database.snapshot()
        try await database.write { try $0.save(Account("c")) }
        #expect(try snapshot.values(of: Account.self) == [saved])
        #expect(try snapshot.value(for: saved.metadata.id, as: Account.self) == saved)
    }

    @Test func twoIdentifiersAreAnError() async throws {
        struct Twice: RecordConvertible {
            var metadata = RecordMetadata()
            var recordName: String
        }
        await codingError(.conflict) { try await database().save(Twice(recordName: "a")) }
        let agreed = Twice(metadata: RecordMetadata(id: Record.ID("a")), recordName: "a")
        #expect(try await database().save(agreed).metadata.id == Record.ID("a"))
        struct Inner: Codable { var metadata: RecordMetadata? }
        struct Outer: RecordConvertible { var inner = Inner() }
        await codingError(.unsupported) { try await database().save(Outer()) }
    }

    /// Stretches of values, of the zones that are meant.
    @Test func stretchesOfValues() async throws {
        let database = try database()
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        try await database.save((0..<5).map { Account("a\($0)", balance: $0) })
        try await database.save(
            Record(type: "Account", id: Record.ID("z", zoneID: zone), fields: ["owner": "Zoe", "balance": 9]))
        for (zones, offset, expected) in [
            (.zone(.default), 1, [3, 2]), (.zone(zone), 0, [9]), (.zone(zone), 1, []), (.all, 0, [9, 4]),
            (.all, 4, [1, 0]),
        ] as [(QueryZones, Int, [Int])] {
            let found = try await database.values(
                of: Account.self, sortedBy: [.descending("balance")], in: zones, limit: 2, offset: offset)
            #expect(found.map(\.balance) == expected)
        }
    }
}
