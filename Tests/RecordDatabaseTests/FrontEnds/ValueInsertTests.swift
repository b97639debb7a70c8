// Values that are inserted in transactions: what was read before does not matter.

import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

/// Keeps the change tag of its record.
private struct Item: RecordConvertible, Equatable {
    var metadata = RecordMetadata()
    var number: Int
}

@Suite(.mayDeadlock) struct ValueInsertTests {
    /// A value whose record was deleted since it was read is a new one where it is inserted.
    @Test func valuesThatWereDeletedAreNew() async throws {
        let database = try Container(identifier: "values").privateDatabase
        let saved = try await database.save(Item(metadata: RecordMetadata(id: Record.ID("a")), number: 1))
        #expect(saved.metadata.recordChangeTag != nil)
        try await database.deleteRecord(withID: Record.ID("a"))
        await fails(.unknownItem) { try await database.write { try $0.save(saved) } }
        try await database.write { try $0.insert(saved) }
        #expect(try await database.values(of: Item.self).map(\.number) == [1])
    }
}
