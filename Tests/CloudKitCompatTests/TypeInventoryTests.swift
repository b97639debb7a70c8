// The inventory of CloudKit's types: each is there under its name, and its rules have tests.

import CloudKitCompat
import Foundation
import Testing

/// A row of the inventory.
struct InventoryRow: CustomTestStringConvertible, Sendable {
    /// The types, each with the names it goes by; the first is that of its declaration.
    let types: [(type: any Any.Type, name: String)]
    /// Numbers of the rules about them.
    let rules: [ClosedRange<Int>]

    var testDescription: String { types.map(\.name).joined(separator: ", ") }

    init(_ types: [(any Any.Type, String)], _ rules: ClosedRange<Int>...) { (self.types, self.rules) = (types, rules) }
}

@Suite struct TypeInventoryTests {
    static let rows: [InventoryRow] = [
        InventoryRow([(CKContainer.self, "CKContainer"), (CKAccountStatus.self, "Status")], 1...15),
        InventoryRow([(CKRecord.self, "CKRecord")], 16...22, 131...133),
        InventoryRow(
            [(CKDatabase.self, "CKDatabase"), (CKDatabaseScope.self, "DatabaseScope")], 3...9, 23...25, 310...313),
        InventoryRow([(CKRecordID.self, "CKRecordID"), (CKRecord.ID.self, "CKRecordID")], 26...32),
        InventoryRow([(CKRecordZoneID.self, "CKRecordZoneID"), (CKRecordZone.ID.self, "CKRecordZoneID")], 33...37),
        InventoryRow([(CKRecord.self, "CKRecord")], 38...64, 87...99),
        InventoryRow([((any CKRecordValueProtocol).self, "CKRecordValueProtocol")], 65...86),
        InventoryRow(
            [(CKRecordZone.self, "CKRecordZone"), (CKRecordZoneCapabilities.self, "Capabilities")], 100...124),
        InventoryRow(
            [
                (CKModifyRecordZonesOperation.self, "CKModifyRecordZonesOperation"),
                (CKFetchRecordZonesOperation.self, "CKFetchRecordZonesOperation"),
            ], 114...115),
        InventoryRow([(CKFetchRecordsOperation.self, "CKFetchRecordsOperation")], 128...145, 315...322),
        InventoryRow(
            [
                (CKModifyRecordsOperation.self, "CKModifyRecordsOperation"),
                (CKRecordSavePolicy.self, "SavePolicy"),
            ], 146...185),
        InventoryRow([(CKReference.self, "CKReference"), (CKReferenceAction.self, "Action")], 191...213),
        InventoryRow(
            [
                (CKQuery.self, "CKQuery"), (CKQueryOperation.self, "CKQueryOperation"),
                (CKQueryCursor.self, "CKQueryCursor"),
            ],
            214...246),
        InventoryRow([(CKLocationSortDescriptor.self, "CKLocationSortDescriptor")], 229...234),
        InventoryRow(
            [
                (CKFetchRecordChangesOperation.self, "CKFetchRecordChangesOperation"),
                (CKServerChangeToken.self, "CKServerChangeToken"),
                (CKFetchRecordZoneChangesOperation.self, "CKFetchRecordZoneChangesOperation"),
                (CKFetchDatabaseChangesOperation.self, "CKFetchDatabaseChangesOperation"),
            ], 247...268),
        InventoryRow(
            [
                (CKSubscription.self, "CKSubscription"), (CKQuerySubscription.self, "CKQuerySubscription"),
                (CKRecordZoneSubscription.self, "CKRecordZoneSubscription"),
                (CKDatabaseSubscription.self, "CKDatabaseSubscription"),
                (CKFetchSubscriptionsOperation.self, "CKFetchSubscriptionsOperation"),
                (CKModifySubscriptionsOperation.self, "CKModifySubscriptionsOperation"),
            ], 269...290),
        InventoryRow(
            [
                (CKNotification.self, "CKNotification"), (CKQueryNotification.self, "CKQueryNotification"),
                (CKRecordZoneNotification.self, "CKRecordZoneNotification"),
                (CKDatabaseNotification.self, "CKDatabaseNotification"),
                (CKNotificationInfo.self, "CKNotificationInfo"),
            ], 291...295),
        InventoryRow([(CKAsset.self, "CKAsset")], 296...304),
        InventoryRow([(CLLocation.self, "CLLocation")], 233...233, 305...308),
        InventoryRow(
            [
                (CKOperation.self, "CKOperation"), (CKDatabaseOperation.self, "CKDatabaseOperation"),
                (CKOperationGroup.self, "CKOperationGroup"),
            ], 309...324),
        InventoryRow([(CKError.self, "CKError"), (CKErrorCode.self, "Code")], 325...329),
    ]

    /// The suites of each rule, as the article of rules lists them.
    private static func suites() throws -> [Int: String] {
        let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = try String(
            contentsOf: project.appending(path: "Sources/RecordDatabase/RecordDatabase.docc/ModelRules.md"),
            encoding: .utf8)
        var suites: [Int: String] = [:]
        for line in article.split(separator: "\n") where line.hasPrefix("| R") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if let number = cells.first.flatMap({ Int($0.dropFirst()) }), cells.count > 2 { suites[number] = cells[2] }
        }
        return suites
    }

    @Test(arguments: rows)
    func typesAndTheirRules(row: InventoryRow) throws {
        for (type, name) in row.types { #expect("\(type)" == name) }
        let suites = try Self.suites()
        for number in row.rules.joined() { #expect(suites[number]?.isEmpty == false, "R\(number)") }
    }
}
