// The zone by whose clocks days begin that are written without one.

package import FoundationEssentials
import Glibc
import Synchronization

/// The zone whose days the language means: `'2026-01-31'` beside a date is its start there, and `year()`, `month()` and
/// `day()` are those of its calendar. UTC, unless the process chooses another; dates in files and in results stay in
/// UTC.
package enum CivilZone {
    private static let isLocal = Atomic(false)

    /// Whether the clocks are those of another zone than UTC.
    package static var isElsewhere: Bool { isLocal.load(ordering: .relaxed) }

    /// Has days begin by the clocks of a zone, from now on and in all of the process: called once, before
    /// predicates are read.
    ///
    /// - Parameter name: As in the system's database, `Europe/Zurich`, or as hours and minutes east of Greenwich,
    ///   `+05:30`.
    /// - Returns: `false` for a zone that the system does not know.
    package static func use(_ name: String) -> Bool {
        guard let rule = rule(of: name) else { return false }
        // SAFETY: both texts are passed as NUL-terminated copies; no other thread reads the environment by now.
        guard unsafe setenv("TZ", rule, 1) == 0 else { return false }
        tzset()
        isLocal.store(rule != "UTC0", ordering: .relaxed)
        return true
    }

    /// What the C library calls the zone.
    private static func rule(of name: String) -> String? {
        if ["UTC", "Z", "GMT"].contains(name.uppercased()) { return "UTC0" }
        if let sign = name.first, sign == "+" || sign == "-" {
            let digits = name.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            guard digits.count <= 2,
                digits.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
                let hours = digits.first.flatMap({ Int($0) }),
                let minutes = digits.count == 2 ? Int(digits[1]) : 0, (0...14).contains(hours),
                (0..<60).contains(minutes)
            else { return nil }
            // POSIX counts to the west.
            let minutesText = digits.count == 2 ? String(digits[1]) : "00"
            let word = name.filter { $0 != ":" }
            return "<\(word)>\(sign == "+" ? "-" : "+")\(hours):\(minutesText)"
        }
        let letters = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789/_+-".unicodeScalars.contains(scalar))
        }
        guard letters, !name.isEmpty, name.first != "/" else { return nil }
        var status = stat()
        // SAFETY: the path is passed as a NUL-terminated copy, the structure lives on this frame.
        guard unsafe stat("/usr/share/zoneinfo/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return ":" + name
    }

    /// The date of a text: a moment, or the start of a day; `nil` when it is none.
    package static func date(_ text: String) -> Date? {
        guard isElsewhere, let day = RFC3339.day(text)
        else { return RFC3339.date(text) }
        return Date(timeIntervalSinceReferenceDate: Double(moment(ofLocal: day)))
    }

    /// The year, the month and the day of a date; nil beyond the years −9999 … 9999.
    package static func components(of date: Date) -> (year: Int, month: Int, day: Int)? {
        guard let parts = RFC3339.components(of: date) else { return nil }
        guard isElsewhere else { return (parts.year, parts.month, parts.day) }
        return RFC3339.civil(
            daysSince2001: RFC3339.split(local(Int(date.timeIntervalSinceReferenceDate.rounded(.down)))).day)
    }

    /// A date as RFC 3339 by the clocks of the zone, with their distance from UTC; in UTC where that has seconds, as
    /// it had before zones were agreed upon. `nil` as `RFC3339.format`.
    package static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard isElsewhere, abs(seconds) < 1e12 else { return RFC3339.format(seconds) }
        let offset = offset(at: Int(seconds.rounded(.down)))
        guard offset % 60 == 0, let text = RFC3339.format(seconds + Double(offset)) else {
            return RFC3339.format(seconds)
        }
        let sign = offset < 0 ? "-" : "+"
        let (hours, minutes) = (String(100 + abs(offset) / 3_600), String(100 + abs(offset) / 60 % 60))
        return "\(text.dropLast())\(sign)\(hours.suffix(2)):\(minutes.suffix(2))"
    }
}
