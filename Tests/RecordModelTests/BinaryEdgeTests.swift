// Numbers, counts and marks of the binary form at their edges.

import RecordModel
import Testing

@Suite struct BinaryEdgeTests {
    private static let nine = [UInt8](repeating: 0x80, count: 9)
    private static let numbers: [(bytes: [UInt8], number: UInt64?)] = [
        ([0], 0), ([0x7F], 127), ([0x80, 1], 128), ([0xFF, 0x7F], 16_383), (nine + [0], 0), (nine + [1], 1 << 63),
        ([UInt8](repeating: 0xFF, count: 9) + [1], .max), (nine + [2], nil), (nine + [0x7F], nil),
        (nine + [0x80, 0], nil), (nine + [0x81, 0], nil), (nine + [0xFF, 1], nil),
    ]

    /// Ten bytes hold the greatest number and not a bit more.
    @Test(arguments: numbers.indices) func numbersFitTheirBits(_ index: Int) throws {
        let (bytes, number) = Self.numbers[index]
        // Behind another byte: an error says where the number begins.
        var reader = BinaryReader([0x55] + bytes)
        _ = try reader.byte()
        if let number {
            #expect(try reader.number() == number)
            #expect(reader.remaining == 0)
        } else {
            #expect(throws: BinaryError(.outOfRange, offset: 1)) { try reader.number() }
        }
    }

    @Test func countsAreOfWhatIsLeft() throws {
        func count(_ bytes: [UInt8], ofBytes size: Int) throws -> Int {
            var reader = BinaryReader(bytes)
            return try reader.count(ofBytes: size)
        }
        #expect(try count([3, 1, 2, 3], ofBytes: 1) == 3)
        #expect(try count([1, 1, 2, 3], ofBytes: 2) == 1)
        #expect(try count([0], ofBytes: 8) == 0)
        #expect(throws: BinaryError(.endsEarly, offset: 0)) { try count([4, 1, 2, 3], ofBytes: 1) }
        #expect(throws: BinaryError(.endsEarly, offset: 0)) { try count([2, 1, 2, 3], ofBytes: 2) }
        for (limit, isIn) in [(6, true), (5, true), (4, false), (-1, false)] {
            var reader = BinaryReader([5])
            if isIn {
                #expect(try reader.number(upTo: limit) == 5)
            } else {
                #expect(throws: BinaryError(.outOfRange, offset: 0)) { try reader.number(upTo: limit) }
            }
        }
        var seven = BinaryReader([UInt8](repeating: 1, count: 7))
        #expect(throws: BinaryError(.endsEarly, offset: 0)) { try seven.fixed() }
        var eight = BinaryReader([1, 2, 0, 0, 0, 0, 0, 0x80])
        #expect(try eight.fixed() == 0x8000_0000_0000_0201)
    }

    private static let refused: [(bytes: [UInt8], error: BinaryError)] = [
        ([14], BinaryError(.unknownKind(14), offset: 0)), ([5, 1, 0xFF], BinaryError(.notText, offset: 2)),
        // The action of a reference, its zone; whether the size of an asset is known; the entries of an object.
        ([9, 2, 1, 0x72, 0], BinaryError(.unknownKind(2), offset: 1)),
        ([9, 0, 1, 0x72, 3], BinaryError(.unknownKind(3), offset: 4)),
        ([10, 1, 0x70, 2], BinaryError(.outOfRange, offset: 3)), ([13, 2, 0, 0], BinaryError(.endsEarly, offset: 1)),
        ([11, 3, 0, 0], BinaryError(.endsEarly, offset: 1)), ([0, 0], BinaryError(.goesOn, offset: 1)),
    ]

    @Test(arguments: refused.indices) func whatIsNoValueIsRefusedWhereItIs(_ index: Int) {
        let (bytes, error) = Self.refused[index]
        #expect(throws: error) { try FieldValue(binary: bytes) }
    }

    @Test func typesHaveTheirNumbers() throws {
        let numbers: [(UInt8, FieldType)] = [
            (0, .int64), (1, .double), (2, .number), (3, .bool), (4, .string), (5, .date), (6, .data), (7, .location),
            (8, .reference), (9, .asset), (10, .object), (11, .any), (101, .list(nil)),
        ]
        for (number, type) in numbers {
            #expect(try FieldType(binary: [number]) == type && type.binary() == [number])
            #expect(try FieldType(binary: [100, number]) == .list(type))
        }
        for number: UInt8 in [12, 99, 102] {
            #expect(throws: BinaryError(.unknownKind(number), offset: 0)) { try FieldType(binary: [number]) }
        }
    }
}
