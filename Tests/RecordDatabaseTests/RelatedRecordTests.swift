// Records that references lead to: fetched once each, along paths, at one moment or in requests.

import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct RelatedRecordTests {
    private struct Country: RecordConvertible, Equatable {
        var recordName: String
        var name: String
    }

    private struct City: RecordConvertible {
        var recordName: String
        var country: RecordReference.To<Country>?
    }

    private func id(_ name: String) -> Record.ID { Record.ID(name) }

    private func record(_ name: String, _ type: String, _ fields: [String: FieldValue]) -> Record {
        Record(type: type, id: id(name), fields: fields)
    }

    private func reference(_ name: String) -> FieldValue { .reference(RecordReference(recordID: id(name))) }

    /// Cities of countries of continents; one names a country that is gone, one none, and two are twins of each other.
    private var records: [Record] {
        [
            record("eu", "Continent", ["name": "Europe"]), record("as", "Continent", ["name": "Asia"]),
            record("ch", "Country", ["name": "Switzerland", "continent": reference("eu")]),
            record("jp", "Country", ["name": "Japan", "continent": reference("as")]),
            record(
                "zrh", "City", ["country": reference("ch"), "twins": .list([reference("osa"), reference("gone")])]),
            record("gva", "City", ["country": reference("ch"), "twins": .list([])]),
            record("osa", "City", ["country": reference("jp"), "twins": .list([reference("zrh")])]),
            record("atl", "City", ["country": reference("gone")]), record("sea", "City", ["name": "Sea"]),
        ]
    }

    /// From which cities, along which path, and what that reaches.
    private static let cases: [(from: [String], path: String, reached: Set<String>)] = [
        (["zrh", "gva", "osa"], "country", ["ch", "jp"]),
        (["zrh", "gva"], "country.continent", ["ch", "eu"]),
        (["zrh", "osa", "atl", "sea"], "country.continent", ["ch", "jp", "eu", "as"]),
        (["zrh"], "twins", ["osa"]), (["zrh"], "twins.twins.twins.country", ["osa", "zrh", "jp"]),
        (["zrh"], "twins.country.continent", ["osa", "jp", "as"]), (["atl", "sea", "gva"], "twins", []),
        (["zrh"], "nothing", []), (["zrh"], "country.nothing.continent", ["ch"]), (["zrh"], "", []),
        ([], "country", []),
    ]

    @Test(arguments: cases.indices) func pathsAreFollowed(_ index: Int) async throws {
        let (from, path, reached) = Self.cases[index]
        let database = try Container(identifier: "related").privateDatabase
        _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .allKeys)
        let start = try await database.records(for: from.map(id)).values.map { try $0.get() }
        let requested = try await database.related(to: start, along: path)
        #expect(Set(requested.keys.map(\.recordName)) == reached)
        #expect(requested.allSatisfy { $0.key == $0.value.id })
        let atOnce = try await database.read { try $0.related(to: start, along: path) }
        let within = try await database.write { try $0.related(to: start, along: path) }
        #expect(atOnce == requested && within == requested)
    }

    /// Each step is one request, which names a record once; what is not there is not looked for again.
    @Test func requestsAreFew() async throws {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let database = try Container(identifier: "related", configuration: configuration).privateDatabase
        _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .allKeys)
        let start = try await database.records(matching: Query("City"))
        let earlier = script.calls.count
        let related = try await database.related(to: start, along: "country.continent")
        #expect(related.count == 4)
        #expect(script.calls.dropFirst(earlier).map(\.itemCount) == [3, 2])
    }

    /// More targets than a request takes are asked for in several.
    @Test func manyTargetsAreFetchedInStretches() async throws {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let database = try Container(identifier: "related", configuration: configuration).privateDatabase
        let targets = (0..<401).map { record("t\($0)", "Target", [:]) }
        _ = try await database.modifyTogether(saving: targets, deleting: [], savePolicy: .allKeys)
        let start = record("start", "Start", ["to": .list(targets.map { reference($0.id.recordName) })])
        let earlier = script.calls.count
        let related = try await database.related(to: [start], along: "to")
        #expect(Set(related.keys) == Set(targets.map(\.id)))
        #expect(script.calls.dropFirst(earlier).map(\.itemCount) == [401, 200, 201])
    }

    @Test func valuesAreReferenced() async throws {
        let database = try Container(identifier: "related").privateDatabase
        try await database.save([Country(recordName: "ch", name: "Switzerland")])
        let cities = [
            City(recordName: "zrh", country: .init(id("ch"))), City(recordName: "gva", country: .init(id("ch"))),
            City(recordName: "atl", country: .init(id("gone"))), City(recordName: "sea"),
        ]
        try await database.save(cities)
        try await database.read { snapshot in
            let countries = try snapshot.values(referencedBy: cities.compactMap(\.country))
            #expect(countries == [Record.ID("ch"): Country(recordName: "ch", name: "Switzerland")])
            let (there, gone) = (RecordReference.To<Country>(Record.ID("ch")), cities[2].country)
            #expect(try snapshot.value(referencedBy: there)?.name == "Switzerland")
            #expect(try gone.flatMap { try snapshot.value(referencedBy: $0) } == nil)
        }
    }

    /// Targets that the user may not read are left out, as those are that are gone.
    @Test func whatMayNotBeReadIsLeftOut() async throws {
        let world = try await World()
        let targets = FieldValue.list([reference("secret"), reference("open"), reference("gone")])
        try await world.everyones.put(
            record("secret", "Secret", ["name": "s"]), record("open", "Open", ["name": "o"]),
            record("start", "Start", ["to": targets]))
        var schema = world.alice.schema
        schema.recordTypes["Secret"]?.grants = [ContainerSchema.creatorRole: [.read]]
        try world.alice.setSchema(schema)
        for (database, reached) in [
            (world.everyones, ["open", "secret"]), (world.bob.publicDatabase, ["open"]),
        ] {
            let start = [try await database.record(for: id("start"))]
            let requested = try await database.related(to: start, along: "to")
            #expect(requested.keys.map(\.recordName).sorted() == reached)
            let atOnce = try await database.read { try $0.related(to: start, along: "to") }
            #expect(atOnce == requested)
        }
    }
}
