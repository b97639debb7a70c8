// What a sync engine fetches, where it goes on after failures, and who it is told to be for.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SyncFetchingTests {
    /// What the delegate was told of the zone's records, one line for each stretch.
    private static func stretches(_ scene: SyncScene) -> [String] {
        scene.notebook.taken().filter { $0.hasPrefix("Notes ") }
    }

    /// The first call of either kind tells who is there, and each tells when that is another one.
    @Test(arguments: [true, false]) func whoIsThereIsToldFirst(isFetch: Bool) async throws {
        let scene = try await SyncScene()
        func told() async -> [String] {
            if isFetch {
                try? await scene.engine.fetchChanges()
            } else {
                try? await scene.engine.sendChanges()
            }
            return Array(scene.notebook.taken().prefix(3))
        }
        let begin = isFetch ? "fetch manual" : "send manual"
        let local = try #require(Account.localUser.userName)
        #expect(await told() == ["in \(local)", "state", begin])
        #expect(await told().first == begin)
        scene.want(scene.record("r"))
        try scene.client.setAccount(.user("_b0b"))
        #expect(await told() == ["from \(local) to _b0b", "state", begin])
        #expect(scene.engine.state.pendingRecordChanges.isEmpty)
        try scene.client.setAccount(Account.none)
        #expect(await told() == ["out _b0b", "state", begin])
    }

    /// What a delegate chooses is fetched, and the other zones are fetched when they are meant.
    @Test func aDelegateChoosesTheZones() async throws {
        let scene = try await SyncScene()
        let second = RecordZone.ID("Second")
        try await scene.other.save(RecordZone(id: second))
        try await scene.other.put(scene.record("a"), scene.record("b", in: second))
        scene.notebook.fetch(with: SyncEngine.FetchOptions(scope: .zones([second])))
        try await scene.engine.fetchChanges()
        let told = scene.notebook.taken()
        #expect(told.contains("zone Second") && !told.contains("zone Notes"))
        #expect(scene.engine.state.zonesWithUnfetchedChanges == [scene.zone])
        scene.notebook.fetch(with: nil)
        try await scene.engine.fetchChanges()
        let rest = ["fetch manual", "state", "zone Notes", #"Notes ["a"] []"#, "state", "end of Notes", "fetched"]
        #expect(scene.notebook.taken() == rest)
        #expect(scene.engine.state.zonesWithUnfetchedChanges.isEmpty)
    }

    /// The call ends with the error of the first zone, and the second is told to be fetched.
    @Test func eachZoneHasItsOwnError() async throws {
        let scene = try await SyncScene()
        let second = RecordZone.ID("Second")
        try await scene.other.save(RecordZone(id: second))
        try await scene.other.put(scene.record("a"), scene.record("b", in: second))
        scene.script.failNext(1, .fetchZoneChanges, with: .networkFailure)
        await fails(.networkFailure) { try await scene.engine.fetchChanges() }
        let told = scene.notebook.taken().filter { $0.hasPrefix("end of ") }
        #expect(told == ["end of Notes: networkFailure", "end of Second"])
        #expect(scene.engine.state.zonesWithUnfetchedChanges == [scene.zone])
    }

    private static let ends: [(isPurged: Bool, gone: String, code: DatabaseError.Code)] = [
        (false, "Notes", .zoneNotFound), (true, "Notes purged", .userDeletedZone),
    ]

    /// A zone that goes between the list of zones and that of its records is no zone to fetch any more.
    @Test(arguments: ends.indices) func aZoneThatGoesWhileItIsFetched(_ index: Int) async throws {
        let (isPurged, gone, code) = Self.ends[index]
        let scene = try await SyncScene()
        try await scene.other.put(scene.record("a"))
        let (other, zone) = (scene.other, scene.zone)
        scene.script.beforeNext(.fetchZoneChanges) {
            _ = try? other.modifyZones(saving: [], deleting: [zone], isPurging: isPurged)
        }
        await fails(code) { try await scene.engine.fetchChanges() }
        #expect(scene.notebook.taken().suffix(3) == ["zone Notes", "end of Notes: \(code)", "fetched"])
        #expect(scene.engine.state.zonesWithUnfetchedChanges.isEmpty)
        try await scene.engine.fetchChanges()
        #expect(scene.notebook.taken() == ["fetch manual", "zones [] [\"\(gone)\"]", "state", "fetched"])
    }

    /// A token that has expired is given up, and the list begins again; what has no token is not asked again.
    @Test(arguments: [DatabaseCall.Kind.fetchDatabaseChanges, .fetchZoneChanges])
    func expiredTokensAreGivenUpOnce(_ kind: DatabaseCall.Kind) async throws {
        let scene = try await SyncScene()
        let listsAgain = kind == .fetchZoneChanges
        try await scene.other.put(scene.record("a"))
        scene.script.failNext(1, kind, with: .changeTokenExpired)
        await fails(.changeTokenExpired) { try await scene.engine.fetchChanges() }
        #expect(scene.calls(kind).count == 1)
        try await scene.engine.fetchChanges()
        #expect(Self.stretches(scene) == [#"Notes ["a"] []"#])
        // One more call for the list without a token.
        try await scene.other.put(scene.record("b"))
        scene.script.failNext(1, kind, with: .changeTokenExpired)
        try await scene.engine.fetchChanges()
        #expect(scene.calls(kind).count == 4)
        #expect(Self.stretches(scene) == [listsAgain ? #"Notes ["a", "b"] []"# : #"Notes ["b"] []"#])
        try await scene.other.put(scene.record("c"))
        scene.script.failNext(2, kind, with: .changeTokenExpired)
        await fails(.changeTokenExpired) { try await scene.engine.fetchChanges() }
        #expect(scene.calls(kind).count == 6 && Self.stretches(scene).isEmpty)
        try await scene.engine.fetchChanges()
        #expect(Self.stretches(scene) == [listsAgain ? #"Notes ["a", "b", "c"] []"# : #"Notes ["c"] []"#])
    }

    /// After a failure between two stretches, those that were told are not told again.
    @Test func aFetchGoesOnWhereItWasCut() async throws {
        let scene = try await SyncScene { $0.limits.changesPerRequest = 2 }
        for number in 1...5 { try await scene.other.put(scene.record("r\(number)")) }
        scene.script.beforeNext(.fetchZoneChanges) {}
        scene.script.failNext(1, .fetchZoneChanges, with: .networkFailure)
        await fails(.networkFailure) { try await scene.engine.fetchChanges() }
        #expect(Self.stretches(scene) == [#"Notes ["r1", "r2"] []"#])
        #expect(scene.engine.state.zonesWithUnfetchedChanges == [scene.zone])
        try await scene.other.deleteRecord(withID: scene.record("r1").id)
        try await scene.engine.fetchChanges()
        #expect(Self.stretches(scene) == [#"Notes ["r3", "r4"] []"#, #"Notes ["r5"] ["r1"]"#])
        #expect(scene.engine.state.zonesWithUnfetchedChanges.isEmpty)
    }
}
