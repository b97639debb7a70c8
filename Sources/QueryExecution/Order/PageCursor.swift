// Where a page of records ended, so that the next one can begin there.

package import PredicateSemantics
package import RecordModel

/// The place in an order of records behind the last one that was given.
///
/// A cursor holds values and not positions: records that are inserted, changed or deleted between two pages neither
/// repeat nor hide others; one whose own sort values changed has another place. It goes on only with the query that
/// made it.
package struct PageCursor: Hashable, Sendable, Codable {
    /// Tells one query (record type, predicate with its arguments, sort keys) from others.
    let query: QueryFingerprint
    /// The sort values of the last record.
    package let values: [FieldValue]
    /// The zone of the last record, where the query is about several: settles ties between zones.
    package let zoneName: String?
    /// The owner of that zone; `nil` in cursors of versions that did not keep it, too.
    let zoneOwner: String?
    /// The number of the last record in the order of insertion: settles ties within a zone.
    let sequence: Int

    init(query: QueryFingerprint, values: [FieldValue], zone: RecordZone.ID?, sequence: Int) {
        (self.query, self.values, self.sequence) = (query, values, sequence)
        (zoneName, zoneOwner) = (zone?.zoneName, zone?.ownerName)
    }

    private enum CodingKeys: String, CodingKey {
        // As cursors that are kept by applications have it.
        case query = "question"
        case values, zoneName, zoneOwner, sequence
    }
}

/// Why a page cannot be given.
package enum PageError: Error, Hashable, Sendable {
    /// The cursor belongs to another predicate, order or record type.
    case otherQuery
    /// An order by relevance, and a predicate that looks for no words.
    case noWords
    /// The predicate has no meaning for a record.
    case evaluation(EvaluationError)
}
