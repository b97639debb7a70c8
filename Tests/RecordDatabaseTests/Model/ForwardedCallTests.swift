// A database of an application's own that knows the long calls alone: the shorter ones come with the protocol.

import Foundation
import Testing

@testable import RecordDatabase

/// Hands each call on to another database.
private struct ForwardingDatabase: CloudDatabase {
    let base: Database

    var scope: DatabaseScope { base.scope }

    func record(for id: Record.ID) async throws(DatabaseError) -> Record { try await base.record(for: id) }

    func records(
        for ids: [Record.ID], desiredKeys: [String]?
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        try await base.records(for: ids, desiredKeys: desiredKeys)
    }

    func save(_ record: Record) async throws(DatabaseError) -> Record { try await base.save(record) }

    func deleteRecord(withID id: Record.ID) async throws(DatabaseError) -> Record.ID {
        try await base.deleteRecord(withID: id)
    }

    func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy, atomically: Bool,
        clientChangeTokenData: Data?
    ) async throws(DatabaseError) -> (
        saveResults: [Record.ID: Result<Record, DatabaseError>], deleteResults: [Record.ID: Result<Void, DatabaseError>]
    ) {
        try await base.modifyRecords(
            saving: records, deleting: ids, savePolicy: savePolicy, atomically: atomically,
            clientChangeTokenData: clientChangeTokenData)
    }

    func recordPage(
        matching query: Query, in zones: QueryZones, desiredKeys: [String]?, resultsLimit: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        try await base.recordPage(matching: query, in: zones, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }

    func recordPage(
        after cursor: Query.Cursor, desiredKeys: [String]?, resultsLimit: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        try await base.recordPage(after: cursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }

    func allRecordZones() async throws(DatabaseError) -> [RecordZone] { try await base.allRecordZones() }

    func recordZones(
        for ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> [RecordZone.ID: Result<RecordZone, DatabaseError>] {
        try await base.recordZones(for: ids)
    }

    func modifyRecordZones(
        saving zones: [RecordZone], deleting ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [RecordZone.ID: Result<RecordZone, DatabaseError>],
        deleteResults: [RecordZone.ID: Result<Void, DatabaseError>]
    ) {
        try await base.modifyRecordZones(saving: zones, deleting: ids)
    }

    func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since token: ChangeToken?, desiredKeys: [String]?, resultsLimit: Int?
    ) async throws(DatabaseError) -> RecordZoneChanges {
        try await base.recordZoneChanges(
            inZoneWith: zoneID, since: token, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }

    func databaseChanges(
        since token: ChangeToken?, resultsLimit: Int?
    ) async throws(DatabaseError) -> DatabaseChanges {
        try await base.databaseChanges(since: token, resultsLimit: resultsLimit)
    }

    func allSubscriptions() async throws(DatabaseError) -> [Subscription] { try await base.allSubscriptions() }

    func subscriptions(
        for ids: [Subscription.ID]
    ) async throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>] {
        try await base.subscriptions(for: ids)
    }

    func modifySubscriptions(
        saving subscriptions: [Subscription], deleting ids: [Subscription.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [Subscription.ID: Result<Subscription, DatabaseError>],
        deleteResults: [Subscription.ID: Result<Void, DatabaseError>]
    ) {
        try await base.modifySubscriptions(saving: subscriptions, deleting: ids)
    }
}

@Suite struct ForwardedCallTests {
    /// Records are saved and deleted together, under the policy, and come back in the order given.
    @Test func recordsGoTogether() async throws {
        let stored = try Container(identifier: "test").privateDatabase
        let database = ForwardingDatabase(base: stored)
        try await stored.put(record("old"), record("a", ["m": 1]))
        let saved = try await database.modifyTogether(
            saving: [record("b", ["n": 1]), record("a", ["n": 2])], deleting: [Record.ID("old")], savePolicy: .allKeys)
        #expect(saved.map(\.id.recordName) == ["b", "a"])
        #expect(saved[0]["n"] == 1 && saved[1]["n"] == 2)
        await fails(.unknownItem) { try await stored.record(for: Record.ID("old")) }
        #expect(try await stored.record(for: Record.ID("a")).fields == ["m": 1, "n": 2])
    }

    @Test func oneItemAtATime() async throws {
        let stored = try Container(identifier: "test").privateDatabase
        let database = ForwardingDatabase(base: stored)
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        #expect(try await database.recordZone(for: zone).id == zone)
        try await stored.put(record("r", in: zone, ["n": 1]), record("q", in: zone, ["n": 2]))
        #expect(try await database.records(for: [Record.ID("r", zoneID: zone)]).count == 1)
        #expect(try await database.recordZoneChanges(inZoneWith: zone).modifications.count == 2)
        try await database.save(Subscription(recordType: "T", predicate: "n > 1", id: "s", zoneID: zone))
        #expect(try await database.subscription(for: "s").id == "s")
        #expect(try await database.deleteSubscription(withID: "s") == "s")
        await fails(.unknownItem) { try await database.subscription(for: "s") }
        #expect(try await database.deleteRecordZone(withID: zone) == zone)
        await fails(.zoneNotFound) { try await database.recordZone(for: zone) }
    }
}
