// What a sync engine sends, in what portions, when it stops, and what stays pending.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SyncSendingTests {
    typealias Batch = SyncEngine.RecordChangeBatch

    private static let nowhere = RecordZone.ID("Nowhere")

    // MARK: Portions

    /// Halves of halves have each item once, and none is larger than it may be.
    @Test func batchesThatAreTooLargeGoInHalves() async throws {
        let scene = try await SyncScene { $0.limits.itemsPerRequest = 1 }
        let gone = ["x", "y"].map { scene.record($0) }
        _ = try await scene.other.modifyRecords(saving: gone, deleting: [])
        let saves = (1...5).map { scene.record("r\($0)") }
        let deletions = gone.map { SyncEngine.PendingRecordChange.delete($0.id) }
        scene.engine.state.add(saves.map { SyncEngine.PendingRecordChange.save($0.id) } + deletions)
        scene.notebook.give([Batch(recordsToSave: saves, recordIDsToDelete: gone.map(\.id))])
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["r1", "r2", "r3", "r4", "r5"])
        #expect(scene.engine.state.pendingRecordChanges.isEmpty)
        // Seven leaves of a tree of halves have six calls above them, all of them refused.
        let calls = scene.calls(.modifyRecords)
        #expect(calls.count == 13 && calls.count { $0 == 1 } == 7 && calls.first == 7)
        let told = scene.notebook.taken()
        #expect(told.filter { $0.hasPrefix("sent ") }.count == 7 && told.last == "all sent")
    }

    /// What has no halves and is too large is told, and is not lost.
    @Test func oneRecordThatIsTooLarge() async throws {
        let scene = try await SyncScene { $0.limits.bytesPerRequest = 100 }
        let large = record("large", in: scene.zone, ["text": .string(String(repeating: "x", count: 101))])
        scene.want(large)
        scene.notebook.give([Batch(recordsToSave: [large])])
        await fails(.limitExceeded) { try await scene.engine.sendChanges() }
        #expect(scene.calls(.modifyRecords) == [1])
        #expect(scene.engine.state.pendingRecordChanges == [.save(large.id)])
        #expect(scene.notebook.taken().last == "all sent")
    }

    @Test func noCallForNothing() async throws {
        let scene = try await SyncScene()
        scene.notebook.give([Batch(), Batch(recordsToSave: [scene.record("r")])])
        try await scene.engine.sendChanges()
        #expect(scene.notebook.asked == 1 && scene.calls(.modifyRecords).isEmpty)
        // Deletions alone are a batch.
        scene.notebook.give([Batch(recordIDsToDelete: [scene.record("r").id])])
        try await scene.engine.sendChanges()
        #expect(scene.calls(.modifyRecords) == [1])
        #expect(scene.notebook.taken().contains(#"sent [] [] ["r"] []"#))
    }

    // MARK: When it stops

    /// Batches by letters: `l` has a record for no zone, `s` saves one, `d` deletes one; the last is given for ever.
    private static let courses: [(batches: String, calls: Int)] = [
        ("l", 4), ("llll", 4), ("lllsl", 8), ("llldl", 8), ("sl", 5), ("lslslsl", 10),
    ]

    /// After four batches one behind the other that stored nothing, the rest waits.
    @Test(arguments: courses.indices) func fruitlessBatchesEnd(_ index: Int) async throws {
        let (letters, calls) = Self.courses[index]
        let scene = try await SyncScene()
        let lost = scene.record("lost", in: Self.nowhere)
        let batches = letters.enumerated().map { number, letter -> Batch in
            switch letter {
            case "l": return Batch(recordsToSave: [lost])
            case "s": return Batch(recordsToSave: [scene.record("s\(number)")])
            default: return Batch(recordIDsToDelete: [scene.record("d\(number)").id])
            }
        }
        scene.notebook.give(batches, again: true)
        let error = await fails(.partialFailure) { try await scene.engine.sendChanges() }
        #expect(error?.partialErrors.mapValues(\.code) == [.record(lost.id): .zoneNotFound])
        #expect(scene.calls(.modifyRecords).count == calls, "\(letters)")
    }

    /// A call that fails as a whole ends the sending, and what it was about waits.
    @Test func callsThatFailEndTheSending() async throws {
        let scene = try await SyncScene()
        let (new, r) = (RecordZone.ID("New"), scene.record("r"))
        let state = scene.engine.state
        scene.want(r)
        state.add([SyncEngine.PendingZoneChange.save(new)])
        scene.notebook.give([Batch(recordsToSave: [r]), Batch(recordsToSave: [scene.record("q")])])
        scene.script.failNext(1, .modifyZones, with: .networkFailure)
        await fails(.networkFailure) { try await scene.engine.sendChanges() }
        #expect(scene.notebook.asked == 0 && scene.calls(.modifyRecords).isEmpty)
        #expect(state.pendingZoneChanges == [.save(new)] && state.pendingRecordChanges == [.save(r.id)])
        #expect(scene.notebook.taken().suffix(2) == ["send manual", "all sent"])
        scene.script.failNext(1, .modifyRecords, with: .zoneBusy)
        await fails(.zoneBusy) { try await scene.engine.sendChanges() }
        #expect(scene.notebook.asked == 1 && scene.calls(.modifyRecords) == [1])
        #expect(state.pendingZoneChanges.isEmpty && state.pendingRecordChanges == [.save(r.id)])
        #expect(try await scene.other.recordZone(for: new).id == new)
    }

    /// Zones that are added meanwhile go before the next batch, which waits with them where they cannot.
    @Test func zonesGoBeforeTheNextBatch() async throws {
        let scene = try await SyncScene()
        let new = RecordZone.ID("New")
        scene.notebook.whenTold { line, engine, _ in
            if line.hasPrefix("sent [") { engine.state.add([SyncEngine.PendingZoneChange.save(new)]) }
        }
        scene.notebook.give([Batch(recordsToSave: [scene.record("r")]), Batch(recordsToSave: [scene.record("q")])])
        scene.script.failNext(1, .modifyZones, with: .networkFailure)
        await fails(.networkFailure) { try await scene.engine.sendChanges() }
        #expect(try await scene.stored() == ["r"])
        #expect(scene.notebook.asked == 1 && scene.engine.state.pendingZoneChanges == [.save(new)])
        try await scene.engine.sendChanges()
        let kinds: [DatabaseCall.Kind] = [.modifyRecords, .modifyZones]
        #expect(
            scene.script.calls.map(\.kind).filter(kinds.contains)
                == [.modifyRecords, .modifyZones, .modifyZones, .modifyRecords, .modifyZones])
        #expect(try await scene.stored() == ["r", "q"])
    }

    /// Zones that cannot be made or deleted are told and do not wait, nor do records wait for them.
    @Test func zonesThatFailAreDoneWith() async throws {
        let scene = try await SyncScene()
        let (theirs, new) = (RecordZone.ID("Theirs", ownerName: "_b0b"), RecordZone.ID("New"))
        scene.engine.state.add([SyncEngine.PendingZoneChange.save(theirs), .delete(.default), .save(new)])
        scene.notebook.give([Batch(recordsToSave: [scene.record("r")])])
        let error = await fails(.partialFailure) { try await scene.engine.sendChanges() }
        #expect(
            error?.partialErrors.mapValues(\.code)
                == [.zone(theirs): .permissionFailure, .zone(.default): .invalidArguments])
        #expect(scene.engine.state.pendingZoneChanges.isEmpty)
        #expect(try await scene.stored() == ["r"])
        let line = #"zones ["New"] ["Theirs permissionFailure"] [] ["_defaultZone invalidArguments"]"#
        #expect(scene.notebook.taken().contains(line))
    }

    /// The error of a zone that is added between two batches is told, too.
    @Test func zonesThatAreAddedMeanwhileMayFail() async throws {
        let scene = try await SyncScene()
        let theirs = RecordZone.ID("Theirs", ownerName: "_b0b")
        scene.notebook.whenTold { line, engine, _ in
            if line.hasPrefix("sent [") { engine.state.add([SyncEngine.PendingZoneChange.save(theirs)]) }
        }
        scene.notebook.give([Batch(recordsToSave: [scene.record("r")])])
        let error = await fails(.partialFailure) { try await scene.engine.sendChanges() }
        #expect(error?.partialErrors.mapValues(\.code) == [.zone(theirs): .permissionFailure])
        #expect(scene.engine.state.pendingZoneChanges.isEmpty)
        #expect(try await scene.stored() == ["r"])
    }

    /// By itself an engine sends a zone that no record is in.
    @Test func aZoneAloneIsSent() async throws {
        let (container, notebook) = (try Container(identifier: "sync zone"), SyncNotebook())
        let new = RecordZone.ID("New")
        let engine = SyncEngine(SyncEngine.Configuration(container: container), delegate: notebook)
        engine.state.add([SyncEngine.PendingZoneChange.save(new)])
        // It ends when there is nothing left to do.
        let worker = engine.automatic.withLock { $0.worker }
        await worker?.value
        #expect(engine.state.pendingZoneChanges.isEmpty)
        #expect(notebook.taken().contains(#"zones ["New"] [] [] []"#))
        #expect(try await container.privateDatabase.allRecordZones().map(\.id) == [.default, new])
        await engine.cancelOperations()
    }

    /// By itself an engine sends again what failed for a reason that passes.
    @Test func whatPassesIsTriedAgain() async throws {
        let (script, notebook) = (FaultScript(), SyncNotebook())
        var configuration = Configuration()
        configuration.faults = script.faults
        let container = try Container(identifier: "sync again", configuration: configuration)
        let (new, earlier) = (RecordZone.ID("New"), SyncEngine.State(SyncEngine.State.Serialization()))
        // Known from the beginning: what is added later would have it sent, too.
        earlier.add([SyncEngine.PendingZoneChange.save(new)])
        script.failNext(1, .modifyZones, with: .zoneBusy, retryAfter: .zero)
        let settings = SyncEngine.Configuration(container: container, state: earlier.serialization)
        let engine = SyncEngine(settings, delegate: notebook)
        let worker = engine.automatic.withLock { $0.worker }
        await worker?.value
        #expect(engine.state.pendingZoneChanges.isEmpty)
        #expect(script.calls.count { $0.kind == .modifyZones } == 2)
        #expect(notebook.taken().contains(#"zones ["New"] [] [] []"#))
        #expect(try await container.privateDatabase.allRecordZones().map(\.id) == [.default, new])
        await engine.cancelOperations()
    }

    // MARK: What stays pending

    /// What is not saved only because of others goes with a later batch; what failed by itself does not.
    @Test func whatFailsBesideOthersWaits() async throws {
        let scene = try await SyncScene()
        let (good, bad) = (scene.record("good"), scene.record("bad"))
        try await scene.other.save(bad)
        scene.want(good, bad)
        scene.notebook.give([Batch(recordsToSave: [good, bad], isAtomic: true)])
        let error = await fails(.partialFailure) { try await scene.engine.sendChanges() }
        #expect(
            error?.partialErrors.mapValues(\.code)
                == [.record(good.id): .batchRequestFailed, .record(bad.id): .serverRecordChanged])
        #expect(scene.engine.state.pendingRecordChanges == [.save(good.id)])
        // The engine asks for what is left.
        #expect(scene.notebook.asked == 2)
        scene.notebook.give([Batch(recordsToSave: [good], isAtomic: true)])
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["bad", "good"])
        #expect(scene.engine.state.pendingRecordChanges.isEmpty)
    }

    /// What is added again while it is on its way is not taken back when it has arrived.
    @Test func whatIsChangedOnItsWayWaits() async throws {
        let scene = try await SyncScene()
        let (new, r, state) = (RecordZone.ID("New"), scene.record("r"), scene.engine.state)
        state.add([SyncEngine.PendingZoneChange.save(new)])
        scene.script.beforeNext(.modifyZones) { state.add([SyncEngine.PendingZoneChange.delete(new)]) }
        try await scene.engine.sendChanges()
        #expect(state.pendingZoneChanges == [.delete(new)])
        state.remove([SyncEngine.PendingZoneChange.delete(new)])
        let id = r.id
        for batch in [Batch(recordsToSave: [r]), Batch(recordIDsToDelete: [id])] {
            scene.want(r)
            scene.script.beforeNext(.modifyRecords) { state.add([SyncEngine.PendingRecordChange.save(id)]) }
            scene.notebook.give([batch])
            try await scene.engine.sendChanges()
            #expect(state.pendingRecordChanges == [.save(id)])
        }
    }

    /// What is added again while the batch is made is newer than what the delegate may have read, and waits, too.
    @Test(arguments: [true, false]) func whatIsChangedWhileABatchIsMadeWaits(isDeleted: Bool) async throws {
        let scene = try await SyncScene()
        let (r, state) = (scene.record("r"), scene.engine.state)
        let newer = isDeleted ? SyncEngine.PendingRecordChange.delete(r.id) : .save(r.id)
        scene.want(r)
        scene.notebook.give([Batch(recordsToSave: [r])])
        scene.notebook.whenAsked { state.add([newer]) }
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["r"])
        #expect(state.pendingRecordChanges == [newer])
        scene.notebook.give([Batch(recordIDsToDelete: [r.id])])
        try await scene.engine.sendChanges()
        #expect(state.pendingRecordChanges.isEmpty)
    }

    /// So does what is added of the second half of a batch as the first one is told.
    @Test func whatIsChangedBetweenHalvesWaits() async throws {
        let scene = try await SyncScene { $0.limits.itemsPerRequest = 1 }
        let (a, b) = (scene.record("a"), scene.record("b"))
        let newer = SyncEngine.PendingRecordChange.delete(b.id)
        scene.want(a, b)
        scene.notebook.give([Batch(recordsToSave: [a, b])])
        scene.notebook.whenTold { line, engine, _ in
            if line.hasPrefix(#"sent ["a"]"#) { engine.state.add([newer]) }
        }
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["a", "b"])
        #expect(scene.engine.state.pendingRecordChanges == [newer])
    }

    // MARK: Calls and their ends

    /// A cancelled call asks for no batch, and calls after it are not concerned.
    @Test func cancelledCallsAskForNothing() async throws {
        let scene = try await SyncScene()
        let r = scene.record("r")
        scene.want(r)
        scene.notebook.give([Batch(recordsToSave: [r])])
        scene.notebook.whenTold { line, engine, _ in
            guard line == "send manual" else { return }
            Task { await engine.cancelOperations() }
            let end = ContinuousClock.now + .seconds(20)
            while !Task.isCancelled, ContinuousClock.now < end { await Task.yield() }
        }
        await fails(.operationCancelled) { try await scene.engine.sendChanges() }
        #expect(scene.notebook.asked == 0 && scene.notebook.taken().last == "all sent")
        #expect(scene.engine.state.pendingRecordChanges == [.save(r.id)])
        scene.notebook.whenTold { _, _, _ in }
        try await scene.engine.sendChanges()
        #expect(try await scene.stored() == ["r"])
    }

    /// A delegate that waits for its engine would wait for itself.
    @Test func aDelegateCannotWaitForItsEngine() async throws {
        let scene = try await SyncScene()
        scene.notebook.whenTold { line, engine, notebook in
            guard line == "send manual" else { return }
            for isFetch in [true, false] {
                do throws(DatabaseError) {
                    if isFetch { try await engine.fetchChanges() } else { try await engine.sendChanges() }
                    notebook.write("waited")
                } catch {
                    notebook.write("\(error.code): \(error.hint ?? "no hint")")
                }
            }
        }
        try await scene.engine.sendChanges()
        let refused = "invalidArguments: start a task of its own"
        #expect(scene.notebook.taken().suffix(4) == ["send manual", refused, refused, "all sent"])
        // Between two calls there is no event that is handled.
        try await scene.engine.fetchChanges()
        #expect(scene.notebook.taken().last == "fetched")
    }
}
