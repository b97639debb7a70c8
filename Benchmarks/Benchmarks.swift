// The benchmarks: suites that check their own answers and print their figures beside those of peers.

import Glibc

/// One group of measurements, named on the command line.
protocol Suite {
    /// The word on the command line.
    static var name: String { get }
    /// One line of help: options and what is measured.
    static var summary: String { get }
    /// Measures and prints, on the main thread. Throws where an answer is wrong or a file cannot be read.
    nonisolated(nonsending) static func run(_ arguments: ArraySlice<String>) async throws
}

/// An answer that is not what it must be: a figure beside it would be worthless.
struct WrongResult: Error, CustomStringConvertible {
    var description: String
}

@main
struct Benchmarks {
    private static var suites: [any Suite.Type] {
        [
            RunSuite.self, ParseSuite.self, EvaluateSuite.self, LoadSuite.self, IngestSuite.self, UpdateSuite.self,
            DatabaseSuite.self, BindSuite.self, BatchesSuite.self, LiveSuite.self, StoreSuite.self,
            StoreCommitsSuite.self, ServerSuite.self, ScaleSuite.self,
            PercolateSuite.self, GroupsSuite.self, WordsSuite.self, StartupSuite.self, TypingSuite.self,
            ExploreSuite.self, GateSuite.self, GenerateSuite.self,
        ]
    }

    @MainActor static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let suite = suites.first(where: { $0.name == arguments.first }) else {
            print("usage: Benchmarks SUITE [OPTION…]\n")
            for suite in suites { print("  \(suite.name) \(suite.summary)") }
            exit(arguments.first == "--help" ? 0 : 2)
        }
        do {
            try await suite.run(arguments.dropFirst())
        } catch {
            print("Benchmarks \(suite.name): \(error)")
            exit(error is UsageError ? 2 : 1)
        }
    }
}
