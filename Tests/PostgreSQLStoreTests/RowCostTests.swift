// How many rows servers give for a query, and how many of these are decided here. A gate on the shapes of queries of
// the benchmark `scale`: who changes what is pushed down sees it here.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct RowCostTests {
    private static let count = 2_000
    private static let heads = ["Abel", "Bern", "Cork", "Dora", "Elba"]

    /// A query, and what three servers do for it.
    private struct Shape: Sendable {
        let name: String
        let query: Query
        /// Records of a page; `nil` for a query that counts, or gives all.
        var page: Int?
        let matches: Int
        /// Rows that the servers give: of one more than a page has, which tells whether there is another page, each gives
        /// 53 at first, a third and some more.
        let rows: Int
        /// A column of the condition.
        let column: String
        /// Whether the servers decide each row that there could be. If not, they may still be certain of all that there
        /// are.
        var isExact = true
    }

    private static let shapes = [
        Shape(
            name: "name == x", query: Query("Place", "name == 'Bern 0126'"), page: 100, matches: 1, rows: 1,
            column: "name~s"),
        Shape(
            name: "name BEGINSWITH x, by name",
            query: Query("Place", "name BEGINSWITH 'Dora 01'", sortedBy: [.ascending("name")]), page: 100, matches: 20,
            rows: 20, column: "name~s", isExact: false),
        Shape(
            name: "the same with more than a page on each server",
            query: Query("Place", "name BEGINSWITH 'Dora'", sortedBy: [.ascending("name")]), page: 100, matches: 400,
            rows: 159, column: "name~s", isExact: false),
        Shape(
            name: "population BETWEEN {x, x + 20}, by population",
            query: Query("Place", "population BETWEEN {5000, 5020}", sortedBy: [.ascending("population")]), page: 100,
            matches: 3, rows: 3, column: "population~i"),
        Shape(
            name: "count of rating > 4.97", query: Query("Place", "rating > 4.97"), matches: 8, rows: 8,
            column: "rating~d"),
        Shape(
            name: "ANY tags == x AND rating > 4.9, by rating",
            query: Query("Place", "ANY tags == 't49' AND rating > 4.9", sortedBy: [.descending("rating")]), page: 100,
            matches: 4, rows: 4, column: "tags~S"),
        Shape(
            name: "within 5 km",
            query: Query(
                "Place",
                "distanceToLocation:fromLocation:(location, \(Location(latitude: 10.6, longitude: 20.75))) < 5000"),
            page: 100, matches: 9, rows: 9, column: "location~p~x", isExact: false),
    ]

    /// The place of a number: its values follow from it.
    private static func place(_ number: Int) -> Record {
        let digits = String(number)
        let name = heads[number % heads.count] + " " + String(repeating: "0", count: 4 - digits.count) + digits
        // 3.3 km between neighbours: nothing is near a rim of 5 km.
        let location = Location(
            latitude: 10 + 0.03 * Double(number / 50), longitude: 20 + 0.03 * Double(number % 50))
        return Record(
            type: "Place", id: Record.ID("place \(number)"),
            fields: [
                "name": .string(name), "rating": .double(Double(number % 500) / 100),
                "population": .int64(Int64(number * 10)),
                "tags": .list([.string("t\(number % 50)"), .string("u\(number % 7)")]),
                "location": .location(location),
            ])
    }

    private static let schema: ContainerSchema = {
        typealias Field = ContainerSchema.Field
        return ContainerSchema(recordTypes: [
            "Place": ContainerSchema.RecordType(fields: [
                "name": Field(.string, indexes: [.queryable, .sortable]),
                "rating": Field(.double, indexes: [.queryable]),
                "population": Field(.int64, indexes: [.queryable, .sortable]),
                "tags": Field(.list(.string), indexes: [.queryable]),
                "location": Field(.location, indexes: [.queryable]),
            ])
        ])
    }()

    private static func open(_ place: NodePlace) throws -> Container {
        var configuration = Configuration()
        (configuration.limits.itemsPerRequest, configuration.limits.bytesPerRequest) = (.max, .max)
        let container = try place.open(configuration)
        try container.setSchema(schema)
        let saved = try container.privateDatabase.modify(ModifyRequest(saves: (0..<count).map(Self.place)))
        #expect(saved.saves.count == count && saved.partialErrors.isEmpty)
        _ = try place.onAll("ANALYZE \"r_Place\"")
        return container
    }

    @Test func serversGiveNoMoreThanIsNeeded() async throws {
        let container = try Self.open(NodePlace())
        defer { container.close() }
        let database = container.privateDatabase
        for shape in Self.shapes {
            let explained = try await database.explain(shape.query, in: .default, resultsLimit: shape.page)
            let pushed = try #require(explained.pushed)
            #expect(pushed.nodes.map(\.number) == [0, 1, 2], "\(shape.name)")
            #expect(
                pushed.rows == shape.rows && pushed.rechecked == 0,
                "\(shape.name): \(pushed.rows) rows, \(pushed.rechecked) rechecked\n\(explained)")
            for node in pushed.nodes {
                #expect(node.condition.contains("\"\(shape.column)\""), "\(shape.name): \(node.condition)")
                #expect(
                    (node.certain == nil) == shape.isExact && node.residuals.isEmpty == shape.isExact,
                    "\(shape.name): \(node)")
                #expect((node.order != nil) == (shape.page != nil), "\(shape.name): \(node)")
            }
            #expect(try await database.count(matching: shape.query, in: .default) == shape.matches, "\(shape.name)")
        }
    }

    /// What servers cannot decide is decided here, on the rows that are left.
    @Test func patternsAreRechecked() async throws {
        let container = try Self.open(NodePlace())
        defer { container.close() }
        let database = container.privateDatabase
        let query = Query("Place", "rating > 4 AND name MATCHES 'Cork 1.*7'")
        let pushed = try #require(try await database.explain(query, in: .default).pushed)
        let matches = try await database.count(matching: query, in: .default)
        #expect(matches == 20)
        // Those of the other condition: 99 of 500.
        #expect(pushed.rechecked == pushed.rows && (matches...396).contains(pushed.rows), "\(pushed)")
        #expect(pushed.nodes.allSatisfy { $0.residuals.count == 1 && $0.certain == "FALSE" }, "\(pushed)")
    }
}
