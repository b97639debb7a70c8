// Swift values in a database.

import Foundation
import RecordDatabase
import Testing

@Suite struct DatabaseValueTests {
    private struct Task: RecordConvertible, Equatable {
        var recordName: String
        var title: String
        var isDone: Bool
        var due: Date?
        var recordChangeTag: String?
        var creationDate: Date?
    }

    @Test func valuesOfAllPages() async throws {
        let database = try Container(identifier: "values").privateDatabase
        for start in stride(from: 0, to: 500, by: 250) {
            let batch = try (start..<start + 250).map { number in
                try Record(Task(recordName: "t\(number + 100)", title: "Task \(number)", isDone: number % 2 == 0))
            }
            _ = try await database.modifyRecords(saving: batch, deleting: [])
        }
        let done = try await database.values(
            of: Task.self, matching: Task.where { $0.isDone }, sortedBy: [.ascending(\Task.title)], in: .default)
        #expect(done.count == 250)
        #expect(done.allSatisfy { $0.isDone && $0.recordChangeTag != nil && $0.creationDate != nil })
        #expect(done.map(\.title) == done.map(\.title).sorted())
        let few: [Task] = try await database.values(matching: Task.where { !$0.isDone }, in: .default, limit: 7)
        #expect(few.count == 7)
        #expect(try await database.values(of: Task.self, matching: "title == 'none'", in: .default).isEmpty)
    }

    @Test func changingAValue() async throws {
        let database = try Container(identifier: "values").privateDatabase
        let due = Date(timeIntervalSinceReferenceDate: 5)
        _ = try await database.save(Record(Task(recordName: "a", title: "Buy", isDone: false, due: due)))
        var task: Task = try await database.value(for: Record.ID("a"))
        #expect(task.due == due)
        task.isDone = true
        task.due = nil
        var record = try await database.record(for: Record.ID("a"))
        let stale = record
        try record.update(with: task)
        #expect(record.changedKeys() == ["due", "isDone"])
        // A truth value that stays is no change, although it is stored as a number; the same letters otherwise are one.
        var other = stale
        try other.update(with: Task(recordName: "a", title: "Bu\u{300}y", isDone: false, due: due))
        #expect(other.changedKeys() == ["title"])
        _ = try await database.modifyRecords(saving: [other], deleting: [], savePolicy: .changedKeys)
        var third = try await database.record(for: Record.ID("a"))
        try third.update(with: Task(recordName: "a", title: "B\u{F9}y", isDone: false, due: due))
        #expect(third.changedKeys() == ["title"])
        third = try await database.record(for: Record.ID("a"))
        try third.update(with: Task(recordName: "a", title: "Bu\u{300}y", isDone: false, due: due))
        #expect(third.changedKeys() == [])
        record = try await database.record(for: Record.ID("a"))
        try record.update(with: Task(recordName: "a", title: "Buy", isDone: true, due: nil))
        _ = try await database.save(record)
        let saved: Task = try await database.value(for: Record.ID("a"))
        #expect(saved.isDone && saved.due == nil && saved.title == "Buy")
        // The change tag of the record that was fetched finds the conflict.
        var late = stale
        try late.update(with: task)
        let conflict = await #expect(throws: DatabaseError.self) { try await database.save(late) }
        #expect(conflict?.code == .serverRecordChanged)
    }
}
