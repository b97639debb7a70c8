// Tokens of what is shared: how far they are, and whose.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ShareTokenEdgesTests {
    /// How far two shares of a token are, saves and deletions, and whether a database with eight changes takes it.
    private static let courses: [(first: (Int64, Int64), second: (Int64, Int64), isTaken: Bool)] = [
        ((8, 8), (1, 1), true), ((1, 1), (8, 8), true), ((9, 1), (1, 1), false), ((1, 1), (9, 1), false),
        ((1, 9), (1, 1), false), ((1, 1), (1, 9), false),
    ]

    /// A token is as far as the share that was read farthest.
    @Test(arguments: courses.indices) func aTokenIsAsFarAsTheFarthestShare(_ index: Int) {
        let (first, second, isTaken) = Self.courses[index]
        let positions = [first, second].enumerated().map { number, far in
            SharePosition(
                zoneID: RecordZone.ID("Z", ownerName: "_a"), made: 1, share: "s\(number)", acceptance: 2,
                position: far.0, deletionsAfter: far.1)
        }
        let origin = DatabaseOrigin(container: "test", scope: .shared, user: "_b")
        let token = ChangeToken(incarnation: "a", origin: origin, subject: .database, shares: positions)
        let error = Result { () throws(DatabaseError) in try token.check(isOf: "a", upTo: 8) }.failure
        #expect(error?.code == (isTaken ? nil : .changeTokenExpired))
    }

    /// A token is of its reader, also where others read the same share.
    @Test func tokensOfOtherParticipants() async throws {
        let world = try await World()
        try await world.putList()
        let url = try #require(try await world.shareList(.none, publicly: .readOnly).url)
        let carol = try world.client("_ca401") { _ in }
        for client in [world.bob, carol] { try await client.accept(client.shareMetadata(for: url)) }
        let token = try carol.sharedDatabase.changes(in: world.theirs).token
        await fails(.invalidArguments) {
            try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: token)
        }
        #expect(try carol.sharedDatabase.changes(in: world.theirs, since: token).entries == [])
    }
}
