// The zone by whose clocks days begin that are written without one.

package import FoundationEssentials
import Glibc
import Synchronization

/// The zone whose days the language means: `'2026-01-31'` beside a date is its start there, and `year()`, `month()` and
/// `day()` are those of its calendar. UTC, unless the process chooses another; dates in files and in results stay in
/// UTC.
package enum CivilZone {
    private static let isLocal = Atomic(false)

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
            guard digits.count <= 2, digits.allSatisfy({ $0.utf8.count == 2 }),
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
        guard text.utf8.count == 10, isLocal.load(ordering: .relaxed), let day = RFC3339.date(text),
            let parts = RFC3339.components(of: day)
        else { return RFC3339.date(text) }
        var time = unsafe tm()
        unsafe time.tm_year = Int32(parts.year - 1900)
        unsafe time.tm_mon = Int32(parts.month - 1)
        unsafe time.tm_mday = Int32(parts.day)
        unsafe time.tm_isdst = -1
        // SAFETY: the structure lives on this frame.
        return Date(timeIntervalSince1970: Double(unsafe mktime(&time)))
    }

    /// The year, the month and the day of a date; nil beyond the years −9999 … 9999.
    package static func components(of date: Date) -> (year: Int, month: Int, day: Int)? {
        guard let parts = RFC3339.components(of: date) else { return nil }
        guard isLocal.load(ordering: .relaxed) else { return (parts.year, parts.month, parts.day) }
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var time = unsafe tm()
        // SAFETY: both live on this frame.
        guard unsafe localtime_r(&seconds, &time) != nil else { return nil }
        return unsafe (Int(time.tm_year) + 1900, Int(time.tm_mon) + 1, Int(time.tm_mday))
    }
}
