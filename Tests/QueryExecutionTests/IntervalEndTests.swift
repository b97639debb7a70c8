// Bounds of any kind in the terms of a column: the outermost whole number, or double, within each.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import Testing

@testable import QueryPlanning

@Suite struct IntervalEndTests {
    private static let edge: Int64 = 1 << 53

    private static func bound(_ value: FieldValue, _ isInclusive: Bool) -> FieldConstraint.Bound {
        FieldConstraint.Bound(value, isInclusive: isInclusive)
    }

    /// A value with the least and the greatest whole number within it as a bound, closed and open; `nil` for none.
    private static let wholes: [(value: FieldValue, least: (Int64?, Int64?), greatest: (Int64?, Int64?))] = [
        (3, (3, 4), (3, 2)), (0, (0, 1), (0, -1)), (true, (1, 2), (1, 0)), (false, (0, 1), (0, -1)),
        (.int64(.max), (.max, nil), (.max, .max - 1)), (.int64(.min), (.min, .min + 1), (.min, nil)),
        (2.0, (2, 3), (2, 1)), (2.5, (3, 3), (2, 2)), (-2.5, (-2, -2), (-3, -3)), (-2.0, (-2, -1), (-2, -3)),
        (.double(-0.0), (0, 1), (0, -1)), (0.25, (1, 1), (0, 0)), (-0.25, (0, 0), (-1, -1)),
        (.double(0x1p63), (nil, nil), (.max, .max)), (.double(0x1p64), (nil, nil), (.max, .max)),
        (.double(0x1p63.nextDown), (.max - 1023, .max - 1022), (.max - 1023, .max - 1024)),
        (.double(-0x1p63), (.min, .min + 1), (.min, nil)), (.double(-0x1p64), (.min, .min), (nil, nil)),
        (.double(.infinity), (nil, nil), (.max, .max)), (.double(-.infinity), (.min, .min), (nil, nil)),
        // What is no number is above all that are.
        (.double(.nan), (nil, nil), (.max, .max)),
    ]

    @Test func wholeNumbersWithinABound() {
        for (value, least, greatest) in Self.wholes {
            for (isInclusive, low, high) in [(true, least.0, greatest.0), (false, least.1, greatest.1)] {
                let bound = Self.bound(value, isInclusive)
                let above = IntBounds(Interval(lower: bound, upper: nil))
                #expect(above?.low == low && above.map { $0.high == .max } ?? true, "\(value) \(isInclusive)")
                let below = IntBounds(Interval(lower: nil, upper: bound))
                #expect(below?.high == high && below.map { $0.low == .min } ?? true, "\(value) \(isInclusive)")
            }
        }
        let all = IntBounds(Interval())
        #expect(all?.low == .min && all?.high == .max)
    }

    /// A range of one number is one; where no whole number is between the ends there is no range.
    @Test func rangesOfWholeNumbers() {
        let cases: [(low: FieldValue, isLowIn: Bool, high: FieldValue, isHighIn: Bool, bounds: ClosedRange<Int64>?)] = [
            (3, true, 3, true, 3...3), (3, true, 3, false, nil), (3, false, 4, false, nil), (3, false, 4, true, 4...4),
            (2.25, true, 2.75, true, nil), (2.25, true, 3.25, true, 3...3), (4, true, 3, true, nil),
            (-1.5, false, 1.5, false, -1...1), (.double(-.infinity), true, .double(.infinity), true, .min ... .max),
        ]
        for (low, isLowIn, high, isHighIn, expected) in cases {
            let interval = Interval(lower: Self.bound(low, isLowIn), upper: Self.bound(high, isHighIn))
            #expect(IntBounds(interval).map { $0.low...$0.high } == expected, "\(low) \(high)")
        }
    }

    /// A value with the least and the greatest double within it as a bound, closed and open.
    private static let doubles: [(value: FieldValue, least: (Double, Double), greatest: (Double, Double))] = [
        (1.5, (1.5, 1.5.nextUp), (1.5, 1.5.nextDown)), (2, (2, 2.0.nextUp), (2, 2.0.nextDown)),
        (true, (1, 1.0.nextUp), (1, 1.0.nextDown)), (-2.5, (-2.5, (-2.5).nextUp), (-2.5, (-2.5).nextDown)),
        (0, (0, 0.0.nextUp), (0, 0.0.nextDown)), (.double(-0.0), (0, 0.0.nextUp), (0, 0.0.nextDown)),
        // Beyond 2^53 a whole number may lie between two doubles: here 2^53 + 1, and 2^53 + 3, of which the nearest is
        // the lower and the higher.
        (.int64(edge), (0x1p53, 0x1p53 + 2), (0x1p53, 0x1p53 - 1)),
        (.int64(edge + 1), (0x1p53 + 2, 0x1p53 + 2), (0x1p53, 0x1p53)),
        (.int64(edge + 3), (0x1p53 + 4, 0x1p53 + 4), (0x1p53 + 2, 0x1p53 + 2)),
        (.int64(-edge - 1), (-0x1p53, -0x1p53), (-0x1p53 - 2, -0x1p53 - 2)),
        (.int64(-edge - 3), (-0x1p53 - 2, -0x1p53 - 2), (-0x1p53 - 4, -0x1p53 - 4)),
        (.int64(.max), (0x1p63, 0x1p63), (0x1p63.nextDown, 0x1p63.nextDown)),
        (.int64(.min), (-0x1p63, (-0x1p63).nextUp), (-0x1p63, (-0x1p63).nextDown)),
        (
            .date(Date(timeIntervalSinceReferenceDate: 5.5)), (5.5, 5.5.nextUp), (5.5, 5.5.nextDown)
        ),
    ]

