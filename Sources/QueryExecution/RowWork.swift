// Work on many rows: in stretches, on one thread or on all cores, until it is done or no longer wanted.

import Deadlines
import Dispatch
import PredicateSemantics
import PredicateSyntax
import Synchronization

/// How work on the rows of a segment is divided.
///
/// Rows are worked on in stretches of whole words of a bitmap, taken in order. Between stretches the work looks whether
/// its task was cancelled, and whether its time is over.
struct RowWork {
    /// What the work costs, which decides how it is divided.
    enum Cost {
        /// Kernels: fractions of a nanosecond a row.
        case kernel
        /// Texts that are searched or matched: some twenty nanoseconds a row.
        case text
        /// The per-record evaluator: hundreds of nanoseconds a row.
        case evaluator

        /// Words of 64 rows in a stretch: about a tenth of a millisecond of kernels, a millisecond of the
        /// evaluator.
        var stretch: Int {
            switch self {
            case .kernel: 4096
            case .text, .evaluator: 64
            }
        }

        /// Rows from which another thread is worth its start.
        var threshold: Int {
            switch self {
            case .kernel: 4_000_000
            case .text: 100_000
            case .evaluator: 200_000
            }
        }
    }

    let rowCount: Int
    let cost: Cost

    private var wordCount: Int { (rowCount + 63) / 64 }
    private var stretchCount: Int { (wordCount + cost.stretch - 1) / cost.stretch }

    private func words(_ stretch: Int) -> Range<Int> {
        stretch * cost.stretch..<min(wordCount, (stretch + 1) * cost.stretch)
    }

    /// Calls `body` with ranges of words that cover all rows, each once.
    ///
    /// - Parameters:
    ///   - threads: The most threads to use.
    ///   - pending: Number of rows that will cost something; all by default.
    /// - Throws: The error of the first range in order that fails, or one of kind `cancelled` or `timeLimit`.
    func run(
        threads: Int, pending: Int? = nil, _ body: @Sendable (Range<Int>) throws(EvaluationError) -> Void
    ) throws(EvaluationError) {
        if stretchCount == 1 { return try body(words(0)) }
        let watch = QueryDeadline.watch
        guard threads > 1, pending ?? rowCount >= cost.threshold else {
            for stretch in 0..<stretchCount {
                if stretch > 0 { try watch.check() }
                try body(words(stretch))
            }
            return
        }
        let progress = Progress()
        DispatchQueue.concurrentPerform(iterations: min(threads, stretchCount)) { _ in
            watch.adopted {
                while let stretch = progress.next(below: stretchCount) {
                    do throws(EvaluationError) {
                        // Only the calling thread runs in the task; when that is cancelled the others stop with it.
                        try watch.check()
                        try body(words(stretch))
                    } catch {
                        return progress.fail(at: stretch, error)
                    }
                }
            }
        }
        if let error = progress.error { throw error }
    }

    /// What the threads have in common.
    private final class Progress: Sendable {
        private struct State {
            var next = 0
            var failure: (stretch: Int, error: EvaluationError)?
        }

        private let state = Mutex(State())

        /// The next stretch; `nil` when there is none or some earlier one failed.
        func next(below count: Int) -> Int? {
            state.withLock { state in
                guard state.failure == nil, state.next < count else { return nil }
                state.next += 1
                return state.next - 1
            }
        }

        /// Stretches are taken in order, so all before the first that fails are being finished.
        func fail(at stretch: Int, _ error: EvaluationError) {
            state.withLock { state in
                if let known = state.failure, known.stretch < stretch { return }
                state.failure = (stretch, error)
            }
        }

        var error: EvaluationError? { state.withLock { $0.failure?.error } }
    }
}
