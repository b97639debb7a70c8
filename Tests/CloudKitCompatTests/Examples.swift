// The examples of README and of the articles that are written with CloudKit's names.

import CloudKitCompat
import RecordDatabase
import Testing

struct Examples {
    @Test func readme() async throws {
        let record = CKRecord(recordType: "Artwork", recordID: CKRecord.ID(recordName: "115"))
        record["title"] = "MacKerricher State Park"
        try await CKContainer.default().privateCloudDatabase.save(record)

        let query = CKQuery(recordType: "Artwork", predicate: NSPredicate(format: "title BEGINSWITH %@", "Mac"))
        let operation = CKQueryOperation(query: query)
        operation.recordMatchedBlock = { id, result in print(id.recordName, result) }
        CKContainer.default().privateCloudDatabase.add(operation)
        let saved = try await CKContainer.default().privateCloudDatabase.record(for: CKRecord.ID(recordName: "115"))
        #expect(saved["title"] as? String == "MacKerricher State Park")
    }

    @Test func faults() async throws {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let container = CKContainer(try Container(identifier: "example.notes", configuration: configuration))
        script.failNext(1, .modifyRecords, with: .zoneBusy, retryAfter: .seconds(2))
        do {
            try await container.privateCloudDatabase.save(CKRecord(recordType: "Note"))
        } catch CKError.zoneBusy {
            print("try again later")
        }
        #expect(script.calls.map(\.kind) == [.modifyRecords])
    }

    @Test func stored() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let id = CKRecord.ID(recordName: "n")
        for isFirst in [true, false] {
            let stored = try Container(identifier: "example.notes", storedAt: folder)
            defer { stored.close() }
            let database = CKContainer(stored).privateCloudDatabase
            if isFirst {
                try await database.save(CKRecord(recordType: "Note", recordID: id))
            } else {
                #expect(try await database.record(for: id).recordType == "Note")
            }
        }
        let container = CKContainer(try Container(identifier: "example.notes", storedAt: folder))
        #expect(try await container.privateCloudDatabase.record(for: id).recordID == id)
    }
}
