// What queries of databases answer at their edges: hints of orders, sets of arguments, sizes of pages, and what live
// queries are told of rights that end and of keys that are made anew.

import Foundation
import Geospatial
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct QueryAnswerEdgesTests {
    private static let place = Location(latitude: 50.45, longitude: 30.52)

    // MARK: Orders

    /// Who orders by places as such is told what orders them; other values without an order have no such hint.
    @Test(arguments: [("place", "order by the distance from a place"), ("bytes", nil)] as [(String, String?)])
    func hintsOfOrders(_ field: String, _ hint: String?) async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["place": .location(Self.place), "bytes": .data(Data([1]))]))
        let error = await fails(.invalidArguments) { try await world.mine.names(sortedBy: [.ascending(field)]) }
        #expect(error?.reason.contains("which has no order") == true)
        #expect(error?.hint == hint)
    }

    /// Production orders by distances only where the field of the places is marked for orders.
    @Test(arguments: [([.queryable], false), ([.queryable, .sortable], true)] as [(IndexMarks, Bool)])
    func distancesNeedTheirMark(_ marks: IndexMarks, _ isOrdered: Bool) async throws {
        let world = try await World()
        let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
        var schema = world.alice.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: ["place": .init(.location, indexes: marks)])
        try world.alice.setSchema(schema)
        try await world.mine.put(record("a", ["place": .location(Self.place)]))
        let order = [SortKey.distance("place", Self.place)]
        if isOrdered {
            #expect(try await production.names(sortedBy: order) == ["a"])
        } else {
            let error = await fails(.invalidArguments) { try await production.names(sortedBy: order) }
            #expect(error?.reason == "the order: field place is not marked sortable")
        }
    }

    // MARK: Arguments

    /// The owner of a zone has a name of their own in sets of arguments, as in lists.
    @Test func ownersInSets() async throws {
        let world = try await World()
        let named = RecordZone.ID(world.zone.zoneName, ownerName: World.alice)
        let near = FieldValue.reference(RecordReference(recordID: Record.ID("a", zoneID: world.zone)))
        try await world.mine.put(record("a", in: world.zone), record("b", in: world.zone, ["near": near]))
        let wanted = FieldValue.reference(RecordReference(recordID: Record.ID("a", zoneID: named)))
        for values in [FieldValue.set([wanted]), .list([wanted])] {
            let predicate = try RecordPredicate(format: "near IN %@", arguments: [values])
            #expect(try await world.mine.names(predicate, in: .zone(world.zone)) == ["b"])
        }
    }

    // MARK: Pages

    /// A page has one record at least.
    @Test(arguments: [1, 0, -3]) func pagesOfNothing(_ size: Int) async throws {
        let world = try await World()
        try await world.mine.put(record("a"), record("b"), record("c"))
        var pages: [[String]] = []
        for try await page in world.mine.recordPages(matching: Query("T"), in: .default, pageSize: size) {
            pages.append(page.map(\.id.recordName))
        }
        #expect(pages == [["a"], ["b"], ["c"]])
    }

    // MARK: Names and accounts

    /// Names that no type may have are refused, also where a query is made and where one is watched.
    @Test(arguments: ["", "no name", "1st"]) func namesOfNoType(_ name: String) async throws {
        let error = #expect(throws: DatabaseError.self) { try Query(recordType: name, predicate: "n == 1") }
        #expect(error?.code == .invalidArguments)
        let world = try await World()
        let reading = world.mine.watch(Query(name, "n == 1"), in: .default)
        await fails(.invalidArguments) { try reading.takeSteps() }
    }

    /// An account that is available is somebody's.
    @Test func availableAccounts() {
        #expect(Account.unavailable(.available) == .localUser)
        #expect(Account.unavailable(.restricted).userName == nil)
    }

    // MARK: Live queries

    /// Records leave a live query with the right to read them.
    @Test func recordsLeaveWithTheRightToReadThem() async throws {
        let world = try await World()
        try await world.everyones.put(record("a", ["n": 1]), record("b", ["n": 2]))
        let reading = world.bob.publicDatabase.watch(Query("T", "n == 1"), in: .all)
        #expect(try reading.takeSteps().count == 1)
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = [ContainerSchema.userRole: [.create]]
        try world.alice.setSchema(schema)
        #expect(try reading.takeSteps() == [.removed(Record.ID("a"), at: 0)])
        try await world.everyones.put(record("c", ["n": 1]))
        #expect(try reading.takeSteps() == [])
    }

    /// A live query is told at once of the values that went with their key.
    @Test func valuesThatAreResetAreTold() async throws {
        let world = try await World()
        var note = record("n", ["title": "a"], type: "Note")
        note.encryptedValues["text"] = "secret"
        try await world.mine.save(note)
        let reading = world.mine.watch(Query("Note"), in: .default)
        #expect(try reading.takeSteps().count == 1)
        try await world.alice.resetEncryptedData()
        guard case .updated(let found, at: 0)? = try reading.takeSteps().first else {
            Issue.record("no change")
            return
        }
        #expect(found.id == note.id && found["title"] == "a" && found.encryptedValues.isEmpty)
    }
}
