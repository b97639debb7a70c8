// Accounts that change in the middle of a call: what is one user's is neither sent to another nor told as theirs.

import Testing

@testable import RecordDatabase

@Suite struct SyncAccountTests {
    /// A scene, and the database of a user who has the zone as well.
    private static func scene() async throws -> (scene: SyncScene, theirs: Database) {
        let scene = try await SyncScene()
        let theirs = try Container(sharing: scene.client, account: .user("_b0b")).privateDatabase
        try await theirs.save(RecordZone(id: scene.zone))
        return (scene, theirs)
    }

    /// Has the other user sign in when a line is told.
    private static func switchAccounts(at moment: String, in scene: SyncScene) {
        let client = scene.client
        scene.notebook.whenTold { line, _, _ in
            if line == moment { try? client.setAccount(.user("_b0b")) }
        }
    }

    /// A batch that was made for one user is not saved for the next one, and stays pending.
    @Test func aBatchIsOfTheUserItWasMadeFor() async throws {
        let (scene, theirs) = try await Self.scene()
        let (client, mine) = (scene.client, scene.record("mine"))
        scene.want(mine)
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        scene.notebook.whenAsked { try? client.setAccount(.user("_b0b")) }
        await fails(.notAuthenticated) { try await scene.engine.sendChanges() }
        #expect(try await theirs.recordZoneChanges(inZoneWith: scene.zone).modifications.isEmpty)
        #expect(try await scene.stored().isEmpty)
        #expect(scene.engine.state.pendingRecordChanges == [.save(mine.id)])
        // It is sent when its user is back.
        try client.setAccount(.localUser)
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["mine"])
        #expect(scene.engine.state.pendingRecordChanges.isEmpty)
    }

    /// Nor are zones made for the next user.
    @Test func zonesAreOfTheUserTheyWereAddedFor() async throws {
        let (scene, theirs) = try await Self.scene()
        let new = RecordZone.ID("New")
        scene.engine.state.add([SyncEngine.PendingZoneChange.save(new)])
        Self.switchAccounts(at: "send manual", in: scene)
        await fails(.notAuthenticated) { try await scene.engine.sendChanges() }
        #expect(try await theirs.allRecordZones().map(\.id) == [.default, scene.zone])
        #expect(scene.engine.state.pendingZoneChanges == [.save(new)])
    }

    /// Records of the next user are told after that user is, whenever they signed in.
    @Test(arguments: ["fetch manual", #"zones ["Notes"] []"#, "zone Notes"])
    func recordsAreToldAfterTheirUser(_ moment: String) async throws {
        let (scene, theirs) = try await Self.scene()
        try await theirs.save(scene.record("theirs"))
        try await scene.other.save(scene.record("mine"))
        Self.switchAccounts(at: moment, in: scene)
        await fails(.notAuthenticated) { try await scene.engine.fetchChanges() }
        #expect(!scene.notebook.taken().contains { $0.hasPrefix("Notes ") })
        try await scene.engine.fetchChanges()
        let lines = scene.notebook.taken()
        let local = try #require(Account.localUser.userName)
        #expect(lines.first == "from \(local) to _b0b")
        #expect(lines.filter { $0.hasPrefix("Notes ") } == [#"Notes ["theirs"] []"#])
    }

    /// A call is the user's whom it began for, also when another one signs in just before it: neither zones nor records
    /// are saved for that one, and nothing of theirs is told.
    @Test(arguments: [DatabaseCall.Kind.modifyZones, .modifyRecords, .fetchDatabaseChanges, .fetchZoneChanges])
    func aCallIsOfTheUserItBeganFor(_ kind: DatabaseCall.Kind) async throws {
        let (scene, theirs) = try await Self.scene()
        let (client, mine) = (scene.client, scene.record("mine"))
        try await theirs.save(scene.record("theirs"))
        scene.want(mine)
        if kind == .modifyZones { scene.engine.state.add([SyncEngine.PendingZoneChange.save(RecordZone.ID("New"))]) }
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        // The account is read behind the fault, in the midst of the call.
        scene.script.beforeNext(kind) { try? client.setAccount(.user("_b0b")) }
        if kind == .modifyZones || kind == .modifyRecords {
            await fails(.notAuthenticated) { try await scene.engine.sendChanges() }
        } else {
            await fails(.notAuthenticated) { try await scene.engine.fetchChanges() }
        }
        #expect(try await theirs.allRecordZones().map(\.id) == [.default, scene.zone])
        let stored = try await theirs.recordZoneChanges(inZoneWith: scene.zone).modifications
        #expect(stored.map(\.id.recordName) == ["theirs"])
        #expect(scene.engine.state.pendingRecordChanges == [.save(mine.id)])
        #expect(!scene.notebook.taken().contains { $0.contains("theirs") })
    }
}
