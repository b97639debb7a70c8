// What is suggested for a key below a field, where records differ in how deep they go.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct PathSuggestionEdgesTests {
    /// Keys of a level are suggested for that level alone, though a record that ends there was seen before.
    @Test(arguments: [("nam", nil), ("stret", "owner.home.street")] as [(String, String?)])
    func keysOfAnUpperLevelAreNotMeant(_ key: String, _ suggestion: String?) throws {
        let set = try RecordSet(records: [
            record("a", ["owner": .object(["name": "x"])]),
            record("b", ["owner": .object(["home": .object(["street": "y"])])]),
        ])
        let found = set.unknownField(onPath: ["owner", "home", key])
        #expect(found?.name == "owner.home.\(key)" && found?.depth == 2)
        #expect(found?.suggestion == suggestion)
    }
}
