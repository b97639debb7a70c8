// The live records of a snapshot, numbered from 0 in order of insertion.

package import RecordColumns

/// Numbers of the live records of a snapshot: what callers know a record by that want to go on from one to the next.
///
/// The sequence numbers of a store have gaps where records were deleted, and of a store written to for long; these have
/// none.
package final class RecordNumbers: Sendable {
    /// How many records there are.
    package let count: Int
    /// Where the record of each number is stored.
    private let addresses: AddressMap
    /// The number of each live row, by segment; a deleted one has that of the live row behind it.
    private let numbers: [RunLengthMap]

    /// Numbers that are known already: one for each row of segments of which no row is deleted.
    init(addresses: AddressMap, numbers: [RunLengthMap]) {
        (self.addresses, self.numbers) = (addresses, numbers)
        count = addresses.count
    }

    /// Numbers the live rows of segments. Complexity: O(rows).
    init(of segments: [StoredSegment]) {
        let (rows, _) = RowGather.merging(
            segments.map { RowGather.Source(numbers: $0.sequences, deleted: $0.deleted?.rows) })
        let addresses = AddressMap()
        let numbers = segments.map { _ in RunLengthMap() }
        for stretch in rows.stretches {
            let map = numbers[stretch.source]
            while map.count < stretch.rows.lowerBound { map.append(addresses.count) }
            for row in stretch.rows {
                map.append(addresses.count)
                addresses.append(segment: stretch.source, row: row)
            }
        }
        for (map, stored) in zip(numbers, segments) {
            while map.count < stored.segment.count { map.append(addresses.count) }
        }
        (self.addresses, self.numbers) = (addresses, numbers)
        count = rows.count
    }

    /// Where the record of a number below `count` is stored. Complexity: O(log runs); few runs for few segments.
    package func address(_ number: Int) -> RowAddress { addresses[number] }

    /// The number of a live row. Complexity: O(log runs).
    package func number(segment: Int, row: Int) -> Int { numbers[segment][row] }

    /// Adds the numbers of live rows of a segment, which ascend, to a list. Complexity: That of `RunLengthMap`.
    package func append(numbersOf rows: [UInt32], of segment: Int, to list: inout [UInt32]) {
        numbers[segment].append(numbersOf: rows, to: &list)
    }
}

extension Snapshot {
    /// The numbers of the records. Complexity: O(rows) the first time, then O(1).
    package var recordNumbers: RecordNumbers {
        knownNumbers.load() ?? knownNumbers.storeIfNil(RecordNumbers(of: segments))
    }

    /// Whether there is one segment, of which every row counts: then a row's number is its record's.
    package var isOneWholeSegment: Bool { segments.count == 1 && segments[0].deleted == nil }

    /// Where the record of a number below `count` is stored.
    package func address(ofNumber number: Int) -> RowAddress {
        isOneWholeSegment ? RowAddress(segment: 0, row: number) : recordNumbers.address(number)
    }

    /// The record of a number below `count`, read on demand.
    package func record(ofNumber number: Int) -> RowView {
        let address = address(ofNumber: number)
        return RowView(segment: segments[address.segment].segment, row: address.row, keys: keys)
    }
}
