// Which values are one group, and how it is shown: numbers of both kinds, moments, places with details or without.

import Foundation
import RecordDatabase
import Testing

@Suite struct GroupValueTests {
    private static func set(_ values: [FieldValue], types: [String]) throws -> RecordSet {
        try RecordSet(
            records: values.enumerated().map { number, value in
                Record(type: types[number % types.count], id: Record.ID("r\(number)"), fields: ["v": value])
            })
    }

    private static func place(_ latitude: Double, _ longitude: Double, altitude: Double? = nil) -> FieldValue {
        .location(
            Location(
                latitude: latitude, longitude: longitude,
                details: altitude.map { Location.Details(altitude: $0) }))
    }

    /// Values of records, in one segment and in two, and how many of them differ.
    static let distinct: [(values: [FieldValue], count: Int)] = [
        ([2, .double(2), .double(2.5), .double(2.5)], 2),
        ([place(1, 2), place(1, 2, altitude: 5), place(1, 2, altitude: 6), place(2, 1)], 2),
        ([place(.nan, 1), place(2, .nan), place(.nan, .nan), place(2, 1)], 2),
    ]

    /// The second and a half after the beginning of 2001, in three kinds of the same bits.
    private static let alike = ["1.5", "{'$date':1.5,'since':2001}", "\(Int64(bitPattern: 1.5.bitPattern))"]

    /// The same of values of several kinds, as files have them.
    static let distinctKinds: [(values: [String], count: Int)] = [
        (alike, 3), (alike + alike.reversed(), 3), (["'1.5'", "1.5", "['1.5']", "[1.5,'x']"], 3),
    ]

    @Test(arguments: distinct.indices, [["T"], ["T", "U"]])
    func valuesThatDiffer(_ number: Int, types: [String]) throws {
        let (values, count) = Self.distinct[number]
        try Self.expect(count, differIn: Self.set(values, types: types))
    }

    @Test(arguments: distinctKinds.indices, [["T"], ["T", "U"]])
    func valuesOfSeveralKindsThatDiffer(_ number: Int, types: [String]) throws {
        let (values, count) = Self.distinctKinds[number]
        let lines = values.enumerated().map { "{'type':'\(types[$0 % types.count])','v':\($1)}" }
        try Self.expect(count, differIn: RecordSet.mixed(lines))
    }

    private static func expect(_ count: Int, differIn set: RecordSet) throws {
        #expect(try set.group(by: [], [.distinct("v")])[0].values == [.int64(Int64(count))])
        #expect(try set.facets("v").distinctCount == count)
        #expect(try set.group(by: ["v"]).count { $0.keys != [.null] } == count)
    }

    /// A number is shown as a whole one where any record has it so.
    @Test(arguments: [["T"], ["T", "U"]]) func wholeNumbersAreShownAsSuch(types: [String]) throws {
        for values in [[.double(2), 2], [2, .double(2)], [2, 2]] as [[FieldValue]] {
            let groups = try Self.set(values, types: types).group(by: ["v"])
            #expect(groups.map(\.keys) == [[.int64(2)]] && groups.map(\.count) == [2], "\(values)")
        }
        #expect(try Self.set([.double(2), .double(2)], types: types).group(by: ["v"]).map(\.keys) == [[.double(2)]])
        let zero = try Self.set([.double(-0.0), .double(-0.0)], types: types).group(by: ["v"])
        guard zero.count == 1, case .double(let number) = zero[0].keys[0] else {
            Issue.record("\(zero)")
            return
        }
        #expect(number == 0 && number.sign == .plus)
    }

    /// A field is read where a record has it, though a part of the record has its name; else the part is.
    @Test(arguments: [("recordType", ["M", "Z"], [1, 2]), ("recordName", ["Z", "r1"], [2, 1])])
    func fieldsNamedAsParts(_ field: String, _ keys: [String], _ counts: [Int]) throws {
        let set = try RecordSet(
            records: (0..<3).map { number in
                let fields: [String: FieldValue] = number == 1 ? ["n": 1] : [field: "Z", "n": 2]
                return Record(type: "M", id: Record.ID("r\(number)"), fields: fields)
            })
        let groups = try set.group(by: [field], [.distinct(field), .minimum("n")])
        #expect(groups.map(\.keys) == keys.map { [.string($0)] } && groups.map(\.count) == counts)
        #expect(groups.allSatisfy { $0.values[0] == 1 })
        #expect(try set.facets(field).distinctCount == 2)
    }
}
