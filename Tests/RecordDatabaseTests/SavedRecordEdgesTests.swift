// What a save gives back and leaves behind: fields set to nothing, shares of new roots, references that it does not
// name, and errors of records that others hold.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SavedRecordEdgesTests {
    /// A field of a new record that was set to nothing is no field of what the save gives back.
    @Test(arguments: SavePolicy.allCases) func newRecordsHaveNoEmptyFields(_ policy: SavePolicy) async throws {
        let world = try await World()
        var made = record("r", ["a": 1])
        made["b"] = .null
        let saved = try await world.mine.put(made, policy: policy)[0]
        #expect(saved.fields == ["a": 1] && saved.allKeys() == ["a"])
        #expect(try await world.mine2.record(for: made.id).fields == ["a": 1])
    }

    /// The root of a share that is saved with it for the first time comes back with its share.
    @Test func newRootsComeBackWithTheirShares() async throws {
        let world = try await World()
        let root = record("root", in: world.zone, ["a": 1])
        let share = Share(root: root)
        let saved = try await world.mine.put(root, share.record)
        #expect(saved[0].share?.recordID == share.id && saved[0].fields == ["a": 1])
    }

    /// A save that does not name a reference leaves it as it is: the record still goes with its owner.
    @Test(arguments: SavePolicy.allCases) func otherFieldsLeaveOwnersAlone(_ policy: SavePolicy) async throws {
        let world = try await World()
        let owner = FieldValue.reference(RecordReference("t", action: .deleteSelf))
        try await world.mine.put(record("t"), record("h", ["to": owner]), record("other"))
        // From here on it is known who belongs to whom.
        try await world.mine.deleteRecord(withID: Record.ID("other"))
        var held = try await world.mine.record(for: Record.ID("h"))
        held["x"] = 1
        try await world.mine.put(held, policy: policy)
        try await world.mine.deleteRecord(withID: Record.ID("t"))
        #expect(!(await world.mine.has("h")))
    }

    /// The server's record of a conflict is named as the caller names its zone.
    @Test func conflictsNameZonesAsTheirCallers() async throws {
        let world = try await World()
        try await world.mine.put(record("r", in: world.zone, ["a": 1]))
        for zone in [world.zone, RecordZone.ID(world.zone.zoneName, ownerName: World.alice)] {
            let sent = record("r", in: zone, ["a": 2])
            let error = await fails(.serverRecordChanged) { try await world.mine.save(sent) }
            #expect(error?.serverRecord?.id.zoneID == zone)
            #expect(error?.serverRecord?.fields == ["a": 1])
        }
    }

    /// Who may not change a record does not learn its type, and other types that the user may write do not help.
    @Test func rightsAreThoseOfTheStoredType() async throws {
        let world = try await World()
        try await world.everyones.put(record("r", ["a": 1]))
        var schema = world.alice.schema
        schema.recordTypes["U"] = ContainerSchema.RecordType(grants: ["editors": [.read, .write, .create]])
        try world.alice.setSchema(schema)
        try world.alice.setRoles(["editors"], ofUser: World.bob)
        let database = world.bob.publicDatabase
        for policy in SavePolicy.allCases {
            let outcomes = try database.outcomes(saving: [record("r", type: "U")], policy: policy)
            #expect(outcomes == ["r": .permissionFailure])
        }
        #expect(try database.outcomes(saving: [record("s", type: "U")]) == ["s": nil])
    }

    /// Sent again under another policy, the same records are another batch.
    @Test func batchesDifferByTheirPolicy() async throws {
        let world = try await World()
        let made = record("r", ["n": 1])
        var tags: [String?] = []
        for policy in [SavePolicy.ifServerRecordUnchanged, .changedKeys, .changedKeys] {
            let results = try await world.mine.modifyRecords(
                saving: [made], deleting: [], savePolicy: policy, clientChangeTokenData: Data("1".utf8))
            tags.append(try #require(results.saveResults[made.id]).get().recordChangeTag)
        }
        #expect(tags[0] != nil && tags[1] != nil && tags[0] != tags[1] && tags[1] == tags[2])
    }
}
