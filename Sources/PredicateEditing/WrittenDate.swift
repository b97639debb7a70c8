// Dates as people write them in texts.

/// A day as people write it: 2026-01-31, 31.1.2026, 1/31/2026.
struct WrittenDate {
    let text: String
    /// The three numbers as they are.
    fileprivate let parts: [Substring]
    fileprivate let separator: Character
    /// What follows the day: nothing, or a time.
    let time: Substring

    /// Whether the order of texts is that of days.
    var isOrdered: Bool { parts[0].utf8.count == 4 && parts[1].utf8.count == 2 && parts[2].utf8.count == 2 }

    /// A date of a text; `nil` for a text that is none.
    init?(_ text: String) {
        let day = text.prefix { $0.isNumber || $0 == "." || $0 == "-" || $0 == "/" }
        guard let separator = day.first(where: { !$0.isNumber }) else { return nil }
        let parts = day.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            parts.map(\.utf8.count) == [4, 2, 2]
                || (1...2).contains(parts[0].utf8.count)
                    && (1...2).contains(parts[1].utf8.count) && [2, 4].contains(parts[2].utf8.count)
        else { return nil }
        time = text[day.endIndex...]
        guard time.isEmpty || time.first == " " || time.first == "T" else { return nil }
        (self.text, self.parts, self.separator) = (text, parts, separator)
        let (first, second) = (Int(parts[0]) ?? 0, Int(parts[1]) ?? 0)
        guard isOrdered || max(first, second) <= 31 && min(first, second) <= 12 else { return nil }
    }

    /// Whether the month is written before the day, as the number beyond twelve tells; `nil` where there is none.
    var isMonthFirst: Bool? {
        guard !isOrdered, let first = Int(parts[0]), let second = Int(parts[1]), max(first, second) > 12 else {
            return nil
        }
        return second > 12
    }

    /// Whether days and months below ten have a zero before them; `nil` where there are none.
    fileprivate var isPadded: Bool? {
        let days = isOrdered ? parts.dropFirst() : parts.dropLast()
        if days.contains(where: { $0.utf8.count == 1 }) { return false }
        return days.contains { $0.hasPrefix("0") } ? true : nil
    }

    /// What dates have in common that are written alike.
    fileprivate var form: [String] { [String(separator), String(isOrdered), String(parts[2].utf8.count)] }

    /// The day as a field writes its own.
    ///
    /// - Parameter isMonthFirst: Which of two numbers is the month, as a date beside this one tells. Where nothing
    ///   does, they are as they are in the field, if it has them between the same signs, else the day is the first.
    func text(in style: DateStyle, isMonthFirst told: Bool? = nil) -> String {
        let numbers = parts.map { Int($0) ?? 0 }
        var (year, month, day) = (numbers[0], numbers[1], numbers[2])
        if !isOrdered {
            let isMonthFirst = isMonthFirst ?? told ?? (separator == style.sample.separator && style.isMonthFirst)
            (month, day) = isMonthFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
            // Two digits are of the years 1969 to 2068.
            year = parts[2].utf8.count > 2 ? numbers[2] : numbers[2] + (numbers[2] > 68 ? 1900 : 2000)
        }
        let days = [month, day].map { style.isPadded ? Self.digits($0, 2) : String($0) }
        let years = String(Self.digits(year, 4).suffix(style.yearDigits))
        let fields = style.isOrdered ? [years] + days : (style.isMonthFirst ? days : days.reversed()) + [years]
        return fields.joined(separator: String(style.sample.separator))
    }

    /// A number with so many digits at least.
    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

/// How a field writes its dates, which is how most of them are written.
struct DateStyle {
    /// The first of them.
    let sample: WrittenDate
    /// Whether the month is written before the day, where the year comes last.
    let isMonthFirst: Bool
    /// Whether days and months below ten have a zero before them.
    let isPadded: Bool

    /// Whether the order of texts is that of days.
    var isOrdered: Bool { sample.isOrdered }
    fileprivate var yearDigits: Int { isOrdered ? 4 : sample.parts[2].utf8.count }

    /// The style of some dates; `nil` where there are none.
    init?(_ dates: [WrittenDate]) {
        let forms = Dictionary(grouping: dates, by: \.form)
        let most = forms.values.map(\.count).max() ?? 0
        // Of forms that are as frequent the one that comes first.
        guard let sample = dates.first(where: { forms[$0.form]?.count == most }), let usual = forms[sample.form] else {
            return nil
        }
        func isUsual(_ told: [Bool]) -> Bool { told.count { $0 } * 2 > told.count }
        self.sample = sample
        isMonthFirst = isUsual(usual.compactMap(\.isMonthFirst))
        isPadded = !isUsual(usual.compactMap(\.isPadded).map { !$0 })
    }
}
