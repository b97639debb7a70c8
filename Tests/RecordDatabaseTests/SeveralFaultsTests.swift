// Records with several values that cannot be stored: which one is told does not depend on chance.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SeveralFaultsTests {
    private static let check = ValueCheck(zoneID: .default, userName: "u")
    private static let keys = (10..<22).map { "f\($0)" }

    /// The fault of values of twelve fields of whole numbers.
    private static func fault(of values: [String: FieldValue], encrypted: Bool) throws -> ItemFailure? {
        var draft = SchemaDraft(ContainerSchema(), environment: .development, maximumNameLength: 255)
        let numbers = Dictionary(uniqueKeysWithValues: keys.map { ($0, FieldValue.int64(1)) })
        func store(_ values: [String: FieldValue]) throws(ItemFailure) {
            _ =
                encrypted
                ? try draft.checked(encrypted: values, ofType: "T", check)
                : try draft.stored(values, ofType: "T", check)
        }
        try store(numbers)
        return #expect(throws: ItemFailure.self) { try store(values) }
    }

    @Test(arguments: [false, true]) func theFirstByName(encrypted: Bool) throws {
        for first in Self.keys.indices {
            let values = Dictionary(uniqueKeysWithValues: Self.keys[first...].map { ($0, FieldValue.string("x")) })
            let fault = try #require(try Self.fault(of: values, encrypted: encrypted))
            #expect(fault.error.reason.contains("field \(Self.keys[first]) of T: the field is INT64"))
            #expect(!fault.isMalformed && fault.error.code == .invalidArguments)
        }
    }

    /// What no field could hold goes before what its field cannot hold.
    @Test(arguments: [false, true]) func theOneThatIsWrongInItself(encrypted: Bool) throws {
        for key in Self.keys {
            var values = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, FieldValue.string("x")) })
            values[key] = .double(.nan)
            let fault = try #require(try Self.fault(of: values, encrypted: encrypted))
            #expect(fault.error.reason.contains("field \(key) of T: a number is not finite"))
            #expect(fault.isMalformed)
        }
    }

    /// A record of a zone that is not there is told to be wrong in itself, whatever its other values are.
    @Test func itGoesBeforeTheZone() async throws {
        let database = try Container(identifier: "test").privateDatabase
        let numbers = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, FieldValue.int64(1)) })
        try await database.save(Record(type: "T", id: Record.ID("r"), fields: numbers))
        for key in Self.keys {
            var fields = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, FieldValue.string("x")) })
            let id = Record.ID("r", zoneID: RecordZone.ID("Nowhere"))
            let missing = Record(type: "T", id: id, fields: fields)
            fields[key] = .double(.nan)
            let malformed = Record(type: "T", id: id, fields: fields)
            await #expect { try await database.save(missing) } throws: { ($0 as? DatabaseError)?.code == .zoneNotFound }
            await #expect {
                try await database.save(malformed)
            } throws: {
                ($0 as? DatabaseError)?.code == .invalidArguments
            }
        }
    }
}
