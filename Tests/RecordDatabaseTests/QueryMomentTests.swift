// The moment of a query: each run of a prepared one has its own, all pieces of a table have one.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct QueryMomentTests {
    @Test func preparedQueriesAreOfTheMomentOfEachRun() throws {
        let start = Date()
        // Ever farther apart: some of them pass while the query runs, on a machine of whatever speed.
        let dates = (0..<3_000).map { number -> Date in
            let microseconds: Double = pow(1.01, Double(number))
            return start.addingTimeInterval(microseconds * 1e-6)
        }
        var set = try RecordSet(records: dates.enumerated().map { record("r\($0.offset)", ["d": .date($0.element)]) })
        let prepared = try set.prepare("d < now()")
        for _ in 0..<100 {
            let now = Date()
            let passed = dates.count { $0 < now }
            #expect(try prepared.count() >= passed)
        }
        // By then the moment is a constant, which an index knows.
        set.refusesScans = true
        #expect(try set.prepare("d < now()").count() > 0)
    }

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    /// Rows that are dated 50 and 150 seconds after the reference date, as a piece of a table.
    private static func piece(_ moment: Date?) throws -> RecordSet {
        let table = RecordTable(name: "t", fields: [FieldDefinition(name: "d", type: .date)], key: nil)
        let loader = RecordTableLoader(table, columns: ["d"], after: 0, moment: moment)
        for seconds in [50.0, 150] { try loader.append([.date(date(seconds))]) }
        return loader.finish()
    }

    @Test func piecesOfATableAreOfTheMomentThatIsGiven() throws {
        for (seconds, passed) in [(0.0, []), (100, [0]), (200, [0, 1])] as [(Double, [Int])] {
            let piece = try Self.piece(Self.date(seconds))
            #expect(try piece.ordinals(matching: "d < now()") == passed, "\(seconds)")
            #expect(try piece.count(matching: "d > now()") == 2 - passed.count, "\(seconds)")
        }
        // Without one, queries are of the moment when they run, which is long after both.
        #expect(try Self.piece(nil).ordinals(matching: "d < now()") == [0, 1])
    }
}
