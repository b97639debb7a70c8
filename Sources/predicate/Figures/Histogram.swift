// Histograms: how many records lie in which part of a field's range.

import FoundationEssentials
import Glibc
import RecordDatabase

/// Into which parts a range is cut.
enum HistogramParts: Equatable, Sendable {
    /// About so many parts of a round width.
    case number(Int)
    case hour, day, week, month, year

    /// Reads what follows the colon; `nil` for other texts.
    init?(_ text: String) {
        switch text {
        case "hour": self = .hour
        case "day": self = .day
        case "week": self = .week
        case "month": self = .month
        case "year": self = .year
        default:
            guard let number = Int(text), number > 0, number <= Histogram.mostParts else { return nil }
            self = .number(number)
        }
    }

    /// The width of parts that are all as wide, in seconds.
    fileprivate var seconds: Double? {
        switch self {
        case .hour: 3_600
        case .day: 86_400
        // The reference date was a Monday.
        case .week: 604_800
        case .number, .month, .year: nil
        }
    }
}

/// The parts of a range with the records in them.
struct Histogram {
    static let mostParts = 1_000

    private var bounds: [Double] = []
    private var counts: [Int] = []
    private let field: String
    private let isOfDates: Bool
    private var notes: [String] = []

    /// - Throws: `CommandError` for a field that holds neither numbers nor dates, and for too many parts.
    init(_ field: String, _ parts: HistogramParts?, _ source: GroupSource) throws(CommandError) {
        self.field = field
        var numbers: [(Double, Int)] = []
        var dates: [(Double, Int)] = []
        var (missing, others) = (0, 0)
        for group in try source.groups(by: [field], []) {
            switch group.keys[0] {
            case .null: missing += group.count
            case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite:
                dates.append((date.timeIntervalSinceReferenceDate, group.count))
            case .int64(let number): numbers.append((Double(number), group.count))
            case .double(let number) where number.isFinite: numbers.append((number, group.count))
            default: others += group.count
            }
        }
        isOfDates = numbers.isEmpty && !dates.isEmpty
        if !numbers.isEmpty { others += dates.reduce(0) { $0 + $1.1 } }
        if numbers.isEmpty, dates.isEmpty, others > 0 {
            throw CommandError(
                .usage, "a histogram is of numbers or dates, and '\(field)' holds neither",
                hint: "--count-by \(ShellWord.quoted(field)) counts its values")
        }
        if missing > 0 { notes.append("\(missing.grouped) without a value of '\(field)'") }
        if others > 0 {
            notes.append("\(others.grouped) with a value that is \(isOfDates ? "no date" : "no finite number")")
        }
        let values = isOfDates ? dates : numbers
        guard let least = values.map(\.0).min(), let greatest = values.map(\.0).max() else { return }
        bounds = try Self.bounds(least, greatest, parts, isOfDates: isOfDates)
        counts = [Int](repeating: 0, count: bounds.count - 1)
        for (value, count) in values {
            // The last bound that is not above the value.
            var (low, high) = (0, bounds.count - 1)
            while high - low > 1 {
                let middle = (low + high) / 2
                if bounds[middle] <= value { low = middle } else { high = middle }
            }
            counts[low] += count
        }
    }

    /// A row for each part, the empty ones between others too: from, up to but not including, how many.
    var figures: Figures {
        var rows: [[FieldValue]] = []
        for (index, count) in counts.enumerated() {
            rows.append([value(bounds[index]), value(bounds[index + 1]), .int64(Int64(count))])
        }
        return Figures(columns: ["from", "below", "count"], rows: rows, barColumn: 2, notes: notes)
    }

    private func value(_ bound: Double) -> FieldValue {
        if isOfDates { return .date(Date(timeIntervalSinceReferenceDate: bound)) }
        return bound.rounded() == bound && abs(bound) < 0x1p53 ? .int64(Int64(bound)) : .double(bound)
    }

    // MARK: Bounds

    private static func bounds(
        _ least: Double, _ greatest: Double, _ parts: HistogramParts?, isOfDates: Bool
    ) throws(CommandError) -> [Double] {
        if !isOfDates {
            guard case .number(let count) = parts ?? .number(10) else {
                throw CommandError(.usage, "parts of the calendar are for dates", hint: "a number of parts: FIELD:20")
            }
            return try multiples(of: roundWidth((greatest - least) / Double(count)), least, greatest)
        }
        let parts = parts ?? usual(for: greatest - least)
        if case .number(let count) = parts {
            // Whole seconds, or fractions where the range is that short.
            return try multiples(of: roundWidth((greatest - least) / Double(count)), least, greatest)
        }
        if let seconds = parts.seconds { return try multiples(of: seconds, least, greatest) }
        return try months(least, greatest, perPart: parts == .year ? 12 : 1)
    }

    /// The part of the calendar that gives a few dozen parts at most.
    private static func usual(for length: Double) -> HistogramParts {
        switch length {
        case ..<(2 * 86_400): .hour
        case ..<(60 * 86_400): .day
        case ..<(300 * 86_400): .week
        case ..<(5 * 366 * 86_400): .month
        default: .year
        }
    }

    /// The least of 1, 2, 5 times a power of ten that is not below a width.
    private static func roundWidth(_ width: Double) -> Double {
        guard width > 0, width.isFinite else { return 1 }
        let power = tenToPower(Int((log10(width)).rounded(.down)))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= width * (1 - 1e-9) } ?? 10 * power
    }

    private static func tenToPower(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? 1 }

    private static func multiples(of width: Double, _ least: Double, _ greatest: Double) throws(CommandError)
        -> [Double]
    {
        let first = (least / width).rounded(.down)
        let last = (greatest / width).rounded(.down) + 1
        guard last - first <= Double(mostParts) else { throw tooMany(last - first) }
        // Tenths and their like are divided by a whole number, so that bounds are the nearest to what is written.
        let inverse = (1 / width).rounded()
        let isFraction = width < 1 && inverse > 0
        return (0...Int(last - first)).map { step in
            let count = first + Double(step)
            return isFraction ? count / inverse : count * width
        }
    }

    private static func months(_ least: Double, _ greatest: Double, perPart: Int) throws(CommandError) -> [Double] {
        func month(_ seconds: Double) -> Int? {
            RFC3339.components(of: Date(timeIntervalSinceReferenceDate: seconds)).map { $0.year * 12 + $0.month - 1 }
        }
        guard let first = month(least), let last = month(greatest) else {
            throw CommandError(.usage, "the dates are outside of the calendar's years")
        }
        let start = (first >= 0 ? first : first - perPart + 1) / perPart * perPart
        let count = (last - start) / perPart + 1
        guard count <= mostParts else { throw tooMany(Double(count)) }
        return (0...count).compactMap { step -> Double? in
            let month = start + step * perPart
            let digits = String(10_000 + month / 12).suffix(4) + "-" + String(101 + month % 12).suffix(2)
            return RFC3339.date(digits + "-01")?.timeIntervalSinceReferenceDate
        }
    }

    private static func tooMany(_ count: Double) -> CommandError {
        CommandError(
            .usage, "the range has \(Int(min(count, 1e15)).grouped) parts, more than \(mostParts.grouped)",
            hint: "request wider parts, or put bounds into the predicate")
    }
}
