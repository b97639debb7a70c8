// Swift values in a database that is not this one's: an adapter with the calls that the protocol asks for.

import Foundation
import Testing

@testable import RecordDatabase

/// Passes calls on, gives few records a page, and leaves out what the protocol has a default for.
struct Adapter: CloudDatabase {
    let database: Database
    var scope: DatabaseScope { database.scope }

    func record(for id: Record.ID) async throws(DatabaseError) -> Record { try await database.record(for: id) }
    func records(
        for ids: [Record.ID], desiredKeys: [String]?
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        try await database.records(for: ids, desiredKeys: desiredKeys)
    }
    func save(_ record: Record) async throws(DatabaseError) -> Record { try await database.save(record) }
    func deleteRecord(withID id: Record.ID) async throws(DatabaseError) -> Record.ID {
        try await database.deleteRecord(withID: id)
    }
    func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy, atomically: Bool,
        clientChangeTokenData: Data?
    ) async throws(DatabaseError) -> (
        saveResults: [Record.ID: Result<Record, DatabaseError>], deleteResults: [Record.ID: Result<Void, DatabaseError>]
    ) {
        try await database.modifyRecords(
            saving: records, deleting: ids, savePolicy: savePolicy, atomically: atomically,
            clientChangeTokenData: clientChangeTokenData)
    }

    static let pageSize = 7

    func recordPage(
        matching query: Query, in zones: QueryZones, desiredKeys: [String]?, resultsLimit: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        try await database.recordPage(
            matching: query, in: zones, desiredKeys: desiredKeys, resultsLimit: min(resultsLimit, Self.pageSize))
    }
    func recordPage(
        after cursor: Query.Cursor, desiredKeys: [String]?, resultsLimit: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        try await database.recordPage(
            after: cursor, desiredKeys: desiredKeys, resultsLimit: min(resultsLimit, Self.pageSize))
    }

    func allRecordZones() async throws(DatabaseError) -> [RecordZone] { try await database.allRecordZones() }
    func recordZones(
        for ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> [RecordZone.ID: Result<RecordZone, DatabaseError>] {
        try await database.recordZones(for: ids)
    }
    func modifyRecordZones(
        saving zones: [RecordZone], deleting ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [RecordZone.ID: Result<RecordZone, DatabaseError>],
        deleteResults: [RecordZone.ID: Result<Void, DatabaseError>]
    ) { try await database.modifyRecordZones(saving: zones, deleting: ids) }

    func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since token: ChangeToken?, desiredKeys: [String]?, resultsLimit: Int?
    ) async throws(DatabaseError) -> RecordZoneChanges {
        try await database.recordZoneChanges(
            inZoneWith: zoneID, since: token, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }
    func databaseChanges(
        since token: ChangeToken?, resultsLimit: Int?
    ) async throws(DatabaseError) -> DatabaseChanges {
        try await database.databaseChanges(since: token, resultsLimit: resultsLimit)
    }

    func allSubscriptions() async throws(DatabaseError) -> [Subscription] { try await database.allSubscriptions() }
    func subscriptions(
        for ids: [Subscription.ID]
    ) async throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>] {
        try await database.subscriptions(for: ids)
    }
    func modifySubscriptions(
        saving subscriptions: [Subscription], deleting ids: [Subscription.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [Subscription.ID: Result<Subscription, DatabaseError>],
        deleteResults: [Subscription.ID: Result<Void, DatabaseError>]
    ) { try await database.modifySubscriptions(saving: subscriptions, deleting: ids) }
}

@Suite struct OtherDatabaseTests {
    private struct Item: RecordConvertible, Equatable {
        var metadata: RecordMetadata?
        var number: Int

        init(_ number: Int) {
            metadata = RecordMetadata(id: Record.ID("i\(number + 100)"))
            self.number = number
        }
    }

    @Test func valuesOfAllPagesAndWholeBatches() async throws {
        let database = Adapter(database: try Container(identifier: "other").privateDatabase)
        let saved = try await database.insert((0..<50).map { Item($0) })
        #expect(saved.map(\.number) == Array(0..<50) && saved.allSatisfy { $0.metadata?.recordChangeTag != nil })
        for limit in [1, 7, 8, 50, 51] {
            let found = try await database.values(
                of: Item.self, matching: .where { $0.number >= 0 }, sortedBy: [.ascending(\.number)], limit: limit)
            #expect(found == Array(saved.prefix(limit)))
            let later = try await database.values(
                of: Item.self, sortedBy: [.ascending(\.number)], limit: limit, offset: 10)
            #expect(later == Array(saved.dropFirst(10).prefix(limit)))
        }
        // The default zone of such a database does not count as a whole.
        let error = await fails(.partialFailure) { try await database.insert([Item(7), Item(70)]) }
        #expect(error?.partialErrors.mapValues(\.code) == [.record(Record.ID("i107")): .serverRecordChanged])
        var first = saved[0]
        first.number = -1
        #expect(try await database.save(first).number == -1)
        await fails(.serverRecordChanged) { try await database.save(saved[0]) }
        try await database.delete(Array(saved.dropFirst(2)))
        try await database.delete(saved[1])
        #expect(try await database.values(of: Item.self).map(\.number) == [-1, 70])
    }
}
