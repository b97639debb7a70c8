// Migrations at their edges: values that just convert, sizes, constraints and names that are carried along.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MigrationEdgeTests {
    private static let conversions: [(value: FieldValue, type: FieldType, expected: FieldValue?)] = [
        // What a field cannot store is no number, though it can be read as one.
        ("inf", .double, nil), ("-Infinity", .double, nil), ("nan", .double, nil), ("1e999", .double, nil),
        ("1e300", .double, .double(1e300)), ("", .double, nil), (" 1", .double, nil),
        ("9223372036854775807", .int64, .int64(.max)), ("9223372036854775808", .int64, nil), ("1.0", .int64, nil),
        // Whole numbers keep their last digit.
        (.int64(.max), .double, nil), (.int64(.min), .double, .double(-0x1p63)), (.int64(1 << 53 + 1), .double, nil),
        (.int64(1 << 53), .double, .double(0x1p53)), (.double(0x1p63), .int64, nil), (.double(0.5), .int64, nil),
        (.double(-0x1p63), .int64, .int64(.min)), (.double(-0.0), .int64, 0),
        // A value is a list of one, and lists convert element by element, all or none.
        ("1", .list(.int64), .list([1])), (["1", "2"], .list(.double), .list([.double(1), .double(2)])),
        (["1", "x"], .list(.int64), nil), (["inf"], .list(.double), nil), (["1"], .int64, nil), (.null, .int64, .null),
        (.data(Data([1])), .string, nil), ("x", .date, nil),
    ]

    @Test(arguments: conversions.indices) func valuesConvertWithoutLoss(_ number: Int) throws {
        let (value, type, expected) = Self.conversions[number]
        if let expected {
            #expect(try SchemaMigration.standardConversion(of: value, to: type) == expected)
        } else {
            let error = #expect(throws: DatabaseError.self) {
                try SchemaMigration.standardConversion(of: value, to: type)
            }
            #expect(error?.code == .invalidArguments)
        }
    }

    private static func filling(_ name: String, _ bytes: Int) -> SchemaMigration {
        SchemaMigration(name) { change in
            change.updateRecords(ofType: "T") { $0["a"] = .string(String(repeating: "y", count: bytes)) }
        }
    }

    /// A record that is larger than it may be can become smaller, and not larger.
    @Test func recordsThatAreTooLargeMayShrink() async throws {
        let container = try Container(identifier: "test")
        let text = FieldValue.string(String(repeating: "x", count: 300))
        try await container.privateDatabase.save(record("r", ["a": text]))
        var configuration = Configuration()
        configuration.limits.bytesPerRecord = 100
        let small = try Container(sharing: container, account: .localUser, configuration: configuration)
        var made: [SchemaMigration] = []
        for (bytes, isMade) in [(301, false), (300, true), (200, true), (201, false), (100, true), (101, false)] {
            let next = Self.filling("\(bytes)", bytes)
            if isMade {
                made.append(next)
                #expect(try await small.migrate(made) == ["\(bytes)"])
            } else {
                await fails(.invalidArguments) { [made] in try await small.migrate(made + [next]) }
            }
        }
        let filled = FieldValue.string(String(repeating: "y", count: 100))
        #expect(try await container.privateDatabase.record(for: Record.ID("r"))["a"] == filled)
    }

    private static let uniqueTypes: [(type: FieldType, traits: ContainerSchema.Traits)] = [
        (.string, [.unique, .required]), (.list(.string), .required), (.date, [.unique, .required]),
        (.list(.int64), .required), (.location, .required),
    ]

    /// A field of a type whose values cannot be unique is unique no more; what else is demanded of it stays.
    @Test(arguments: uniqueTypes.indices) func whatIsDemandedFollowsTheType(_ number: Int) async throws {
        let (type, traits) = Self.uniqueTypes[number]
        let container = try Container(identifier: "test")
        var schema = container.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: [
            "a": ContainerSchema.Field(.int64, traits: [.unique, .required])
        ])
        try container.setSchema(schema)
        try await container.migrate([SchemaMigration("1") { $0.retypeField("a", of: "T", to: type) }])
        #expect(container.schema.recordTypes["T"]?.fields["a"]?.type == type)
        #expect(container.schema.recordTypes["T"]?.fields["a"]?.traits == traits)
    }

    /// Deleted rows lie beside others of their segment: their values keep no field.
    @Test func valuesOfDeletedRecordsKeepNoField() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        let records = (0..<12).map { record("r\($0)", $0 < 3 ? ["n": 1, "m": 1] : ["m": 1]) }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        var schema = container.schema
        var type = ContainerSchema.RecordType()
        type.define("m", ContainerSchema.Field(.int64))
        schema.recordTypes["T"] = type
        let wanted = schema
        for number in 0..<3 {
            #expect(throws: DatabaseError.self) { try container.setSchema(wanted) }
            try await database.deleteRecord(withID: Record.ID("r\(number)"))
        }
        try container.setSchema(wanted)
        #expect(container.schema.recordTypes["T"]?.fields.keys.sorted() == ["m"])
        #expect(try database.snapshot().records(ofType: "T").count(matching: "m == 1") == 9)
    }

    /// Subscriptions to zones and databases watch a type by its new name, and others as they did.
    @Test func subscriptionsToZonesFollowTheirType() async throws {
        let world = try await World()
        try await world.mine.put(record("t", in: world.zone, ["n": 1], type: "Town"))
        try await world.mine.save(Subscription(zoneID: world.zone, recordType: "Town", id: "towns"))
        try await world.mine.save(Subscription(zoneID: world.zone, recordType: "Other", id: "others"))
        try await world.mine.save(Subscription(databaseWithRecordType: "Town", id: "all towns"))
        try await world.alice.migrate([SchemaMigration("1") { $0.renameType("Town", to: "City") }])
        let subjects = try await world.mine.allSubscriptions().map(\.subject)
        #expect(
            subjects == [
                .database(recordType: "City"), .zone(world.zone, recordType: "Other"),
                .zone(world.zone, recordType: "City"),
            ])
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.put(record("c", in: world.zone, ["n": 1], type: "City"))
            try await world.mine.put(record("x", in: world.zone, ["n": 1], type: "Third"))
        }
        #expect(Set(told.map(\.subscriptionID)) == ["towns", "all towns"] && told.count == 2)
    }

    /// Deleted rows lie beside others of their segment: they need no value.
    @Test func deletedRecordsNeedNoValue() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        let records = (0..<12).map { record("r\($0)", $0 < 3 ? ["m": 1] : ["n": .int64(Int64($0)), "m": 1]) }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        var schema = container.schema
        schema.recordTypes["T"]?.define("n", ContainerSchema.Field(.int64, traits: [.required, .unique]))
        let wanted = schema
        for number in 0..<3 {
            #expect(throws: DatabaseError.self) { try container.setSchema(wanted) }
            try await database.deleteRecord(withID: Record.ID("r\(number)"))
        }
        try container.setSchema(wanted)
        #expect(container.schema.recordTypes["T"]?.fields["n"]?.traits == [.required, .unique])
    }
}
