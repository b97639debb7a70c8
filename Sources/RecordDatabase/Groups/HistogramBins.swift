// Into which bins a histogram cuts a range.

import FoundationEssentials
import Glibc
import RecordModel

/// The bins of a histogram.
public enum HistogramBins: Hashable, Sendable {
    /// So many bins of equal width from the smallest to the largest value, 1 to 65,536.
    case equal(Int)
    /// About so many bins, 1 to 65,536, whose width is 1, 2 or 5 times a power of ten and whose edges are multiples of
    /// it; of dates in seconds.
    case round(Int)
    /// Bins of the calendar, in UTC, for dates; weeks begin on Mondays. The command has them by the clocks of its
    /// `--time-zone`, so that a day may have 23 or 25 hours.
    case hour, day, week, month, year
    /// About ten bins of a round width, of dates the unit of the calendar that gives a few dozen bins at most.
    case automatic

    /// The most bins that a histogram has.
    static let most = 1 << 16

    /// Why values cannot be cut into bins.
    enum Failure: Error {
        case number(Int)
        case calendarOfNumbers
        case tooMany(Double)
        case beyondTheCalendar
        case tooWide

        /// The words of an error.
        var message: String {
            switch self {
            case .number(let count): "a histogram has 1 to \(HistogramBins.most) bins, not \(count)"
            case .calendarOfNumbers: "parts of the calendar are for dates"
            case .tooMany(let count):
                "the range has \(Int64(min(count, 1e15))) bins, and a histogram at most \(HistogramBins.most)"
            case .beyondTheCalendar: "the dates are outside of the calendar's years"
            case .tooWide: "the numbers are too far apart for edges that are finite numbers"
            }
        }

        var hint: String? {
            switch self {
            case .number, .beyondTheCalendar, .tooWide: nil
            case .calendarOfNumbers: "numbers are cut into a number of bins"
            case .tooMany: "choose wider bins, or put bounds into the predicate"
            }
        }
    }

    /// - Throws: `Failure` for a number of bins that no histogram has.
    func check() throws(Failure) {
        switch self {
        case .equal(let count), .round(let count):
            if !(1...Self.most).contains(count) { throw .number(count) }
        case .hour, .day, .week, .month, .year, .automatic: break
        }
    }

    /// The edges around a range, ascending, the last one above its end; `nil` for bins of equal width from end to end.
    /// - Throws: `Failure`.
    func edges(around range: ClosedRange<Double>, areDates: Bool) throws(Failure) -> [Double]? {
        let length = range.upperBound - range.lowerBound
        switch self {
        case .equal: return nil
        case .round(let count):
            return try Self.multiples(of: Self.roundWidth(of: range, count), around: range)
        case .automatic:
            return try (areDates ? Self.usual(for: length) : .round(10)).edges(around: range, areDates: areDates)
        case .hour, .day, .week, .month, .year:
            guard areDates else { throw .calendarOfNumbers }
            if CivilZone.isElsewhere { return try localEdges(around: range) }
            guard let seconds else { return try Self.months(around: range, perBin: self == .year ? 12 : 1) }
            return try Self.multiples(of: seconds, around: range)
        }
    }

    /// How many bins of equal width there are; one where other bins have no values.
    var count: Int { if case .equal(let count) = self { count } else { 1 } }

    /// The width of units that are all as wide.
    private var seconds: Double? {
        switch self {
        case .hour: 3_600
        case .day: 86_400
        // The reference date was a Monday.
        case .week: 604_800
        case .equal, .round, .month, .year, .automatic: nil
        }
    }

    /// The edges by the clocks of the zone that the process has chosen.
    private func localEdges(around range: ClosedRange<Double>) throws(Failure) -> [Double] {
        let unit: (unit: CivilZone.Unit, least: Double) =
            switch self {
            case .hour: (.hour, 1_800)
            case .day: (.day, 80_000)
            case .week: (.week, 600_000)
            case .month: (.month, 28 * 86_400)
            default: (.year, 365 * 86_400)
            }
        // Rather than to make them all first.
        let most = (range.upperBound - range.lowerBound) / unit.least
        guard most <= 4 * Double(Self.most) else { throw .tooMany(most) }
        guard let edges = CivilZone.starts(of: unit.unit, around: range) else { throw .beyondTheCalendar }
        guard edges.count - 1 <= Self.most else { throw .tooMany(Double(edges.count - 1)) }
        return edges
    }

    /// The unit of the calendar that gives a few dozen bins at most.
    private static func usual(for length: Double) -> HistogramBins {
        switch length {
        case ..<(2 * 86_400): .hour
        case ..<(60 * 86_400): .day
        case ..<(300 * 86_400): .week
        case ..<(5 * 366 * 86_400): .month
        default: .year
        }
    }

    /// A round width that gives about so many bins, and is no less than numbers of the range are apart.
    private static func roundWidth(of range: ClosedRange<Double>, _ count: Int) -> Double {
        // Halves: the length need not be a number that is finite.
        let half = (range.upperBound / 2 - range.lowerBound / 2) / Double(count)
        let width = roundWidth(2 * half)
        let least = 4 * max(abs(range.lowerBound), abs(range.upperBound)).ulp
        return width < least ? roundWidth(least) : width
    }

    /// The least of 1, 2, 5 times a power of ten that is not below a width.
    private static func roundWidth(_ width: Double) -> Double {
        guard width > 0, width.isFinite else { return 1 }
        let power = Double("1e\(Int((log10(width)).rounded(.down)))") ?? 1
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= width * (1 - 1e-9) } ?? 10 * power
    }

    private static func multiples(of width: Double, around range: ClosedRange<Double>) throws(Failure) -> [Double] {
        let first = (range.lowerBound / width).rounded(.down)
        let last = (range.upperBound / width).rounded(.down) + 1
        guard (first * width).isFinite, (last * width).isFinite else { throw .tooWide }
        // Where numbers are farther apart than bins are wide, the edges would not ascend.
        guard first + 1 > first, last - 1 < last else { throw .beyondTheCalendar }
        guard last - first <= Double(most) else { throw .tooMany(last - first) }
        // Tenths and their like are divided by a whole number, so that edges are the nearest to what is written.
        let inverse = (1 / width).rounded()
        let isFraction = width < 1 && inverse > 0 && inverse.isFinite
        return (0...Int(last - first)).map { step in
            let count = first + Double(step)
            return isFraction ? count / inverse : count * width
        }
    }

    private static func months(around range: ClosedRange<Double>, perBin: Int) throws(Failure) -> [Double] {
        func month(_ seconds: Double) -> Int? {
            RFC3339.components(of: Date(timeIntervalSinceReferenceDate: seconds)).map { $0.year * 12 + $0.month - 1 }
        }
        guard let first = month(range.lowerBound), let last = month(range.upperBound) else {
            throw .beyondTheCalendar
        }
        let start = (first >= 0 ? first : first - perBin + 1) / perBin * perBin
        let count = (last - start) / perBin + 1
        guard count <= most else { throw .tooMany(Double(count)) }
        var edges: [Double] = []
        for step in 0...count {
            let month = start + step * perBin
            let digits = String(10_000 + month / 12).suffix(4) + "-" + String(101 + month % 12).suffix(2)
            // Dates are written up to the year 9999, whose last bin ends with its last day.
            let isLast = month == 10_000 * 12
            guard let date = RFC3339.date(isLast ? "9999-12-31" : digits + "-01") else { throw .beyondTheCalendar }
            edges.append(date.timeIntervalSinceReferenceDate + (isLast ? 86_400 : 0))
        }
        return edges
    }
}
