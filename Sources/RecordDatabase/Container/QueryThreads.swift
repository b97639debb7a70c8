// Where long work of tasks is done, so that they suspend and leave their threads to others.

import Deadlines
import QueryExecution
import RecordStore
import Synchronization

extension BackgroundThread {
    /// Does work that waits for a disk, or takes long, on another thread; the task is suspended meanwhile. It is done
    /// to its end, also when the task is cancelled.
    static func perform<Outcome: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        let once = Once(body)
        let result = await withCheckedContinuation { continuation in
            let work: Work = {
                if let outcome = once.outcome() { continuation.resume(returning: outcome) }
            }
            if !run(work) { work() }
        }
        return try result.get()
    }
}

/// The threads of long queries: as many as the machine has cores. Further queries wait for their turn.
final class QueryThreads: Sendable {
    /// A query, while it waits.
    private struct Waiting {
        let cancellation: Cancellation
        let run: BackgroundThread.Work
        let cancel: BackgroundThread.Work
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    static let shared = QueryThreads(count: SegmentQuery.availableThreads)

    private let state = Mutex(State())
    private let count: Int

    init(count: Int) { self.count = count }

    /// Does the work of a query on one of the threads; the task is suspended meanwhile. Cancelled with the task: at
    /// once while it waits, and when it next looks while it runs.
    ///
    /// - Throws: What the body throws, and `DatabaseError` of code `operationCancelled`.
    func perform<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome {
        let cancellation = Cancellation()
        let once = BackgroundThread.Once { () throws(DatabaseError) in
            try Deadline.run(until: cancellation, failure: { _ in .cancelled }, body)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(
                    Waiting(
                        cancellation: cancellation,
                        run: {
                            if let outcome = once.outcome() { continuation.resume(returning: outcome) }
                        },
                        cancel: { continuation.resume(returning: .failure(.cancelled)) }))
            }
        } onCancel: {
            cancel(cancellation)
        }
        return try result.get()
    }

    private func add(_ query: Waiting) {
        let (isStarting, isCancelled) = state.withLock { state in
            if query.cancellation.isCancelled { return (false, true) }
            state.waiting.append(query)
            guard state.running < count else { return (false, false) }
            state.running += 1
            return (true, false)
        }
        if isCancelled { query.cancel() }
        guard isStarting else { return }
        let work: BackgroundThread.Work = { [self] in while let query = next() { query.run() } }
        if !BackgroundThread.run(work) { work() }
    }

    private func next() -> Waiting? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func cancel(_ cancellation: Cancellation) {
        let query = state.withLock { state -> Waiting? in
            cancellation.cancel()
            guard let position = state.waiting.firstIndex(where: { $0.cancellation === cancellation }) else {
                return nil
            }
            return state.waiting.remove(at: position)
        }
        query?.cancel()
    }
}
