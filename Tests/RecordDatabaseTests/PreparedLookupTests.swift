// Prepared queries about one field look values up directly: as a plan made anew and as the evaluator would.

import RecordModel
import Testing

@testable import Campaigns
@testable import RecordDatabase

@Suite struct PreparedLookupTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func lookupsGiveWhatPlansGive(seed: UInt64) throws {
        var source = RandomRecords(seed: seed)
        let records = source.records(700)
        let set = try RecordSet(records: records)
        let shapes: [(text: String, names: [String], field: String)] = [
            ("small == $a", ["a"], "small"), ("small >= $a", ["a"], "small"), ("$a", [], ""),
            ("small > $a AND small <= $b", ["a", "b"], "small"), ("fraction < $a", ["a"], "fraction"),
            ("text == $a", ["a"], "text"), ("text ==[cd] $a", ["a"], "text"), ("few <= $a", ["a"], "few"),
            ("mixed == $a", ["a"], "mixed"), ("wide > $a", ["a"], "wide"),
            ("date >= $a AND date < $b", ["a", "b"], "date"),
            ("later < $a", ["a"], "later"), ("flag == $a", ["a"], "flag"),
            ("small > $a AND few == $b", ["a", "b"], "few"),
        ].filter { !$0.1.isEmpty }
        var results = 0
        for shape in shapes {
            let predicate = try RecordPredicate(format: shape.text)
            let prepared = try set.prepare(predicate)
            for round in 0..<25 {
                var values: [String: FieldValue] = [:]
                for (place, name) in shape.names.enumerated() {
                    let field = place > 0 && shape.text.contains("few ==") ? "few" : shape.text.prefix { $0 != " " }
                    let value = records[(round * 37 + place * 101 + Int(seed)) % records.count][String(field)]
                    values[name] = round % 12 == 11 ? .string("odd") : value.isNull ? .int64(1) : value
                }
                let expected = Result { try predicate.substituting(values).filter(records).map(\.id) }
                let found = Result { try prepared.ordinals(values).map { set.recordID(at: Int($0)) } }
                let count = Result { try prepared.count(values) }
                switch expected {
                case .success(let ids):
                    #expect(try found.get() == ids, "\(shape.text) \(values)")
                    #expect(try count.get() == ids.count)
                    results += 1
                case .failure:
                    #expect(throws: RecordPredicateError.self) { try found.get() }
                    #expect(throws: RecordPredicateError.self) { try count.get() }
                }
            }
        }
        #expect(results > 200)
    }

    /// What is about one indexed field needs no plan, so that a prepared query costs a lookup.
    @Test func whichQueriesAreLookups() throws {
        let set = try RecordSet(
            records: (0..<300).map { number in
                let fields: [String: FieldValue] = [
                    "n": .int64(Int64(number % 7)), "t": .string("t\(number % 5)"), "list": [.string("t\(number % 5)")],
                ]
                return Record(type: "T", id: Record.ID("r\(number)"), fields: fields)
            })
        let cases: [(text: String, isLookup: Bool)] = [
            ("n == $a", true), ("n > $a AND n < $b", true), ("t == $a", true), ("t ==[cd] $a", true),
            ("n == $a AND t == $b", false), ("ANY list == $a", false), ("n + 1 == $a", false),
        ]
        for (text, isLookup) in cases {
            #expect((set.lookup(of: try RecordPredicate(format: text)) != nil) == isLookup, "\(text)")
        }
        var limited = set
        limited.limits.time = .seconds(10)
        #expect(limited.lookup(of: "n == $a") == nil)
    }

    /// Names and types of records are no columns: every record has them.
    @Test func partsOfRecordsAreCounted() throws {
        let records = (0..<40).map { number in
            var fields: [String: FieldValue] = ["n": .int64(Int64(number))]
            // Some types have fields of their own under these names.
            if number % 4 == 1 { fields["id"] = .string("r\(number - 1)") }
            return Record(type: number % 4 == 1 ? "U" : "T", id: Record.ID("r\(number)"), fields: fields)
        }
        let set = try RecordSet(records: records)
        for (text, value) in [
            ("recordName == $a", "r7"), ("recordName == $a", "none"), ("recordName >= $a", "r3"),
            ("recordType == $a", "T"), ("recordType == $a", "U"), ("id == $a", "r8"), ("id == $a", "r9"),
            ("type == $a", "U"), ("recordName ==[c] $a", "R7"), ("id == $a AND id < $b", "r4"),
        ] {
            let predicate = try RecordPredicate(format: text)
            let prepared = try set.prepare(predicate)
            for last in text.contains("$b") ? ["r9", "a"] : [nil] {
                var values: [String: FieldValue] = ["a": .string(value)]
                values["b"] = last.map { .string($0) }
                let filled = predicate.substituting(values)
                let expected = try set.ordinals(matching: filled)
                // A record by itself has CloudKit's names for its parts, those of a file's records are of the set.
                if text.hasPrefix("record") {
                    #expect(try expected.map { set.recordID(at: $0) } == filled.filter(records).map(\.id), "\(text)")
                }
                #expect(try prepared.count(values) == expected.count, "\(text) \(value)")
                #expect(try prepared.ordinals(values).map { Int($0) } == expected, "\(text) \(value)")
            }
        }
        #expect(try set.prepare("recordName == $a").count(["a": "r7"]) == 1)
        #expect(try set.prepare("recordType == $a").count(["a": "T"]) == 30)
    }

    /// What was deleted is neither counted nor listed, though indexes still have it.
    @Test func deletedRecordsAreNotFound() async throws {
        let container = try Container(identifier: "lookups")
        defer { container.close() }
        let database = container.privateDatabase
        let records = (0..<1_200).map { number in
            Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number % 4))])
        }
        _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .allKeys)
        // The index is there before anything is deleted.
        #expect(try database.snapshot().records(ofType: "T").prepare("n == $a").count(["a": 1]) == 300)
        for number in [1, 5, 6] { try await database.deleteRecord(withID: Record.ID("r\(number)")) }
        let set = try database.snapshot().records(ofType: "T")
        for (text, value, count) in [("n == $a", 1, 298), ("n == $a", 0, 300), ("n >= $a", 1, 897), ("n < $a", 3, 897)]
        {
            let prepared = try set.prepare(RecordPredicate(format: text))
            let values: [String: FieldValue] = ["a": .int64(Int64(value))]
            #expect(try prepared.count(values) == count, "\(text) \(value)")
            #expect(try prepared.ordinals(values).count == count, "\(text) \(value)")
        }
    }

    /// A lookup is about the records of its type, of several where it is of all; those without the field have no part.
    @Test func lookupsOfOneTypeAmongSeveral() throws {
        let set = try RecordSet(
            records: (0..<900).map { number in
                let type = ["T", "U", "V"][number % 3]
                let field = type == "V" ? "m" : "n"
                return Record(type: type, id: Record.ID("r\(number)"), fields: [field: .int64(Int64(number % 7))])
            })
        // What is 0 of 3 and 1 of 7 is 15 of 21; what is 1 of both is 1 of 21.
        let ones = (t: Array(stride(from: 15, to: 900, by: 21)), u: Array(stride(from: 1, to: 900, by: 21)))
        let last = (0..<900).filter { $0 % 7 >= 5 }
        let cases: [(type: String?, text: String, value: Int64, expected: [Int])] = [
            ("T", "n == $a", 1, ones.t), ("U", "n == $a", 1, ones.u), (nil, "n == $a", 1, (ones.t + ones.u).sorted()),
            ("T", "n >= $a", 5, last.filter { $0 % 3 == 0 }), (nil, "n >= $a", 5, last.filter { $0 % 3 < 2 }),
            ("V", "m >= $a", 5, last.filter { $0 % 3 == 2 }), ("U", "n == $a", 7, []),
        ]
        for (type, text, value, expected) in cases {
            let some = set.ofType(type)
            let predicate = try RecordPredicate(format: text)
            #expect(some.lookup(of: predicate) != nil, "\(text)")
            let prepared = try some.prepare(predicate)
            #expect(try prepared.count(["a": .int64(value)]) == expected.count, "\(type ?? "") \(text)")
            #expect(try prepared.ordinals(["a": .int64(value)]).map { Int($0) } == expected, "\(type ?? "") \(text)")
        }
    }

    /// A lookup gives the part of the result that is wanted, too.
    @Test func lookupsHaveLimitsAndOffsets() throws {
        let set = try RecordSet(
            records: (0..<300).map { number in
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number % 7))])
            })
        let windows: [(limit: Int?, offset: Int, expected: [UInt32])] = [
            (3, 0, [1, 8, 15]), (2, 1, [8, 15]), (nil, 41, [288, 295]), (5, 42, [295]), (0, 0, []), (1, 43, []),
        ]
        for (limit, offset, expected) in windows {
            let prepared = try set.prepare("n == $a", limit: limit, offset: offset)
            #expect(try prepared.ordinals(["a": 1]) == expected, "\(limit.map { "\($0)" } ?? "all") behind \(offset)")
        }
        #expect(try set.prepare("n == $a").ordinals(["a": 1]).count == 43)
    }

    @Test func limitsAndMissingValuesAreKept() throws {
        var source = RandomRecords(seed: 5)
        let set = try RecordSet(records: source.records(600))
        let predicate = try RecordPredicate(format: "small >= $a")
        let limited = try set.prepare(predicate, limit: 3)
        #expect(try limited.ordinals(["a": 0]).count == 3)
        #expect(throws: RecordPredicateError.self) { try limited.count([:]) }
        var strict = set
        strict.limits.resultBytes = 8
        #expect(throws: RecordPredicateError.self) { try strict.prepare(predicate).ordinals(["a": 0]) }
    }
}
