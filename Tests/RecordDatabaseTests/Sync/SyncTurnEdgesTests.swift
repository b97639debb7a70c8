// Which error a fetch of several zones tells, which zones go first, and zones that go while they are listed again.

import Testing

@testable import RecordDatabase

@Suite struct SyncTurnEdgesTests {
    /// A scene with a second zone, and a record in each.
    private static func scene(_ second: RecordZone.ID) async throws -> SyncScene {
        let scene = try await SyncScene()
        try await scene.other.save(RecordZone(id: second))
        try await scene.other.put(scene.record("a"), scene.record("b", in: second))
        return scene
    }

    /// Of two zones that could not be fetched the first tells its error.
    @Test func theFirstErrorIsTold() async throws {
        let second = RecordZone.ID("Second")
        let scene = try await Self.scene(second)
        scene.script.failNext(1, .fetchZoneChanges, with: .networkFailure)
        scene.script.failNext(1, .fetchZoneChanges, with: .zoneBusy)
        await fails(.networkFailure) { try await scene.engine.fetchChanges() }
        #expect(
            scene.notebook.taken().filter { $0.hasPrefix("end of ") }
                == ["end of Notes: networkFailure", "end of Second: zoneBusy"])
        #expect(scene.engine.state.zonesWithUnfetchedChanges == [scene.zone, second])
    }

    /// Zones go first as far as they are meant and have changed.
    @Test func zonesThatGoFirstAreMeant() async throws {
        let second = RecordZone.ID("Second")
        let scene = try await Self.scene(second)
        var options = SyncEngine.FetchOptions(scope: .zones([second]))
        options.prioritizedZoneIDs = [scene.zone, second, RecordZone.ID("None")]
        func zones() -> [String] { scene.notebook.taken().filter { $0.hasPrefix("zone ") } }
        try await scene.engine.fetchChanges(options)
        #expect(zones() == ["zone Second"])
        options.scope = .all
        try await scene.engine.fetchChanges(options)
        #expect(zones() == ["zone Notes"])
        try await scene.engine.fetchChanges(options)
        #expect(zones().isEmpty)
    }

    /// A zone that goes while all zones are listed again is told to be gone once, not also as one that is missing.
    @Test func aZoneThatGoesWhileZonesAreListedIsToldOnce() async throws {
        let scene = try await SyncScene { $0.limits.changesPerRequest = 1 }
        let third = RecordZone.ID("Third")
        for zone in [RecordZone.ID("Second"), third] { try await scene.other.save(RecordZone(id: zone)) }
        try await scene.engine.fetchChanges()
        _ = scene.notebook.taken()
        let other = scene.other
        scene.script.failNext(1, .fetchDatabaseChanges, with: .changeTokenExpired)
        scene.script.beforeNext(.fetchDatabaseChanges) {}
        scene.script.beforeNext(.fetchDatabaseChanges) { _ = try? other.modifyZones(saving: [], deleting: [third]) }
        try await scene.engine.fetchChanges()
        let lines = scene.notebook.taken().filter { $0.hasPrefix("zones ") }
        #expect(lines.first == #"zones ["Notes"] []"#)
        #expect(lines.count { $0.contains("Third") } == 1 && lines.last?.hasSuffix(#" ["Third"]"#) == true, "\(lines)")
    }
}
