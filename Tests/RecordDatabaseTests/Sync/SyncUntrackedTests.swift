// What a sync engine does about changes that it does not keep itself, and states with more bytes than they need.

import Testing

@testable import RecordDatabase

@Suite struct SyncUntrackedTests {
    /// By itself an engine sends where there are only changes that its state does not list.
    @Test func changesThatAreKeptElsewhereAreSent() async throws {
        let (container, notebook) = (try Container(identifier: "sync untracked"), SyncNotebook())
        let engine = SyncEngine(SyncEngine.Configuration(container: container), delegate: notebook)
        engine.state.hasPendingUntrackedChanges = true
        // It ends when there is nothing left to do.
        let worker = engine.automatic.withLock { $0.worker }
        await worker?.value
        #expect(notebook.taken().contains("send scheduled") && notebook.asked > 0)
        #expect(engine.state.hasPendingUntrackedChanges)
        await engine.cancelOperations()
    }

    /// Names of known records end where their bytes do.
    @Test func bytesBehindTheNamesAreDamage() throws {
        let names: [String: Set<String>] = ["T": ["a", "b"]]
        let bytes = PackedNames.bytes(of: names)
        #expect(try PackedNames.names(of: bytes) == names)
        for rest in [[0], [1], [0, 0, 0, 0]] as [[UInt8]] {
            #expect(throws: (any Error).self) { try PackedNames.names(of: bytes + rest) }
        }
    }
}
