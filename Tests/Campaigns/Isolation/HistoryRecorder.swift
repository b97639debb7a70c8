// The clock of a history, and what was recorded of it.

import RecordModel
import Synchronization

/// Collects the steps of all clients.
final class HistoryRecorder: Sendable {
    private struct State {
        var clock = 0
        var value: Int64 = 0
        var raced = 0
        var passing: [Record.ID] = []
        var history = History()
        var faults: [String] = []
    }

    private let state = Mutex(State())

    /// A reading of the clock that no other is equal to.
    func tick() -> Int {
        state.withLock { state in
            state.clock += 1
            return state.clock
        }
    }

    /// A value that nobody else writes.
    func newValue() -> Int64 {
        state.withLock { state in
            state.value += 1
            return state.value
        }
    }

    /// A number that is given twice, so that two clients want to make its record.
    func racedNumber() -> Int {
        state.withLock { state in
            state.raced += 1
            return state.raced / 2
        }
    }

    /// Records that are made once and deleted once.
    var passing: [Record.ID] { state.withLock(\.passing) }

    func addPassing(_ id: Record.ID) { state.withLock { $0.passing.append(id) } }

    func add(_ step: History.Step) { state.withLock { $0.history.steps.append(step) } }

    func add(fault: String) { state.withLock { $0.faults.append(fault) } }

    var history: History { state.withLock(\.history) }
    var faults: [String] { state.withLock(\.faults) }
}
