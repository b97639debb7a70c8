// Records of a store as users other than their owner name them: the same ones under other identifiers.

import RecordColumns
import RecordModel
import Testing

@testable import RecordStore

@Suite struct ForeignNamesTests {
    private static func link(_ name: String, _ zone: RecordZone.ID = .default) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name, zoneID: zone)))
    }

    private static func record(_ name: String, _ fields: [String: FieldValue], in zone: RecordZone.ID) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone), fields: fields)
    }

    /// Zones and references of the owner get the owner's name, those of others and of fields that are kept have it
    /// already; records that are gone stay so, and the others keep their order.
    @Test func recordsHaveTheirOwnersZones() throws {
        let own = RecordZone.ID("z")
        let seen = RecordZone.ID("z", ownerName: "ann")
        let other = RecordZone.ID("y", ownerName: "bob")
        let store = RecordStore()
        var batch = RecordBatch()
        for number in 0..<5 {
            let fields: [String: FieldValue] = [
                "n": .int64(Int64(number)), "to": Self.link("r1", own), "kept": Self.link("r1", own),
                "far": Self.link("q", other),
            ]
            batch.save(Self.record("r\(number)", fields, in: own))
        }
        batch.save(Self.record("q", ["n": 9], in: other))
        try store.commit(batch)
        var change = RecordBatch()
        change.delete(Record.ID("r2", zoneID: own))
        change.change(Record.ID("r0", zoneID: own), ["n": 7])
        try store.commit(change)
        let snapshot = store.snapshot
        let foreign = snapshot.named(inZonesOf: "ann", keeping: ["kept"])
        #expect(foreign.count == 5 && foreign.version == snapshot.version && foreign.keys == snapshot.keys)
        #expect(foreign.schemas == snapshot.schemas && !foreign.isSealed)
        let ids = (0..<5).map { foreign.record(ofNumber: $0).recordID }
        let live = ["r0", "r1", "r3", "r4"].map { Record.ID($0, zoneID: seen) }
        #expect(ids == live + [Record.ID("q", zoneID: other)])
        for name in ["r0", "r1", "r2", "r3"] {
            #expect(foreign.record(Record.ID(name, zoneID: own)) == nil, "\(name)")
            let expected: [String: FieldValue]? =
                snapshot.record(Record.ID(name, zoneID: own))?.fields.merging(["to": Self.link("r1", seen)]) { $1 }
            #expect(foreign.record(Record.ID(name, zoneID: seen))?.fields == expected, "\(name)")
            #expect((expected == nil) == (name == "r2"))
        }
        #expect(foreign.record(Record.ID("q", zoneID: other))?.fields == ["n": 9])
        // Both name one record, which is stored once; made once, the names are there for all who come later.
        let row = try #require(foreign.locate(Record.ID("r3", zoneID: seen)))
        #expect(snapshot.recordID(row) == Record.ID("r3", zoneID: own))
        #expect(foreign.segments[row.segment].segment.storedID(row.row) == Record.ID("r3", zoneID: own))
        let again = snapshot.named(inZonesOf: "ann", keeping: ["kept"])
        #expect(zip(foreign.segments, again.segments).allSatisfy { $0.isSame(as: $1) })
    }
}
