// Key paths mean the fields that their values are encoded as.

import Foundation
import Geospatial
import RecordModel
import Synchronization
import Testing

@testable import QueryFrontEnds

@Suite struct KeyPathTests {
    private static func path<Root: FieldNamed>(_ keyPath: PartialKeyPath<Root>) -> String? {
        (try? Root.path(of: keyPath))?.joined(separator: ".")
    }

    @Test func namesOfFields() {
        let names: [(PartialKeyPath<Place>, String?)] = [
            (\.name, "name"), (\.nickname, "nickname"), (\.population, "population"), (\.area, "area"),
            (\.rank, "rank"), (\.isCapital, "capital"), (\.isPort, "isPort"), (\.tags, "tags"),
            (\.scores, "scores"), (\.founded, "founded"), (\.location, "location"), (\.spot, "spot"),
            (\.status, "status"), (\.address, "address"), (\.former, "former"), (\.items, "items"),
            (\.owner, "owner"), (\.mayor, "mayor"), (\.seal, "seal"), (\.bytes, "bytes"), (\.page, "page"),
            (\.token, "token"), (\.extra, "extra"), (\.recordID, "recordID"),
            (\.address.zip, "address.zip"), (\.former?.street, "former.street"),
            // Computed properties are no fields, but one that is always the value of a field is that field.
            (\.shout, nil), (\.isBoth, nil), (\.isInland, nil), (\.alias, "name"), (\.name.count, nil),
            (\.location.latitude, nil),
        ]
        for (keyPath, name) in names { #expect(Self.path(keyPath) == name, "\(keyPath)") }
    }

    @Test func namesWithoutSamples() {
        // The enumeration has no list of its cases: stored properties go by their names, if there is such a key.
        #expect(Self.path(\Graded.grade) == "grade")
        #expect(Self.path(\Graded.title) == nil)
        #expect(Self.path(\Graded.count) == nil)
        #expect(Self.path(\Named.title) == "grade")
        #expect(Self.path(\Named.count) == "count")
        let error = #expect(throws: UnknownKeyPath.self) { try Graded.path(of: \.title) }
        #expect(error?.keyPath == "\\Graded.title")
        #expect(error?.reason.contains("Graded.grade") == true)
        #expect(error?.hint.contains("static var fields") == true)
    }

    @Test func namesOfOwnCoding() {
        #expect(Self.path(\Celsius.degrees) == "temperature")
        #expect(Self.path(\Celsius.note) == "degrees")
    }

    /// Counts how often one is decoded.
    private struct Counted: FieldNamed {
        static let decoded = Atomic(0)
        var first, second: String

        enum CodingKeys: CodingKey { case first, second }

        init(from decoder: any Decoder) throws {
            Self.decoded.wrappingAdd(1, ordering: .relaxed)
            let members = try decoder.container(keyedBy: CodingKeys.self)
            first = try members.decode(String.self, forKey: .first)
            second = try members.decode(String.self, forKey: .second)
        }
    }

    @Test("Names are found out once for each type")
    func namesAreKept() {
        #expect(Self.path(\Counted.first) == "first")
        let once = Counted.decoded.load(ordering: .relaxed)
        #expect(once > 0 && Self.path(\Counted.second) == "second" && Self.path(\Counted.first) == "first")
        #expect(Counted.decoded.load(ordering: .relaxed) == once)
    }

    private struct Flags: FieldNamed {
        var a, b, c, d, e, f, g, h, i, j, k, l: Bool
        var x, y, z: Status
        var m, n, o: UInt8
        var other: Bool { a || b }
        var most: Bool { (a ? 1 : 0) + (b ? 1 : 0) + (c ? 1 : 0) > 1 }
        var differs: Bool { a != b }
        var always: Bool { true }
    }

    /// Lists of one kind, under names that tell nothing.
    private struct Lists: FieldNamed {
        var first, second: [String]
        var third: Set<Int>
        var fourth: [Int]

        enum CodingKeys: String, CodingKey {
            case first = "d"
            case second = "c"
            case third = "b"
            case fourth = "a"
        }
    }

    @Test func namesOfLists() {
        let names: [(PartialKeyPath<Lists>, String)] = [
            (\.first, "d"), (\.second, "c"), (\.third, "b"), (\.fourth, "a"),
        ]
        for (keyPath, name) in names { #expect(Self.path(keyPath) == name, "\(keyPath)") }
    }

    private struct Tree: FieldNamed {
        var label: String
        var children: [Tree]
        var named: [String: Tree]
        var weights: [Double]?
    }

    @Test func valuesOfFewKinds() {
        let flags: [(PartialKeyPath<Flags>, String?)] = [
            (\.a, "a"), (\.b, "b"), (\.c, "c"), (\.d, "d"), (\.e, "e"), (\.f, "f"), (\.g, "g"), (\.h, "h"), (\.i, "i"),
            (\.j, "j"), (\.k, "k"), (\.l, "l"), (\.x, "x"), (\.y, "y"), (\.z, "z"), (\.m, "m"), (\.n, "n"), (\.o, "o"),
            (\.other, nil), (\.most, nil), (\.differs, nil), (\.always, nil),
        ]
        for (keyPath, name) in flags { #expect(Self.path(keyPath) == name, "\(keyPath)") }
        let tree: [(PartialKeyPath<Tree>, String)] = [
            (\.label, "label"), (\.children, "children"), (\.named, "named"), (\.weights, "weights"),
        ]
        for (keyPath, name) in tree { #expect(Self.path(keyPath) == name, "\(keyPath)") }
    }

    /// One value under two names, of which one may be that of the property.
    private struct Twice: FieldNamed {
        var value, other: Int

        enum CodingKeys: String, CodingKey { case value, copy, first, second }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            value = try container.decode(Int.self, forKey: .value)
            other = try container.decode(Int.self, forKey: .first)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            for key in [CodingKeys.value, .copy] { try container.encode(value, forKey: key) }
            for key in [CodingKeys.first, .second] { try container.encode(other, forKey: key) }
        }
    }

    @Test("Of two fields with one value that of the property's name is meant, and neither where there is none")
    func fieldsWithOneValue() {
        #expect(Self.path(\Twice.value) == "value")
        let error = #expect(throws: UnknownKeyPath.self) { try Twice.path(of: \.other) }
        #expect(error?.reason == "several fields may hold its value")
    }

    @Test("The first 255 truth values of a type are told apart")
    func truthValuesAreToldApart() {
        var values = [[Bool]](repeating: [], count: 255)
        for sample in 0..<24 {
            let source = SampleSource(sample: sample)
            for leaf in values.indices { values[leaf].append(source.truth()) }
        }
        #expect(Set(values).count == 255)
    }
}
