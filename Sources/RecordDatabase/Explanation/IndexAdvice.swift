// Which index would have helped a query.

import Indexing
import PredicateSemantics
public import PredicateSyntax
import QueryExecution
import QueryPlanning
public import RecordModel

/// An index that a query lacks, and how much it would help.
public struct IndexAdvice: Hashable, Sendable, CustomStringConvertible {
    /// The field; `allTokens` for the words of all texts.
    public var field: String
    /// What the field would have to be marked as.
    public var mark: IndexMarks
    /// What the index is called in plans: `ordered`, `spatial`, `token`, `trigram`.
    public var kind: String
    /// The letters of its folding, such as `cd`; empty without.
    public var options: String
    /// The part of the predicate that it would serve, canonical text.
    public var part: String
    /// The place of the part in the predicate's text.
    public var span: SourceSpan
    /// Records that are read without it.
    public var rowsRead: Int
    /// About how many would be read with it, by a sample.
    public var rowsNeeded: Int

    /// One line: the index, the part, the rows.
    public var description: String {
        let name = options.isEmpty ? field : "\(field)[\(options)]"
        return "\(kind) index on \(name) (\(mark.names.joined(separator: ", "))) for \(part): "
            + "about \(rowsNeeded) rows instead of \(rowsRead)"
    }
}

extension IndexAdvice {
    init(_ missing: MissingIndex) {
        field = missing.index.field
        mark = missing.index.mark
        kind = missing.index.kind.name
        options = missing.index.options.letters
        part = missing.part.description
        span = missing.part.span
        rowsRead = missing.rowsRead
        rowsNeeded = missing.rowsNeeded
    }
}

extension ScannedPart {
    /// Why the part is decided record by record.
    var reasonText: String {
        switch reason {
        case .noIndex: index.map { "no \($0.kind) index on \($0.fieldText)" } ?? "no index applies"
        case .mayFail: "it may fail, so it runs on every record"
        case .context: "it depends on chance or variables"
        }
    }
}
