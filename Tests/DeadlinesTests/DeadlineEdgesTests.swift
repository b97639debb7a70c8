// Work that is cancelled from outside, that is within other work, and that is on threads without a task.

import Foundation
import Testing

@testable import Deadlines

/// An interruption as the error that it is.
private func told(_ interruption: Interruption) -> Interruption { interruption }

@Suite struct DeadlineEdgesTests {
    /// What work gives that looks once whether it is over.
    private func look() -> Int { Deadline.watch.isOver ? -1 : 1 }

    /// What `body` gives on a thread that runs no task.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    @Test func workEndsOnceItIsCancelled() throws {
        let cancellation = Cancellation()
        #expect(!cancellation.isCancelled)
        let isWanted = try Deadline.run(until: cancellation, failure: told) { () throws(Interruption) in
            Deadline.watch.timeInterruption == nil && !Deadline.watch.isOver
        }
        #expect(isWanted)
        let error = #expect(throws: Interruption.self) {
            try Deadline.run(until: cancellation, failure: told) { () throws(Interruption) in
                #expect(look() == 1)
                cancellation.cancel()
                #expect(look() == -1)
            }
        }
        #expect(error == .cancelled && cancellation.isCancelled)
    }

    /// A deadline within another keeps what ends the one around it.
    @Test func cancellationsAndCountsReachWorkWithin() {
        let cancellation = Cancellation()
        cancellation.cancel()
        let cancelled = #expect(throws: Interruption.self) {
            try Deadline.run(until: cancellation, failure: told) { () throws(Interruption) in
                try Deadline.run(within: .seconds(1000), failure: told) { () throws(Interruption) in look() }
            }
        }
        #expect(cancelled == .cancelled)
        let counted = #expect(throws: Interruption.self) {
            try Deadline.run(looks: 0, failure: told) { () throws(Interruption) in
                try Deadline.run(within: .seconds(1000), failure: told) { () throws(Interruption) in look() }
            }
        }
        #expect(counted == .timeLimit)
    }

    /// Work without a time of its own gives up for the work around it, whose result is not given out then.
    @Test func workWithoutATimeIsPartOfTheWorkAroundIt() {
        #expect(throws: Interruption.timeLimit) {
            try Deadline.run(within: .zero, failure: told) { () throws(Interruption) in
                (try? Deadline.run(within: nil, failure: told) { () throws(Interruption) in look() }) ?? 7
            }
        }
    }

    /// The quick look does not ask the task, but knows once something gave up for it.
    @Test func theQuickLookKnowsOfWorkThatGaveUp() async {
        let task = Task { () -> [Interruption?] in
            withUnsafeCurrentTask { $0?.cancel() }
            var seen: [Interruption?] = []
            _ = try? Deadline.run(within: .seconds(1000), failure: told) { () throws(Interruption) in
                let watch = Deadline.watch
                seen.append(watch.timeInterruption)
                #expect(watch.isOver)
                seen.append(watch.timeInterruption)
            }
            return seen
        }
        #expect(await task.value == [nil, .cancelled])
    }

    /// Only a task or a time can end work: a thread without a task has no limit, any other work has one.
    @Test func outsideOfTasksThereIsNoLimitWithoutATime() async throws {
        let limits = await onThread { () -> [Bool?] in
            [nil, .seconds(1000)].map { (time: Duration?) in
                try? Deadline.run(within: time, failure: told) { () throws(Interruption) in Deadline.watch.isLimited }
            }
        }
        #expect(limits == [false, true])
        let inTask = try Deadline.run(within: nil, failure: told) { () throws(Interruption) in
            Deadline.watch.isLimited
        }
        #expect(inTask)
    }

    /// Work on another thread is done once, with a deadline or without, and is over when that of the watch is.
    @Test func adoptedWorkIsDoneUnderTheSameDeadline() async throws {
        var rounds = 0
        Deadline.watch.adopted {
            rounds += 1
            #expect(!Deadline.watch.isLimited)
        }
        #expect(rounds == 1)
        let watch = try Deadline.run(within: .zero, failure: told) { () throws(Interruption) in Deadline.watch }
        let seen = await onThread { () -> [Bool] in
            var seen = [Deadline.watch.isLimited]
            watch.adopted { seen += [Deadline.watch.isLimited, Deadline.watch.isOver] }
            return seen + [Deadline.watch.isLimited]
        }
        #expect(seen == [false, true, true, false])
    }
}
