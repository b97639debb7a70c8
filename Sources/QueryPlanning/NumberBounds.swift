// Ranges of numbers in the terms of a column: closed, and in the column's own kind.

import FoundationEssentials
import PredicateSemantics
import RecordModel

/// A closed range of whole numbers that is equivalent to bounds of any kind; `nil` when it is empty.
struct WholeBounds {
    var low: Int64
    var high: Int64

    /// - Returns: `nil` when no whole number lies within the bounds. Bounds are numbers.
    init?(lower: FieldConstraint.Bound?, upper: FieldConstraint.Bound?) {
        guard let low = lower.map(Self.least) ?? Int64.min, let high = upper.map(Self.greatest) ?? Int64.max,
            low <= high
        else { return nil }
        self.low = low
        self.high = high
    }

    /// The least whole number within a lower bound.
    private static func least(_ bound: FieldConstraint.Bound) -> Int64? {
        switch bound.value.number {
        case .integer(let value):
            if bound.isInclusive { return value }
            return value == .max ? nil : value + 1
        case .double(let value):
            if value.isNaN || value >= 0x1p63 { return nil }
            if value < -0x1p63 { return .min }
            let floor = value.rounded(.down)
            let whole = Int64(floor)
            if floor == value, bound.isInclusive { return whole }
            return whole == .max ? nil : whole + 1
        case nil: return nil
        }
    }

    /// The greatest whole number within an upper bound.
    private static func greatest(_ bound: FieldConstraint.Bound) -> Int64? {
        switch bound.value.number {
        case .integer(let value):
            if bound.isInclusive { return value }
            return value == .min ? nil : value - 1
        case .double(let value):
            if value.isNaN || value >= 0x1p63 { return .max }
            if value < -0x1p63 { return nil }
            let floor = value.rounded(.down)
            let whole = Int64(floor)
            if floor == value, !bound.isInclusive { return whole == .min ? nil : whole - 1 }
            return whole
        case nil: return nil
        }
    }
}

/// A closed range of doubles that is equivalent to bounds of any kind, for columns without NaN.
struct FractionalBounds {
    var low: Double
    var high: Double

    /// - Returns: `nil` when a bound is NaN or of another family; an empty range has `low` above `high`.
    init?(lower: FieldConstraint.Bound?, upper: FieldConstraint.Bound?) {
        guard let low = lower.map({ Self.end($0, .up) }) ?? -.infinity,
            let high = upper.map({ Self.end($0, .down) }) ?? .infinity
        else { return nil }
        self.low = low
        self.high = high
    }

    private enum Inwards { case up, down }

    /// The bound as the outermost double within it.
    private static func end(_ bound: FieldConstraint.Bound, _ inwards: Inwards) -> Double? {
        let (nearest, order): (Double, Int)
        if case .date(let date) = bound.value {
            (nearest, order) = (date.timeIntervalSinceReferenceDate, 0)
        } else {
            switch bound.value.number {
            case .integer(let value): (nearest, order) = (Double(value), NumericOrder.compare(value, Double(value)))
            case .double(let value): (nearest, order) = (value, 0)
            case nil: return nil
            }
        }
        guard !nearest.isNaN else { return nil }
        // `order` tells where the bound lies from its nearest double.
        switch inwards {
        case .up: return order > 0 || (order == 0 && !bound.isInclusive) ? nearest.nextUp : nearest
        case .down: return order < 0 || (order == 0 && !bound.isInclusive) ? nearest.nextDown : nearest
        }
    }
}