    @Test func doublesWithinABound() {
        for (value, least, greatest) in Self.doubles {
            for (isInclusive, low, high) in [(true, least.0, greatest.0), (false, least.1, greatest.1)] {
                let bound = Self.bound(value, isInclusive)
                let above = DoubleBounds(Interval(lower: bound, upper: nil))
                #expect(above?.low == low && above?.high == .infinity, "\(value) \(isInclusive)")
                let below = DoubleBounds(Interval(lower: nil, upper: bound))
                #expect(below?.high == high && below?.low == -.infinity, "\(value) \(isInclusive)")
            }
        }
        let strangers: [FieldValue] = [
            "a", .double(.nan), [1], .date(Date(timeIntervalSinceReferenceDate: .nan)),
        ]
        for value in strangers {
            for isInclusive in [true, false] {
                let bound = Self.bound(value, isInclusive)
                #expect(DoubleBounds(Interval(lower: bound, upper: nil)) == nil, "\(value)")
                #expect(DoubleBounds(Interval(lower: nil, upper: bound)) == nil, "\(value)")
                #expect(DoubleBounds(Interval(lower: Self.bound(0, true), upper: bound)) == nil, "\(value)")
            }
        }
    }

    /// Beyond an infinity that is left out there is nothing.
    @Test func nothingLiesBeyondTheInfinities() {
        func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        let infinity = Double.infinity
        let cases: [(value: FieldValue, isUpper: Bool, isInclusive: Bool, isEmpty: Bool)] = [
            (.double(-infinity), true, false, true), (.double(-infinity), true, true, false),
            (.double(infinity), false, false, true), (.double(infinity), false, true, false),
            (.double(-infinity), false, false, false), (.double(infinity), true, false, false),
            (date(-infinity), true, false, true), (date(infinity), false, false, true),
            (date(infinity), true, false, false),
        ]
        for (value, isUpper, isInclusive, isEmpty) in cases {
            let bound = Self.bound(value, isInclusive)
            let bounds = DoubleBounds(Interval(lower: isUpper ? nil : bound, upper: isUpper ? bound : nil))
            #expect(bounds.map { $0.low > $0.high } == isEmpty, "\(value) \(isUpper) \(isInclusive)")
        }
    }

    private static func order(_ a: FieldValue, _ b: FieldValue) -> Int? {
        guard case .int64(let a) = a, case .int64(let b) = b else { return nil }
        return a < b ? -1 : a > b ? 1 : 0
    }

    /// Both ends of an intersection are the narrower ones; without an order of values that have to be compared there is
    /// none.
    @Test func intersections() {
        typealias End = FieldConstraint.Bound?
        func interval(_ low: End, _ high: End) -> Interval { Interval(lower: low, upper: high) }
        let (one, two, three) = (Self.bound(1, true), Self.bound(2, true), Self.bound(3, true))
        let (openTwo, text) = (Self.bound(2, false), Self.bound("a", true))
        let cases: [(a: Interval, b: Interval, both: Interval?)] = [
            (interval(one, three), interval(two, nil), interval(two, three)),
            (interval(one, three), interval(nil, two), interval(one, two)),
            (interval(nil, nil), interval(one, two), interval(one, two)),
            (interval(two, nil), interval(openTwo, nil), interval(openTwo, nil)),
            (interval(nil, two), interval(nil, openTwo), interval(nil, openTwo)),
            (interval(one, nil), interval(nil, text), interval(one, text)),
            (interval(one, nil), interval(text, nil), nil), (interval(nil, one), interval(nil, text), nil),
        ]
        for (a, b, expected) in cases {
            for both in [a.intersection(b, by: Self.order), b.intersection(a, by: Self.order)] {
                #expect(both?.lower == expected?.lower && both?.upper == expected?.upper)
                #expect((both == nil) == (expected == nil))
            }
        }
        let empty: [(low: End, high: End, isEmpty: Bool?)] = [
            (one, two, false), (two, one, true), (two, two, false), (openTwo, two, true), (two, openTwo, true),
            (openTwo, openTwo, true), (one, openTwo, false), (nil, one, false), (one, nil, false), (one, text, nil),
        ]
        for (low, high, isEmpty) in empty {
            #expect(interval(low, high).isEmpty(by: Self.order) == isEmpty)
        }
    }
}
