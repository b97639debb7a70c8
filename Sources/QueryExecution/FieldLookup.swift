// A template about one field, looked up in an index directly: the commonest query.

import Indexing
package import PredicateSemantics
package import QueryPlanning
import RecordColumns
package import RecordModel
package import RecordStore

/// The lookups of a template whose conditions are all about one field that is indexed in every segment: no plan is made
/// for new values, and nothing is built.
package struct FieldLookup: Sendable {
    private let field: SoleField
    private let indexes: [OrderedIndex]
    /// Whether a row's number is its record's.
    private let isOneWholeSegment: Bool

    /// - Parameters:
    ///   - type: Only records of that type; `nil` for all.
    ///   - usage: Which indexes may be used or built.
    /// - Returns: `nil` where a segment has deleted rows or no such index, or the conditions are about several fields
    ///   or a part of the record.
    /// - Complexity: O(segments), plus building of indexes.
    package init?(
        _ template: ConstraintTemplate, over snapshot: Snapshot, type: String?, usage: SegmentPlanner.IndexUsage
    ) {
        // The parts of a record are no columns, and yet every record has them.
        guard let field = template.soleField, !snapshot.keys.isPartOfRecord(field.name) else { return nil }
        var indexes: [OrderedIndex] = []
        for stored in snapshot.segments where type == nil || stored.segment.recordType == type {
            // A record without the field matches nothing.
            guard let column = stored.segment.schema.position(of: field.name) else { continue }
            guard stored.deleted == nil, let building = usage.building(.queryable, of: field.name),
                let index = stored.indexes.ordered(
                    column: column, options: field.options, building: building && snapshot.isIndexed(stored)),
                !index.isOverLists, index.family.isOf(field.type)
            else { return nil }
            indexes.append(index)
        }
        (self.field, self.indexes, isOneWholeSegment) = (field, indexes, snapshot.isOneWholeSegment)
    }

    /// How many records match; `nil` where the values are none of the field's kind.
    package func count(_ value: (Int) -> FieldValue?) -> Int? {
        guard let condition = field.condition(value) else { return nil }
        var count = 0
        for index in indexes { count += index.rows(condition).count }
        return count
    }

    /// The numbers of the records that match, ascending; `nil` where the values are none of the field's kind, or there
    /// are so many that a plan is the shorter way.
    package func numbers(_ value: (Int) -> FieldValue?) -> [UInt32]? {
        guard isOneWholeSegment, let index = indexes.first, let condition = field.condition(value) else { return nil }
        let run = index.rows(condition)
        if run.isAscending { return unsafe run.withRows { unsafe Array($0) } }
        guard run.count <= 256 else { return nil }
        return unsafe run.withRows { unsafe $0.sorted() }
    }
}

extension OrderedIndex {
    fileprivate func rows(_ condition: FieldCondition) -> PostingSlice {
        switch condition {
        case .equal(let value): run(ofDistinct: distinct(equalTo: value).map { $0..<$0 + 1 } ?? 0..<0)
        case .range(let lower, let upper):
            run(
                ofDistinct: distinct(
                    from: lower.map { KeyBound($0.value, isInclusive: $0.isInclusive) },
                    to: upper.map { KeyBound($0.value, isInclusive: $0.isInclusive) }))
        }
    }
}

extension OrderedIndex.Family {
    /// Whether the keys are values of a field's kind.
    fileprivate func isOf(_ type: OperandType) -> Bool {
        switch (self, type) {
        case (.number, .number), (.date, .date), (.text, .string): true
        default: false
        }
    }
}
