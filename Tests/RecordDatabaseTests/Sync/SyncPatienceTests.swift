// What a sync engine waits for: accounts that cannot be used for now, users who sign in later, and what passes by itself.

import Testing

@testable import RecordDatabase

@Suite(.mayDeadlock) struct SyncPatienceTests {
    /// An account that cannot be used for now signs nobody out: what is pending is sent when it can be used again.
    @Test(arguments: [Account.Status.temporarilyUnavailable, .couldNotDetermine, .restricted])
    func anAccountThatCannotBeUsedSignsNobodyOut(_ status: Account.Status) async throws {
        let (scene, code) = (
            try await SyncScene(),
            status == .temporarilyUnavailable ? DatabaseError.Code.accountTemporarilyUnavailable : .notAuthenticated
        )
        try await scene.engine.fetchChanges()
        let mine = scene.record("mine")
        scene.want(mine)
        _ = scene.notebook.taken()
        try scene.client.setAccount(.unavailable(status))
        await fails(code) { try await scene.engine.fetchChanges() }
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        await fails(code) { try await scene.engine.sendChanges() }
        #expect(!scene.notebook.taken().contains { $0.hasPrefix("out ") || $0.hasPrefix("state") })
        #expect(scene.engine.state.pendingRecordChanges == [.save(mine.id)])
        try scene.client.setAccount(.localUser)
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["mine"])
        #expect(!scene.notebook.taken().contains { $0.hasPrefix("in ") || $0.hasPrefix("from ") })
    }

    /// What is added while nobody is signed in is sent for the user who signs in next.
    @Test func whatIsAddedWhileNobodyIsSignedInIsSent() async throws {
        let scene = try await SyncScene()
        try scene.client.setAccount(Account.none)
        await fails(.notAuthenticated) { try await scene.engine.fetchChanges() }
        let mine = scene.record("mine")
        scene.want(mine)
        scene.engine.state.add([SyncEngine.PendingZoneChange.save(RecordZone.ID("New"))])
        await fails(.notAuthenticated) { try await scene.engine.sendChanges() }
        try scene.client.setAccount(.localUser)
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["mine"])
        #expect(try await scene.other.allRecordZones().map(\.id.zoneName).contains("New"))
        #expect(scene.engine.state.pendingRecordChanges.isEmpty && scene.engine.state.pendingZoneChanges.isEmpty)
    }

    /// A handler may cancel the engine's calls, also the one that waits for it.
    @Test func aHandlerCancelsTheCallThatWaitsForIt() async throws {
        let scene = try await SyncScene()
        let mine = scene.record("mine")
        scene.want(mine)
        scene.notebook.give([SyncNotebook.Batch(recordsToSave: [mine])])
        let engine = scene.engine
        scene.notebook.whenTold { line, engine, notebook in
            guard line == "send manual" else { return }
            // Another call waits behind the one that is cancelled.
            let other = Task { try? await engine.fetchChanges() }
            while engine.callCount < 2 { await Task.yield() }
            await engine.cancelOperations()
            notebook.write("cancelled \(other.isCancelled)")
        }
        await fails(.operationCancelled) { try await engine.sendChanges() }
        // The other one ends, too.
        while engine.callCount > 0 { await Task.yield() }
        #expect(scene.notebook.taken().contains("cancelled false"))
        #expect(try await scene.stored().isEmpty)
        #expect(scene.engine.state.pendingRecordChanges == [.save(mine.id)])
    }

    /// Of the errors of several zones one after which to try again is told before one after which not to.
    @Test func anErrorThatPassesIsToldBeforeOthers() async throws {
        let scene = try await SyncScene()
        try await scene.other.save(RecordZone(id: RecordZone.ID("Second")))
        scene.script.failNext(1, .fetchZoneChanges, with: .permissionFailure)
        scene.script.failNext(1, .fetchZoneChanges, with: .networkFailure)
        await fails(.networkFailure) { try await scene.engine.fetchChanges() }
        let busy = DatabaseError(.zoneBusy, "busy", retryAfter: .seconds(5))
        let partial = DatabaseError(partialErrors: [.record(Record.ID("a")): busy])
        let lost = DatabaseError(.permissionFailure, "no")
        #expect(partial.orOneThatPasses(lost) == partial && lost.orOneThatPasses(partial) == partial)
        #expect(busy.orOneThatPasses(partial) == partial && lost.orOneThatPasses(nil) == lost)
        #expect(partial.longestRetryAfter == .seconds(5) && lost.longestRetryAfter == nil)
    }

    /// By itself an engine tries again as soon as somebody signs in, however long it was to wait.
    @Test func anEngineWakesWhenSomebodySignsIn() async throws {
        let (container, notebook, script) = (try Container(identifier: "patience"), SyncNotebook(), FaultScript())
        var configuration = Configuration()
        configuration.faults = script.faults
        let client = try Container(sharing: container, account: .localUser, configuration: configuration)
        script.failNext(1, .fetchSubscriptions, with: .zoneBusy, retryAfter: .seconds(36_000))
        let engine = SyncEngine(SyncEngine.Configuration(container: client), delegate: notebook)
        while engine.automatic.withLock({ $0.nap == nil }) { try await Task.sleep(for: .milliseconds(2)) }
        let worker = engine.automatic.withLock { $0.worker }
        try client.setAccount(.user("_b0b"))
        await worker?.value
        #expect(notebook.taken().contains { $0.hasSuffix(" to _b0b") })
        await engine.cancelOperations()
    }

    /// Records that are found missing are told as deleted once, also when all are listed again later.
    @Test func missingRecordsAreToldOnce() async throws {
        let scene = try await SyncScene()
        try await scene.other.put(scene.record("a"), scene.record("b"))
        try await scene.engine.fetchChanges()
        try await scene.other.deleteRecord(withID: scene.record("a").id)
        for (name, gone) in [("c", #"["a"]"#), ("d", "[]")] {
            try await scene.other.put(scene.record(name))
            _ = scene.notebook.taken()
            scene.script.failNext(1, .fetchZoneChanges, with: .changeTokenExpired)
            try await scene.engine.fetchChanges()
            let told = scene.notebook.taken().filter { $0.hasPrefix("Notes ") }
            #expect(told.count == 1 && told.first?.hasSuffix(gone) == true, "\(told)")
        }
    }
}
