// The pieces of the benchmark harness: the generated data, the workload files, options, and figures.

import Foundation
import Testing

@testable import Benchmarks

private let workloads = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Benchmarks/Workloads")

@Suite struct GeneratorTests {
    /// The digest is that of the data set's definition, written by an independent implementation of it.
    @Test func bytesAreThoseOfTheDefinition() {
        let generator = PlaceGenerator(count: 200)
        var bytes: [UInt8] = []
        for index in 0..<generator.count { generator[index].appendJSON(to: &bytes) }
        #expect(Checksum.of(bytes) == 6_744_279_834_389_093_812)
    }

    @Test func placesReadBackAsWritten() throws {
        let generator = PlaceGenerator(count: 100)
        for index in 0..<generator.count {
            var bytes: [UInt8] = []
            generator[index].appendJSON(to: &bytes)
            #expect(try JSONDecoder().decode(Place.self, from: Data(bytes)) == generator[index])
        }
    }

    @Test func zipfRanksCountTheWeightsBelow() {
        let ranks = ZipfRanks(count: 3)  // cumulative weights 1, 1.5, 1.8333…
        #expect([0, 0.54, 0.55, 0.81, 0.82, 0.999_999].map(ranks.rank) == [0, 0, 1, 1, 2, 2])
    }
}

@Suite struct WorkloadTests {
    @Test func everyQueryHasPeersAndItsOwnName() throws {
        let queries = try WorkloadQuery.read(workloads.path + "/place.json")
        let forms = try PeerQuery.read(workloads.path + "/place-peers.json")
        #expect(Set(queries.map(\.id)).count == queries.count)
        #expect(Set(queries.map(\.family)) == Set(forms.keys))
        #expect(queries.allSatisfy { $0.mode != nil })
    }

    @Test func sqliteAgreesWithItself() throws {
        let forms = try PeerQuery.read(workloads.path + "/place-peers.json")
        let generator = PlaceGenerator(count: 300)
        let peer = try SQLitePeer(count: 300, places: { generator[$0] }, queries: forms)
        var served = 0
        for query in try WorkloadQuery.read(workloads.path + "/place.json") {
            // Throws where two forms of a query differ.
            if try peer.result(of: query, budget: 0) != nil { served += 1 }
        }
        #expect(served == 79)
    }
}

@Suite struct BoundTests {
    @Test func everyQueryIsBound() throws {
        let queries = try WorkloadQuery.read(workloads.path + "/place.json")
        let bound = try BoundQuery.read(workloads.path + "/place-bound.json")
        #expect(Set(queries.map(\.family)) == Set(bound.keys))
        var source = BoundValueSource(PlaceGenerator(count: 50))
        for (family, query) in bound where family != "Q19" {
            let names = ["$a", "$b", "$c"].filter { query.predicate.contains($0) }
            let values = try source.values(query.draw, count: 8)
            #expect(values.allSatisfy { $0.ours.count == names.count }, "\(family)")
            #expect(Set(values.map { "\($0.ours)" }).count > 1, "\(family): values must differ")
            for sql in query.sqlite {
                #expect(values.allSatisfy { sql.contains("?\($0.sqlite.count)") }, "\(family)")
                #expect(values.allSatisfy { !sql.contains("?\($0.sqlite.count + 1)") }, "\(family)")
            }
        }
    }

    @Test func bothSidesAgreeForAllValues() throws {
        let generator = PlaceGenerator(count: 400)
        let path = FileManager.default.temporaryDirectory.appending(path: "bound-\(UUID()).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try PlaceFile.write(generator, to: path)
        let engine = try RecordSetEngine(contentsOf: path)
        let forms = try PeerQuery.read(workloads.path + "/place-peers.json")
        let peer = try SQLitePeer(count: 400, places: { generator[$0] }, queries: forms)
        let bound = try BoundQuery.read(workloads.path + "/place-bound.json")
        var source = BoundValueSource(generator)
        var report = RunReport(machine: .current(), data: path, ingest: engine.ingest)
        var matches = 0
        for query in try WorkloadQuery.read(workloads.path + "/place.json") {
            let form = try #require(bound[query.family])
            let values = try source.values(form.draw, count: 6)
            let theirs = try #require(try peer.result(of: query, bound: form, values, budget: 0))
            #expect(theirs.outcomes.count >= 4)
            let used = Array(values.prefix(theirs.outcomes.count))
            let ours = try engine.result(of: query, bound: form, used, budget: 0)
            matches += ours.outcomes.reduce(0) { $0 + $1.count }
            report.ours.append(QueryResult(id: query.id, outcome: ours.outcomes[0], time: Measurement([1])))
            report.bound[query.id] = (ours, theirs)
        }
        #expect(report.differences { forms[$0]?.spherical == true } == [] && report.boundRatios.count == 79)
        #expect(matches > 10_000)
        // A difference is found.
        report.bound["Q1b.count"]?.ours.outcomes[1].count += 1
        #expect(report.differences { _ in false }.contains { $0.hasPrefix("Q1b.count, values 1:") })
    }

    @Test(arguments: [false, true]) func databasesOfBothSidesAgree(isStored: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "database-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = ComparisonTable.Clock(budget: 0, turns: 1, saves: 16)
        let queries = PlaceQueries(PlaceGenerator(count: 2500), runs: 10)
        let bench = try await DatabaseBench(queries: queries, folder: isStored ? folder : nil, clock: clock)
        let rows = try await bench.run().rows
        #expect(rows.count == (isStored ? 8 : 7))
        #expect(rows.allSatisfy { $0.task > 0 && $0.sqlite > 0 && $0.mainActor ?? 1 > 0 })
    }

    @Test func recordSetAndSQLiteAgree() async throws {
        var options = try ComparisonOptions(["--records", "1000", "--runs", "20"])
        options.clock = ComparisonTable.Clock(budget: 0, turns: 1, saves: 0)
        #expect(try await BindBench(count: 1000, options: options).run().rows.count == 10)
    }

    @Test func rangesOfOneCategoryHoldAtMostAHundred() {
        let queries = PlaceQueries(PlaceGenerator(count: 5000), runs: 50)
        #expect(queries.categoryAndRange.values.count > 25 && queries.categoryAndRange.limit == 100)
        #expect(queries.name.values.count == 50 && queries.name.format == "name == %@")
    }

    @Test @MainActor func differingResultsAreNoFigures() async throws {
        var table = ComparisonTable(3, "numbers")
        let clock = ComparisonTable.Clock(budget: 0, turns: 1, saves: 0)
        try await table.compare("same", values: 3, by: clock, ours: { $0 }, sqlite: { $0 }, agrees: ==)
        await #expect(throws: WrongResult.self) {
            try await table.compare("other", values: 3, by: clock, ours: { $0 }, sqlite: { $0 % 2 }, agrees: ==)
        }
        #expect(table.rows.map(\.title) == ["same"])
    }
}

