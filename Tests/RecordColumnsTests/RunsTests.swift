// Maps of runs, the bits of columns under construction, and what finds names and texts.

import RecordModel
import Testing
import _TestSupport

@testable import RecordColumns

@Suite struct RunsTests {
    /// Runs of one, of many, falling, repeating, and none.
    private static let maps: [[Int]] = [
        [], [0], [5], [0, 1, 2, 3], [3, 2, 1, 0], [7, 7, 8, 8, 9], [0, 2, 4, 5, 6, 100, 101, 3, 4, 5, 5],
        Array(10..<200) + Array(0..<10) + [400, 402, 403] + Array(200..<300), (0..<64).map { $0 * 2 },
    ]

    private static func map(_ numbers: [Int]) -> RunLengthMap {
        let map = RunLengthMap()
        for number in numbers { map.append(number) }
        return map
    }

    @Test(arguments: maps) func mapsOfRunsAreArrays(numbers: [Int]) {
        let map = Self.map(numbers)
        #expect(map.count == numbers.count && numbers.indices.map { map[$0] } == numbers)
        let raised = map.raised(by: 1000)
        #expect(raised.count == numbers.count && numbers.indices.map { raised[$0] } == numbers.map { $0 + 1000 })
        var random = SplitMix64(seed: UInt64(numbers.count))
        for share in [1, 2, 5, 50] {
            let positions = numbers.indices.filter { _ in Int.random(in: 0..<share, using: &random) == 0 }
            // Behind what is in the list already.
            var list: [UInt32] = [99]
            map.append(numbersOf: positions.map { UInt32($0) }, to: &list)
            #expect(list == [99] + positions.map { UInt32(numbers[$0]) }, "\(share)")
        }
        for position in numbers.indices {
            var list: [UInt32] = []
            map.append(numbersOf: [UInt32(position)], to: &list)
            #expect(list == [UInt32(numbers[position])])
        }
    }

    @Test func aRangeIsOneRun() {
        let map = RunLengthMap(5..<9)
        #expect(map.count == 4 && (0..<4).map { map[$0] } == [5, 6, 7, 8] && map.starts.count == 1)
        #expect(RunLengthMap(3..<3).count == 0)
    }

    /// A row that goes on in another segment is no neighbour of the one before.
    @Test func addressesKeepSegmentAndRow() {
        let addresses: [(Int, Int)] = [(0, 0), (0, 1), (1, 2), (1, 3), (0, 2), (2, 0), (2, 0), (3, 1 << 30)]
        let map = AddressMap()
        for (segment, row) in addresses { map.append(segment: segment, row: row) }
        let renumbered = map.renumbered([7, 0, 5, 1])
        #expect(map.count == addresses.count && renumbered.count == addresses.count)
        for (position, (segment, row)) in addresses.enumerated() {
            #expect(map[position] == RowAddress(segment: segment, row: row))
            #expect(renumbered[position] == RowAddress(segment: [7, 0, 5, 1][segment], row: row))
        }
        for (file, line) in [(0, 1), (3, 1 << 39), (1 << 20, 0)] {
            let origin = RowOrigin(file: file, line: line)
            #expect(RowOrigin(packed: origin.packed) == origin)
        }
    }

    /// Bits added one by one, many at once, and dropped again.
    @Test func bitsUnderConstructionAreAnArray() {
        var random = SplitMix64(seed: 3)
        let bits = BitBuilder()
        var expected: [Bool] = []
        for _ in 0..<400 {
            let bit = Bool.random(using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                bits.append(bit)
                expected.append(bit)
            case 2, 3:
                let count = [0, 1, 62, 63, 64, 65, 128, 200].randomElement(using: &random) ?? 0
                bits.append(repeating: bit, count: count)
                expected += [Bool](repeating: bit, count: count)
            default:
                let count = max(0, expected.count - Int.random(in: -1...130, using: &random))
                bits.truncate(to: count)
                expected = Array(expected.prefix(count))
            }
            #expect(bits.count == expected.count)
        }
        let bitmap = bits.bitmap
        #expect(bitmap.count == expected.count && expected.indices.allSatisfy { bitmap[$0] == expected[$0] })
        #expect(bitmap.cardinality == expected.count { $0 })
    }

