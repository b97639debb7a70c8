// Histograms: how many records lie in which part of a field's range.

import RecordDatabase

extension HistogramBins {
    /// The most parts that the command prints.
    static let mostParts = 1_000

    /// Reads what follows the colon; `nil` for other texts.
    init?(_ text: String) {
        switch text {
        case "hour": self = .hour
        case "day": self = .day
        case "week": self = .week
        case "month": self = .month
        case "year": self = .year
        default:
            guard let number = Int(text), number > 0, number <= Self.mostParts else { return nil }
            self = .round(number)
        }
    }
}

extension Figures {
    /// A row for each part of a histogram, the empty ones between others too: from, up to but not including, how many.
    ///
    /// - Throws: `CommandError` for a field that holds neither numbers nor dates, and for too many parts.
    init(histogramOf field: String, _ bins: HistogramBins, _ source: GroupSource) throws(CommandError) {
        let neither = CommandError(
            .usage, "a histogram is of numbers or dates, and '\(field)' holds neither",
            hint: "--count-by \(ShellWord.quoted(field)) counts its values")
        guard let histogram = try source.histogram(field, bins) else { throw neither }
        let missing = histogram.missingCount - histogram.otherKindCount
        let others = histogram.otherKindCount + histogram.outsideCount
        let isEmpty = histogram.counts.allSatisfy { $0 == 0 }
        if isEmpty, others > 0 { throw neither }
        var notes: [String] = []
        if missing > 0 { notes.append("\(missing.grouped) without a value of '\(field)'") }
        if others > 0 {
            notes.append(
                "\(others.grouped) with a value that is \(histogram.isDate ? "no date" : "no finite number")")
        }
        guard histogram.counts.count <= HistogramBins.mostParts else {
            throw CommandError(
                .usage,
                "the range has \(histogram.counts.count.grouped) parts, more than \(HistogramBins.mostParts.grouped)",
                hint: "request wider parts, or put bounds into the predicate")
        }
        let edges = histogram.edges.map(Self.shortest)
        var rows: [[FieldValue]] = []
        for (index, count) in histogram.counts.enumerated() where !isEmpty {
            rows.append([edges[index], edges[index + 1], .int64(Int64(count))])
        }
        self.init(columns: ["from", "below", "count"], rows: rows, barColumn: 2, notes: notes)
        edgeColumns = 0..<2
    }

    /// An edge without a fraction as a whole number.
    private static func shortest(_ edge: FieldValue) -> FieldValue {
        guard case .double(let number) = edge, abs(number) < 0x1p53, let whole = Int64(exactly: number) else {
            return edge
        }
        return .int64(whole)
    }
}
