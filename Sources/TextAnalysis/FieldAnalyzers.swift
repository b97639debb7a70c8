// Which fields have words that are analyzed.

/// The analyzers of the fields of records, by name; never none.
package final class FieldAnalyzers: Hashable, Sendable {
    private let analyses: [String: WordAnalysis]

    private init(_ analyses: [String: WordAnalysis]) { self.analyses = analyses }

    /// - Returns: `nil` for no analyzers: then every word is as it is written.
    package convenience init?(_ analyzers: [String: TextAnalyzer]) {
        if analyzers.isEmpty { return nil }
        self.init(analyzers.mapValues(WordAnalysis.init))
    }

    /// What analyzes the words of a field; `nil` where they are only folded.
    package subscript(field: String) -> WordAnalysis? { analyses[field] }

    /// The analyzers by field.
    package var byField: [String: TextAnalyzer] { analyses.mapValues(\.analyzer) }

    /// The field, where it is only one.
    package var soleField: String? { analyses.count == 1 ? analyses.first?.key : nil }

    /// What the analyzer of each field makes of folded words, in order; the empty text of one that it leaves out.
    package func terms(of words: [String], _ options: TextOptions) -> [String: [String]] {
        analyses.mapValues { $0.terms(of: words, options) }
    }

    /// That of one field alone; `nil` where it has none.
    package func only(_ field: String) -> FieldAnalyzers? {
        analyses[field].map { analyses.count == 1 ? self : FieldAnalyzers([field: $0]) }
    }

    package static func == (a: FieldAnalyzers, b: FieldAnalyzers) -> Bool { a === b || a.analyses == b.analyses }

    package func hash(into hasher: inout Hasher) { hasher.combine(analyses) }
}
