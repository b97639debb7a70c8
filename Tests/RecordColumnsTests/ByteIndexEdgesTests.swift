// What finds texts by their bytes: keys, hashes and tables at the edges of their sizes.

import RecordModel
import Testing

@testable import RecordColumns

@Suite struct ByteIndexEdgesTests {
    /// The hash that files rely on: numbers of eight bytes, lowest first, the last eight as they come; shorter texts as
    /// their first and last four bytes, or as their first, middle and last byte.
    private static func hash(_ bytes: [UInt8], _ keys: ByteHash.Keys) -> UInt32 {
        func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let product = a.multipliedFullWidth(by: b)
            return product.high ^ product.low
        }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        var words: [UInt64] = []
        switch bytes.count {
        case 0: break
        case 1...3: words = [number([bytes[bytes.count - 1], bytes[bytes.count / 2], bytes[0]])]
        case 4...7: words = [number(bytes.prefix(4)) << 32 | number(bytes.suffix(4))]
        default:
            words = stride(from: 0, to: bytes.count - 8, by: 8).map { number(bytes[$0..<$0 + 8]) }
            words.append(number(bytes.suffix(8)))
        }
        var state = keys.first ^ UInt64(bytes.count)
        for word in words { state = fold(state ^ word, keys.second) }
        state = fold(state, keys.first)
        return UInt32(truncatingIfNeeded: state ^ (state >> 32))
    }

    /// An index that one process stored is read by another: the hash of a text by given keys never changes.
    @Test func hashesAreThoseOfStoredIndexes() {
        let keys = ByteHash.Keys(first: 0x9E37_79B9_7F4A_7C15, second: 0xC2B2_AE3D_27D4_EB4F)
        for length in 0...40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
            bytes.withUnsafeBufferPointer { text in
                #expect(ByteHash.hash(text, keys) == Self.hash(bytes, keys), "\(length)")
                #expect(ByteHash.hash(text) == ByteHash.hash(text, ByteHash.keys))
            }
        }
    }

    @Test func bytesAreEqualOrNot() {
        let cases: [(a: [UInt8], b: [UInt8], areEqual: Bool)] = [
            ([], [], true), ([1], [1], true), ([1], [], false), ([], [1], false), ([1, 2], [1, 3], false),
            ([1, 2], [1], false), ([0], [0, 0], false), ([1, 2, 3], [1, 2, 3], true), ([3, 2], [1, 2], false),
        ]
        for (a, b, areEqual) in cases {
            let found = a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { ByteHash.areEqual(a, $0) } }
            #expect(found == areEqual, "\(a) \(b)")
        }
    }

    /// A key holds a text of up to fifteen bytes whole, and says of a longer one that it does not.
    @Test func keysHoldShortTextsWhole() {
        #expect(ShortKey.longest == 15)
        for length in Array(0...20) + [254, 255, 256, 300] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ 200) }
            let key = bytes.withUnsafeBufferPointer { ShortKey($0) }
            #expect(key.isPartial == (length > 15), "\(length)")
            #expect(key.withBytes { Array($0) } == (length > 15 ? [] : bytes), "\(length)")
        }
    }

    /// Texts that differ in one byte, wherever it is, or in their length alone, are different ones.
    @Test func oneByteTellsTextsApart() {
        var texts: [String] = []
        for length in 0...33 {
            let plain = [Character](repeating: "a", count: length)
            texts.append(String(plain))
            for place in 0..<length {
                var other = plain
                other[place] = "b"
                texts.append(String(other))
            }
        }
        let table = TextTable(capacity: 0)
        var positions = FieldPositions()
        for (number, text) in texts.enumerated() {
            #expect(positions[text] == nil, "\(text)")
            positions.append(text)
            #expect(Array(text.utf8).withUnsafeBufferPointer { table.number(of: $0) } == number, "\(text)")
        }
        for (number, text) in texts.enumerated() {
            #expect(positions[text] == number, "\(text)")
            #expect(Array(text.utf8).withUnsafeBufferPointer { table.number(of: $0) } == number, "\(text)")
        }
        #expect(table.count == texts.count && positions.names == texts)
    }

    /// Half of the slots are empty at least, whose number is a power of two: else what was stored would not be read.
    @Test func tablesStayHalfEmpty() {
        for count in 0...70 {
            let texts = TextColumn((0..<count).map { "name \($0)" })
            let (grown, sized) = (ByteIndex(), ByteIndex(of: texts))
            for row in 0..<count { texts.withBytes(row) { grown.insert(ByteHash.hash($0), row) } }
            for index in [grown, sized] {
                let slots = index.slots.count
                #expect(slots >= 16 && slots >= 2 * count && slots & (slots - 1) == 0, "\(count)")
                #expect(index.count == count && index.byteCount == 8 * slots)
                for row in 0..<count {
                    let found = texts.withBytes(row) { text in
                        index.find(ByteHash.hash(text)) { texts.equals($0, text) }
                    }
                    #expect(found == row)
                }
                #expect(index.find(0) { _ in false } == nil)
            }
            #expect(ByteIndex(capacity: count).slots.count >= 2 * count)
        }
    }

    /// Each name is hashed once, when one is looked up first after it came; only those below the count are found.
    @Test func namesAreEnteredOnce() {
        let index = NameIndex()
        var hashed: [Int] = []
        func position(_ wanted: Int, among count: Int) -> Int? {
            index.position(
                UInt32(wanted * 7), among: count,
                hash: {
                    hashed.append($0)
                    return UInt32($0 * 7)
                }, where: { $0 == wanted })
        }
        #expect(position(3, among: 3) == nil && position(1, among: 3) == 1 && position(3, among: 5) == 3)
        #expect(position(0, among: 5) == 0 && position(2, among: 5) == 2 && hashed == [0, 1, 2, 3, 4])
        #expect(index.byteCount >= 2 * 8 * 5)
    }

    /// A longer name is greater; one that was the greatest before is not above itself.
    @Test func theGreatestNameRises() {
        let cases: [(names: [String], rises: [Bool])] = [
            (
                ["b", "a", "c", "c", "aa", "z", "ab", "", "ab", "b"],
                [true, false, true, false, true, false, true, false, false, false]
            ),
            (["", "", "a", ""], [true, false, true, false]), (["10", "9", "11"], [true, false, true]),
        ]
        for (names, rises) in cases {
            let greatest = GreatestName()
            let found = names.map { Array($0.utf8).withUnsafeBufferPointer { greatest.rises(to: $0) } }
            #expect(found == rises, "\(names)")
        }
    }

    /// Names up to the limit have numbers in order of appearance, whatever came before them in a record.
    @Test func fieldsHaveNumbersUpToTheLimit() throws {
        let known = ["a", "a name of more than fifteen bytes", "b"]
        let names = FieldNames(limit: 3)
        for (number, name) in known.enumerated() { #expect(try names.number(of: name) == number) }
        for name in ["c", "d", "c"] {
            #expect(throws: ColumnError(.tooManyFields(limit: 3))) { try names.number(of: name) }
        }
        #expect(names.count == 3 && (0..<3).map { names[$0] } == known)
        for round in 0..<2 {
            for previous in -1..<3 {
                for (number, name) in known.enumerated() {
                    let found = try Array(name.utf8).withUnsafeBufferPointer {
                        try names.number(of: $0, after: previous)
                    }
                    #expect(found == number, "\(round) \(previous)")
                    // The same again, which is what the next record mostly has.
                    let again = try Array(name.utf8).withUnsafeBufferPointer {
                        try names.number(of: $0, after: previous)
                    }
                    #expect(again == number, "\(round) \(previous)")
                }
            }
        }
    }

    // MARK: Memory

    /// A buffer that was given away as another type is empty, and both go on by themselves.
    @Test func memoryOfAnotherTypeLeavesNothingBehind() {
        final class Owner: Sendable {}
        let buffer = ColumnBuffer<Int64>([1, -1])
        let bits = buffer.retyped(UInt64.self)
        #expect(buffer.count == 0 && bits.withElements { Array($0) } == [1, .max])
        buffer.append(7)
        bits.append(9)
        #expect(buffer.withElements { Array($0) } == [7] && bits.withElements { Array($0) } == [1, .max, 9])
        let elements: [Int64] = [5, 6]
        elements.withUnsafeBufferPointer { memory in
            let borrowed = ColumnBuffer(borrowing: memory, of: Owner())
            let other = borrowed.retyped(UInt64.self)
            borrowed.append(1)
            other.append(8)
            #expect(other.withElements { Array($0) } == [5, 6, 8] && borrowed.withElements { Array($0) } == [1])
        }
        #expect(elements == [5, 6])
    }

    @Test func buffersHaveTheRoomTheyNeed() {
        let buffer = ColumnBuffer<UInt32>(capacity: 0)
        buffer.append(repeating: 3, count: 0)
        buffer.truncate(to: -1)
        #expect(buffer.count == 0 && buffer.last == nil)
        for number in 0..<100 { buffer.append(UInt32(number)) }
        buffer.truncate(to: 200)
        buffer.shrink()
        #expect(buffer.count == 100 && buffer.byteCount == 400 && buffer.last == 99)
        buffer.append(contentsOf: UnsafeBufferPointer(start: nil, count: 0))
        #expect(buffer.count == 100)
        buffer.truncate(to: 0)
        buffer.shrink()
        #expect(buffer.count == 0 && buffer.byteCount <= 4)
    }

    /// Bits behind the last row that is left are clear, and a number of rows below none is none.
    @Test func bitsThatAreDroppedAreClear() {
        for kept in [-5, 0, 1, 63, 64, 65, 100] {
            let bits = BitBuilder()
            bits.append(repeating: true, count: 100)
            bits.truncate(to: kept)
            #expect(bits.count == max(0, kept))
            bits.append(repeating: false, count: 70)
            let bitmap = bits.bitmap
            #expect(bitmap.count == max(0, kept) + 70 && bitmap.cardinality == max(0, kept), "\(kept)")
        }
    }

    /// The first object stays, whoever comes later.
    @Test func aCellKeepsItsFirstObject() {
        final class Object: Sendable {}
        let cell = OnceCell<Object>()
        let (first, second) = (Object(), Object())
        #expect(cell.load() == nil)
        #expect(cell.storeIfNil(first) === first && cell.storeIfNil(second) === first && cell.load() === first)
    }
}
