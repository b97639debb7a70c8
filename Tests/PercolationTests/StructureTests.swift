// The structures below the index, each against the simplest thing that does the same.

import FoundationEssentials
import Geospatial
import RecordModel
import Testing

@testable import Campaigns
@testable import Percolation

@Suite struct StructureTests {
    /// Terms come and go at random; numbers, mentions and absence are those of a dictionary.
    @Test func dictionaryNumbersTerms() throws {
        struct Key: Hashable {
            var bytes: [UInt8]
            var space: Int
        }
        var generator = SeededGenerator(seed: 8)
        var dictionary = TermDictionary()
        var expected: [Key: (term: UInt32, mentions: Int)] = [:]
        for step in 0..<20_000 {
            let length = Int.random(in: 0...20, using: &generator)
            let key = Key(
                bytes: (0..<length).map { _ in UInt8.random(in: 0...(length < 4 ? 9 : 1), using: &generator) },
                space: Int.random(in: 0...2, using: &generator))
            // Growth first, then as much leaves as comes.
            if step < 5000 || generator.oneIn(2) {
                let term = dictionary.intern(key.bytes.span, in: key.space)
                if let known = expected[key] { #expect(known.term == term) }
                expected[key] = (term, (expected[key]?.mentions ?? 0) + 1)
            } else if let known = expected.randomElement(using: &generator) {
                let isGone = dictionary.release(known.value.term)
                #expect(isGone == (known.value.mentions == 1))
                expected[known.key] = isGone ? nil : (known.value.term, known.value.mentions - 1)
            }
            #expect(dictionary.find(key.bytes.span, in: key.space) == expected[key]?.term)
        }
        #expect(expected.count > 100)
        #expect(dictionary.liveCount == expected.count)
        #expect(Set(expected.values.map(\.term)).count == expected.count)
        for (key, known) in expected {
            #expect(dictionary.find(key.bytes.span, in: key.space) == known.term)
            #expect(dictionary.mentions(of: known.term) == known.mentions)
        }
    }

    /// The bytes of terms move together once many have left; those that stay are found where theirs are now.
    @Test func termsAreFoundAfterOthersLeft() {
        func key(_ number: Int) -> [UInt8] { Array("the term of number \(number)".utf8) }
        var dictionary = TermDictionary()
        let terms = (0..<800).map { dictionary.intern(key($0).span, in: 0) }
        for number in 0..<600 {
            let isGone = dictionary.release(terms[number])
            #expect(isGone)
        }
        for number in 0..<800 {
            #expect(dictionary.find(key(number).span, in: 0) == (number < 600 ? nil : terms[number]))
        }
        // New ones take the numbers of those that left.
        let others = (1000..<1600).map { dictionary.intern(key($0).span, in: 0) }
        #expect(Set(others) == Set(terms[..<600]))
        for (number, term) in zip(1000..<1600, others) { #expect(dictionary.find(key(number).span, in: 0) == term) }
    }

    /// Ranges of all widths and both open ends; those that hold for a number are those that contain it.
    @Test func rangesAreFoundByNumber() {
        var generator = SeededGenerator(seed: 9)
        let edges: [Double] = [
            0, 1, -1, 0.1, 0.5, 3, 4.5, 100, 1e9, 1e300, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0x1p53,
        ]
        func number() -> Double {
            generator.oneIn(2) ? generator.pick(edges) : Double.random(in: -10...10, using: &generator)
        }
        var intervals = IntervalIndex(field: 1, isDate: false)
        var expected: [PostingEntry: NumberRange] = [:]
        for slot in 0..<3000 {
            let (a, b) = (number(), number())
            let range = NumberRange(
                field: 1, isDate: false, low: generator.oneIn(4) ? -.infinity : min(a, b),
                high: generator.oneIn(4) ? .infinity : max(a, b))
            let entry = PostingEntry(slot: slot, hasResidual: slot % 2 == 0, mayRepeat: false)
            intervals.insert(entry, range)
            expected[entry] = range
            if slot % 3 == 0, let other = expected.keys.min() {
                if let range = expected.removeValue(forKey: other) { intervals.remove(other, range) }
            }
            guard slot % 5 == 0 else { continue }
            let number = number()
            var found: [PostingEntry] = []
            for list in intervals.lists { list.forEach(holding: number) { found.append($0) } }
            #expect(found.sorted() == expected.filter { $0.value.contains(number) }.keys.sorted())
        }
        for (entry, range) in expected { intervals.remove(entry, range) }
        #expect(intervals.isEmpty)
    }

    /// Every place within a circle lies in one of its cells, at poles and across the antimeridian too.
    @Test func cellsCoverCircles() {
        var generator = SeededGenerator(seed: 10)
        let centers =
            RandomRecords.places + [
                Location(latitude: 89.999, longitude: -180), Location(latitude: -89.9, longitude: 180),
                Location(latitude: 0, longitude: 180), Location(latitude: 66, longitude: -179.9999),
            ]
        var inside = 0
        for radius in [0, 1, 100, 2000, 50_000, 900_000, 4e6] {
            for center in centers {
                let test = DistanceTest(center: center, range: .atMost(radius))
                guard let cells = EarthGrid.cells(covering: test) else { continue }
                #expect(cells.keys.count <= 64)
                let covered = Set(cells.keys)
                let reach = max(1e-7, radius / 111_000)
                for _ in 0..<200 {
                    var place = Location(
                        latitude: center.latitude + Double.random(in: -reach...reach, using: &generator),
                        longitude: center.longitude + Double.random(in: -2 * reach...2 * reach, using: &generator))
                    place.latitude = min(90, max(-90, place.latitude))
                    if place.longitude > 180 { place.longitude -= 360 }
                    if place.longitude < -180 { place.longitude += 360 }
                    guard place.isValid, test.contains(place) else { continue }
                    inside += 1
                    #expect(covered.contains(EarthGrid.cell(of: place, level: cells.level)))
                }
            }
        }
        #expect(inside > 2000)
    }

    /// Equal values have equal bytes, unequal ones do not.
    @Test func bytesOfScalarsTellThemApart() {
        let values: [FieldValue] = [
            0, 1, 2, .bool(true), .bool(false), 0.0, -0.0, 1.0, 0.5, .double(.nan), .double(-.nan), .double(.infinity),
            .int64(.max), .double(0x1p63), .data(Data()), .data(Data([1])),
            .location(Location(latitude: 0, longitude: -0.0)),
            .location(Location(latitude: -0.0, longitude: 0)), .location(Location(latitude: 1, longitude: 0)),
            .reference(RecordReference("é")), .reference(RecordReference("e\u{301}")), .reference(RecordReference("e")),
            .reference(RecordReference(recordID: Record.ID("e", zoneID: .init("z")))),
            .reference(RecordReference(recordID: Record.ID("e", zoneID: .init("z", ownerName: "_o")))),
            // The letters of both names together are the same.
            .reference(RecordReference(recordID: Record.ID("ab", zoneID: .init("c")))),
            .reference(RecordReference(recordID: Record.ID("a", zoneID: .init("bc")))),
            .asset(Asset(path: "é")),
            .asset(Asset(path: "e\u{301}", size: 4)),
        ]
        let equal: [(FieldValue, FieldValue)] = [
            (1, .bool(true)), (1, 1.0), (0, -0.0), (0, 0.0), (0, .bool(false)), (.double(.nan), .double(-.nan)),
            (.date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: -0.0))),
            (.reference(RecordReference("é")), .reference(RecordReference("e\u{301}"))),
            (.asset(Asset(path: "é")), .asset(Asset(path: "e\u{301}", size: 4))),
        ]
        func code(_ value: FieldValue) -> [Int] {
            var bytes: [UInt8] = []
            let kind = ScalarKind.encode(value, into: &bytes)
            return [kind?.rawValue ?? -1] + bytes.map(Int.init)
        }
        for (a, b) in equal { #expect(code(a) == code(b)) }
        // Written in several ways are 0 (four), 1 (three), NaN, the place 0 0, é and the path é (two each).
        #expect(Set(values.map(code)).count == values.count - 3 - 2 - 1 - 1 - 1 - 1)
        for value in [FieldValue.null, "text", .list([1]), .object([:])] { #expect(code(value) == [-1]) }
    }
}
