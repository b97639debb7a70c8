// The records of files, in segments, with the order in which they came.

package import RecordModel

/// Where a record came from.
package struct RowOrigin: Hashable, Sendable {
    /// Index of the file in order of loading.
    package var file: Int
    /// Line of the file, from 1.
    package var line: Int

    package init(file: Int, line: Int) {
        self.file = file
        self.line = line
    }

    private static let lineBits = 40

    /// The origin as one number: the file above 40 bits of line.
    package var packed: Int { file << Self.lineBits | line }

    /// The origin of a number made by `packed`.
    package init(packed: Int) {
        file = packed >> Self.lineBits
        line = packed & (1 << Self.lineBits - 1)
    }
}

/// Where every record of a sequence came from.
package struct OriginMap: Sendable {
    let numbers: RunLengthMap

    /// The file and the line of the record at a position. Complexity: O(log runs).
    package subscript(position: Int) -> RowOrigin { RowOrigin(packed: numbers[position]) }
}

/// Where the record of a position is stored.
package struct RowAddress: Hashable, Sendable {
    /// Index of the segment among those that the records are in.
    package var segment: Int
    package var row: Int

    package init(segment: Int, row: Int) { (self.segment, self.row) = (segment, row) }
}

/// Where the records of a sequence are stored, by their positions in it: stretches of neighbours, of which there are
/// few.
package struct AddressMap: Sendable {
    private static let rowBits = 32
    private let numbers: RunLengthMap

    /// No records.
    package init() { numbers = RunLengthMap() }

    private init(_ numbers: RunLengthMap) { self.numbers = numbers }

    /// Number of positions.
    package var count: Int { numbers.count }

    /// The address of a position below `count`. Complexity: O(log runs); one run for one type.
    package subscript(position: Int) -> RowAddress {
        let number = numbers[position]
        return RowAddress(segment: number >> Self.rowBits, row: number & (1 << Self.rowBits - 1))
    }

    /// Adds the address of the next position. Complexity: amortised O(1).
    package func append(segment: Int, row: Int) { numbers.append(segment << Self.rowBits | row) }

    /// The same addresses with the segments renumbered. Complexity: O(runs).
    func renumbered(_ numberOfSegment: [Int]) -> AddressMap {
        let values = ColumnBuffer<Int>()
        for run in 0..<numbers.values.count {
            let value = numbers.values[run]
            values.append(numberOfSegment[value >> Self.rowBits] << Self.rowBits | value & (1 << Self.rowBits - 1))
        }
        return AddressMap(RunLengthMap(starts: numbers.starts, values: values, count: numbers.count))
    }
}

/// Records of one or more types, in the order in which they came.
///
/// Every record has a *position* in that order, from 0. Each segment holds rows of one type and zone.
package struct LoadedSegments: Sendable {
    /// What the identifier and the type are called where they are seen as fields.
    package let keys: RecordKeys
    /// Whether records gave identifiers of their own (else lines name them).
    package let hasNames: Bool
    /// Whether records gave types of their own.
    package let hasTypes: Bool
    /// The indexes of segments whose records have names of their own, or those of a join.
    package let namedSegments: Set<Int>
    /// The segments, those of one type in order of position; none is empty.
    package let segments: [Segment]
    /// The positions of each segment's rows, which ascend.
    package let positions: [RunLengthMap]
    /// Where the record of each position is stored.
    package let addresses: AddressMap
    /// Where the record of each position came from.
    package let origins: OriginMap
    /// The fields of every record type, types and fields in order of first appearance.
    package let schemas: [RecordSchema]

    /// Number of records.
    package var count: Int { addresses.count }

    /// The record of a position below `count`, read on demand. Complexity: O(log runs).
    package subscript(position: Int) -> RowView {
        let address = addresses[position]
        return RowView(segment: segments[address.segment], row: address.row, keys: keys)
    }
}
