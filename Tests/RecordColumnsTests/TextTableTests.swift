// Distinct texts by number, and names that are unique whatever their order.

import Testing
import _TestSupport

@testable import RecordColumns

@Suite struct TextTableTests {
    /// Texts of 0 to 40 bytes over few letters, zero bytes among them: many agree but for their length or one byte.
    private func texts(_ count: Int) -> [[UInt8]] {
        var generator = SplitMix64(seed: 5)
        func next(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        return (0..<count).map { _ in
            let length = next(4) == 0 ? next(41) : next(10)
            return (0..<length).map { _ in UInt8(next(2) == 0 ? 0 : 97 + next(2)) }
        }
    }

    @Test func numbersAreThoseOfADictionary() {
        let table = TextTable()
        var expected: [[UInt8]: Int] = [:]
        for text in texts(20_000) {
            let number = text.withUnsafeBufferPointer { table.number(of: $0) }
            #expect(number == expected[text, default: expected.count])
            expected[text] = number
        }
        #expect(table.count == expected.count && table.count > 1_000)
        for (text, number) in expected { #expect(table.texts.column.byteArray(number) == text) }
    }

    @Test func manyAtOnceAreAsOneByOne() {
        let (table, other) = (TextTable(), TextTable())
        let short = texts(5_000).filter { $0.count <= ShortKey.longest }
        let numbers = ColumnBuffer<UInt32>()
        for start in stride(from: 0, to: short.count, by: 37) {
            let group = Array(short[start..<min(short.count, start + 37)])
            let keys = ColumnBuffer(group.map { $0.withUnsafeBufferPointer { ShortKey($0) } })
            #expect(table.numbers(of: keys, into: numbers))
            for (index, text) in group.enumerated() {
                _ = text.withUnsafeBufferPointer { other.number(of: $0) }
                #expect(table.texts.column.byteArray(Int(numbers[index])) == text)
            }
        }
        #expect(table.count == other.count)
    }

    @Test(arguments: [
        ["1", "2", "10", "9", "11", "10"], ["b", "a", "b"], ["x", "x"], ["", ""], ["1", "10", "100", "1"],
    ])
    func aNameThatCameBeforeIsFoundInAnyOrder(names: [String]) throws {
        let loader = RecordLoader()
        func add(_ name: String, origin: Int) throws {
            try Array("T".utf8).withUnsafeBufferPointer { type in
                try Array(name.utf8).withUnsafeBufferPointer { try loader.begin(type: type, name: $0, origin: origin) }
            }
            loader.commit(bytes: 1)
        }
        for (origin, name) in names.dropLast().enumerated() { try add(name, origin: origin) }
        let first = try #require(names.firstIndex(of: names.last ?? ""))
        #expect(throws: ColumnError(.duplicateName(first: first))) { try add(names.last ?? "", origin: 99) }
        let loaded = loader.finish()
        for (position, name) in names.dropLast().enumerated() { #expect(loaded[position].recordName == name) }
    }
}
