// Values of tables that others made, from the server's binary form.

import FoundationEssentials
import RecordDatabase
import RecordModel
import RecordPushdown

extension TableColumn.Form {
    /// A value of a column, as `TableColumn.selected` has it; `nil` for bytes that are none.
    func value(_ bytes: [UInt8]?) -> FieldValue? {
        guard let bytes else { return .null }
        switch self {
        case .int64: return bytes.count == 8 ? .int64(Int64(bitPattern: Self.number(bytes[...]))) : nil
        case .double: return bytes.count == 8 ? .double(Double(bitPattern: Self.number(bytes[...]))) : nil
        case .bool: return .bool(bytes == [1])
        case .bytes: return .data(Data(bytes))
        case .day:
            guard bytes.count == 4 else { return nil }
            let days = Int32(truncatingIfNeeded: Int64(bitPattern: Self.number(bytes[...])))
            if days == .max || days == .min { return .date(Self.endOfTime(isLast: days > 0)) }
            return .date(Date(timeIntervalSinceReferenceDate: Double(Int(days) - 366) * 86_400))
        case .moment:
            guard bytes.count == 8 else { return nil }
            let microseconds = Int64(bitPattern: Self.number(bytes[...]))
            if microseconds == .max || microseconds == .min {
                return .date(Self.endOfTime(isLast: microseconds > 0))
            }
            return .date(Self.date(microseconds))
        case .real, .numeric, .text, .uuid, .json: return value(ofText: String(decoding: bytes, as: UTF8.self))
        case .list(let element): return element.list(bytes)
        }
    }

    private func value(ofText text: String) -> FieldValue {
        switch self {
        case .real: Double(text).map { .double($0) } ?? .string(text)
        case .numeric: Self.decimal(text)
        case .json: Self.json(text)
        default: .string(text)
        }
    }

    /// A decimal number: a whole one of 64 bits, else the nearest double.
    private static func decimal(_ text: String) -> FieldValue {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 1 || parts[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }), let whole = Int64(parts[0]) {
            return .int64(whole)
        }
        return Double(text).map { .double($0) } ?? .string(text)
    }

    /// A value of JSON as files have it; the text where it means nothing in one.
    private static func json(_ text: String) -> FieldValue {
        do throws(JSONError) { return try JSONReader.value(text) } catch { return .string(text) }
    }

    // MARK: Dates

    /// A date beyond all others, as the server's `infinity`.
    private static func endOfTime(isLast: Bool) -> Date {
        Date(timeIntervalSinceReferenceDate: isLast ? .infinity : -.infinity)
    }

    /// A date by microseconds since 2000, computed as that of a text with as many digits.
    private static func date(_ microseconds: Int64) -> Date {
        var (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
        return Date(timeIntervalSinceReferenceDate: Double(seconds - 366 * 86_400) + Double(rest) / 1_000_000)
    }

    // MARK: Arrays

    /// The list of an array of elements of this form: dimensions, whether elements are missing, their type; for each
    /// dimension its length and first index; for each element its length and bytes.
    private func list(_ bytes: [UInt8]) -> FieldValue? {
        var rest = bytes[...]
        guard let dimensions = Self.next(&rest), (0...6).contains(dimensions), Self.next(&rest) != nil,
            Self.next(&rest) != nil
        else { return nil }
        if dimensions == 0 { return .list([]) }
        var lengths: [Int] = []
        for _ in 0..<dimensions {
            guard let length = Self.next(&rest), length >= 0, Self.next(&rest) != nil else { return nil }
            lengths.append(length)
        }
        return list(lengths[...], &rest)
    }

    private func list(_ lengths: ArraySlice<Int>, _ rest: inout ArraySlice<UInt8>) -> FieldValue? {
        guard let count = lengths.first else { return element(&rest) }
        var elements: [FieldValue] = []
        for _ in 0..<count {
            guard let element = list(lengths.dropFirst(), &rest) else { return nil }
            elements.append(element)
        }
        return .list(elements)
    }

    private func element(_ rest: inout ArraySlice<UInt8>) -> FieldValue? {
        guard let length = Self.next(&rest) else { return nil }
        if length < 0 { return .null }
        guard rest.count >= length else { return nil }
        defer { rest.removeFirst(length) }
        return value(Array(rest.prefix(length)))
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 4 else { return nil }
        defer { rest.removeFirst(4) }
        return Int(Int32(truncatingIfNeeded: Int64(bitPattern: number(rest.prefix(4)))))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
