// How a result differs from the one before: for queries that run again when records were written.

import RecordModel

/// The records that matched when a query ran last.
package struct ResultChanges: Sendable {
    private struct Key: Hashable {
        var type: String
        var id: Record.ID
    }

    /// The number of the last change of each record; `.null` where nobody counts changes, as in files.
    private var known: [Key: FieldValue] = [:]

    package init() {}

    /// How one result differs from the one before.
    package struct Difference: Sendable {
        /// The ordinals of the records that are new or changed, in the order of the result.
        package fileprivate(set) var ordinals: [Int] = []
        package fileprivate(set) var newCount = 0
        package fileprivate(set) var changedCount = 0
        /// Records that matched and do not any more.
        package fileprivate(set) var goneCount = 0

        /// Whether both results have the same records, unchanged.
        package var isEmpty: Bool { newCount + changedCount + goneCount == 0 }

        /// The counts in words: `2 new matches, 1 gone`.
        package var text: String {
            var parts = ["\(newCount.grouped) new \(newCount == 1 ? "match" : "matches")"]
            if changedCount > 0 { parts.append("\(changedCount.grouped) changed") }
            if goneCount > 0 { parts.append("\(goneCount.grouped) gone") }
            return parts.joined(separator: ", ")
        }
    }

    /// Takes the next result. Complexity: O(matches).
    package mutating func advance(to ordinals: [Int], of set: RecordSet) -> Difference {
        var next: [Key: FieldValue] = [:]
        next.reserveCapacity(ordinals.count)
        var difference = Difference()
        for ordinal in ordinals {
            let key = Key(type: set.recordType(at: ordinal), id: set.recordID(at: ordinal))
            let change = set.changeNumber(at: ordinal)
            switch known[key] {
            case nil: difference.newCount += 1
            case change?: break
            default: difference.changedCount += 1
            }
            if known[key] != change { difference.ordinals.append(ordinal) }
            next[key] = change
        }
        difference.goneCount = known.keys.count { next[$0] == nil }
        known = next
        return difference
    }
}
