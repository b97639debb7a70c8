// The records that references lead to, as plans see them: segments with indexes.

package import Indexing
package import OrdinalSets
package import RecordColumns
package import RecordModel
import Synchronization

/// Segments that references lead to, numbered from 0.
package protocol TargetDirectory: RecordDirectory, AnyObject {
    /// Number of segments.
    var targetCount: Int { get }
    /// A segment by its number.
    func target(_ number: Int) -> TargetSegment
    /// Where the record of a name in a zone is stored: segment and row; `nil` when there is none. The hash is the name's.
    func address(named name: UnsafeBufferPointer<UInt8>, hash: UInt32, zoneID: RecordZone.ID) -> RowAddress?
    /// What has been found out about where references lead.
    var addresses: ReferenceAddresses { get }
}

/// A segment that references lead to.
package struct TargetSegment: Sendable {
    package let indexes: SegmentIndexes
    /// Rows that do not count.
    package let deleted: DeletedRows?
    /// Whether indexes are worth building.
    package let isLarge: Bool

    package init(_ indexes: SegmentIndexes, deleted: DeletedRows? = nil, isLarge: Bool = true) {
        (self.indexes, self.deleted, self.isLarge) = (indexes, deleted, isLarge)
    }
}

/// Rows of a segment that no longer count.
package struct DeletedRows: Sendable {
    package private(set) var rows: Bitmap
    /// How many they are.
    package private(set) var count = 0

    /// None of so many rows.
    package init(of rowCount: Int) { rows = Bitmap(count: rowCount) }

    /// Adds a row.
    package mutating func insert(_ row: Int) {
        guard !rows[row] else { return }
        rows[row] = true
        count += 1
    }
}

/// Where the references of columns lead, column by column: found once for a directory, which never changes.
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
    /// Complexity: O(distinct references) the first time, then O(1).
    package func leads(
        of references: ReferenceColumn, _ column: Int, of indexes: SegmentIndexes, in directory: any TargetDirectory
    ) -> Leads {
        let key = Key(segment: ObjectIdentifier(indexes), column: column)
        if let leads = known.withLock({ $0[key] }) { return leads }
        let addresses: [RowAddress?] = (0..<references.names.count).map { code in
            unsafe references.names.withBytes(code) { name in
                unsafe directory.address(
                    named: name, hash: ByteHash.hash(name), zoneID: references.zones?[code] ?? .default)
            }
        }
        let leads = Leads(addresses: addresses, segments: Set(addresses.lazy.compactMap { $0?.segment }))
        known.withLock { $0[key] = leads }
        return leads
    }
}
