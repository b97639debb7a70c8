// Dates as RFC 3339 text.

package import FoundationEssentials
import RecordModel

extension RFC3339 {
    /// The text in UTC, with as many digits of a second (up to six) as are needed: `2024-05-01T12:00:00.25Z`.
    /// A date outside the years 0 … 9999 gives its seconds since 1970.
    package static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        var microseconds = ((seconds - seconds.rounded(.down)) * 1_000_000).rounded()
        var whole = date
        if microseconds >= 1_000_000 {
            microseconds = 0
            whole = Date(timeIntervalSince1970: seconds.rounded(.up))
        }
        guard let parts = components(of: whole), parts.year >= 0 else { return String(seconds) }
        var text = "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))T"
        text += "\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2))"
        if microseconds > 0 {
            var digits = padded(Int(microseconds), 6)
            while digits.hasSuffix("0") { digits.removeLast() }
            text += "." + digits
        }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
