// CAST: the closed table of conversions.

import FoundationEssentials
import Glibc
import RecordModel

/// The conversions of `CAST(value, 'Type')`.
enum Casting {
    /// The types that CAST knows.
    enum Target: String, CaseIterable {
        case string = "NSString"
        case number = "NSNumber"
        case date = "NSDate"
        case decimalNumber = "NSDecimalNumber"
    }

    /// The types in the words of messages.
    static let targets = Target.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The converted value; a nil value or type leaves the value as it is.
    ///
    /// | from | NSString | NSNumber | NSDecimalNumber | NSDate |
    /// |---|---|---|---|---|
    /// | text | itself | a fraction with `.` or an exponent, else an integer; nil when it is none | as NSNumber | – |
    /// | number | shortest decimal form | itself | itself | seconds since 2001 |
    /// | date | `2001-01-01 00:00:00 +0000` | seconds since 2001 | – | itself |
    ///
    /// - Throws: `ValueFault` for a type or a conversion outside the table; operand 0 is the value, 1 the type.
    static func cast(_ value: FieldValue, to type: FieldValue) throws(ValueFault) -> FieldValue {
        if value.isNull || type.isNull { return value }
        guard case .string(let name) = type, let target = Target(rawValue: name) else {
            throw ValueFault(
                .invalidCast, "CAST knows no such type", hint: "CAST converts to \(targets)", operand: 1)
        }
        switch (target, value) {
        case (.string, .string), (.date, .date), (.number, .bool), (.number, .int64), (.number, .double),
            (.decimalNumber, .bool), (.decimalNumber, .int64), (.decimalNumber, .double):
            return value
        case (.string, .bool(let value)): return .string(value ? "1" : "0")
        case (.string, .int64(let value)): return .string(String(value))
        case (.string, .double(let value)):
            return .string(NumericOrder.integer(value).map { String($0) } ?? value.description)
        case (.string, .date(let date)): return text(of: date).map { .string($0) } ?? .null
        case (.number, .string(let text)), (.decimalNumber, .string(let text)): return number(text)
        case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case (.date, _):
            guard let seconds = value.number?.asDouble, seconds.isFinite else { break }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        default: break
        }
        throw ValueFault(
            .invalidCast, "CAST makes no \(name) from \(value.phrase)",
            hint: target == .date ? "dates come from seconds since 2001, or pass a date as argument" : nil, operand: 0)
    }

    /// The number that a text spells; nil when it spells none.
    private static func number(_ text: String) -> FieldValue {
        var bytes = text.utf8[...]
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        let trimmed = String(Substring(bytes))
        if !trimmed.utf8.contains(where: { $0 == 0x2E || $0 | 0x20 == 0x65 }), let integer = Int64(trimmed) {
            return .int64(integer)
        }
        // Only digits, a sign, a point and an exponent: no "nan", "inf" or hexadecimal.
        let isPlain = trimmed.utf8.allSatisfy {
            (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        guard isPlain, let double = Double(trimmed) else { return .null }
        return .double(double)
    }

    private static func text(of date: Date) -> String? {
        RFC3339.components(of: date).map { parts in
            func pad(_ value: Int, _ width: Int) -> String {
                let digits = String(abs(value))
                return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
            return "\(pad(parts.year, 4))-\(pad(parts.month, 2))-\(pad(parts.day, 2)) "
                + "\(pad(parts.hour, 2)):\(pad(parts.minute, 2)):\(pad(parts.second, 2)) +0000"
        }
    }
}
