// Queries as applications write them: formats with arguments of every type, compounds, distances, lists, orders.

import CloudKitCompat
import Foundation

public struct StoreFinder {
    let database: CKDatabase
    public init(database: CKDatabase) { self.database = database }

    public static func stores() -> [CKRecord] {
        let brand = CKRecord.ID(recordName: "brand")
        return (0..<6).map { number in
            let record = CKRecord(recordType: "Store", recordID: CKRecord.ID(recordName: "store-\(number)"))
            record["name"] = ["Alpha", "Beta", "Gamma", "alpine", "Delta", "Epsilon"][number]
            record["rating"] = Double(number)
            record["isOpen"] = number.isMultiple(of: 2)
            record["opened"] = Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
            record["location"] = CLLocation(latitude: 50 + Double(number), longitude: 10)
            record["tags"] = number < 3 ? ["food", "wine"] : ["books"]
            record["brand"] = CKRecord.Reference(recordID: brand, action: .none)
            record["code"] = UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).uuidString
            return record
        }
    }

    private func names(_ predicate: NSPredicate, _ order: [NSSortDescriptor] = []) async throws -> [String] {
        let query = CKQuery(recordType: "Store", predicate: predicate)
        query.sortDescriptors = order.isEmpty ? [NSSortDescriptor(key: "rating", ascending: true)] : order
        return try await database.perform(query, inZoneWith: nil).compactMap { $0["name"] as? String }
    }

    public func near(_ place: CLLocation, metres: Double) async throws -> [String] {
        let predicate = NSPredicate(format: "distanceToLocation:fromLocation:(location, %@) < %f", place, metres)
        return try await names(predicate, [CKLocationSortDescriptor(key: "location", relativeLocation: place)])
    }

    public func all() async throws -> [[String]] {
        let start = Date(timeIntervalSinceReferenceDate: 1500)
        let end = Date(timeIntervalSinceReferenceDate: 4500)
        let ids = [CKRecord.ID(recordName: "store-1"), CKRecord.ID(recordName: "store-4")]
        let brand = CKRecord.Reference(recordID: CKRecord.ID(recordName: "brand"), action: .none)
        let isOpen = NSPredicate(format: "isOpen == %d", 1)
        let isGood = NSPredicate(format: "%K >= %@", argumentArray: ["rating", 3])
        let predicates: [NSPredicate] = [
            NSPredicate(format: "name BEGINSWITH %@", "Al"),
            NSPredicate(format: "name IN %@", ["Beta", "Delta"]),
            NSPredicate(format: "opened > %@ AND opened < %@", start as NSDate, end as CVarArg),
            NSPredicate(format: "rating BETWEEN %@", [2.0, 3.0]),
            NSPredicate(format: "tags CONTAINS %@", "wine"),
            NSPredicate(format: "ANY tags == %@", "books"),
            NSPredicate(format: "recordID IN %@", ids),
            NSPredicate(format: "%K == %@", CKRecord.SystemFieldKey.recordID, ids[0]),
            NSPredicate(format: "brand == %@ && isOpen = true", brand),
            NSPredicate(format: "NOT (name IN %@)", ["Beta"] as NSArray),
            NSCompoundPredicate(andPredicateWithSubpredicates: [isOpen, isGood]),
            NSCompoundPredicate(type: .or, subpredicates: [isOpen, isGood]),
            NSCompoundPredicate(notPredicateWithSubpredicate: isOpen),
            NSPredicate(value: false),
        ]
        var results: [[String]] = []
        for predicate in predicates { results.append(try await names(predicate)) }
        return results
    }
}
