// Calls of several servers at the same time: their outcomes in order, and errors when all have ended. Without a server.

import Dispatch
import RecordModel
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct SideBySideEdgesTests {
    /// An error of one call comes when the others have ended, whichever of them it is.
    @Test(arguments: [0, 1]) func errorsComeWhenAllHaveEnded(_ failing: Int) {
        let (never, isEnded) = (DispatchSemaphore(value: 0), Flag())
        let error = #expect(throws: DatabaseError.self) {
            try SideBySide.run([0, 1]) { number throws(DatabaseError) -> Int in
                if number == failing { throw DatabaseError(.zoneBusy, "call \(number)") }
                // Nobody signals it: so long the other call takes.
                _ = never.wait(timeout: .now() + 0.05)
                isEnded.set()
                return number
            }
        }
        #expect(error?.reason == "call \(failing)" && isEnded.isSet)
    }

    /// Of several errors that of the first input is told.
    @Test func theFirstErrorIsTold() throws {
        let error = #expect(throws: DatabaseError.self) {
            try SideBySide.run([0, 1, 2]) { number throws(DatabaseError) -> Int in
                if number > 0 { throw DatabaseError(.zoneBusy, "call \(number)") }
                return number
            }
        }
        #expect(error?.reason == "call 1")
        let all = try SideBySide.run([3, 1, 2]) { number throws(DatabaseError) -> Int in number * 10 }
        #expect(all == [30, 10, 20])
        let none: [Int] = try SideBySide.run([Int]()) { number throws(DatabaseError) -> Int in number }
        #expect(none.isEmpty)
    }
}

/// What is set once. May be used from any thread.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
