// The rules of the house that a machine can check; the layers are in LayerTests.
import Testing
import _TestSupport

/// What no source may contain: unchecked ways around the type system, traps, and promises. Written in two halves, so
/// that this file does not contain what it looks for.
private let forbidden = [
    "try" + "! ", " as" + "! ", "fatal" + "Error(", "TO" + "DO", "FIX" + "ME",
    "/wor" + "k/", "/hom" + "e/", "/tm" + "p/",
]

@Suite struct ArchitectureTests {
    private static let swiftSources = Result {
        try ProjectFiles.files(under: "Sources", extensions: ["swift"]).map(SourceFile.init(_:))
    }
    private static let allSources = Result {
        try ["Sources", "Tests", "Benchmarks"].flatMap {
            try ProjectFiles.files(under: $0, extensions: ["swift", "c", "cpp", "h", "hpp"]).map(SourceFile.init(_:))
        }
    }

    @Test func filesAreShortAndSayWhatTheyAreFor() throws {
        for source in try Self.allSources.get() {
            #expect(source.lines.count <= 600, "\(source.path) has \(source.lines.count) lines")
            let first = source.lines.first ?? ""
            #expect(first.hasPrefix("//") || first.hasPrefix("/*"), "\(source.path) does not begin with a comment")
        }
    }

    @Test func nothingForbiddenStandsInTheSources() throws {
        for source in try Self.allSources.get() {
            for (number, line) in source.lines.enumerated() {
                for text in forbidden where line.contains(text) {
                    Issue.record("\(source.path):\(number + 1) contains \(text)")
                }
            }
        }
    }

    /// Deadlines are measured by a clock that nobody sets; the time of day is asked where a moment is meant.
    @Test func theTimeOfDayIsReadInFewPlaces() throws {
        let places: Set = [
            "CLLocation.swift", "RecordSet+Binding.swift", "PreparedQuery.swift", "Configuration.swift",
            "EvaluationContext.swift", "FilePath.swift", "StoreGeneration.swift",
        ]
        let words = ["Date()", "Date.now", "CLOCK_REALTIME", "gettimeofday", "SuspendingClock"]
        let sources = try Self.swiftSources.get()
        for source in sources where !places.contains(where: { source.path.hasSuffix("/" + $0) }) {
            for (number, line) in source.lines.enumerated() {
                for word in words where line.contains(word) {
                    Issue.record("\(source.path):\(number + 1) has \(word)")
                }
            }
        }
        let deadlines = sources.filter { $0.module == "Deadlines" }
        #expect(deadlines.contains { $0.lines.contains { $0.contains("ContinuousClock.now") } })
    }

    @Test func topLevelIsTidy() throws {
        let allowed: Set<String> = [
            "Package.swift", "Package.resolved", "Sources", "Tests", "Grammar", "Benchmarks", "README.md", "LICENSE",
            "CHANGELOG.md",
        ]
        for entry in try ProjectFiles.entries(of: "") where !entry.hasPrefix(".") {
            #expect(allowed.contains(entry), "\(entry) does not belong at the top level")
        }
    }
}
