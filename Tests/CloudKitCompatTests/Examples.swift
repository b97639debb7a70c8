// The example of README that is written with CloudKit's names.

import CloudKitCompat
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
}
