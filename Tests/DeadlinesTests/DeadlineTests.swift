// Deadlines: what is interrupted, what is not, and that no answer rests on work that gave up.
import Testing

@testable import Deadlines

/// An interruption as the error that it is.
private func told(_ interruption: Interruption) -> Interruption { interruption }

@Suite struct DeadlineTests {
    /// Work that gives up where it is told to, and returns something all the same.
    private func giveUp() -> Int {
        Deadline.watch.isOver ? -1 : 1
    }

    private func within(_ time: Duration?, _ body: () throws(Interruption) -> Int) throws(Interruption) -> Int {
        try Deadline.run(within: time, failure: { $0 }, body)
    }

    @Test func nothingEndsWorkWithoutDeadlines() throws {
        #expect(!Deadline.watch.isLimited)
        #expect(Deadline.watch.interruption == nil)
        #expect(giveUp() == 1)
        #expect(try within(.seconds(1000)) { () throws(Interruption) in giveUp() } == 1)
        #expect(!Deadline.watch.isLimited)
    }

    @Test func resultsOfWorkThatGaveUpAreNotGivenOut() {
        #expect(throws: Interruption.timeLimit) { try within(.zero) { () throws(Interruption) in giveUp() } }
        // Neither are errors that it came to.
        #expect(throws: Interruption.timeLimit) {
            try within(.zero) { () throws(Interruption) in
                _ = giveUp()
                throw .cancelled
            }
        }
    }

    @Test func workThatWasDoneInTimeCounts() throws {
        // Nobody looked, so nothing gave up.
        #expect(try within(.zero) { () throws(Interruption) in 7 } == 7)
    }

    @Test func theEarlierDeadlineCounts() {
        for (outer, inner) in [(Duration.zero, Duration.seconds(1000)), (.seconds(1000), .zero)] {
            #expect(throws: Interruption.timeLimit) {
                try within(outer) { () throws(Interruption) in
                    try within(inner) { () throws(Interruption) in giveUp() }
                }
            }
        }
        #expect(throws: Interruption.timeLimit) {
            try within(.zero) { () throws(Interruption) in try within(nil) { () throws(Interruption) in giveUp() } }
        }
    }

    @Test(arguments: [0, 1, 5]) func timeCanBeCounted(looks: Int) throws {
        var taken = 0
        let error = #expect(throws: Interruption.self) {
            try Deadline.run(looks: looks, failure: told) { () throws(Interruption) in
                while let watch = Optional(Deadline.watch), !watch.isOver { taken += 1 }
            }
        }
        #expect(error == .timeLimit)
        #expect(taken == looks)
    }

    @Test func whatGaveUpStaysOver() {
        _ = try? Deadline.run(looks: 1, failure: told) { () throws(Interruption) in
            let watch = Deadline.watch
            #expect(!watch.isOver)
            #expect(watch.isOver)
            #expect(watch.timeInterruption == .timeLimit)
            // Another thread learns of it as well.
            watch.adopted { #expect(Deadline.watch.isOver) }
        }
    }

    @Test func cancelledTasksEndTheirWork() async {
        let task = Task { () -> [Interruption?] in
            withUnsafeCurrentTask { $0?.cancel() }
            // Where nobody would refuse the result, nothing gives up.
            var seen = [Deadline.watch.isOver ? Interruption.timeLimit : nil, Deadline.watch.interruption]
            do throws(Interruption) {
                _ = try within(nil) { () throws(Interruption) in giveUp() }
                seen.append(nil)
            } catch {
                seen.append(error)
            }
            return seen
        }
        #expect(await task.value == [nil, .cancelled, .cancelled])
    }
}
