// What a sync engine tries again by itself: what passes of some items, beside others that do not.

import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct SyncAgainEdgesTests {
    /// A call of whose items one failed for a reason that passes is made again.
    @Test func itemsThatPassAreTriedAgain() async throws {
        let (new, other) = (RecordZone.ID("New"), RecordZone.ID("Other"))
        let calls = Mutex(0)
        var configuration = Configuration()
        configuration.faults = { call in
            guard call.kind == .modifyZones else { return nil }
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number > 1 { return nil }
            return DatabaseError(partialErrors: [
                .zone(new): DatabaseError(.zoneBusy, "others write there", retryAfter: .zero),
                .zone(other): DatabaseError(.permissionFailure, "the zone belongs to another user"),
            ])
        }
        let container = try Container(identifier: "sync items", configuration: configuration)
        let (notebook, earlier) = (SyncNotebook(), SyncEngine.State(SyncEngine.State.Serialization()))
        // Known from the beginning: what is added later would have it sent, too.
        earlier.add([SyncEngine.PendingZoneChange.save(new), .save(other)])
        let settings = SyncEngine.Configuration(container: container, state: earlier.serialization)
        let engine = SyncEngine(settings, delegate: notebook)
        let worker = engine.automatic.withLock { $0.worker }
        await worker?.value
        #expect(calls.withLock { $0 } == 2)
        #expect(engine.state.pendingZoneChanges.isEmpty)
        #expect(notebook.taken().contains(#"zones ["New", "Other"] [] [] []"#))
        await engine.cancelOperations()
    }
}
