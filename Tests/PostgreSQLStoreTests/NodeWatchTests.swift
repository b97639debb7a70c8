// What needs no server: the numbers of watches, and which zero is another one in groups.

import Foundation
import RecordDatabase
import RecordModel
import Testing

@testable import PostgreSQLStore

@Suite struct NodeWatchTests {
    @Test("Every watch of nodes has a number of its own")
    func numbers() {
        let watches = NodeWatches()
        let origin = DatabaseOrigin(container: "watched", scope: .public, user: nil)
        let numbers = (0..<3).map { _ in watches.add([], origin) {} }
        #expect(Set(numbers).count == 3)
    }

    @Test("Only the zero below zero needs the records to tell which it is")
    func zeros() {
        let cases: [(value: FieldValue, isNegativeZero: Bool)] = [
            (.double(0), false), (.double(-0.0), true), (.double(-1), false), (.int64(0), false),
            (.date(Date(timeIntervalSinceReferenceDate: 0)), false),
            (.date(Date(timeIntervalSinceReferenceDate: -0.0)), true),
            (.date(Date(timeIntervalSinceReferenceDate: -1)), false), (.null, false),
        ]
        for (value, isNegativeZero) in cases { #expect(value.isNegativeZero == isNegativeZero, "\(value)") }
    }
}
