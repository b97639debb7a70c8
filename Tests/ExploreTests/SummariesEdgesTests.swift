// Cells of maps and what is late: the summaries of a query at the ends of what pages may request.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import ExploreServer

@Suite(.waits, .timeLimit(.minutes(2))) struct SummariesEdgesTests {
    private static func places(_ places: [(latitude: Double, longitude: Double)]) throws -> RecordSet {
        try RowSample.set(
            places.map { ["place": .location(Location(latitude: $0.latitude, longitude: $0.longitude)), "n": 1] })
    }

    private static func client(_ records: RecordSet, _ options: ExploreServer.Options) throws -> PageClient {
        let source = ExploredRecords(name: "t", version: { nil }, load: { nil })
        return try PageClient(ExploreServer(source, records, options: options))
    }

    private static let world = [-90, -180, 90, 180]

    /// Sixty columns and thirty rows where a page does not say: six degrees of the world each way.
    @Test func cellsOfAMap() throws {
        // From the south and the west, in cells of six degrees: 16.7 and 33.2, 16.2 and 33.6, 6.7 and 13.3.
        let client = try PageClient(ExploreServer(Self.places([(10, 19), (7, 21.5), (-50, -100)])))
        let all: [Double] = [-11, -19.83333, 3, 0]
        let pair: [Double] = [8.5, 20.25, 2, 0]
        let others: [[Double]] = [[-50, -100, 1, 2], [7, 21.5, 1, 1], [10, 19, 1, 0]]
        let cases: [(map: [String: Any], cells: [[Double]])] = [
            (["box": Self.world], [others[0], pair]),
            (["box": Self.world, "columns": NSNull(), "rows": NSNull()], [others[0], pair]),
            (["box": Self.world, "columns": 60, "rows": 30], [others[0], pair]),
            (["box": Self.world, "columns": 1, "rows": 1], [all]),
            (["box": Self.world, "columns": 1], [others[0], pair]),
            (["box": Self.world, "rows": 1], [others[0], pair]),
            (["box": Self.world, "columns": 1, "rows": 1000], others),
            (["box": [0, 20, 7, 22], "columns": 1, "rows": 1], [others[1]]),
            (["box": [8, -180, 90, 180], "columns": 1, "rows": 1], [others[2]]),
        ]
        for (map, expected) in cases {
            let request = map.merging(["field": "place"]) { $1 }
            let part = try #require(client.query(["text": "", "map": request])["map"]?.first)
            #expect(part["field"] as? String == "place")
            let cells = try #require(part["cells"] as? [[Double]]).sorted { $0[0] < $1[0] }
            #expect(cells.map(\.count) == expected.map(\.count), "\(map): \(cells)")
            let differences = zip(cells.joined(), expected.joined()).map { abs($0 - $1) }
            #expect(differences.allSatisfy { $0 < 1e-9 }, "\(map): \(cells)")
        }
    }

    @Test func mapsThatAreNone() throws {
        let client = try PageClient(ExploreServer(Self.places([(10, 19)])))
        let maps: [[String: Any]] = [
            ["field": "place", "box": [-90, -180, 90]], ["field": "place", "box": [-90, -180, 90, 180, 0]],
            ["field": "place", "box": [10, 0, 5, 1]], ["field": "place", "box": [0, 5, 10, 5]],
            ["field": "place", "box": [-91, 0, 5, 1]], ["field": "place", "box": [0, 0, 5, 181]],
            ["field": "place", "box": ["0", 0, 5, 1] as [Any]], ["field": "place"], ["field": 1, "box": Self.world],
            ["field": "place", "box": Self.world, "columns": 0], ["field": "place", "box": Self.world, "rows": 0],
            ["field": "place", "box": Self.world, "columns": 1001],
            ["field": "place", "box": Self.world, "columns": 1000, "rows": 1000],
        ]
        for map in maps.map({ $0 as Any }) + ["place", 1] {
            #expect(try client.send("query", ["text": "", "map": map]).status == 400, "\(map)")
        }
        let without: [String: Any] = ["field": NSNull(), "box": Self.world]
        for map: Any in [NSNull(), ["box": Self.world], without] {
            let parts = try client.query(["text": "", "map": map])
            #expect(parts["map"] == nil && parts["count"]?.first?["matched"] as? Int == 1, "\(map)")
        }
    }

    @Test func plansAreMadeWhereTheyAreWanted() throws {
        let client = try PageClient(ExploreServer(Self.places([(10, 19)])))
        for (plan, count) in [(true, 1), (false, 0), (NSNull(), 0), (1, 0)] as [(Any, Int)] {
            #expect(try client.query(["text": "n == 1", "plan": plan])["plan", default: []].count == count, "\(plan)")
        }
    }

    /// What nobody requested is not missing either.
    @Test func whatIsLateWasRequested() throws {
        let client = try Self.client(
            Self.places([(10, 19), (11, 20)]), ExploreServer.Options(time: .nanoseconds(1)))
        for (body, missing) in [
            (["values": ["n"], "map": ["box": Self.world]], ["values of n"]), (["plan": true], ["plan"]), ([:], []),
            (["spread": "n", "map": ["field": "place", "box": Self.world] as [String: Any]], ["spread of n", "map"]),
        ] as [([String: Any], [String])] {
            let parts = try client.query(body.merging(["text": "n > 0"]) { $1 })
            #expect(parts["late"]?.first?["missing"] as? [String] == missing, "\(body)")
        }
    }

    /// Wherever the time is over: what was sent is not missing, and all that is missing is named.
    @Test func whatWasSentIsNotMissing() throws {
        let records = try RowSample.set(
            (0..<3000).map { number in
                [
                    "n": .int64(Int64(number % 997)),
                    "place": .location(Location(latitude: Double(number % 90), longitude: Double(number % 180))),
                ]
            })
        let names = ["spread of n", "map"] + [String](repeating: "values of n", count: 200)
        var microseconds = 100
        var isLate = true
        while isLate, microseconds < 2_000_000 {
            let client = try Self.client(records, ExploreServer.Options(time: .microseconds(microseconds)))
            let parts = try client.query([
                "text": "n >= 0", "spread": "n", "values": [String](repeating: "n", count: 200),
                "map": ["field": "place", "box": Self.world] as [String: Any],
            ])
            let sent = ["spread", "map", "values"].reduce(0) { $0 + parts[$1, default: []].count }
            let missing = parts["late"]?.first?["missing"] as? [String]
            isLate = missing != nil
            #expect(missing ?? [] == Array(names.dropFirst(sent)), "\(microseconds) µs")
            microseconds *= 2
        }
    }
}
