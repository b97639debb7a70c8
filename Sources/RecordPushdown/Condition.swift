// Conditions of a statement, and the two that a predicate becomes.

package import RecordModel

/// A condition on a row. A test that comes to NULL does not hold, and its opposite does.
package indirect enum Condition: Hashable, Sendable {
    case constant(Bool)
    case holds(SQLText)
    case fails(SQLText)
    /// All of two or more.
    case all([Condition])
    /// One of two or more.
    case any([Condition])

    /// All of the conditions, each of them once.
    package static func every(_ conditions: [Condition]) -> Condition {
        var (kept, seen): ([Condition], Set<Condition>) = ([], [])
        for condition in conditions {
            if case .constant(let value) = condition {
                if !value { return .constant(false) }
            } else if seen.insert(condition).inserted {
                kept.append(condition)
            }
        }
        return kept.count > 1 ? .all(kept) : kept.first ?? .constant(true)
    }

    /// One of the conditions, each of them once.
    package static func some(_ conditions: [Condition]) -> Condition {
        var (kept, seen): ([Condition], Set<Condition>) = ([], [])
        for condition in conditions {
            if case .constant(let value) = condition {
                if value { return .constant(true) }
            } else if seen.insert(condition).inserted {
                kept.append(condition)
            }
        }
        return kept.count > 1 ? .any(kept) : kept.first ?? .constant(false)
    }

    /// The condition that holds where this one does not.
    package var negated: Condition {
        switch self {
        case .constant(let value): .constant(!value)
        case .holds(let text): .fails(text)
        case .fails(let text): .holds(text)
        case .all(let conditions): .some(conditions.map(\.negated))
        case .any(let conditions): .every(conditions.map(\.negated))
        }
    }

    /// What is left to demand of rows that satisfy another condition.
    package func given(_ other: Condition) -> Condition {
        func parts(_ condition: Condition) -> [Condition] {
            if case .all(let conditions) = condition { conditions } else { [condition] }
        }
        let known = Set(parts(other))
        return .every(parts(self).filter { !known.contains($0) })
    }

    /// How many parameters the condition has as a part of a statement.
    var valueCount: Int {
        switch self {
        case .constant: 0
        case .holds(let text), .fails(let text): text.valueCount
        case .all(let conditions), .any(let conditions): conditions.reduce(0) { $0 + $1.valueCount }
        }
    }

    /// The condition as a part of a statement.
    package var text: SQLText {
        switch self {
        case .constant(let value): value ? "TRUE" : "FALSE"
        case .holds(let text): "(\(text))"
        case .fails(let text): "((\(text)) IS NOT TRUE)"
        case .all(let conditions): "(\(.joined(conditions.map(\.text), by: " AND ")))"
        case .any(let conditions): "(\(.joined(conditions.map(\.text), by: " OR ")))"
        }
    }
}

/// What a server can tell about a predicate: the rows of which it is certain that the predicate holds, and those where
/// it is possible. `certain` implies the predicate, and the predicate implies `possible`.
package struct Bounds: Hashable, Sendable {
    package var certain: Condition
    package var possible: Condition
    /// Whether evaluating the predicate may throw, for some row that is possible.
    package var mayFail = false

    init(_ certain: Condition, _ possible: Condition, mayFail: Bool = false) {
        (self.certain, self.possible, self.mayFail) = (certain, possible, mayFail)
    }

    init(exact condition: Condition) { self.init(condition, condition) }

    init(exact text: SQLText) { self.init(exact: .holds(text)) }

    /// Whether the server decides each row by itself.
    package var isExact: Bool { certain == possible && !mayFail }

    /// How many parameters both conditions have in a statement.
    var valueCount: Int { possible.valueCount + (isExact ? 0 : certain.valueCount) }

    /// Both conditions as explanations have them, and the clause of an order, with the values of `$1`, `$2`, … in all.
    /// The second condition is `nil` where it is the first.
    package func printed(
        order: SQLText? = nil
    ) -> (condition: String, certain: String?, order: String?, values: [FieldValue]) {
        let (condition, first) = possible.text.printed()
        let certain = isExact ? nil : certain.text.printed(after: first.count)
        let values = first + (certain?.values ?? [])
        let order = order?.printed(after: values.count)
        return (condition, certain?.text, order?.text, (values + (order?.values ?? [])).map(\.fieldValue))
    }

    /// Of which nothing is known.
    static let nothing = Bounds(.constant(false), .constant(true))
    /// What no row satisfies.
    static let never = Bounds(exact: .constant(false))

    /// What holds at most where the condition does.
    static func superset(_ condition: Condition) -> Bounds { Bounds(.constant(false), condition) }

    var negated: Bounds { Bounds(possible.negated, certain.negated, mayFail: mayFail) }

    /// The same, certain only where a further condition holds.
    func certain(if condition: Condition) -> Bounds { Bounds(.every([certain, condition]), possible) }
}
