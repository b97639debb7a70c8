// Calls of several servers at the same time.

import Deadlines
import Dispatch
package import RecordModel
import RecordStore
import Synchronization

/// Runs calls side by side, each on a thread of its own, one of them on the thread that waits for all: a concurrent
/// queue would have no more threads than the machine has cores, all of which may wait for servers.
package enum SideBySide {
    /// - Returns: What the calls gave, in the order of the inputs.
    /// - Throws: The error of the first input that failed, when all calls have ended.
    package static func run<Input: Sendable, Outcome: Sendable>(
        _ inputs: [Input], _ call: @escaping @Sendable (Input) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> [Outcome] {
        guard let first = inputs.first else { return [] }
        let others = Others<Outcome>()
        let group = DispatchGroup()
        // The other threads know neither the task nor the time that there is.
        let watch = Deadline.watch
        for (place, input) in inputs.enumerated().dropFirst() {
            group.enter()
            let work: BackgroundThread.Work = {
                watch.adopted {
                    let result = Result { () throws(DatabaseError) in try call(input) }
                    others.results.withLock { $0[place] = result }
                }
                group.leave()
            }
            if !BackgroundThread.run(work) { work() }
        }
        let own = Result { () throws(DatabaseError) in try call(first) }
        group.wait()
        var outcomes = [try own.get()]
        let results = others.results.withLock { $0 }
        for place in inputs.indices.dropFirst() {
            guard let result = results[place] else { throw DatabaseError(.internalError, "a call was lost") }
            outcomes.append(try result.get())
        }
        return outcomes
    }

    /// What the calls on other threads gave.
    private final class Others<Outcome: Sendable>: Sendable {
        let results = Mutex<[Int: Result<Outcome, DatabaseError>]>([:])
    }
}