    @Test func presenceUnderConstructionIsAnArray() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<40 {
            let presence = PresenceBuilder()
            var expected: [Bool] = []
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                let count = Int.random(in: 0..<70, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    presence.appendPresent()
                    expected.append(true)
                case 1:
                    presence.appendPresent(count)
                    expected += [Bool](repeating: true, count: count)
                case 2:
                    presence.appendMissing(count)
                    expected += [Bool](repeating: false, count: count)
                default:
                    presence.truncate(to: max(0, expected.count - count))
                    expected.removeLast(min(count, expected.count))
                }
                #expect(presence.count == expected.count && presence.presentCount == expected.count { $0 })
                #expect(expected.indices.allSatisfy { presence[$0] == expected[$0] })
            }
            let bitmap = presence.bitmap
            #expect((bitmap == nil) == !expected.contains(false))
            if let bitmap {
                #expect(bitmap.count == expected.count)
                #expect(expected.indices.allSatisfy { bitmap[$0] == expected[$0] })
            }
        }
    }

    /// Names are found by what another process hashed them by, whether their hash is known here or not.
    @Test func namesAreFoundInAnIndexOfAnotherProcess() throws {
        let texts = (0..<50).map { "name \($0)" } + ["", "a", "äöü", String(repeating: "long", count: 20)]
        let names = TextColumn(texts)
        let slots = ColumnBuffer<UInt64>()
        slots.append(repeating: 0, count: 128)
        let index = ByteIndex(slots: slots, count: 0, keys: ByteHash.Keys(first: 3, second: 1_234_567_891))
        for row in texts.indices { names.withBytes(row) { index.insert(index.hash($0), row) } }
        #expect(index.count == texts.count)
        let segment = Segment(
            schema: RecordSchema(recordType: "T"), zoneID: .default, columns: [], names: names, nameIndex: index)
        for (row, name) in texts.enumerated() {
            #expect(segment.row(named: name) == row, "\(name)")
            let hash = names.withBytes(row) { ByteHash.hash($0) }
            #expect(names.withBytes(row) { segment.row(named: $0, hash: hash) } == row)
        }
        #expect(segment.row(named: "name") == nil && segment.row(named: "name 50") == nil)
        // As others name them the rows are found by the same index.
        let named = segment.named(inZonesOf: "bob", keeping: [])
        #expect(named.row(named: "name 49") == 49 && named.row(named: "x") == nil)
        #expect(named.zoneID == RecordZone.ID("_defaultZone", ownerName: "bob"))
        #expect(named.storedID(3) == Record.ID("name 3") && named.recordID(3).zoneID == named.zoneID)
    }

    /// Of rows of one name the first is found, in segments that are searched and in those that have an index.
    @Test(arguments: [3, 8, 9, 40]) func theFirstOfEqualNamesIsFound(count: Int) {
        let names = TextColumn((0..<count).map { "r\($0 % (count - 1))" })
        let segment = Segment(schema: RecordSchema(recordType: "T"), zoneID: .default, columns: [], names: names)
        for row in 0..<count - 1 { #expect(segment.row(named: "r\(row)") == row) }
        #expect(segment.row(named: "r\(count - 1)") == nil)
    }

    /// Memory that is borrowed is read, and left as it is by what is added or dropped.
    @Test func borrowedMemoryStaysAsItIs() {
        final class Owner: Sendable {}
        let elements: [UInt32] = [1, 2, 3]
        elements.withUnsafeBufferPointer { memory in
            let buffer = ColumnBuffer(borrowing: memory, of: Owner())
            buffer.shrink()
            #expect(buffer.count == 3 && buffer.start == memory.baseAddress)
            buffer.truncate(to: 2)
            buffer.append(9)
            #expect(buffer.withElements { Array($0) } == [1, 2, 9] && buffer.start != memory.baseAddress)
            buffer.append(repeating: 4, count: 100)
            buffer.shrink()
            #expect(buffer.count == 103 && buffer[102] == 4 && buffer.byteCount == 103 * 4)
            let none = ColumnBuffer(borrowing: UnsafeBufferPointer(rebasing: memory[0..<0]), of: Owner())
            none.append(5)
            #expect(none.count == 1 && none[0] == 5)
        }
        #expect(elements == [1, 2, 3])
    }

    /// Fields by name: many, with long names that share a beginning, and the last one taken away again.
    @Test func fieldsHaveTheirPositions() {
        var positions = FieldPositions()
        let names = (0..<100).map { $0 % 2 == 0 ? "f\($0)" : "a name of more than fifteen bytes \($0)" }
        for (position, name) in names.enumerated() {
            #expect(positions[name] == nil)
            positions.append(name)
            #expect(positions[name] == position)
        }
        for removed in (90..<100).reversed() {
            positions.removeLast()
            #expect(positions[names[removed]] == nil && positions.names.count == removed)
        }
        for position in 0..<90 { #expect(positions[names[position]] == position) }
        positions.append("f98")
        #expect(positions["f98"] == 90)
        // Bytes tell: names that are equal to Swift are two.
        positions.append("é")
        #expect(positions["é"] == 91 && positions["e\u{301}"] == nil)
    }
}
