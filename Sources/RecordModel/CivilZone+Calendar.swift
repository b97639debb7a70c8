// Hours, days, weeks, months and years by the clocks of the zone.

import FoundationEssentials
import Glibc

extension CivilZone {
    /// A unit of the calendar.
    package enum Unit: Sendable {
        case hour, day
        /// From Monday on.
        case week
        case month, year
    }

    /// Where units begin, in seconds since 2001-01-01T00:00:00Z: ascending, the first start not above the range, the
    /// last one above it.
    ///
    /// A day begins when its date is first shown, be it at one o'clock, where the clocks leave midnight out; a day that
    /// they leave out has no start. An hour that they show twice begins twice.
    ///
    /// - Returns: `nil` for a range beyond the years −9999 … 9999.
    /// - Complexity: O(units).
    package static func starts(of unit: Unit, around range: ClosedRange<Double>) -> [Double]? {
        let lower = range.lowerBound.rounded(.down)
        guard abs(lower) < 1e12, abs(range.upperBound) < 1e12 else { return nil }
        var starts = unit == .hour ? [hour(of: Int(lower))] : []
        var number = number(of: unit, at: Int(lower))
        while starts.last.map({ Double($0) <= range.upperBound }) ?? true {
            guard let start = unit == .hour ? starts.last.map(nextHour) : start(of: unit, number) else { return nil }
            number += 1
            // Of a day that clocks leave out the next one has the start.
            if let last = starts.last, start <= last { continue }
            if start <= Int(lower) { starts.removeAll() }
            starts.append(start)
        }
        return starts.map(Double.init)
    }

    // MARK: Units by number

    /// Days, weeks, months or years from 2001-01-01, a Monday, to the one that the clocks show.
    private static func number(of unit: Unit, at moment: Int) -> Int {
        let (day, _) = RFC3339.split(local(moment))
        let civil = RFC3339.civil(daysSince2001: day)
        return switch unit {
        case .hour, .day: day
        case .week: day >= 0 ? day / 7 : -((6 - day) / 7)
        case .month: (civil.year - 2001) * 12 + civil.month - 1
        case .year: civil.year - 2001
        }
    }

    private static func start(of unit: Unit, _ number: Int) -> Int? {
        let months = unit == .year ? number * 12 : number
        let years = (months >= 0 ? months : months - 11) / 12
        let day =
            switch unit {
            case .hour, .day: number
            case .week: number * 7
            case .month, .year: RFC3339.daysSince2001(year: 2001 + years, month: months - years * 12 + 1, day: 1)
            }
        // A year more than those that have dates: the last unit ends with it.
        guard abs(day) < 12_500 * 366 else { return nil }
        return moment(ofLocal: day * 86_400)
    }

    // MARK: Hours

    /// When the clocks began to show the hour of a moment.
    private static func hour(of moment: Int) -> Int {
        let start = moment - RFC3339.split(local(moment)).second % 3_600
        return offset(at: start) == offset(at: moment) ? start : change(after: start, until: moment)
    }

    private static func nextHour(after start: Int) -> Int { start + 3_600 - RFC3339.split(local(start)).second % 3_600 }

    // MARK: Clocks

    /// What the clocks show at a moment, as if it were UTC.
    static func local(_ moment: Int) -> Int { moment + offset(at: moment) }

    /// When the clocks first show a time; when they leave it out, the moment at which they do.
    static func moment(ofLocal time: Int) -> Int {
        let (before, after) = (offset(at: time - 86_400), offset(at: time + 86_400))
        let moments = [time - before, time - after].filter { local($0) == time }
        return moments.min() ?? change(after: time - 86_400, until: time + 86_400)
    }

    /// The first moment whose distance from UTC is no more the one of `start`; `end` has another.
    private static func change(after start: Int, until end: Int) -> Int {
        let old = offset(at: start)
        var (low, high) = (start, end)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle) == old { low = middle } else { high = middle }
        }
        return high
    }

    /// Seconds that the clocks are ahead of UTC at a moment, in seconds since 2001-01-01T00:00:00Z.
    static func offset(at moment: Int) -> Int {
        var seconds = time_t(moment + 978_307_200)
        var time = unsafe tm()
        // SAFETY: both live on this frame. Nothing is written for years that have no number.
        guard unsafe localtime_r(&seconds, &time) != nil else { return 0 }
        return unsafe Int(time.tm_gmtoff)
    }
}
