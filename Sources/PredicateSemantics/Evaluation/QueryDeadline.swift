// Deadlines of queries: interruptions as errors of evaluation.

package import Deadlines
import PredicateSyntax

/// The moment by which the current query must be done.
///
/// Work looks at it where it looks whether its task was cancelled: between stretches of rows, and now and then while
/// records are sorted or given out; before each record that the evaluator decides, between the elements of lists and
/// of a SUBQUERY, and within long texts. Whoever waits for an index waits no longer than that.
package enum QueryDeadline {
    /// Does work that ends with an error of kind `timeLimit` once a time has passed, `nil` for any time, or of kind
    /// `cancelled` once its task is.
    ///
    /// - Parameter failure: The error that an interruption becomes.
    package static func run<Value, Failure: Error>(
        within time: Duration?, failure: (EvaluationError) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try Deadline.run(within: time, failure: { failure(EvaluationError($0)) }, body)
    }

    /// Does work that ends with an error of kind `cancelled` once it is cancelled.
    package static func run<Value, Failure: Error>(
        until cancellation: Cancellation, failure: (EvaluationError) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try Deadline.run(until: cancellation, failure: { failure(EvaluationError($0)) }, body)
    }

    /// As above, for work that throws errors of evaluation.
    package static func run<Value>(
        within time: Duration?, _ body: () throws(EvaluationError) -> Value
    ) throws(EvaluationError) -> Value {
        try run(within: time, failure: { $0 }, body)
    }

    /// What the work at hand looks at. Taken once where work begins, as other threads do not know the deadline.
    package static var watch: Deadline.Watch { Deadline.watch }
}

extension Deadline.Watch {
    /// - Throws: `EvaluationError` of kind `cancelled` or `timeLimit`.
    package func check() throws(EvaluationError) {
        if let interruption { throw EvaluationError(interruption) }
    }

    /// Quick where there is no deadline.
    /// - Throws: `EvaluationError` of kind `timeLimit`, or `cancelled` where other work found that out.
    package func checkTime() throws(EvaluationError) {
        if let interruption = timeInterruption { throw EvaluationError(interruption) }
    }
}

extension EvaluationError {
    /// The error of a query that was interrupted.
    package init(_ interruption: Interruption) {
        switch interruption {
        case .cancelled: self.init(kind: .cancelled, span: .none, message: "the query was cancelled")
        case .timeLimit:
            self.init(
                kind: .timeLimit, span: .none, message: "the query took longer than it may",
                hint: "an index serves comparisons of a field with a constant")
        }
    }
}
