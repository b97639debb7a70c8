// Work on many rows: every row once, the first error in order, an end when the task is cancelled.

import Dispatch
import Foundation
import OrdinalSets
import PredicateSemantics
import PredicateSyntax
import QueryPlanning
import Synchronization
import Testing

@testable import QueryExecution

@Suite struct RowWorkTests {
    /// Holds for every third row, and fails for some.
    private struct Thirds: RowEvaluator {
        var failing: Set<Int> = []

        func holds(_: BoundNode, row: Int) throws(EvaluationError) -> Bool {
            if failing.contains(row) {
                throw EvaluationError(kind: .invalidArgument, span: .none, message: "row \(row)")
            }
            return row % 3 == 0
        }
    }

    private static let scan = PlanNode.scan(PlannedTest(.evaluate(.constant(true))))

    @Test(arguments: [1, 2, 5]) func everyRowOnce(threads: Int) throws {
        for rows in [0, 1, 64, 4097, 400_001] {
            let executor = SegmentExecutor(rowCount: rows, evaluator: Thirds(), threads: threads)
            #expect(try executor.rows(Self.scan).elementsEqual(stride(from: UInt32(0), to: UInt32(rows), by: 3)))
        }
    }

    @Test(arguments: [1, 2, 5]) func firstErrorInOrder(threads: Int) {
        let evaluator = Thirds(failing: [399_990, 251_007, 251_008, 300_000])
        let executor = SegmentExecutor(rowCount: 400_000, evaluator: evaluator, threads: threads)
        do throws(EvaluationError) {
            _ = try executor.count(Self.scan)
            Issue.record("no error")
        } catch {
            #expect(error.message == "row 251007")
        }
    }

    /// The first to come waits until another thread is there.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "there is one processor"))
    func longWorkIsThatOfSeveralThreads() throws {
        let arrived = Atomic(0)
        let isAlone = Atomic(false)
        let second = DispatchSemaphore(value: 0)
        try RowWork(rowCount: 200_000, cost: .evaluator).run(threads: 2) { _ in
            switch arrived.wrappingAdd(1, ordering: .relaxed).oldValue {
            case 0: if second.wait(timeout: .now() + 20) == .timedOut { isAlone.store(true, ordering: .relaxed) }
            case 1: second.signal()
            default: break
            }
        }
        let wasAlone = isAlone.load(ordering: .relaxed)
        #expect(!wasAlone)
    }

    @Test(arguments: [1, 2]) func endsWithItsTime(threads: Int) throws {
        let executor = SegmentExecutor(rowCount: 400_000, evaluator: Thirds(), threads: threads)
        let error = #expect(throws: EvaluationError.self) {
            try QueryDeadline.run(within: .zero) { () throws(EvaluationError) in try executor.count(Self.scan) }
        }
        #expect(error?.kind == .timeLimit)
        // The shorter time counts, and none is left behind.
        let inner = #expect(throws: EvaluationError.self) {
            try QueryDeadline.run(within: .zero) { () throws(EvaluationError) in
                try QueryDeadline.run(within: .seconds(100)) { () throws(EvaluationError) in
                    try executor.count(Self.scan)
                }
            }
        }
        #expect(inner?.kind == .timeLimit)
        let count = try QueryDeadline.run(within: .seconds(1000)) { () throws(EvaluationError) in
            try executor.count(Self.scan)
        }
        #expect(count == (400_000 + 2) / 3)
        #expect(try executor.count(Self.scan) == count)
    }

    @Test(arguments: [1, 2]) func endsWithItsTask(threads: Int) async {
        let task = Task { () -> EvaluationError.Kind? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(EvaluationError) {
                _ = try SegmentExecutor(rowCount: 400_000, evaluator: Thirds(), threads: threads).count(Self.scan)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(await task.value == .cancelled)
    }
}
