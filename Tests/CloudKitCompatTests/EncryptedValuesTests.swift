// Encrypted values and their key under CloudKit's names.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing

@Suite struct EncryptedValuesTests {
    private let store: Container
    private let container: CKContainer
    private let zone = CKRecordZone(zoneName: "Z")
    private var database: CKDatabase { container.privateCloudDatabase }

    init() throws {
        store = try Container(identifier: "encrypted", account: .user("_a11ce"))
        container = CKContainer(store)
    }

    private func note(_ name: String = "n") -> CKRecord {
        let note = CKRecord(
            recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
        note["title"] = "plain"
        note.encryptedValues["text"] = "secret"
        return note
    }

    @Test("Encrypted values are set, read and taken away, and are no fields of the record")
    func values() async throws {
        try await database.save(zone)
        let sent = note()
        sent.encryptedValues["count"] = 3
        sent.encryptedValues["tags"] = ["a", "b"]
        let count: Int? = sent.encryptedValues["count"]
        #expect(count == 3 && sent.encryptedValues.changedKeys() == ["count", "tags", "text"])
        try await database.save(sent)
        let found = try await database.record(for: sent.recordID)
        #expect(found.encryptedValues["text"] as? String == "secret" && found["text"] == nil)
        #expect(found.encryptedValues["tags"] as? [String] == ["a", "b"])
        #expect(found.allKeys() == ["title"] && found.encryptedValues.allKeys() == ["count", "tags", "text"])
        #expect(found.encryptedValues.object(forKey: "count") as? NSNumber == 3)
        found.encryptedValues.setObject(nil, forKey: "count")
        #expect(try await database.save(found).encryptedValues.allKeys() == ["tags", "text"])
        let copy = try #require(found.copy() as? CKRecord)
        copy.encryptedValues["text"] = "other"
        #expect(found.encryptedValues["text"] as? String == "secret")
        let archive = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
        #expect(read.encryptedValues["text"] as? String == "other")
    }

    @Test("Encrypted fields are rejected in queries and in the public database")
    func rejected() async throws {
        try await database.save(zone)
        try await database.save(note())
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "text == %@", "secret"))
        await #expect(throws: CKError.self) { try await database.records(matching: query) }
        let open = CKRecord(recordType: "Note")
        open.encryptedValues["text"] = "x"
        do {
            try await container.publicCloudDatabase.save(open)
            Issue.record("saved")
        } catch { #expect((error as? CKError)?.code == .invalidArguments) }
    }

    @Test("A key that was reset is told by errors, operations and changes")
    func reset() async throws {
        try await database.save(zone)
        try await database.save(note())
        let token = try await database.databaseChanges(since: nil).changeToken
        try await store.resetEncryptedData()
        do {
            try await database.save(note())
            Issue.record("saved")
        } catch {
            let error = try #require(error as? CKError)
            #expect(error.code == .zoneNotFound)
            #expect(error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
        }
        let changes = try await database.databaseChanges(since: token)
        #expect(changes.deletions.map(\.reason) == [.encryptedDataReset])
        // Without a block of its own it is a deletion like others.
        for (hasBlock, word) in [(true, "reset Z"), (false, "deleted Z")] {
            let (told, end) = AsyncStream.makeStream(of: String.self)
            let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
            operation.recordZoneWithIDWasDeletedBlock = { end.yield("deleted \($0.zoneName)") }
            if hasBlock {
                operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = {
                    end.yield("reset \($0.zoneName)")
                }
            }
            operation.fetchDatabaseChangesResultBlock = { _ in end.finish() }
            database.add(operation)
            var lines: [String] = []
            for await line in told { lines.append(line) }
            #expect(lines == [word])
        }
        _ = try await database.modifyRecordZones(saving: [], deleting: [zone.zoneID])
        try await database.save(zone)
        try await database.save(note())
        #expect(try await database.record(for: note().recordID).encryptedValues["text"] as? String == "secret")
    }
}
