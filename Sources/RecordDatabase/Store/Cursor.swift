// Where a page of records ended, so that the next one can begin there.

import PredicateSemantics
import RecordModel

/// The place in an order of records behind the last one that was given.
///
/// A cursor holds values and not positions: records that are inserted, changed or deleted between two pages neither
/// repeat nor hide others; one whose own sort values changed has another place. It goes on only with the question that made it.
package struct Cursor: Hashable, Sendable, Codable {
    /// Tells one question (record type, predicate with its arguments, sort keys) from others.
    let question: UInt64
    /// The sort values of the last record.
    let values: [FieldValue]
    /// The zone of the last record, where the query is about several: settles ties between zones.
    let zoneName: String?
    /// The number of the last record in the order of insertion: settles ties within a zone.
    let sequence: Int
    /// The version of the pinned snapshot that all pages are of; `nil` when each is of the records as they are then.
    package let version: Int?
}

/// Why a page cannot be given.
package enum PageError: Error, Hashable, Sendable {
    /// The cursor belongs to another predicate, order or record type.
    case otherQuestion
    /// The snapshot that the cursor pages through is no longer pinned.
    case snapshotGone(version: Int)
    /// An order by relevance, and a predicate that looks for no words.
    case noWords
    /// The predicate has no meaning for a record.
    case evaluation(EvaluationError)
}
