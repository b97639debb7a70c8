// What record sets say of questions at their edges: names that may be texts or are of other types, orders in words,
// records of one name, and results that are just too large.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SetQuestionEdgesTests {
    private static func numbers(_ count: Int) throws -> RecordSet {
        try RecordSet(records: (0..<count).map { record("r\($0)", ["n": .int64(Int64($0))]) })
    }

    // MARK: Names

    /// A word behind an operator is a text without quotes, though a field has nearly this name.
    @Test(arguments: [("name == citi", "text needs quotes: 'citi'"), ("citi == 'x'", "did you mean 'city'?")])
    func namesThatMayBeTexts(_ text: String, _ hint: String) throws {
        var set = try RecordSet(records: [record("r", ["name": "x", "city": "Bern"])])
        set.allowsUnknownFields = true
        let unknown = try set.unknownFields(of: RecordPredicate(format: text), variables: [:])
        #expect(unknown.map(\.name) == ["citi"])
        #expect(unknown.map(\.hint) == [hint])
    }

    /// A field that another type declares is none of the records of this one.
    @Test func fieldsOfOtherTypes() async throws {
        let world = try await World()
        let (type, other) = (
            ContainerSchema.RecordType(fields: ["a": .init(.int64)]),
            ContainerSchema.RecordType(fields: ["b": .init(.string)])
        )
        try world.alice.setSchema(ContainerSchema(recordTypes: ["T": type, "U": other]))
        try await world.mine.put(record("r", ["a": 1]))
        let all = try world.mine.snapshot().allRecords()
        #expect(try all.facets("b").distinctCount == 0)
        let some = all.ofType("T")
        #expect(try some.facets("a").distinctCount == 1)
        let error = #expect(throws: RecordPredicateError.self) { try some.facets("b") }
        #expect(error?.message == "no record has a field b")
    }

    /// Members of objects are no fields: an order may be along one that no object has.
    @Test func ordersAlongMembers() throws {
        let set = try RecordSet(records: [
            record("a", ["n": 1, "address": .object(["zip": 3])]),
            record("b", ["n": 2, "address": .object(["zip": 1])]),
        ])
        func names(_ path: String) throws -> [String] {
            try set.records(matching: "n > 0", sortedBy: [.ascending(path)]).map(\.id.recordName)
        }
        #expect(try names("address.zip") == ["b", "a"])
        #expect(try names("address.zp") == ["a", "b"])
        #expect(throws: RecordPredicateError.self) { try names("adress.zip") }
    }

    /// Of an empty set nobody can say which fields it lacks.
    @Test func emptySetsLackNoField() throws {
        #expect(try RecordSet(records: []).select("nope == other").unknownFields.isEmpty)
    }

    /// The second of two records of one name tells where the first is.
    @Test func recordsOfOneName() {
        let error = #expect(throws: DatabaseError.self) {
            try RecordSet(records: [record("a"), record("b"), record("a")])
        }
        #expect(error?.reason.hasPrefix("record 3: two records have this name") == true)
        #expect(error?.reason.hasSuffix("; see record 1") == true)
    }

    // MARK: Results

    /// As many records are held as are skipped and given.
    @Test func ordersInWords() throws {
        let set = try Self.numbers(10)
        let some = try set.select("n >= 0", sortedBy: [.descending("n")], limit: 3, offset: 2)
        #expect(some.ordinals == [7, 6, 5])
        #expect(some.order == "n descending, best 5 held")
        #expect(try set.select("n >= 0", sortedBy: [.ascending("n")]).order == "n ascending, all sorted")
    }

    /// Results in an order are held to their limit as others are.
    @Test func orderedResultsAreLimited() throws {
        var set = try Self.numbers(10)
        let order = [SortKey.descending("n")]
        set.limits.resultBytes = 80
        #expect(try set.ordinals(matching: "n >= 0", sortedBy: order) == (0..<10).reversed())
        set.limits.resultBytes = 79
        #expect(try set.ordinals(matching: "n >= 0", sortedBy: order, limit: 9).count == 9)
        let error = #expect(throws: RecordPredicateError.self) { try set.ordinals(matching: "n >= 0", sortedBy: order) }
        #expect(error?.evaluationKind == .resultLimit)
    }

    /// Of a group its keys count and its values, each with what it takes to be kept: here 64 + 24 + 24 bytes.
    @Test func groupsAreLimited() throws {
        var set = try Self.numbers(2)
        set.limits.resultBytes = 224
        #expect(try set.group(by: ["n"]).map(\.values) == [[1], [1]])
        set.limits.resultBytes = 223
        #expect(try set.group(by: ["n"], limit: 1).count == 1)
        let error = #expect(throws: RecordPredicateError.self) { try set.group(by: ["n"]) }
        #expect(error?.evaluationKind == .resultLimit)
    }
}
