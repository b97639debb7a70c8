// What is seen of records on a server: by participants of shares, by queries of types to come, by many notifications.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ServedSightEdgesTests {
    private static let zone = RecordZone.ID("Z")

    private static func record(_ name: String) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone), fields: ["n": 1])
    }

    /// A participant finds records by their identifiers, however deep they are below the root.
    @Test func participantsFindWhatIsDeepBelow() async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        func client(_ user: String) throws -> Container {
            try Container(sharing: container, account: .user(user), configuration: Configuration())
        }
        let (owner, guest) = (try client("_a11ce"), try client("_b0b"))
        try await owner.privateDatabase.save(RecordZone(id: Self.zone))
        let root = Self.record("root")
        var records = [root]
        for (name, parent) in [("child", "root"), ("below", "child"), ("deep", "below")] {
            var record = Self.record(name)
            record.setParent(Record.ID(parent, zoneID: Self.zone))
            records.append(record)
        }
        var share = Share(root: root)
        try share.add(Share.Participant(userRecordID: Record.ID("_b0b"), permission: .readOnly))
        let request = ModifyRequest(saves: records + [Self.record("other"), share.record])
        let saved = try owner.privateDatabase.modify(request).saves.map { try $0.result.get() }
        let urls = saved.compactMap { Share($0)?.url }
        let url = try #require(urls.first)
        try await guest.accept(guest.shareMetadata(for: url))
        let theirs = RecordZone.ID("Z", ownerName: "_a11ce")
        for record in records {
            let id = Record.ID(record.id.recordName, zoneID: theirs)
            let found = try await guest.sharedDatabase.record(for: id)
            #expect(found.id == id && found.parent?.recordID.recordName == record.parent?.recordID.recordName)
        }
        await #expect(throws: DatabaseError.self) {
            try await guest.sharedDatabase.record(for: Record.ID("other", zoneID: theirs))
        }
    }

    /// A query of a type that comes later, and has not all of its fields then, looks behind references all the same.
    @Test func queriesOfTypesToComeLookBehindReferences() throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let database = container.privateDatabase
        try database.save(Record(type: "U", id: Record.ID("u"), fields: ["a": 1]), on: container)
        let reading = database.watch(Query("T", "of.a == 1 OR b == 2"), in: .all)
        #expect(try reading.takeSteps() == [.initial([])])
        let link = FieldValue.reference(RecordReference(recordID: Record.ID("u")))
        try database.save(Record(type: "T", id: Record.ID("t"), fields: ["of": link]), on: container)
        var names: [String] = []
        for step in try reading.takeSteps() {
            switch step {
            case .initial(let all): names = all.map(\.id.recordName)
            case .inserted(let record, _): names.append(record.id.recordName)
            default: Issue.record("\(step)")
            }
        }
        #expect(names == ["t"])
    }

    /// A commit that tells more than is read at once tells all of it.
    @Test func aCommitMayTellMuch() throws {
        var configuration = Configuration()
        (configuration.limits.itemsPerRequest, configuration.limits.notificationsWaiting) = (2_000, 2_000)
        let container = try ServerPlace().open(configuration)
        defer { container.close() }
        let database = container.privateDatabase
        try database.save(Record(type: "T", id: Record.ID("taught"), fields: ["n": 0]), on: container)
        let subscription = try Subscription(recordType: "T", predicate: "n > 0", id: "s")
        for (_, saved) in try database.modifySubscriptions(saving: [subscription], deletingIDs: []).saves {
            _ = try saved.get()
        }
        let neighbour = try Container(sharing: container, account: .localUser, configuration: configuration)
        let reading = neighbour.readNotifications()
        let records = (0..<1_001).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["n": 1]) }
        #expect(try database.modify(ModifyRequest(saves: records)).partialErrors.isEmpty)
        // A client of the process that saves is told before the save returns.
        let told = reading.takeWaiting().compactMap { $0.recordID?.recordName }
        #expect(told.count == 1_001 && Set(told).count == 1_001)
    }
}
