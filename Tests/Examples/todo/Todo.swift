// A to-do list over RecordDatabase: lists, and items that belong to them. `todo-cloudkit` is the same in CloudKit's
// names.

import RecordDatabase

/// Lists with their items, in a zone of their own.
struct TodoLists {
    let database: Database
    let zone: RecordZone.ID

    init(_ container: Container) async throws {
        database = container.privateDatabase
        zone = try await database.save(RecordZone(zoneName: "Lists")).id
    }

    /// Saves a list and its items: all or none. Items go with their list when it is deleted.
    func add(_ title: String, items titles: [String]) async throws -> Record {
        var list = Record(type: "List", id: Record.ID(zoneID: zone))
        list["title"] = title
        var records = [list]
        for title in titles {
            var item = Record(type: "Item", id: Record.ID(zoneID: zone))
            item["title"] = title
            item["isDone"] = false
            item["owningList"] = RecordReference(record: list, action: .deleteSelf)
            records.append(item)
        }
        let saved = try await database.modifyRecords(saving: records, deleting: []).saveResults
        // Each record has a result of its own.
        for (_, result) in saved { _ = try result.get() }
        return try saved[list.id]?.get() ?? list
    }

    /// The items of a list that are still to do, by title.
    func openItems(of list: Record) async throws -> [Record] {
        let query = Query(
            "Item", "owningList == \(list.id) AND isDone == FALSE", sortedBy: [.ascending("title")])
        return try await database.records(matching: query, in: .zone(zone))
    }

    /// Ticks an item off. What others changed about it meanwhile stays.
    func finish(_ item: Record) async throws {
        var item = item
        while true {
            item["isDone"] = true
            do throws(DatabaseError) {
                try await database.save(item)
                return
            } catch {
                guard let server = error.serverRecord else { throw error }
                item = server
            }
        }
    }

    /// Deletes a list with all of its items.
    func delete(_ list: Record) async throws { try await database.deleteRecord(withID: list.id) }
}

/// A day with the list.
@main struct Todo {
    static func main() async throws {
        let lists = try await TodoLists(Container(identifier: "example.todo"))
        let groceries = try await lists.add("Groceries", items: ["milk", "bread", "apples"])
        let items = try await lists.openItems(of: groceries)
        print("to do:", items.map { $0["title"] ?? "" }.joined(separator: ", "))

        // Another device, which has seen all this, wants a better milk.
        let seen = try await lists.database.recordZoneChanges(inZoneWith: lists.zone)
        var elsewhere = items[2]
        elsewhere["title"] = "oat milk"
        try await lists.database.save(elsewhere)

        // Here the milk is ticked off as it was: both changes stay.
        try await lists.finish(items[2])
        let rest = try await lists.openItems(of: groceries)
        print("to do:", rest.map { $0["title"] ?? "" }.joined(separator: ", "))

        // The other device fetches what it missed.
        let news = try await lists.database.recordZoneChanges(inZoneWith: lists.zone, since: seen.changeToken)
        for (_, result) in news.modifications {
            let record = try result.get()
            let title: String = record["title"] ?? ""
            let isDone: Bool = record["isDone"] ?? false
            print("changed:", title, isDone ? "(done)" : "")
        }

        try await lists.delete(groceries)
        let end = try await lists.database.recordZoneChanges(inZoneWith: lists.zone, since: news.changeToken)
        print("deleted:", end.deletions.filter { $0.recordType == "Item" }.count, "items with their list")
    }
}
