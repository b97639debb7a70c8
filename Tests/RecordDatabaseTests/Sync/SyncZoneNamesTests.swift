// Zones of the user by either of their names, and the default zone: an engine knows each as lists name it.

import Testing

@testable import RecordDatabase

@Suite struct SyncZoneNamesTests {
    typealias Zones = SyncEngine.SentZones
    typealias Records = SyncEngine.SentRecords

    private static let token = ChangeToken(
        incarnation: nil, origin: DatabaseOrigin(container: "c", scope: .private, user: "_a11ce"), subject: .database,
        position: 0, deletionsAfter: 0)

    /// A zone of the scene's user by that user's name.
    private static func named(_ name: String) throws -> RecordZone.ID {
        RecordZone.ID(name, ownerName: try #require(Account.localUser.userName))
    }

    /// The state of an engine that has begun for a user.
    private static func state() -> SyncEngine.State {
        var begun = SyncEngine.State.Serialization()
        (begun.hasBegun, begun.userName) = (true, "_a11ce")
        return SyncEngine.State(begun)
    }

    // MARK: What is known

    /// The zones that are missing from a list of none are those that were sent, once, without the default zone.
    @Test func sentZonesAreKnownByOneName() {
        let (zone, theirs) = (RecordZone.ID("Z"), RecordZone.ID("Z", ownerName: "_b0b"))
        let same = RecordZone.ID("Z", ownerName: "_a11ce")
        let home = RecordZone.ID(RecordZone.ID.defaultZoneName, ownerName: "_a11ce")
        let state = Self.state()
        func missing() -> [RecordZone.ID] {
            state.forgetToken()
            _ = state.beginZones()
            return state.take(DatabaseChanges(changeToken: Self.token))
        }
        var (sent, gone) = (Zones(), Zones())
        sent.saved = [same, zone, theirs, .default, home].map { RecordZone(id: $0) }
        state.take(sent)
        #expect(missing() == [zone, theirs])
        gone.deleted = [same]
        state.take(sent)
        state.take(gone)
        #expect(missing() == [theirs])
    }

    /// Records are those of one zone, whichever name they were saved and deleted by.
    @Test func sentRecordsAreKnownByOneName() {
        let (zone, same) = (RecordZone.ID("Z"), RecordZone.ID("Z", ownerName: "_a11ce"))
        let state = Self.state()
        func missing() -> [String] {
            var items = state.serialization.items
            items.beginRecords(of: zone)
            let gone = items.missingRecords(of: zone, beside: RecordZoneChanges(changeToken: Self.token))
            return gone.map(\.recordID.recordName)
        }
        var (sent, gone) = (Records(), Records())
        sent.saved = [("a", same), ("b", zone), ("c", same)].map { Record(type: "T", id: Record.ID($0, zoneID: $1)) }
        state.take(sent)
        #expect(missing() == ["a", "b", "c"])
        gone.deleted = [Record.ID("a", zoneID: zone), Record.ID("b", zoneID: same)]
        state.take(gone)
        #expect(missing() == ["c"])
    }

    // MARK: What is told

    /// Zones that were sent and are there are not told to be gone.
    @Test func zonesThatWereSentAreThere() async throws {
        let scene = try await SyncScene()
        let (own, home) = (try Self.named("Own"), try Self.named(RecordZone.ID.defaultZoneName))
        scene.engine.state.add([SyncEngine.PendingZoneChange.save(own), .save(.default), .save(home)])
        try await scene.engine.sendChanges()
        #expect(scene.engine.state.pendingZoneChanges.isEmpty)
        _ = scene.notebook.taken()
        // Without a token, as after one has expired, all zones are listed.
        try await scene.engine.fetchChanges()
        #expect(scene.notebook.taken().filter { $0.hasPrefix("zones ") } == [#"zones ["Notes", "Own"] []"#])
    }

    /// Of the changes of a zone the last one counts, by whichever name.
    @Test(arguments: [true, false]) func theLastChangeOfAZoneCounts(_ isDeleted: Bool) async throws {
        let scene = try await SyncScene()
        let (zone, own) = (scene.zone, try Self.named(scene.zone.zoneName))
        typealias Change = SyncEngine.PendingZoneChange
        let changes: [Change] = isDeleted ? [.save(zone), .delete(own)] : [.delete(zone), .save(own)]
        try await scene.engine.fetchChanges()
        scene.engine.state.add(changes)
        try await scene.engine.sendChanges()
        #expect(scene.engine.state.pendingZoneChanges.isEmpty)
        #expect(try await scene.other.allRecordZones().contains { $0.id == zone } != isDeleted)
    }

    /// A record that was sent by the user's name of its zone, and that others deleted, is told to be gone.
    @Test func recordsThatWereSentMayGo() async throws {
        let scene = try await SyncScene()
        let zone = try Self.named(scene.zone.zoneName)
        let (a, b) = (scene.record("a", in: zone), scene.record("b", in: zone))
        scene.want(a, b)
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [a, b])])
        try await scene.engine.sendChanges()
        #expect(scene.engine.state.pendingRecordChanges.isEmpty)
        try await scene.other.deleteRecord(withID: scene.record("a").id)
        _ = scene.notebook.taken()
        try await scene.engine.fetchChanges()
        #expect(scene.notebook.taken().filter { $0.hasPrefix("Notes ") } == [#"Notes ["b"] ["a"]"#])
    }

    /// Either name says which zones are fetched, and which of them first; one that is named twice is fetched once.
    @Test func zonesAreFetchedByEitherName() async throws {
        let scene = try await SyncScene()
        let second = RecordZone.ID("Second")
        let (notes, same) = (try Self.named("Notes"), try Self.named("Second"))
        try await scene.other.save(RecordZone(id: second))
        try await scene.other.put(scene.record("a"), scene.record("b", in: second))
        func zones() -> [String] { scene.notebook.taken().filter { $0.hasPrefix("zone ") } }
        try await scene.engine.fetchChanges(SyncEngine.FetchOptions(scope: .allExcluding([notes])))
        #expect(zones() == ["zone Second"])
        try await scene.engine.fetchChanges(SyncEngine.FetchOptions(scope: .zones([notes])))
        #expect(zones() == ["zone Notes"])
        try await scene.other.put(scene.record("c"), scene.record("d", in: second))
        var options = SyncEngine.FetchOptions()
        options.prioritizedZoneIDs = [same, second]
        try await scene.engine.fetchChanges(options)
        #expect(zones() == ["zone Second", "zone Notes"])
    }
}
