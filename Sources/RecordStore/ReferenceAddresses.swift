// Where the references of a snapshot lead.

package import Indexing
package import RecordColumns
import RecordModel
import Synchronization

/// Where the references of columns lead, column by column: found once for a snapshot, which never changes.
package final class ReferenceAddresses: Sendable {
    private struct Key: Hashable {
        var segment: ObjectIdentifier
        var column: Int
    }

    /// Where the references of one column lead.
    package struct Leads: Sendable {
        /// The record of each distinct reference, by code; `nil` for those that lead nowhere.
        package let addresses: [RowAddress?]
        /// The segments that they lead to.
        package let segments: Set<Int>
    }

    private let known = Mutex<[Key: Leads]>([:])

    /// Nothing found yet.
    package init() {}

    /// Whether the references of a column have been followed.
    package func isKnown(_ column: Int, of indexes: SegmentIndexes) -> Bool {
        known.withLock { $0[Key(segment: ObjectIdentifier(indexes), column: column)] != nil }
    }

    /// Where the references of a column lead.
    /// - Complexity: O(distinct references) the first time, then O(1).
    package func leads(
        of references: ReferenceColumn, _ column: Int, of indexes: SegmentIndexes, in snapshot: Snapshot
    ) -> Leads {
        let key = Key(segment: ObjectIdentifier(indexes), column: column)
        if let leads = known.withLock({ $0[key] }) { return leads }
        let addresses: [RowAddress?] = (0..<references.names.count).map { code in
            unsafe references.names.withBytes(code) { name in
                unsafe snapshot.address(
                    named: name, hash: ByteHash.hash(name), zoneID: references.zones?[code] ?? .default)
            }
        }
        let leads = Leads(addresses: addresses, segments: Set(addresses.lazy.compactMap { $0?.segment }))
        known.withLock { $0[key] = leads }
        return leads
    }
}
