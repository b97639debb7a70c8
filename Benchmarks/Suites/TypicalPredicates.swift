// Ten predicates as applications write them, and people to filter by them.

import FoundationEssentials
import RecordModel

/// A predicate of the parse and evaluate suites.
struct TypicalPredicate {
    var text: String
    /// Arguments for the placeholders.
    var arguments: [FieldValue] = []

    /// The ten, from one comparison to a mixture of AND, OR, NOT, and nil.
    static let all = [
        TypicalPredicate(text: "age > 30"),
        TypicalPredicate(text: "name == 'Marcy'"),
        TypicalPredicate(text: "name BEGINSWITH[cd] 'mar'"),
        TypicalPredicate(text: "name CONTAINS 'ar' AND age >= 18"),
        TypicalPredicate(text: "city IN %@", arguments: [["Berlin", "Paris", "Rome"]]),
        TypicalPredicate(text: "score BETWEEN %@", arguments: [[10, 20]]),
        TypicalPredicate(text: "name LIKE '*a?l*'"),
        TypicalPredicate(text: "name MATCHES '^M.*y$'"),
        TypicalPredicate(text: "ANY tags == 'red'"),
        TypicalPredicate(
            text: "(age > 20 AND city == %@) OR (created < %@ AND NOT (name == nil))",
            arguments: ["Berlin", .date(Date(timeIntervalSince1970: 1_500_000_000))]),
    ]
}
