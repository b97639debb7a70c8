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
        var answered = 0
        for query in try WorkloadQuery.read(workloads.path + "/place.json") {
            // Throws where two forms of a query differ.
            if try peer.result(of: query, budget: 0) != nil { answered += 1 }
        }
        #expect(answered == 79)
    }
}

@Suite struct FigureTests {
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

    @Test(.enabled(if: countsAllocations, "a sanitizer has an allocator of its own")) func allocationsAreCounted() {
        var kept: [[Int]] = []
        kept.reserveCapacity(10)
        let blocks = allocations { for size in 1...10 { kept.append(Array(repeating: size, count: size)) } }
        #expect(blocks >= 10 && blocks < 20)
    }
}
