// Whose records live queries show: where another user signs in, roles come and go, and shares have readers.

import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct LiveAccessTests {
    /// The names of the records that a list holds after the steps that wait.
    private static func names(_ reading: LiveReading, _ mirror: inout LiveQueryTests.Mirror) throws -> [String] {
        for step in try reading.takeSteps() { mirror.apply(step) }
        return mirror.records.map(\.id.recordName)
    }

    // MARK: Users

    /// What is private or shared is told to its user only: the query ends, and what waits is not given.
    @Test(arguments: [Account.user("_c"), .none, .unavailable(.temporarilyUnavailable)])
    func anotherUserSignsIn(_ account: Account) async throws {
        let world = try await World()
        try await world.acceptList()
        try await world.everyones.put(record("a"))
        let his = try world.client(World.bob) { _ in }
        try await his.privateDatabase.put(record("a"))
        let bob = world.bob
        let mine = bob.privateDatabase.watch(Query("T"), in: .all)
        let shared = world.bobs.watch(Query("T"), in: .all)
        let everyones = bob.publicDatabase.watch(Query("T"), in: .all)
        for reading in [mine, shared, everyones] { #expect(try reading.takeSteps().count == 1) }
        try await his.privateDatabase.put(record("waits"))
        try bob.setAccount(account)
        try await his.privateDatabase.put(record("b"))
        try await world.mine.save(record("b", in: world.zone))
        try await world.everyones.put(record("b"))
        let isOut = account.status == .temporarilyUnavailable
        for reading in [mine, shared] {
            await fails(isOut ? .accountTemporarilyUnavailable : .notAuthenticated) { try reading.takeSteps() }
            #expect(try reading.takeSteps() == [])
        }
        #expect(try everyones.takeSteps().count == 1)
        // Who comes back begins again.
        try bob.setAccount(.user(World.bob))
        #expect(try mine.takeSteps() == [])
        var mirror = LiveQueryTests.Mirror()
        let again = bob.privateDatabase.watch(Query("T"), in: .all)
        #expect(try Self.names(again, &mirror) == ["a", "b", "waits"])
    }

    /// A sequence fails with the end of its user's session; an account that is the same ends nothing.
    @Test func aSequenceEndsWithItsUser() async throws {
        let container = try Container(identifier: "test", account: .user("ann"))
        var steps = container.privateDatabase.changes(matching: Query("T"), in: .all).makeAsyncIterator()
        #expect(try await steps.next() == .initial([]))
        try container.setAccount(.user("ann"))
        try await container.privateDatabase.put(record("a"))
        guard case .inserted? = try await steps.next() else {
            Issue.record("no step")
            return
        }
        try container.setAccount(.user("bob"))
        await fails(.notAuthenticated) { try await steps.next() as Any }
        #expect(try await steps.next() == nil)
    }

    // MARK: Roles

    /// Records of others come and go with the role that may read them; own ones stay.
    @Test func recordsComeAndGoWithARole() async throws {
        let world = try await World()
        let bobs = world.bob.publicDatabase
        try await world.everyones.put(record("a"))
        try await bobs.put(record("b"))
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = [
            ContainerSchema.userRole: [.create], ContainerSchema.creatorRole: [.read], "staff": [.read],
        ]
        try world.alice.setSchema(schema)
        let reading = bobs.watch(Query("T"), in: .all)
        var mirror = LiveQueryTests.Mirror()
        #expect(try Self.names(reading, &mirror) == ["b"])
        try world.alice.setRoles(["staff"], ofUser: World.bob)
        #expect(try Self.names(reading, &mirror) == ["a", "b"])
        try await world.everyones.put(record("c"))
        #expect(try Self.names(reading, &mirror) == ["a", "b", "c"])
        // The roles of others are theirs.
        try world.alice.setRoles(["staff"], ofUser: "_c")
        #expect(try reading.takeSteps() == [])
        try world.alice.setRoles([], ofUser: World.bob)
        #expect(try Self.names(reading, &mirror) == ["b"])
        try await world.everyones.put(record("d"))
        try await bobs.put(record("e"))
        #expect(try Self.names(reading, &mirror) == ["b", "e"])
    }

    /// Who may read nothing any more is told that all records went, and then nothing.
    @Test func aRoleThatWasTheOnlyRight() async throws {
        let world = try await World()
        try await world.everyones.put(record("a"))
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = [ContainerSchema.userRole: [.create], "staff": [.read]]
        try world.alice.setSchema(schema)
        try world.alice.setRoles(["staff"], ofUser: World.bob)
        let reading = world.bob.publicDatabase.watch(Query("T"), in: .all)
        #expect(try reading.takeSteps().count == 1)
        try world.alice.setRoles([], ofUser: World.bob)
        #expect(try reading.takeSteps() == [.removed(Record.ID("a"), at: 0)])
        try await world.everyones.put(record("b"))
        #expect(try reading.takeSteps() == [])
    }

    // MARK: Shares

    /// A share tells its reader who that is, wherever the reader finds it.
    @Test func sharesKnowTheirReader() async throws {
        let world = try await World()
        let share = try await world.acceptList()
        func reader(_ record: Record) -> String? {
            Share(record)?.currentUserParticipant?.userRecordID.recordName
        }
        let reading = world.bobs.watch(Query(Share.recordType), in: .all)
        var mirror = LiveQueryTests.Mirror()
        #expect(try Self.names(reading, &mirror) == [share.id.recordName])
        #expect(mirror.records.map(reader) == [World.bob])
        var changed = try await world.current(share)
        changed.title = "Other groceries"
        try await world.mine.save(changed.record)
        #expect(try Self.names(reading, &mirror) == [share.id.recordName])
        #expect(mirror.records.map(reader) == [World.bob])
        #expect(mirror.records.first.flatMap { Share($0) }?.title == "Other groceries")
        #expect(mirror.records.first?.id == world.theirs(share.id.recordName))
        let shares = try world.bobs.snapshot().records(ofType: Share.recordType)
        #expect(shares.count == 1)
        #expect(try shares.records(matching: "TRUEPREDICATE").map(reader) == [World.bob])
        // The owner's are the owner's.
        let owned = world.mine.watch(Query(Share.recordType), in: .all)
        var own = LiveQueryTests.Mirror()
        #expect(try Self.names(owned, &own) == [share.id.recordName])
        #expect(own.records.map { Share($0)?.currentUserParticipant == Share($0)?.owner } == [true])
        let ownSet = try world.mine.snapshot().records(ofType: Share.recordType)
        let found = try ownSet.records(matching: "TRUEPREDICATE")
        #expect(found.map { Share($0)?.currentUserParticipant == Share($0)?.owner } == [true])
    }
}
