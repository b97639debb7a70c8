// The engine's typed errors -> what the command shows.

import RecordDatabase

extension CommandError {
    /// A wrong predicate: message, caret, hint; offset and length in Unicode scalars for JSON.
    init(_ error: RecordPredicateError) {
        self.init(.usage, error.message, hint: error.hint)
        stage = error.stage.rawValue
        excerpt = error.excerpt
        let place = error.scalarRange
        details = [
            JSONValue.Member(key: "offset", value: .int64(Int64(place.lowerBound))),
            JSONValue.Member(key: "length", value: .int64(Int64(place.count))),
        ]
        if !error.expected.isEmpty {
            details.append(JSONValue.Member(key: "expected", value: .array(error.expected.map { .string($0) })))
        }
    }
}
