// What a sync engine is made of: scopes, batches, pending changes, who is signed in, what is known.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SyncPiecesTests {
    typealias Engine = SyncEngine

    private static let (y, z) = (RecordZone.ID("Y"), RecordZone.ID("Z"))

    private static func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: z) }

    @Test func scopes() {
        let (y, z) = (Self.y, Self.z)
        let fetching: [(scope: Engine.FetchScope, hasY: Bool, hasZ: Bool)] = [
            (.all, true, true), (.allExcluding([z]), true, false), (.zones([z]), false, true),
            (.zones([]), false, false),
        ]
        for (scope, hasY, hasZ) in fetching { #expect((scope.contains(y), scope.contains(z)) == (hasY, hasZ)) }
        let sending: [(scope: Engine.SendScope, hasY: Bool, hasZ: Bool)] = [
            (.all, true, true), (.allExcluding([z]), true, false), (.zones([z]), false, true),
            (.records([Self.id("a")]), false, false),
        ]
        for (scope, hasY, hasZ) in sending {
            #expect((scope.contains(y), scope.contains(z)) == (hasY, hasZ))
            #expect(scope.contains(.delete(Record.ID("a", zoneID: y))) == hasY)
        }
        #expect(Engine.SendScope.zones([z]).contains(.save(Self.id("a"))))
        let records = Engine.SendScope.records([Self.id("a")])
        #expect(records.contains(.save(Self.id("a"))) && records.contains(.delete(Self.id("a"))))
        #expect(!records.contains(.save(Self.id("b"))))
    }

    @Test func batchesHaveWhatIsThere() async {
        let changes: [Engine.PendingRecordChange] = [
            .save(Self.id("a")), .delete(Self.id("b")), .save(Self.id("gone")), .save(Self.id("c")),
            .delete(Self.id("d")),
        ]
        func batch(_ limit: Int, _ changes: [Engine.PendingRecordChange]) async -> [[String]]? {
            let batch = await Engine.RecordChangeBatch(of: changes, limit: limit) { id in
                id.recordName == "gone" ? nil : Record(type: "T", id: id)
            }
            #expect(batch?.isAtomic != true)
            return batch.map { [$0.recordsToSave.map(\.id.recordName), $0.recordIDsToDelete.map(\.recordName)] }
        }
        #expect(await batch(400, changes) == [["a", "c"], ["b", "d"]])
        #expect(await batch(4, changes) == [["a", "c"], ["b", "d"]])
        #expect(await batch(3, changes) == [["a", "c"], ["b"]])
        #expect(await batch(1, changes) == [["a"], []])
        #expect(await batch(1, [changes[1]]) == [[], ["b"]])
        #expect(await batch(400, [changes[2]]) == nil)
        #expect(await batch(0, changes) == nil)
    }

    @Test func theLastChangeOfAnItemCounts() {
        let state = Engine.State(Engine.State.Serialization())
        let (a, b) = (Self.id("a"), Self.id("b"))
        state.add([.save(a), .save(b)])
        state.add([.delete(a)])
        #expect(state.pendingRecordChanges == [.save(b), .delete(a)])
        state.remove([.save(a)])
        #expect(state.pendingRecordChanges == [.save(b), .delete(a)])
        state.remove([.delete(a)])
        #expect(state.pendingRecordChanges == [.save(b)])
        // What was added after a batch was made is not sent by it.
        let mark = state.mark.records
        state.add([.save(b)])
        state.settle(b, before: mark)
        #expect(state.pendingRecordChanges == [.save(b)])
        state.settle(b, before: state.mark.records)
        #expect(state.pendingRecordChanges == [])
        state.add([.save(Self.z), .delete(Self.y)])
        let zones = state.mark.zones
        state.add([.delete(Self.z)])
        for zone in [Self.y, Self.z] { state.settle(zone, before: zones) }
        #expect(state.pendingZoneChanges == [.delete(Self.z)])
        let again = Engine.State(state.serialization)
        #expect(again.pendingZoneChanges == [.delete(Self.z)] && again.pendingRecordChanges == [])
        again.remove([.save(Self.z)])
        #expect(again.pendingZoneChanges == [.delete(Self.z)])
        again.remove([.delete(Self.z)])
        #expect(again.pendingZoneChanges == [])
    }

    @Test func whatWaitsIsOfOneUser() {
        let state = Engine.State(Engine.State.Serialization())
        state.add([.save(Self.id("a"))])
        #expect(state.takeUser("a") == .signIn(Record.ID("a")))
        #expect(state.pendingRecordChanges == [.save(Self.id("a"))])
        #expect(state.takeUser("a") == nil && state.pendingRecordChanges.count == 1)
        state.add([.save(Self.z)])
        #expect(state.takeUser("b") == .switchAccounts(from: Record.ID("a"), to: Record.ID("b")))
        #expect(state.pendingRecordChanges == [] && state.pendingZoneChanges == [])
        #expect(state.takeUser(nil) == .signOut(Record.ID("b")) && state.takeUser(nil) == nil)
        #expect(state.takeUser("b") == .signIn(Record.ID("b")))
        let nobody = Engine.State(Engine.State.Serialization())
        #expect(nobody.takeUser(nil) == nil && nobody.serialization.hasBegun)
        #expect(nobody.takeUser("a") == .signIn(Record.ID("a")))
    }

    @Test func whatIsNotListedAgainIsGone() {
        var items = KnownItems()
        let other = RecordZone.ID("A", ownerName: "o")
        for zone in [Self.z, other, Self.y] { items.insert(zone) }
        #expect(items.missingZones == [])
        items.beginZones()
        items.insert(Self.y)
        #expect(items.missingZones == [Self.z, other])
        items.remove(Self.z)
        #expect(items.missingZones == [other])
        var records = KnownRecords()
        for (name, type) in [("r", "T"), ("s", "T"), ("q", "U"), ("r", "U"), ("gone", "T")] {
            records.insert(Record(type: type, id: Self.id(name)))
        }
        records.remove("gone")
        #expect(
            records.deletions(in: Self.z, except: ["s"]) == [
                RecordDeletion(recordID: Self.id("q"), recordType: "U"),
                RecordDeletion(recordID: Self.id("r"), recordType: "U"),
            ])
    }
}
