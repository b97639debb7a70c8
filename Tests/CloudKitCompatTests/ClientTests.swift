// The client programs in `Clients`, run. Each is compiled here in Swift 6, and in CloudKitClients5 in Swift 5.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite struct ClientTests {
    private let store: Container
    private let script = FaultScript()

    init() throws { store = try Container(identifier: "clients", account: .user("_a11ce")) }

    /// Another device of the user, whose calls fail as the script says.
    private func device() throws -> CKContainer {
        var configuration = Configuration()
        configuration.faults = script.faults
        configuration.limits.itemsPerRequest = 40
        return CKContainer(try Container(sharing: store, account: .user("_a11ce"), configuration: configuration))
    }

    private func completion(_ body: (@escaping (Error?) -> Void) -> Void) async throws {
        let (stream, end) = AsyncStream.makeStream(of: CKError?.self)
        body {
            end.yield($0 as? CKError)
            end.finish()
        }
        for await error in stream { if let error { throw error } }
    }

    /// Runs what waits for handlers on a thread of its own: the few threads of tasks must not wait.
    private func waiting<Value: Sendable>(_ body: sending @escaping () throws -> Value) async throws -> Value {
        nonisolated(unsafe) let body = body
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "ClientTests").async { continuation.resume(with: Result { try body() }) }
        }
    }

    // MARK: Zones and tokens

    final class Memo: SyncedObject {
        static let recordType = "Memo"
        static let zoneName = "Memos"
        let identifier: String
        var text = ""
        var isDeleted = false
        init(identifier: String) { self.identifier = identifier }
        func write(to record: CKRecord) { record["text"] = text }
        func read(from record: CKRecord) { text = record["text"] as? String ?? "" }
    }

    @Test("A library of zones and tokens keeps two devices in step", .timeLimit(.minutes(5)))
    func zones() async throws {
        let tokens = (TokenStore(), TokenStore())
        let first = ZoneSync<Memo>(container: try device(), tokens: tokens.0)
        let second = ZoneSync<Memo>(container: try device(), tokens: tokens.1)
        for library in [first, second] { try await completion { library.start($0) } }
        let memos = (0..<90).map { number in
            let memo = Memo(identifier: "m\(number)")
            memo.text = "memo \(number)"
            return memo
        }
        for memo in memos { first.add(memo) }
        // Too many at once, then a lost connection: the library halves its batches and tries again.
        script.failNext(1, .modifyRecords, with: .zoneBusy, retryAfter: .milliseconds(1))
        try await completion { first.push(memos, $0) }
        #expect(first.retries == 1)
        try await completion { second.pull($0) }
        #expect(second.objects.mapValues(\.text) == first.objects.mapValues(\.text) && second.objects.count == 90)
        memos[0].isDeleted = true
        memos[1].text = "changed"
        try await completion { first.push([memos[0], memos[1]], $0) }
        // Another object of the library, with the tokens of the one before.
        let again = ZoneSync<Memo>(container: try device(), tokens: tokens.1)
        try await completion { again.pull($0) }
        #expect(again.objects.mapValues(\.text) == ["m1": "changed"])
        try await completion { again.pull($0) }
        #expect(again.objects.count == 1)
    }

    // MARK: Codable

    struct Patient: CloudCodable, Equatable {
        struct Address: Codable, Equatable { var street: String }
        static let recordType = "Patient"
        static let secretKeys: Set<String> = ["diagnosis"]
        var cloudIdentifier: String
        var systemFields: Data?
        var name: String
        var age: Int
        var born: Date
        var tags: [String]
        var address: Address?
        var diagnosis: String?
    }

    @Test("A mapper of Codable values keeps system fields and encrypts what is secret")
    func codable() async throws {
        let database = try device().privateCloudDatabase
        var sent = Patient(
            cloudIdentifier: "p", name: "Ada", age: 36, born: Date(timeIntervalSince1970: 1000), tags: ["a", "b"],
            address: .init(street: "Main"), diagnosis: "a secret")
        let saved = try await database.save(try CloudRecordEncoder().encode(sent))
        #expect(saved.allKeys() == ["address", "age", "born", "name", "tags"])
        #expect(saved.encryptedValues.allKeys() == ["diagnosis"] && saved["diagnosis"] == nil)
        var found = try CloudRecordDecoder().decode(Patient.self, from: saved)
        sent.systemFields = found.systemFields
        #expect(found == sent && found.systemFields != nil)
        found.age = 37
        let again = try await database.save(try CloudRecordEncoder().encode(found))
        #expect(again["age"] as? Int == 37 && again.recordChangeTag != saved.recordChangeTag)
        // The version before is no longer the stored one.
        await #expect(throws: CKError.self) { try await database.save(try CloudRecordEncoder().encode(sent)) }
        #expect(throws: CloudCodingError.wrongType("Other")) {
            try CloudRecordDecoder().decode(Patient.self, from: CKRecord(recordType: "Other"))
        }
    }

    // MARK: Publishers

    @Test("Publishers are chained, waited for and cancelled", .timeLimit(.minutes(5)))
    func publishers() async throws {
        let container = try device()
        let database = container.privateCloudDatabase
        let names: [String] = try await waiting {
            for number in 0..<9 {
                let record = CKRecord(recordType: "Song", recordID: CKRecord.ID(recordName: "s\(number)"))
                record["title"] = "Song \(number)"
                _ = try database.savePublisher(record).wait()
            }
            let query = CKQuery(recordType: "Song", predicate: NSPredicate(format: "title > %@", "Song 1"))
            query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            // A chain whose steps are called in handlers of the database, and wait there for more of it.
            let chained = database.queryPublisher(query, limit: 2).flatMap { found in
                database.deletePublisher(found[0].recordID).map { id in
                    [id.recordName]
                        + (try found.dropFirst().map { try database.fetchPublisher($0.recordID).wait() })
                        .compactMap { $0["title"] as? String }
                }
            }
            return try chained.wait()
        }
        #expect(names == ["s8", "Song 7", "Song 6", "Song 5", "Song 4", "Song 3", "Song 2"])
        let status = try await waiting { try container.accountStatusPublisher.wait() }
        #expect(status == .available)
        database.operationQueue.isSuspended = true
        let lost = database.fetchPublisher(CKRecord.ID(recordName: "s0"))
        lost.cancel()
        database.operationQueue.isSuspended = false
        let code = try await waiting { () -> CKError.Code? in
            do { _ = try lost.wait() } catch { return (error as? CKError)?.code }
            return nil
        }
        #expect(code == .operationCancelled)
    }

    // MARK: The sync engine

    @Test("Two applications on sync engines end with the same contacts", .timeLimit(.minutes(5)))
    func engines() async throws {
        let (first, second) = (ContactsDatabase(container: try device()), ContactsDatabase(container: try device()))
        func contact(_ number: Int, _ name: String, _ seconds: Double) -> Contact {
            Contact(identifier: "c\(number)", name: name, modified: Date(timeIntervalSince1970: seconds))
        }
        func synchronize(_ app: ContactsDatabase, _ rounds: Int = 4) async throws {
            for _ in 0..<rounds {
                try? await app.fetch()
                try? await app.send()
            }
            try await app.fetch()
            #expect(await app.pendingCount == 0)
        }
        await first.save((0..<60).map { contact($0, "Contact \($0)", 1) })
        try await synchronize(first)
        try await synchronize(second)
        #expect(await second.data.contacts.count == 60)
        // Both change one, the later change wins; a lost connection delays.
        await first.save([contact(3, "mine", 10)])
        await second.save([contact(3, "theirs", 20)])
        script.failNext(2, .modifyRecords, with: .networkFailure)
        try await synchronize(first)
        try await synchronize(second)
        try await synchronize(first)
        for app in [first, second] { #expect(await app.data.contacts["c3"]?.name == "theirs") }
        // The first one ends, and a new one goes on from what it stored.
        let stored = try JSONDecoder().decode(
            ContactsData.self, from: try JSONEncoder().encode(await first.data))
        let again = ContactsDatabase(container: try device(), data: stored)
        await second.delete(["c4"])
        try await synchronize(second)
        try await synchronize(again)
        #expect(await again.data.contacts.count == 59)
        // The user loses the key: zones and records are sent once more.
        try await store.resetEncryptedData()
        try await synchronize(again)
        #expect(await again.events.contains("encryptedDataReset"))
        try await synchronize(second)
        #expect(await second.data.contacts.mapValues(\.name) == again.data.contacts.mapValues(\.name))
        #expect(await second.data.contacts.count == 59)
    }

    // MARK: Operations of 2017

    @Test("An application of operations and older names", .timeLimit(.minutes(5)))
    func operations() async throws {
        let container = try device()
        let app = RestaurantStore(container: container)
        let owner = CKRecord(recordType: "Owner", recordID: CKRecord.ID(recordName: "owner"))
        owner["name"] = "Grace"
        try await container.publicCloudDatabase.save(owner)
        let records = app.makeRestaurants(20, owner: owner)
        try await completion { done in app.upload(records) { _, _, error in done(error) } }
        #expect(app.log.filter { $0.hasPrefix("sent") }.count == 20)
        let (stream, end) = AsyncStream.makeStream(of: [String].self)
        app.names(rating: 3, near: CLLocation(latitude: 50, longitude: 30), within: 100_000) { names, error in
            #expect(error == nil)
            end.yield(names)
            end.finish()
        }
        for await names in stream { #expect(names == [3, 4, 8, 9, 13, 14, 18, 19].map { "Place \($0)" }) }
        #expect(try await waiting { app.ownersName(of: records[2].recordID) } == "Grace")
        let (counts, counted) = AsyncStream.makeStream(of: Int.self)
        app.all { count, _ in
            counted.yield(count)
            counted.finish()
        }
        for await count in counts { #expect(count == 20) }
        let (fetches, fetched) = AsyncStream.makeStream(of: String?.self)
        let later = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "later"))
        later["name"] = "Later"
        app.saveThenFetch(later) {
            fetched.yield($0?["name"] as? String)
            fetched.finish()
        }
        for await name in fetches { #expect(name == "Later") }
        let (users, told) = AsyncStream.makeStream(of: String.self)
        app.userName { name, status in
            told.yield("\(name ?? "") \(status == .granted)")
            told.finish()
        }
        for await user in users { #expect(user == "_a11ce true") }
        // A conflict is resolved by changing the record that the error carries.
        let stale = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "later"))
        do {
            try await container.publicCloudDatabase.save(stale)
            Issue.record("no conflict")
        } catch {
            let server = try #require(app.resolve(error, name: "Merged"))
            #expect(try await container.publicCloudDatabase.save(server)["name"] as? String == "Merged")
        }
    }
}
