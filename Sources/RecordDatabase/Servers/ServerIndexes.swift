// Which indexes a server has: advice is about others.

import RecordModel

/// The indexes of a server for the records of a set.
package struct ServerIndexes: Sendable {
    /// By field, what it is marked as.
    private var marks: [String: IndexMarks]
    /// The marks that an index of the server would follow from.
    private let possible: IndexMarks
    /// Whether indexes are of folded texts, too.
    private let foldsTexts: Bool

    /// Those of a container, by the marks of its types. Of substrings a server has none.
    init(_ types: [ContainerSchema.RecordType]) {
        marks = [:]
        for (field, value) in types.flatMap(\.fields) {
            // A field of several types is indexed where all of them say so.
            marks[field] = marks[field].map { $0.intersection(value.indexes) } ?? value.indexes
        }
        if marks.values.contains(where: { $0.contains(.searchable) }) { marks["allTokens"] = .searchable }
        (possible, foldsTexts) = ([.queryable, .sortable, .searchable], true)
    }

    /// Those of a table that others made: of columns, which may be indexed by their order or by parts of their texts.
    package init(indexed columns: Set<String>) {
        marks = Dictionary(uniqueKeysWithValues: columns.map { ($0, [.queryable, .sortable, .substring]) })
        (possible, foldsTexts) = ([.queryable, .sortable, .substring], false)
    }

    /// Whether the server has not the index, and would use it.
    func lacks(_ advice: IndexAdvice) -> Bool {
        advice.mark.isSubset(of: possible) && (foldsTexts || advice.options.isEmpty)
            && marks[advice.field]?.isSuperset(of: advice.mark) != true
    }
}
