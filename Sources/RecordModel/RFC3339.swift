// Dates of the form 2024-02-29T12:30:00Z, without a calendar library.

package import FoundationEssentials

/// The date form of RFC 3339, and the plain day `2024-02-29` read as midnight UTC.
package enum RFC3339 {
    /// The date of a text; nil when the text is none.
    ///
    /// Takes `T`, `t` or a blank between day and time, a fraction of any length, and `Z`, `z` or `±hh:mm` as zone.
    /// A second of 60 (a leap second) counts as the next second's first instant.
    package static func date(_ text: String) -> Date? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.digits(4), scanner.take(0x2D), let month = scanner.digits(2), scanner.take(0x2D),
            let day = scanner.digits(2), (1...12).contains(month), day >= 1, day <= daysInMonth(month, year)
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        if scanner.isAtEnd { return Date(timeIntervalSince1970: Double(days) * 86_400) }
        guard scanner.take(0x54) || scanner.take(0x74) || scanner.take(0x20), let hour = scanner.digits(2),
            scanner.take(0x3A), let minute = scanner.digits(2), scanner.take(0x3A), let second = scanner.digits(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        if scanner.take(0x2E) {
            guard let value = scanner.fraction() else { return nil }
            fraction = value
        }
        guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    /// The calendar day and the second of the day, UTC, of a date.
    ///
    /// Nil beyond the years −9999 … 9999, and for infinite dates. Fractions are cut off.
    package static func components(
        of date: Date
    ) -> (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int)? {
        let seconds = date.timeIntervalSince1970
        guard seconds > -377_705_116_800, seconds < 253_402_300_800 else { return nil }
        var whole = Int(seconds)
        if Double(whole) > seconds { whole -= 1 }
        let days = (whole >= 0 ? whole : whole - 86_399) / 86_400
        let second = whole - days * 86_400
        let (year, month, day) = civil(daysSince1970: days)
        return (year, month, day, second / 3600, second / 60 % 60, second % 60)
    }

    /// Days from 1970-01-01 of a proleptic Gregorian date (Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", days_from_civil).
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `daysSince1970` (civil_from_days of the same source).
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
    }

    private static func daysInMonth(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// A position in the bytes.
    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int? {
            guard position < bytes.count, bytes[position] &- 0x30 < 10 else { return nil }
            position += 1
            return Int(bytes[position - 1] - 0x30)
        }

        mutating func digits(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let next = digit() else { return nil }
                value = value * 10 + next
            }
            return value
        }

        /// A fraction of one or more digits; digits beyond the seventeenth do not change a Double.
        mutating func fraction() -> Double? {
            var value = 0
            var scale = 1.0
            var count = 0
            while let next = digit() {
                count += 1
                if count <= 17 {
                    value = value * 10 + next
                    scale *= 10
                }
            }
            return count == 0 ? nil : Double(value) / scale
        }

        /// Seconds east of UTC.
        mutating func zone() -> Int? {
            if take(0x5A) || take(0x7A) { return 0 }
            let isWest = take(0x2D)
            guard isWest || take(0x2B), let hour = digits(2), take(0x3A), let minute = digits(2), hour < 24, minute < 60
            else { return nil }
            return (isWest ? -1 : 1) * (hour * 3600 + minute * 60)
        }
    }
}
