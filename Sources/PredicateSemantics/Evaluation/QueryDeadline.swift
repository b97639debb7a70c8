// How long a question may take: a moment that all its work looks at.

import PredicateSyntax

/// The moment by which the question at hand must be answered.
///
/// Work looks at it where it looks whether its task was cancelled: between stretches of rows, and now and then while
/// records are sorted or given out; before each record that the evaluator decides, and between the elements of a
/// SUBQUERY. What is done in one piece goes on to its end: building an index, one comparison.
package enum QueryDeadline {
    @TaskLocal private static var current: ContinuousClock.Instant?

    /// Does work that ends with an error of kind `timeLimit` once a time has passed; `nil` for any time.
    package static func run<Value, Failure: Error>(
        within time: Duration?, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let time else { return try body() }
        let end = ContinuousClock.now + time
        return try $current.withValue(current.map { min($0, end) } ?? end) {
            Result { () throws(Failure) in try body() }
        }.get()
    }

    /// What the work at hand looks at. Taken once where work begins, as other threads do not know the deadline.
    package static var watch: Watch { Watch(end: current) }

    /// Tells whether work is still wanted.
    package struct Watch: Sendable {
        fileprivate let end: ContinuousClock.Instant?

        /// - Throws: `EvaluationError` of kind `cancelled` or `timeLimit`.
        package func check() throws(EvaluationError) {
            if Task.isCancelled { throw .cancelled }
            try checkTime()
        }

        /// Does work on another thread under the same deadline.
        package func adopted(_ body: () -> Void) {
            guard let end else { return body() }
            QueryDeadline.$current.withValue(end, operation: body)
        }

        /// Quick where there is no deadline.
        /// - Throws: `EvaluationError` of kind `timeLimit`.
        package func checkTime() throws(EvaluationError) {
            if let end, ContinuousClock.now > end { throw .timeLimit }
        }
    }
}

extension EvaluationError {
    /// The task that asked was cancelled.
    fileprivate static var cancelled: EvaluationError {
        EvaluationError(kind: .cancelled, span: .none, message: "the query was cancelled")
    }

    /// The question took longer than it may.
    fileprivate static var timeLimit: EvaluationError {
        EvaluationError(
            kind: .timeLimit, span: .none, message: "the query took longer than it may",
            hint: "an index answers comparisons of a field with a constant")
    }
}
