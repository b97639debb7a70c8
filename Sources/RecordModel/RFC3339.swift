// Dates as text: RFC 3339, proleptic Gregorian calendar, no leap seconds, without a calendar library.

package import FoundationEssentials

/// Reads and prints dates of RFC 3339, such as `2025-07-04T12:00:00.5+02:00`.
///
/// `T` and `Z` may be lower case, a blank may stand for `T`, a fraction may have any length, and second 60 (a leap
/// second) is the first of the next minute.
package enum RFC3339 {
    /// The date of a text, which may be a plain day, `2024-02-29`, read as midnight UTC; `nil` when it is none.
    package static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { unsafe parseDateOrDay($0) }.map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The seconds since 2001 of midnight UTC of a plain day, `2024-02-29`; `nil` for other texts.
    package static func day(_ text: String) -> Int? {
        guard text.utf8.count == 10 else { return nil }
        var text = text
        return text.withUTF8 { unsafe day($0) }.map { $0 * 86_400 }
    }

    /// The seconds since 2001 of a date with time and zone, or of midnight UTC of a plain day; `nil` for other texts.
    package static func parseDateOrDay(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        if text.count == 10, let day = unsafe day(text) { return Double(day) * 86_400 }
        return unsafe parse(text)
    }

    /// The calendar day and the second of the day, UTC, of a date.
    ///
    /// Nil beyond the years −9999 … 9999, and for infinite dates. Fractions are cut off.
    package static func components(
        of date: Date
    ) -> (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int)? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard abs(seconds) < 1e12 else { return nil }
        let (day, second) = split(floor(seconds))
        let (year, month, dayOfMonth) = civil(daysSince2001: day)
        guard abs(year) <= 9999 else { return nil }
        return (year, month, dayOfMonth, second / 3600, second / 60 % 60, second % 60)
    }

    /// The seconds since 2001 of a date with time and zone, or `nil` when the text is none.
    /// - Complexity: O(length), at once for most other texts.
    package static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        let count = text.count
        guard count >= 20, unsafe text[13] == 0x3A, unsafe text[16] == 0x3A,
            unsafe text[10] | 0x20 == 0x74 || text[10] == 0x20, let day = unsafe day(text),
            let hour = unsafe digits(text, 11, 2), let minute = unsafe digits(text, 14, 2),
            let second = unsafe digits(text, 17, 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        var position = 19
        var fraction = 0.0
        if unsafe text[position] == 0x2E {
            position += 1
            var numerator = 0.0
            var denominator = 1.0
            let start = position
            while position < count, case let digit = unsafe text[position] &- 0x30, digit < 10 {
                // Digits beyond the eighteenth cannot change the double.
                if position - start < 18 {
                    numerator = numerator * 10 + Double(digit)
                    denominator *= 10
                }
                position += 1
            }
            guard position > start else { return nil }
            fraction = numerator / denominator
        }
        guard let offset = unsafe zoneOffset(text, at: position) else { return nil }
        let whole = day * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Double(whole) + fraction
    }

    /// The seconds since 2001 of a date text, or `nil` when it is not one.
    package static func parse(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { unsafe parse($0) }
    }

    /// The date as RFC 3339 in UTC with as many digits as it takes to read back the same number (at most nine);
    /// `nil` outside the years 0000 to 9999 and for numbers that are not finite.
    package static func format(_ seconds: Double) -> String? {
        guard let text = formatBytes(seconds) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// The same as ASCII bytes, for those that read back the same number; `nil` for all others.
    package static func exactBytes(_ seconds: Double) -> [UInt8]? {
        guard let text = formatBytes(seconds) else { return nil }
        let read = unsafe text.withUnsafeBufferPointer { unsafe parse($0) }
        return read == seconds ? text : nil
    }

    /// The date as RFC 3339 as ASCII bytes, as `format` has it.
    package static func formatBytes(_ seconds: Double) -> [UInt8]? {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
        var whole = floor(seconds)
        var (fraction, digits) = fractionDigits(of: seconds, whole: whole)
        if digits == 0, fraction == 1 {
            whole += 1
            fraction = 0
        }
        let (day, time) = split(whole)
        let (year, month, dayOfMonth) = civil(daysSince2001: day)
        guard year >= 0, year <= 9999 else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(30)
        append(year, 4, to: &text)
        text.append(0x2D)
        append(month, 2, to: &text)
        text.append(0x2D)
        append(dayOfMonth, 2, to: &text)
        text.append(0x54)
        append(time / 3600, 2, to: &text)
        text.append(0x3A)
        append(time / 60 % 60, 2, to: &text)
        text.append(0x3A)
        append(time % 60, 2, to: &text)
        if digits > 0 {
            text.append(0x2E)
            append(fraction, digits, to: &text)
        }
        text.append(0x5A)
        return text
    }

    /// The fewest digits of a fraction that give the same double again, by the arithmetic of `parse`.
    private static func fractionDigits(of seconds: Double, whole: Int) -> (fraction: Int, digits: Int) {
        let rest = seconds - Double(whole)
        guard rest > 0 else { return (0, 0) }
        var scale = 1.0
        var best = (fraction: 0, digits: 0)
        for digits in 1...9 {
            scale *= 10
            let scaled = Int(rest * scale + 0.5)
            // All nines round up to a whole second, which counts only if no digit more tells it from one.
            guard Double(scaled) < scale else {
                if digits == 9 { return (1, 0) }
                continue
            }
            best = (scaled, digits)
            if Double(whole) + Double(scaled) / scale == seconds { break }
        }
        return best
    }

    /// The whole number at or below seconds that fit an integer.
    private static func floor(_ seconds: Double) -> Int {
        let whole = Int(seconds)
        return Double(whole) > seconds ? whole - 1 : whole
    }

    /// The day and the second of the day of seconds, both counted from 2001-01-01T00:00:00.
    static func split(_ seconds: Int) -> (day: Int, second: Int) {
        let day = seconds >= 0 ? seconds / 86_400 : -((-seconds + 86_399) / 86_400)
        return (day, seconds - day * 86_400)
    }

    /// Days from 2001-01-01 to the day in the first ten bytes, or `nil`.
    private static func day(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard unsafe text[4] == 0x2D, unsafe text[7] == 0x2D, let year = unsafe digits(text, 0, 4),
            let month = unsafe digits(text, 5, 2), let day = unsafe digits(text, 8, 2), month >= 1, month <= 12,
            day >= 1, day <= daysInMonth(month, year: year)
        else { return nil }
        return daysSince2001(year: year, month: month, day: day)
    }

    private static func append(_ number: Int, _ width: Int, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            text.append(0x30 + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    @inline(__always)
    private static func digits(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var number = 0
        var areDigits = true
        for position in start..<(start &+ count) {
            let digit = unsafe text[position] &- 0x30
            if digit >= 10 { areDigits = false }
            number = number &* 10 &+ Int(digit)
        }
        return areDigits ? number : nil
    }

    /// Seconds east of UTC of the zone that ends the text, or `nil`.
    private static func zoneOffset(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
        guard position < text.count else { return nil }
        let sign = unsafe text[position]
        if sign | 0x20 == 0x7A { return position + 1 == text.count ? 0 : nil }
        guard sign == 0x2B || sign == 0x2D, position + 6 == text.count, unsafe text[position + 3] == 0x3A,
            let hours = unsafe digits(text, position + 1, 2), let minutes = unsafe digits(text, position + 4, 2),
            hours < 24, minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == 0x2D ? -1 : 1)
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 0000-03-01, where cycles of 400 years are counted from, to 2001-01-01.
    private static let daysFrom0000MarchTo2001 = 730_791

    /// Days from 2001-01-01 (after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"): whole 400-year
    /// cycles, then years that begin in March, so that the leap day is last.
    static func daysSince2001(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let cycle = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfCycle = shifted - cycle * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * 146_097 + dayOfCycle - daysFrom0000MarchTo2001
    }

    /// The inverse of `daysSince2001`.
    static func civil(daysSince2001: Int) -> (year: Int, month: Int, day: Int) {
        let days = daysSince2001 + daysFrom0000MarchTo2001
        let cycle = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfCycle = days - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
