// The type of a field over several segments.

import RecordModel

extension FieldType {
    /// The type that covers the values of both, one of which may have no value at all.
    func covering(_ other: FieldType) -> FieldType {
        if self == .any { return other }
        return other == .any ? self : merged(with: other)
    }

    /// The type that covers the values of both.
    func merged(with other: FieldType) -> FieldType {
        switch (self, other) {
        case (let a, let b) where a == b: a
        case (.int64, .double), (.double, .int64), (.number, .int64), (.number, .double), (.int64, .number),
            (.double, .number):
            .number
        case (.list(let a?), .list(let b?)): .list(a.merged(with: b))
        case (.list(nil), .list), (.list(_?), .list(nil)): self == .list(nil) ? other : self
        default: .any
        }
    }
}
