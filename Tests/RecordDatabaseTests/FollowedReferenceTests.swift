// Whether a query looks at other records: only those are kept that are behind a reference.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct FollowedReferenceTests {
    @Test func fieldsThatAreShown() throws {
        let owner = FieldValue.reference(RecordReference("o"))
        let set = try RecordSet(records: [
            Record(
                type: "T", id: Record.ID("r"),
                fields: ["owner": owner, "owners": .list([owner]), "place": .object(["zip": 1]), "n": 1])
        ])
        let all = try RecordPredicate(format: "n > 0")
        let cases: [(shown: String, follows: Bool)] = [
            ("owner.name", true), ("owners.name", true), ("place.zip", false), ("owner", false), ("n", false),
            ("nothing.name", false),
        ]
        for (shown, follows) in cases {
            #expect(set.followsReferences(all, [.field(shown)]) == follows, "\(shown)")
            #expect(set.followsReferences(all, [.field("n"), .field(shown), .recordName]) == follows, "\(shown)")
        }
        #expect(!set.followsReferences(all, []))
    }

    @Test func conditions() throws {
        let owner = FieldValue.reference(RecordReference("o"))
        let set = try RecordSet(records: [
            Record(type: "T", id: Record.ID("r"), fields: ["owner": owner, "place": .object(["zip": 1]), "n": 1])
        ])
        let cases: [(text: String, follows: Bool)] = [
            ("owner.name == 'x'", true), ("n > 1 OR owner.name == 'x'", true),
            // Objects may hold references.
            ("place.zip == 1", true),
            ("owner == 'o'", false), ("n > 0", false),
            // What no record has may lead anywhere, if it is a path.
            ("nothing.name == 1", true), ("nothing == 1", false),
        ]
        for (text, follows) in cases {
            #expect(set.followsReferences(try RecordPredicate(format: text), []) == follows, "\(text)")
        }
    }
}