@Suite struct FigureTests {
    @Test func comparisonsNameWhatIsSlower() {
        var table = ComparisonTable(1000, "places")
        table.add(ComparisonTable.Row(title: "fetch", task: 1e-6, mainActor: 2e-6, sqlite: 4e-6))
        table.add(ComparisonTable.Row(title: "save", task: 4e-6, sqlite: 1e-6, isRate: true))
        #expect(table.means == "geometric mean over 2 rows: 1.00 from a task, 2.00 from the main actor")
        #expect(table.slower == "slower than SQLite: save (0.250)")
        #expect(table.markdown.contains("| fetch | 1.00 µs | 2.00 µs | 4.00 µs | 4.00 | 2.00 |"))
        #expect(table.markdown.contains("| save | 250,000/s |  | 1,000,000/s | 0.250 |  |"))
    }

    @Test func figuresOfADocumentAreRenewed() throws {
        let section = FigureSection("bind")
        let machine = Machine(processor: "P", cores: 2, date: "2026-01-01", load: 1)
        let text = "a\n<!-- figures: bind -->\nold\n<!-- end of figures: bind -->\nz\n"
        let first = try section.renewed(text, with: "new", on: machine)
        #expect(first.hasPrefix("a\n<!-- figures: bind -->\nnew\n\n`Benchmarks ") && first.hasSuffix("-->\nz\n"))
        #expect(first.contains("P, 2 cores, load 1.0, 2026-01-01") && !first.contains("old"))
        #expect(try section.renewed(first, with: "new", on: machine) == first)
        #expect(throws: UsageError.self) { try section.renewed("a", with: "new", on: machine) }
    }

    @Test func medianOfRuns() {
        let time = Measurement([3, 1, 2, 10])
        #expect(time.median == 2.5 && time.minimum == 1 && time.maximum == 10 && time.runs == 4)
    }

    @Test func figuresAreShort() {
        let cases: [(Double, String)] = [
            (0.3364, "0.336"), (0.000_2, "0.000200"), (0, "0"), (9.999, "10.00"), (12.34, "12.3"), (1234.5, "1,235"),
            (-1_000_000, "-1,000,000"),
            (.nan, "-"),
        ]
        for (value, text) in cases { #expect(value.figure == text) }
    }

    @Test func optionsNeedTheirValues() throws {
        let options = try CommandLineOptions(
            ["--records", "1_000", "--no-sqlite"], names: ["records"], flags: ["no-sqlite"])
        #expect(try options.count("records", default: 1) == 1000 && options.has("no-sqlite"))
        #expect(throws: UsageError.self) { try CommandLineOptions(["--records"], names: ["records"]) }
        #expect(throws: UsageError.self) { try CommandLineOptions(["--sideways", "1"], names: ["records"]) }
        #expect(throws: UsageError.self) {
            try CommandLineOptions(["--records", "0"], names: ["records"]).count("records", default: 1)
        }
    }

    /// Other tests ask for blocks too: of many tries, one falls between theirs.
    @Test(.enabled(if: countsAllocations, "a sanitizer has an allocator of its own")) func allocationsAreCounted() {
        var kept: [[Int]] = []
        kept.reserveCapacity(10)
        let counts = (1...1_000).lazy.map { _ in
            kept.removeAll(keepingCapacity: true)
            return allocations { for size in 1...10 { kept.append(Array(repeating: size, count: size)) } }
        }
        #expect(counts.contains { (10..<20).contains($0) })
    }
}
