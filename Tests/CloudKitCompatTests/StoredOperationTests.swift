// What a later process finds of long-lived operations: all of their settings, and what became of them.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing

@Suite struct StoredOperationTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "stored-\(UUID().uuidString)")
    private let zone = CKRecordZone.ID(zoneName: "Z")

    private func open() throws -> Container {
        try Container(identifier: "stored", storedAt: folder, account: .user("_a11ce"))
    }

    private func remove() {
        for ending in ["", ".operations", ".key"] { try? FileManager.default.removeItem(atPath: folder.path + ending) }
    }

    private func record(_ name: String, _ number: Int, _ zone: CKRecordZone.ID? = nil) -> CKRecord {
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: name, zoneID: zone ?? self.zone))
        record["number"] = number
        return record
    }

    @Test("A stored operation comes back with all of its settings, to its user alone", .timeLimit(.minutes(5)))
    func settings() async throws {
        defer { remove() }
        let store = try open()
        let first = CKContainer(store)
        let database = first.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zone))
        _ = try await database.modifyRecords(saving: [record("a", 1), record("b", 2)], deleting: [])
        let query = CKQuery(recordType: "T", predicate: NSPredicate(format: "number > 1"))
        query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        let all = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
        let cursor = try #require(
            try await database.records(matching: all, inZoneWith: zone, resultsLimit: 1).queryCursor)

        let save = CKModifyRecordsOperation(
            recordsToSave: [record("n", 3)], recordIDsToDelete: [record("a", 1).recordID])
        (save.savePolicy, save.isAtomic, save.clientChangeTokenData) = (.allKeys, false, Data([7]))
        let fetch = CKFetchRecordsOperation(recordIDs: [record("b", 2).recordID])
        fetch.desiredKeys = ["x"]
        let (search, rest) = (CKQueryOperation(query: query), CKQueryOperation(cursor: cursor))
        (search.zoneID, search.desiredKeys, search.resultsLimit) = (zone, ["y"], 3)
        let published = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "p")])
        for database in [database, first.publicCloudDatabase] { database.operationQueue.isSuspended = true }
        for operation in [save, fetch, search, rest, published] as [CKDatabaseOperation] {
            operation.isLongLived = true
            (operation === published ? first.publicCloudDatabase : database).add(operation)
        }
        store.close()

        let reopened = try open()
        defer { reopened.close() }
        let second = CKContainer(reopened)
        func found<Kind: CKDatabaseOperation>(_ operation: Kind) async throws -> Kind {
            try #require(try await second.longLivedOperation(for: operation.operationID) as? Kind)
        }
        #expect(try await second.allLongLivedOperationIDs().count == 5)
        let saveAgain = try await found(save)
        #expect(saveAgain.recordsToSave?.map { $0["number"] as? Int } == [3])
        #expect(saveAgain.recordIDsToDelete == [record("a", 1).recordID] && saveAgain.savePolicy == .allKeys)
        #expect(!saveAgain.isAtomic && saveAgain.clientChangeTokenData == Data([7]))
        let fetchAgain = try await found(fetch)
        #expect(fetchAgain.recordIDs == fetch.recordIDs && fetchAgain.desiredKeys == ["x"])
        #expect(fetchAgain.database === second.privateCloudDatabase)
        let searchAgain = try await found(search)
        #expect(searchAgain.zoneID == zone && searchAgain.desiredKeys == ["y"] && searchAgain.resultsLimit == 3)
        #expect(searchAgain.cursor == nil && searchAgain.query?.recordType == "T")
        #expect(searchAgain.query?.sortDescriptors?.map(\.ascending) == [false])
        for (number, holds) in [(1, false), (2, true)] {
            #expect(searchAgain.query?.predicate.evaluate(with: record("x", number)) == holds)
        }
        let restAgain = try await found(rest)
        #expect(restAgain.query == nil && restAgain.cursor == cursor && restAgain.zoneID == nil)
        #expect(try await found(published).database === second.publicCloudDatabase)
        // Somebody else has none of them.
        let other = CKContainer(try Container(sharing: reopened, account: .user("_b0b")))
        #expect(try await other.allLongLivedOperationIDs().isEmpty)
        #expect(try await other.longLivedOperation(for: save.operationID) == nil)
    }

    @Test("Encrypted values of a conflict are in no file of an operation", .timeLimit(.minutes(5)))
    func secretsOfConflicts() async throws {
        defer { remove() }
        let store = try open()
        defer { store.close() }
        let database = CKContainer(store).privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zone))
        let kept = record("a", 1)
        kept.encryptedValues["text"] = "secret"
        try await database.save(kept)
        // A plain record in its place: the conflict has the one that is there.
        let save = CKModifyRecordsOperation(recordsToSave: [record("a", 2)])
        save.isLongLived = true
        database.add(save)
        while !save.isFinished { try await Task.sleep(for: .milliseconds(2)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + ".operations")
        #expect(names == ["\(save.operationID).json"])
    }

    @Test("A conflict that is told later has all three of its records", .timeLimit(.minutes(5)))
    func conflicts() async throws {
        defer { remove() }
        let store = try open()
        let database = CKContainer(store).privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zone))
        let newer = record("a", 1)
        try await database.save(newer)
        let stale = try await database.record(for: newer.recordID)
        newer["number"] = 2
        try await database.save(newer)
        stale["number"] = 3
        let save = CKModifyRecordsOperation(
            recordsToSave: [stale, record("b", 4), record("c", 5, CKRecordZone.ID(zoneName: "None"))])
        (save.isLongLived, save.isAtomic) = (true, false)
        database.add(save)
        while !save.isFinished { try await Task.sleep(for: .milliseconds(2)) }
        store.close()

        let reopened = try open()
        defer { reopened.close() }
        let container = CKContainer(reopened)
        let operation = try #require(
            try await container.longLivedOperation(for: save.operationID) as? CKModifyRecordsOperation)
        let log = Log()
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.perRecordSaveBlock = { id, result in
            guard case .failure(let error as CKError) = result else {
                return log.add("\(id.recordName) \((try? result.get())?.recordChangeTag != nil)")
            }
            let records = [error.serverRecord, error.clientRecord, error.ancestorRecord]
            log.add("\(id.recordName) \(error.code) \(records.map { $0?["number"] as? Int ?? 0 })")
        }
        operation.completionBlock = { end.finish() }
        container.privateCloudDatabase.add(operation)
        for await _ in stream {}
        #expect(log.lines == ["a serverRecordChanged [2, 3, 1]", "b true", "c zoneNotFound [0, 0, 0]"])
    }
}
