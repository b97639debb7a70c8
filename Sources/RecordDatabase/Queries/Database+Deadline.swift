// Reads that a caller gives a time.

import PredicateSemantics

extension Database {
    /// Reads until a time has passed: then the read ends with `limitExceeded`. Not for writes, which nothing may
    /// interrupt.
    ///
    /// - Parameter time: `nil` for any time. Of it and what the configuration allows, the earlier end counts.
    package func reading<Value>(
        within time: Duration?, _ body: (Database) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try QueryDeadline.run(
            within: time, failure: { DatabaseError(evaluation: $0) }, { () throws(DatabaseError) in try body(self) })
    }
}
