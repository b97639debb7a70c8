// Why work ends before it is done.

/// Work is no longer wanted.
package enum Interruption: Error, Hashable, Sendable {
    /// The task that runs the query was cancelled.
    case cancelled
    /// It took longer than it may.
    case timeLimit
}
