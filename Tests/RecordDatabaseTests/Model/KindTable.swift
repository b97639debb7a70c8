// Kinds of fields and what predicates may ask of them, cell by cell.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct KindTable {
    /// A kind of field: a value, and which operators and marks it takes.
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let value: FieldValue
        let schemaName: String
        let indexes: IndexMarks
        /// Operators on the single value, with the right side where it is not the value itself.
        let operators: Set<String>
        let listOperators: Set<String>
        var listIndexes: IndexMarks = []
        var testDescription: String { name }
    }

    private static let place = FieldValue.location(Location(latitude: 1, longitude: 2))
    private static let ordered: Set<String> = ["==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN"]
    private static let orderedLists: Set<String> = [
        "CONTAINS", "value IN", "ANY ==", "ANY !=", "ANY <", "ANY <=", "ANY >", "ANY >=", "ANY IN",
    ]

    static let kinds: [Kind] = [
        Kind(
            name: "string", value: "abc", schemaName: "STRING", indexes: [.queryable, .sortable, .searchable],
            operators: ordered.union(["BEGINSWITH"]), listOperators: orderedLists.union(["ANY BEGINSWITH"]),
            listIndexes: [.queryable, .searchable]),
        Kind(
            name: "whole", value: 5, schemaName: "INT64", indexes: [.queryable, .sortable], operators: ordered,
            listOperators: orderedLists, listIndexes: .queryable),
        Kind(
            name: "number", value: 5.5, schemaName: "DOUBLE", indexes: [.queryable, .sortable], operators: ordered,
            listOperators: orderedLists, listIndexes: .queryable),
        Kind(
            name: "date", value: .date(Date(timeIntervalSince1970: 5)), schemaName: "TIMESTAMP",
            indexes: [.queryable, .sortable], operators: ordered, listOperators: orderedLists, listIndexes: .queryable),
        Kind(name: "data", value: .data(Data([1])), schemaName: "BYTES", indexes: [], operators: [], listOperators: []),
        Kind(
            name: "location", value: place, schemaName: "LOCATION", indexes: [.queryable, .sortable],
            operators: ["==", "!=", "IN", "distance <", "distance <="],
            listOperators: ["CONTAINS", "value IN", "ANY ==", "ANY !=", "ANY IN"],
            listIndexes: .queryable),
        Kind(
            name: "reference", value: .reference(RecordReference("t")), schemaName: "REFERENCE", indexes: .queryable,
            operators: ["==", "!=", "IN"], listOperators: ["CONTAINS", "value IN", "ANY ==", "ANY !=", "ANY IN"],
            listIndexes: .queryable),
        Kind(
            name: "asset", value: .asset(Asset(path: "a")), schemaName: "ASSET", indexes: [], operators: [],
            listOperators: []),
    ]

    private static let comparisons = ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH"]

    /// Every question about a field of one value: the name of the operator and the predicate.
    private static func queries(_ value: FieldValue) -> [(String, RecordPredicate?)] {
        var queries = comparisons.map { ($0, try? RecordPredicate(format: "f \($0) %@", value)) }
        queries.append(("BETWEEN", try? RecordPredicate(format: "f BETWEEN %@", .list([value, value]))))
        queries.append(("IN", try? RecordPredicate(format: "f IN %@", .list([value]))))
        for comparison in ["<", "<=", ">", "=="] {
            queries.append(
                (
                    "distance \(comparison)",
                    try? RecordPredicate(format: "distanceToLocation:fromLocation:(f, %@) \(comparison) 5", place)
                ))
        }
        return queries
    }

    private static func listQueries(_ value: FieldValue) -> [(String, RecordPredicate?)] {
        var queries = comparisons.map { ("ANY \($0)", try? RecordPredicate(format: "ANY f \($0) %@", value)) }
        queries.append(("CONTAINS", try? RecordPredicate(format: "f CONTAINS %@", value)))
        queries.append(("value IN", try? RecordPredicate(format: "%@ IN f", value)))
        queries.append(("ANY IN", try? RecordPredicate(format: "ANY f IN %@", .list([value]))))
        queries.append(("==", try? RecordPredicate(format: "f < %@", value)))
        queries.append(("ALL", try? RecordPredicate(format: "ALL f == %@", value)))
        queries.append(("@count", try? RecordPredicate(format: "f.@count == 1")))
        return queries
    }

    /// The code that a question is refused with; `nil` when it is answered.
    private static func rejection(_ predicate: RecordPredicate?, _ database: Database) -> DatabaseError.Code? {
        guard let predicate else { return .invalidArguments }
        do {
            _ = try database.find(Query("T", predicate), in: .default)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Table 2: operators and indexes by kind", arguments: kinds)
    func kind(_ kind: Kind) async throws {
        for isList in [false, true] {
            let world = try await World()
            var schema = world.alice.schema
            let element = try ValueCheck(zoneID: .default, userName: nil).type(of: kind.value)
            let type = isList ? FieldType.list(element) : element
            schema.recordTypes["T"] = ContainerSchema.RecordType(fields: ["f": .init(type)])
            try world.alice.setSchema(schema)
            let field = try #require(schema.recordTypes["T"]?.fields["f"])
            #expect(field.indexes == (isList ? kind.listIndexes : kind.indexes))
            #expect(element.schemaName == kind.schemaName)
            let database = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
            let queries = isList ? Self.listQueries(kind.value) : Self.queries(kind.value)
            let allowed = isList ? kind.listOperators : kind.operators
            for (name, predicate) in queries {
                let rejection = Self.rejection(predicate, database)
                #expect(rejection == (allowed.contains(name) ? nil : .invalidArguments), "\(name), list: \(isList)")
            }
            let order = Query("T", sortedBy: [.ascending("f")])
            let isOrdered = !isList && kind.indexes.contains(.sortable) && kind.name != "location"
            #expect(((try? database.find(order, in: .default)) != nil) == isOrdered)
        }
    }

    @Test("Table 2: words, times and distances by kind", arguments: kinds)
    func indexes(_ kind: Kind) async throws {
        for isList in [false, true] {
            let world = try await World()
            let element = try ValueCheck(zoneID: .default, userName: nil).type(of: kind.value)
            let type = isList ? FieldType.list(element) : element
            var schema = world.alice.schema
            schema.recordTypes["T"] = ContainerSchema.RecordType(fields: ["f": .init(type)])
            try world.alice.setSchema(schema)
            // In production words need a field that is marked for them, which only texts can be.
            let database = try world.client(World.alice) {
                ($0.dialect, $0.environment) = (.cloudKit, .production)
            }.privateDatabase
            let (isText, isDate) = (kind.name == "string", kind.name == "date" && !isList)
            let isPlace = kind.name == "location" && !isList
            let queries: [(RecordPredicate, hasResult: Bool)] = [
                ("self CONTAINS 'abc'", isText), ("allTokens TOKENMATCHES[cdl] 'abc'", isText),
                ("f < now()", isDate), ("f BETWEEN {now(), now()}", isDate),
                ("distanceToLocation:fromLocation:(f, \(Self.place)) < 5", isPlace),
            ]
            for (predicate, hasResult) in queries {
                let rejection = Self.rejection(predicate, database)
                #expect(rejection == (hasResult ? nil : .invalidArguments), "\(predicate), list: \(isList)")
            }
            let nearest = Query("T", sortedBy: [.distance("f", Location(latitude: 1, longitude: 2))])
            #expect(((try? database.find(nearest, in: .default)) != nil) == isPlace)
        }
    }

    @Test("Table 2: references, record IDs and records are the same argument")
    func referenceArguments() async throws {
        let world = try await World { $0.dialect = .cloudKit }
        let target = try await world.mine.put(record("t"))[0]
        try await world.mine.put(record("r", ["f": .reference(RecordReference("t", action: .deleteSelf)), "l": ["x"]]))
        for argument in [FieldValue.reference(RecordReference("t")), target.id.fieldValue] {
            #expect(try await world.mine.names("f == \(argument)") == ["r"])
            #expect(try await world.mine.names("recordID == \(argument)") == ["t"])
            #expect(try await world.mine.names("f IN \(FieldValue.list([argument]))") == ["r"])
        }
        #expect(try await world.mine.names("f == \(target.id)") == ["r"])
    }

    @Test("Table 2: operators on metadata")
    func metadata() async throws {
        let world = try await World { $0.dialect = .cloudKit }
        try await world.mine.put(record("r"))
        let id = FieldValue.reference(RecordReference("r"))
        let date = FieldValue.date(world.clock.now)
        let table: [(String, FieldValue, Set<String>)] = [
            ("recordID", id, ["==", "!=", "IN"]), ("creationDate", date, Self.ordered),
            ("modificationDate", date, Self.ordered), ("creatorUserRecordID", id, ["==", "!=", "IN"]),
            ("lastModifiedUserRecordID", id, ["==", "!=", "IN"]), ("recordChangeTag", "x", []),
        ]
        let sortable: Set<String> = ["recordID", "creationDate", "modificationDate"]
        for (name, value, allowed) in table {
            let isOrdered = (try? world.mine.find(Query("T", sortedBy: [.ascending(name)]), in: .default)) != nil
            #expect(isOrdered == sortable.contains(name), "\(name)")
            for (text, predicate) in Self.queries(value) where !text.hasPrefix("distance") {
                let renamed = try predicate.map {
                    try RecordPredicate(
                        format: $0.text.replacingOccurrences(of: "f ", with: "\(name) "), arguments: $0.arguments)
                }
                let rejection = Self.rejection(renamed, world.mine)
                #expect(rejection == (allowed.contains(text) ? nil : .invalidArguments), "\(name) \(text)")
            }
        }
    }
}
