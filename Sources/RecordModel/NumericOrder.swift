// The one order of numbers: integers, fractions and truth values by exact value.

/// The total order of numbers that every comparison, index and sort uses.
///
/// Int64 and Double compare by exact value, never through a rounding conversion. `-0.0` equals `0.0`. NaN equals
/// NaN and sorts above every other number, infinity included: the place where PostgreSQL and DuckDB put it.
@usableFromInline
package enum NumericOrder {
    /// −1, 0 or 1 as `a` is below, equal to or above `b`.
    @inlinable
    package static func compare(_ a: Int64, _ b: Int64) -> Int { a < b ? -1 : (a > b ? 1 : 0) }

    /// −1, 0 or 1 as `a` is below, equal to or above `b`; NaN is above all and equal to itself.
    @inlinable
    package static func compare(_ a: Double, _ b: Double) -> Int {
        if a < b { return -1 }
        if a > b { return 1 }
        if a == b { return 0 }
        return (a.isNaN ? 1 : 0) - (b.isNaN ? 1 : 0)
    }

    /// −1, 0 or 1 as `a` is below, equal to or above `b`, by exact value.
    @inlinable
    package static func compare(_ a: Int64, _ b: Double) -> Int {
        if b.isNaN || b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        // In range, so the conversion truncates toward zero and cannot trap.
        let whole = Int64(b)
        if a != whole { return a < whole ? -1 : 1 }
        let fraction = b - Double(whole)
        return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
    }

    /// The integer of that value, where there is one: `2.0` gives 2, `2.5`, NaN and `1e300` give nil.
    @inlinable
    package static func integer(_ value: Double) -> Int64? { Int64(exactly: value) }
}

extension FieldValue {
    /// A number as the language sees it: truth values count as 1 and 0.
    @usableFromInline
    package enum Number: Sendable {
        case integer(Int64)
        case double(Double)

        /// The value as a floating-point number, rounded where 64 bits do not fit.
        @inlinable
        package var asDouble: Double {
            switch self {
            case .integer(let value): Double(value)
            case .double(let value): value
            }
        }

        /// The value as an integer, where it is one that fits 64 bits.
        @inlinable
        package var asInteger: Int64? {
            switch self {
            case .integer(let value): value
            case .double(let value): NumericOrder.integer(value)
            }
        }

        /// The field value of this number.
        @inlinable
        package var fieldValue: FieldValue {
            switch self {
            case .integer(let value): .int64(value)
            case .double(let value): .double(value)
            }
        }

        /// −1, 0 or 1 by `NumericOrder`.
        @inlinable
        package static func compare(_ a: Number, _ b: Number) -> Int {
            switch (a, b) {
            case (.integer(let a), .integer(let b)): NumericOrder.compare(a, b)
            case (.double(let a), .double(let b)): NumericOrder.compare(a, b)
            case (.integer(let a), .double(let b)): NumericOrder.compare(a, b)
            case (.double(let a), .integer(let b)): -NumericOrder.compare(b, a)
            }
        }
    }

    /// The value as a number: integers, fractions and truth values; nil for everything else.
    @inlinable
    package var number: Number? {
        switch self {
        case .int64(let value): .integer(value)
        case .double(let value): .double(value)
        case .bool(let value): .integer(value ? 1 : 0)
        default: nil
        }
    }
}
