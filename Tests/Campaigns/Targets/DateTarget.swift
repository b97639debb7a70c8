// Dates and lengths of time from strangers, against the calendar of the C library.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Reads a date, and moves it by a length of time.
enum DateCheck {
    /// - Parameter bytes: A date, a line end, and what moves it: `2024-02-29T12:00:00Z`, `+ 36h`.
    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(decoding: lines[0], as: UTF8.self)
        let expected = seconds(ofDate: text)
        let read = RFC3339.date(text)?.timeIntervalSinceReferenceDate
        guard isSame(read, expected) else {
            return .finding("'\(text)' is read as \(describe(read)), and the C library has \(describe(expected))")
        }
        let date = FieldValue.date(Date(timeIntervalSinceReferenceDate: read ?? 0))
        guard holds("t == %@", [.string(text)], on: ["t": date]) == (read != nil) else {
            return .finding("'\(text)' in a predicate is another date than in a file")
        }
        guard let read else { return .rejected }
        if let finding = written(read, text) { return .finding(finding) }
        guard lines.count == 2 else { return .accepted }
        return moved(read, String(decoding: lines[1], as: UTF8.self))
    }

    private static func describe(_ seconds: Double?) -> String { seconds.map { "\($0)" } ?? "no date" }

    /// A fraction is one division there and another reading here: a microsecond is less than either is off.
    private static func isSame(_ first: Double?, _ second: Double?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return abs(first - second) < 1e-6
    }

    /// What a predicate says of a record; `nil` for one that is refused.
    private static func holds(
        _ text: String, _ arguments: [FieldValue] = [], on fields: [String: FieldValue]
    ) -> Bool? {
        guard let predicate = try? RecordPredicate(text, arguments, dialect: .full),
            let bound = try? Binder().bind(predicate)
        else { return nil }
        return try? bound.evaluate(on: Record(type: "T", id: Record.ID("r"), fields: fields), context: .unused)
    }

    /// Checks that a date is written as it is read; years before 0 are not written.
    private static func written(_ seconds: Double, _ text: String) -> String? {
        guard let written = RFC3339.format(seconds) else {
            let isOutside = seconds < -63_113_904_000 || seconds >= 252_455_616_000
            return isOutside ? nil : "'\(text)' cannot be written"
        }
        guard let again = RFC3339.date(written)?.timeIntervalSinceReferenceDate, abs(again - seconds) < 1e-6 else {
            return "'\(text)' is written as \(written)"
        }
        return RFC3339.format(again) == written ? nil : "'\(text)' is written in two ways: \(written)"
    }

    // MARK: Lengths of time

    /// A length as a predicate has it behind a field: its seconds with their sign, where it is one.
    private static func seconds(ofLength text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count > 3, bytes[1] == 0x20, [0x2B, 0x2D].contains(bytes[0]),
            let unit = ["s": 1.0, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800][text.suffix(1)],
            bytes.dropFirst(2).dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(text.dropFirst(2).dropLast()), count <= 31_556_952_000_000
        else { return nil }
        return Double(count) * unit * (bytes[0] == 0x2D ? -1 : 1)
    }

    private static func moved(_ seconds: Double, _ text: String) -> FuzzOutcome {
        guard let length = self.seconds(ofLength: text) else {
            // Whatever else it is, it is a predicate or an error.
            _ = holds("t \(text) == u", on: ["t": 1, "u": 1])
            return .rejected
        }
        let fields: [String: FieldValue] = [
            "t": .date(Date(timeIntervalSinceReferenceDate: seconds)),
            "u": .date(Date(timeIntervalSinceReferenceDate: seconds + length)),
        ]
        guard holds("t \(text) == u", on: fields) == true else { return .finding("t \(text) is not \(length) s away") }
        // A second is nothing to a date that is far away.
        if length != 0, seconds + length == seconds { return .accepted }
        for (sign, isRight) in [("<", length < 0), (">", length > 0)] {
            guard holds("t \(text) \(sign) t", on: fields) == isRight else { return .finding("t \(text) \(sign) t") }
        }
        return .accepted
    }

    // MARK: The C library's calendar

    /// The seconds since 2001 of a day or a moment; `nil` for other texts.
    private static func seconds(ofDate text: String) -> Double? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int32 { bytes[range].reduce(0) { $0 * 10 + Int32($1) - 0x30 } }
        let shape = bytes.map { (0x30...0x39).contains($0) ? UInt8(ascii: "9") : $0 }
        guard shape.starts(with: Array("9999-99-99".utf8)),
            let day = day(number(0..<4), number(5..<7), number(8..<10))
        else { return nil }
        if bytes.count == 10 { return day }
        guard [0x54, 0x74, 0x20].contains(bytes[10]), shape.dropFirst(11).starts(with: Array("99:99:99".utf8)),
            number(11..<13) < 24, number(14..<16) < 60, number(17..<19) <= 60
        else { return nil }
        let time = Double(number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19))
        var rest = 19
        var fraction = 0.0
        if rest < shape.count, shape[rest] == 0x2E {
            let digits = bytes.dropFirst(20).prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty, let read = Double("0." + String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            (fraction, rest) = (read, 20 + digits.count)
        }
        let zone = String(decoding: shape.dropFirst(rest), as: UTF8.self)
        if zone == "Z" || zone == "z" { return day + time + fraction }
        guard zone == "+99:99" || zone == "-99:99" else { return nil }
        let (hours, minutes) = (number(rest + 1..<rest + 3), number(rest + 4..<rest + 6))
        guard hours < 24, minutes < 60 else { return nil }
        return day + time - Double((hours * 3_600 + minutes * 60) * (zone.hasPrefix("-") ? -1 : 1)) + fraction
    }

    /// The seconds since 2001 of a day of the calendar; `nil` for days that it does not have.
    private static func day(_ year: Int32, _ month: Int32, _ day: Int32) -> Double? {
        // SAFETY: the structures live on this frame, and their pointer to a name of a zone is not used.
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        var moment = unsafe timegm(&parts)
        var back = unsafe tm()
        guard unsafe gmtime_r(&moment, &back) != nil,
            unsafe (back.tm_year, back.tm_mon, back.tm_mday) == (year - 1900, month - 1, day)
        else { return nil }
        return Double(moment) - 978_307_200
    }

    // MARK: Inputs

    static let seeds = [
        "2001-01-01T00:00:00Z\n+ 0s", "2024-02-29\n+ 366d", "2023-02-28T23:59:59.999999999Z\n+ 1s",
        "1900-02-28T12:00:00+02:00\n- 52w", "2000-02-29t12:34:56z\n- 90m", "0000-01-01\n+ 1h", "9999-12-31\n- 7d",
        "0004-02-29 01:02:60-23:59\n+ 31556952000000s", "1969-12-31T23:59:59.5Z\n- 31556952000000w",
        "1582-10-10T00:00:00.000001+00:00\n+ 100d",
    ]

    private static let signs = Array("0123456789-+:.TZtz smhdw\n".utf8)

    /// A text like another one: mostly with another digit.
    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let digits = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
        for _ in 0..<Int.random(in: 1...2, using: &generator) where !digits.isEmpty {
            bytes[generator.pick(digits)] = UInt8.random(in: 0x30...0x39, using: &generator)
        }
        guard generator.oneIn(4) else { return bytes }
        let place = Int.random(in: 0..<max(1, bytes.count), using: &generator)
        if generator.oneIn(2), place < bytes.count {
            bytes[place] = generator.pick(signs)
        } else {
            bytes.insert(generator.pick(signs), at: min(place, bytes.count))
        }
        return bytes
    }
}

extension FuzzTarget {
    static let dates = FuzzTarget(
        name: "dates", summary: "dates and lengths of time: the same as the C library's, written as they are read",
        run: { DateCheck.run($0) }, seeds: { DateCheck.seeds.map { Array($0.utf8) } },
        mutated: { DateCheck.mutated($0, &$1) }, byteLimit: 80)
}
