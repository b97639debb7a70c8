// The values between two bounds, and the same in the terms of a column: closed, and of the column's own kind.

import FoundationEssentials
import PredicateSemantics
import RecordModel

/// The values of one family between two bounds, of which either may be missing.
struct Interval {
    var lower: FieldConstraint.Bound?
    var upper: FieldConstraint.Bound?

    /// The bounds that there are.
    var bounds: [FieldConstraint.Bound] { [lower, upper].compactMap(\.self) }

    /// The values of both intervals.
    ///
    /// - Parameter order: The sign of the order of two values; `nil` where they have none, or it is not known.
    /// - Returns: `nil` when that order would have to be known.
    func intersection(_ other: Interval, by order: (FieldValue, FieldValue) -> Int?) -> Interval? {
        guard let lower = Self.narrower(lower, other.lower, 1, order),
            let upper = Self.narrower(upper, other.upper, -1, order)
        else { return nil }
        return Interval(lower: lower, upper: upper)
    }

    /// Whether nothing lies between the bounds; `nil` when these have no order.
    func isEmpty(by order: (FieldValue, FieldValue) -> Int?) -> Bool? {
        guard let lower, let upper else { return false }
        return order(lower.value, upper.value).map { $0 > 0 || $0 == 0 && !(lower.isInclusive && upper.isInclusive) }
    }

    /// The narrower of two bounds, by `sign` the higher or the lower; `nil` when they have no order.
    private static func narrower(
        _ a: FieldConstraint.Bound?, _ b: FieldConstraint.Bound?, _ sign: Int,
        _ order: (FieldValue, FieldValue) -> Int?
    ) -> FieldConstraint.Bound?? {
        guard let a else { return .some(b) }
        guard let b else { return .some(a) }
        guard let order = order(a.value, b.value) else { return nil }
        if order == 0 { return .some(a.isInclusive ? b : a) }
        return .some(order * sign > 0 ? a : b)
    }
}

/// A closed range of integers that is equivalent to bounds of any kind; `nil` when it is empty.
struct IntBounds {
    var low: Int64
    var high: Int64

    /// - Returns: `nil` when no integer lies within the bounds. Bounds are numbers.
    init?(_ interval: Interval) {
        guard let low = interval.lower.map(Self.least) ?? Int64.min,
            let high = interval.upper.map(Self.greatest) ?? Int64.max, low <= high
        else { return nil }
        self.low = low
        self.high = high
    }

    /// The least integer within a lower bound.
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

    /// The greatest integer within an upper bound.
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
struct DoubleBounds {
    var low: Double
    var high: Double

    /// - Returns: `nil` when a bound is NaN or of another family; an empty range has `low` above `high`.
    init?(_ interval: Interval) {
        guard let low = interval.lower.map({ Self.end($0, .up) }) ?? -.infinity,
            let high = interval.upper.map({ Self.end($0, .down) }) ?? .infinity
        else { return nil }
        let isEmpty = Self.isOpen(interval.lower, at: .infinity) || Self.isOpen(interval.upper, at: -.infinity)
        (self.low, self.high) = isEmpty ? (.infinity, -.infinity) : (low, high)
    }

    /// Whether a bound keeps out an infinity, behind which there is nothing.
    private static func isOpen(_ bound: FieldConstraint.Bound?, at end: Double) -> Bool {
        guard let bound, !bound.isInclusive else { return false }
        return bound.value == .double(end) || bound.value == .date(Date(timeIntervalSinceReferenceDate: end))
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
