// The examples of the article about tests of CloudKit code.

import RecordDatabase
import Testing

/// Saves a note: network trouble is tried again, and what others changed meanwhile stays.
func saveNote(_ note: Record, in database: some CloudDatabase) async throws(DatabaseError) -> Record {
    var note = note
    for _ in 0..<5 {
        do throws(DatabaseError) {
            return try await database.save(note)
        } catch {
            switch error.code {
            case .serverRecordChanged:
                guard var server = error.serverRecord else { throw error }
                for key in note.changedKeys() { server[key] = note[key] }
                note = server
            case .networkFailure, .requestRateLimited:
                try? await Task.sleep(for: error.retryAfter ?? .milliseconds(1))
            default: throw error
            }
        }
    }
    return try await database.save(note)
}

struct TestingExamples {
    @Test func faults() async throws {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let container = try Container(identifier: "example.notes", configuration: configuration)
        let database = container.privateDatabase
        var note = try await database.save(Record(type: "Note", id: Record.ID("n"), fields: ["text": "a", "stars": 1]))

        // The network fails once, then the service is busy once.
        script.failNext(1, .modifyRecords, with: .networkFailure)
        script.failNext(1, .modifyRecords, with: .requestRateLimited, retryAfter: .milliseconds(1))

        // Then another device of the user is faster.
        let other = try Container(sharing: container, account: .localUser)
        let theirs = Record(type: "Note", id: note.id, fields: ["stars": 5])
        script.conflictNext(with: theirs, savedIn: other.privateDatabase)

        note["text"] = "b"
        let saved = try await saveNote(note, in: database)
        print(saved["text"] ?? "", saved["stars"] ?? 0, script.calls.count)
        #expect(saved.fields == ["text": "b", "stars": 5])
        #expect(script.calls.filter { $0.kind == .modifyRecords }.count == 5)
    }
}
