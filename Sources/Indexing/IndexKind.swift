// The catalogue: which kinds of indexes there are.

package import RecordModel
import TextAnalysis

/// A kind of index, by the one name that it has in schemas, plans, advice, statistics, verification and on disk.
package struct IndexKind: Hashable, Sendable, CustomStringConvertible {
    /// Its number in stored segments: part of the format, never used for another kind.
    let number: UInt8
    /// What comes before the word "index": `ordered`, `token`.
    package let name: String
    /// What a field is marked as, so that predicates use its index and build one.
    package let mark: IndexMarks
    /// Whether there also is one of no column: of the records' names, or of all texts.
    var coversAllFields = false

    package var description: String { name }
}

extension IndexKind {
    /// The types of all kinds. One that is made of another comes after it.
    static let catalogue: [any SegmentIndex.Type] = [
        OrderedIndex.self, TokenIndex.self, WordPositions.self, SpatialIndex.self, TrigramIndex.self,
        NonASCIITerms.self,
    ]
}

/// Which index is meant: of which kind and column, with which folding and analysis.
struct IndexKey: Hashable, Sendable {
    /// The number of the kind.
    let kind: UInt8
    /// Position in the segment's columns; `nil` for what belongs to none of them.
    var column: Int?
    private let optionBits: UInt8
    /// What analyzes the words of the column.
    let analysis: WordAnalysis?

    init(_ kind: IndexKind, column: Int?, options: TextOptions = [], analysis: WordAnalysis? = nil) {
        self.kind = kind.number
        self.column = column
        optionBits = UInt8(truncatingIfNeeded: options.rawValue)
        self.analysis = analysis
    }

    /// What cuts texts into the words of the index.
    var tokenizer: Tokenizer { Tokenizer(options: options, analysis: analysis) }

    /// How texts are folded.
    var options: TextOptions { TextOptions(rawValue: TextOptions.RawValue(optionBits)) }
}

extension IndexKey: Comparable {
    static func < (a: IndexKey, b: IndexKey) -> Bool {
        (a.kind, a.column ?? -1, a.optionBits, a.analysis?.text ?? "")
            < (b.kind, b.column ?? -1, b.optionBits, b.analysis?.text ?? "")
    }
}
