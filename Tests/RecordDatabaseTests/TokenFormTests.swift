// Change tokens of versions to come.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct TokenFormTests {
    /// A token of a form that is not known yet is told apart from one that is damaged.
    @Test func tokensOfNewerVersionsAreRefused() throws {
        let origin = DatabaseOrigin(container: "c", scope: .private, user: "_a")
        let token = ChangeToken(
            incarnation: nil, origin: origin, subject: .database, position: 3, deletionsAfter: 1)
        #expect(try recoded(token) == token)
        var members = try JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any] ?? [:]
        members["format"] = ChangeToken.currentFormat + 1
        let newer = try JSONSerialization.data(withJSONObject: members)
        #expect(throws: DatabaseError(.incompatibleVersion, "the token was encoded by a newer version")) {
            try JSONDecoder().decode(ChangeToken.self, from: newer)
        }
        members["format"] = ChangeToken.currentFormat
        let known = try JSONSerialization.data(withJSONObject: members)
        #expect(try JSONDecoder().decode(ChangeToken.self, from: known).position == 3)
    }
}
