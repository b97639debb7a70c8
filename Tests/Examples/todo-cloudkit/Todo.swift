// A to-do list in CloudKit's names: lists, and items that belong to them. On Apple's systems, import CloudKit instead.

import CloudKitCompat

/// Lists with their items, in a zone of their own.
struct TodoLists {
    let database: CKDatabase
    let zone: CKRecordZone.ID

    init(_ container: CKContainer) async throws {
        database = container.privateCloudDatabase
        zone = try await database.save(CKRecordZone(zoneName: "Lists")).zoneID
    }

    /// Saves a list and its items: all or none. Items go with their list when it is deleted.
    func add(_ title: String, items titles: [String]) async throws -> CKRecord {
        let list = CKRecord(recordType: "List", recordID: CKRecord.ID(zoneID: zone))
        list["title"] = title
        var records = [list]
        for title in titles {
            let item = CKRecord(recordType: "Item", recordID: CKRecord.ID(zoneID: zone))
            item["title"] = title
            item["isDone"] = false
            item["owningList"] = CKRecord.Reference(record: list, action: .deleteSelf)
            records.append(item)
        }
        let saved = try await database.modifyRecords(saving: records, deleting: []).saveResults
        // Each record has a result of its own.
        for (_, result) in saved { _ = try result.get() }
        return list
    }

    /// The items of a list that are still to do, by title: all of them, page by page.
    func openItems(of list: CKRecord) async throws -> [CKRecord] {
        let query = CKQuery(
            recordType: "Item",
            predicate: NSPredicate(format: "owningList == %@ AND isDone == FALSE", list.recordID))
        query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        var (matches, cursor) = try await database.records(matching: query, inZoneWith: zone)
        while let next = cursor {
            let page = try await database.records(continuingMatchFrom: next)
            matches += page.matchResults
            cursor = page.queryCursor
        }
        return try matches.map { try $0.1.get() }
    }

    /// Ticks an item off. What others changed about it meanwhile stays.
    func finish(_ item: CKRecord) async throws {
        var item = item
        while true {
            item["isDone"] = true
            do {
                try await database.save(item)
                return
            } catch let error as CKError {
                guard let server = error.serverRecord else { throw error }
                item = server
            }
        }
    }

    /// Deletes a list with all of its items.
    func delete(_ list: CKRecord) async throws { try await database.deleteRecord(withID: list.recordID) }
}

/// A day with the list.
@main struct Todo {
    static func main() async throws {
        let lists = try await TodoLists(CKContainer(identifier: "example.todo"))
        let groceries = try await lists.add("Groceries", items: ["milk", "bread", "apples"])
        let items = try await lists.openItems(of: groceries)
        print("to do:", items.map { $0["title"] ?? "" }.joined(separator: ", "))

        // Another device, which has seen all this, wants a better milk.
        let seen = try await lists.database.recordZoneChanges(inZoneWith: lists.zone, since: nil)
        let elsewhere = try await lists.database.record(for: items[2].recordID)
        elsewhere["title"] = "oat milk"
        try await lists.database.save(elsewhere)

        // Here the milk is ticked off as it was: both changes stay.
        try await lists.finish(items[2])
        let rest = try await lists.openItems(of: groceries)
        print("to do:", rest.map { $0["title"] ?? "" }.joined(separator: ", "))

        // The other device fetches what it missed.
        let news = try await lists.database.recordZoneChanges(inZoneWith: lists.zone, since: seen.changeToken)
        for (_, result) in news.modificationResultsByID {
            let record = try result.get().record
            let title: String = record["title"] ?? ""
            let isDone: Bool = record["isDone"] ?? false
            print("changed:", title, isDone ? "(done)" : "")
        }

        try await lists.delete(groceries)
        let end = try await lists.database.recordZoneChanges(inZoneWith: lists.zone, since: news.changeToken)
        print("deleted:", end.deletions.filter { $0.recordType == "Item" }.count, "items with their list")
    }
}
