// Work that is woken, and goes on by itself where a server was in the way. Without a server.

import Synchronization
import Testing

@testable import RecordDatabase

/// How often something was done. May be used from any thread.
private final class Count: Sendable {
    private let number = Mutex(0)

    var now: Int { number.withLock { $0 } }

    /// Counts one more.
    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

@Suite struct WokenWorkTests {
    /// What could not be done is tried again, though nobody wakes it once more.
    @Test(arguments: [false, true]) func whatCouldNotBeDoneIsTriedAgain(isCall: Bool) async throws {
        let (work, count) = (WokenWork(pause: 0), Count())
        if isCall {
            work.wakeCall { () throws(DatabaseError) in
                if count.next() == 1 { throw DatabaseError(.networkUnavailable, "the server is away") }
            }
        } else {
            work.wake { count.next() == 1 ? .again : .done }
        }
        for _ in 0..<1_500 where count.now < 2 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(count.now == 2)
        work.end()
    }
}
