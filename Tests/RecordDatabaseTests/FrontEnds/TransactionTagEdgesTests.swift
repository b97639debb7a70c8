// Values with change tags that a transaction saves more than once.

import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

/// Keeps the change tag of its record.
private struct Item: RecordConvertible, Equatable {
    var metadata = RecordMetadata()
    var number: Int

    init(_ name: String, _ number: Int) {
        metadata = RecordMetadata(id: Record.ID(name))
        self.number = number
    }
}

@Suite(.mayDeadlock) struct TransactionTagEdgesTests {
    /// Of a value that is stored the last save of a transaction counts; those before are no conflict.
    @Test func storedValuesAreSavedAgain() async throws {
        let database = try Container(identifier: "values").privateDatabase
        let saved = try await database.save(Item("a", 1))
        try await database.write { transaction in
            for number in [2, 3] {
                var changed = saved
                changed.number = number
                try transaction.save(changed)
            }
        }
        #expect(try await database.values(of: Item.self).map(\.number) == [3])
    }
}
