// Work that goes on beside a test.

import Foundation
import Synchronization

/// Does something again and again on a thread of its own, so that neither it nor the test waits for a thread of the
/// pool.
public final class BackgroundLoop: Sendable {
    private struct State {
        var rounds = 0
        var isStopping = false
        var isEnded = false
        var error: (any Error)?
    }

    private let state = Mutex(State())

    /// Calls `body` with 1, 2, 3 and so on until it throws or the loop is stopped.
    ///
    /// - Parameter pause: The seconds between two calls. Without them the loop would take a core from all other tests
    ///   for as long as its own waits for its turn.
    public init(pause: TimeInterval, _ body: @escaping @Sendable (Int) throws -> Void) {
        Thread.detachNewThread { [self] in
            do {
                while let round = state.withLock({ $0.isStopping ? nil : $0.rounds + 1 }) {
                    try body(round)
                    state.withLock { $0.rounds = round }
                    Thread.sleep(forTimeInterval: pause)
                }
            } catch {
                state.withLock { $0.error = error }
            }
            state.withLock { $0.isEnded = true }
        }
    }

    /// How many rounds have ended.
    public var rounds: Int { state.withLock { $0.rounds } }

    /// Whether no further round will begin.
    public var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Waits for the round under way to end.
    /// - Returns: How many rounds have ended.
    /// - Throws: What `body` threw.
    public func stop() async throws -> Int {
        state.withLock { $0.isStopping = true }
        while !isEnded { try await Task.sleep(for: .milliseconds(1)) }
        let (rounds, error) = state.withLock { ($0.rounds, $0.error) }
        if let error { throw error }
        return rounds
    }
}
