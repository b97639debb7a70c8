// Which indexes plans may use.

import Indexing
import RecordColumns
package import RecordModel

extension SegmentPlanner {
    /// Which indexes a plan may use.
    package enum IndexUsage: Hashable, Sendable {
        /// None, nor the columns: every predicate is a scan by the evaluator.
        case none
        /// Those that are built: for queries that run once.
        case built
        /// Those that every field has by itself; what is missing is built.
        case all
        /// Those that are declared; what is missing of them is built.
        case declared(IndexDeclaration)
    }
}

extension SegmentPlanner.IndexUsage {
    /// Whether an index for something may be used on a field, and if so whether it is built where it is missing.
    ///
    /// - Returns: `nil` when it may not be used.
    package func building(_ mark: IndexMarks, of field: String) -> Bool? {
        switch self {
        case .none: nil
        case .built: false
        case .all: IndexMarks.automatic.contains(mark) ? true : nil
        case .declared(let declaration): declaration[field].contains(mark) ? true : nil
        }
    }

    /// Whether an index of a kind may be used by predicates, and if so whether it is built where it is missing.
    func building(_ kind: IndexKind, of field: String) -> Bool? { building(kind.mark, of: field) }

    /// The same indexes as far as they are built.
    package var withoutBuilding: Self {
        switch self {
        case .none: .none
        case .built, .all, .declared: .built
        }
    }
}

extension SegmentPlanner {
    /// Whether an index of the words of a column, or of all together for `nil`, is built where it is missing.
    ///
    /// - Returns: `nil` when none may be used: of all together when one of them may not.
    package func buildsWords(of column: Int?) -> Bool? {
        let fields = segment.schema.fields
        if let column { return usage.building(TokenIndex.kind, of: fields[column].name) }
        var isBuilding = true
        for (field, values) in zip(fields, segment.columns) where values.mayHoldText {
            guard let building = usage.building(TokenIndex.kind, of: field.name) else { return nil }
            isBuilding = isBuilding && building
        }
        return isBuilding
    }
}
