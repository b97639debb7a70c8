// The layers, and the rules of the house that a machine can check.
import Testing
import _TestSupport

/// Which modules a module may import, from the bottom up. A module that is not named here may not exist.
private let layers: [(module: String, imports: Set<String>)] = [
    // C seams: library headers only.
    ("CICU", []), ("CSIMDJSON", []), ("CCompression", []), ("CKernels", []), ("CRoaring", []),
    ("CLMDB", []), ("CXXHash", []), ("CMemory", []),
    // Of the benchmarks: no library product may have it.
    ("CSQLite", []),
    ("PredicateSyntax", []),
    ("Deadlines", []),
    ("TextAnalysis", ["Deadlines", "CICU", "CKernels"]),
    ("Geospatial", ["CKernels"]),
    ("OrdinalSets", ["CKernels", "CRoaring"]),
    ("RecordModel", ["Geospatial"]),
    ("LineEditing", ["TextAnalysis"]),
    ("PredicateSemantics", ["RecordModel", "PredicateSyntax", "TextAnalysis", "Geospatial", "Deadlines"]),
    ("RecordColumns", ["RecordModel", "OrdinalSets", "Geospatial", "CKernels"]),
    ("RecordFiles", ["RecordModel", "RecordColumns", "Geospatial", "CSIMDJSON", "CCompression"]),
    (
        "Indexing",
        ["RecordModel", "RecordColumns", "OrdinalSets", "TextAnalysis", "Geospatial", "Deadlines", "CKernels"]
    ),
    ("RecordStore", ["Indexing", "RecordColumns", "RecordModel", "OrdinalSets"]),
    (
        "QueryPlanning",
        [
            "PredicateSemantics", "PredicateSyntax", "RecordStore", "Indexing", "RecordColumns", "RecordModel",
            "OrdinalSets",
            "TextAnalysis", "Geospatial", "CKernels",
        ]
    ),
    (
        "QueryExecution",
        [
            "QueryPlanning", "PredicateSemantics", "PredicateSyntax", "RecordStore", "Indexing", "RecordColumns",
            "RecordModel",
            "OrdinalSets", "TextAnalysis", "Geospatial", "Deadlines", "CKernels",
        ]
    ),
    (
        "RecordStorage",
        [
            "RecordStore", "Indexing", "RecordColumns", "RecordModel", "OrdinalSets", "TextAnalysis", "Geospatial",
            "CLMDB", "CXXHash",
        ]
    ),
    ("Percolation", ["PredicateSemantics", "PredicateSyntax", "RecordModel", "TextAnalysis", "Geospatial"]),
    (
        "RecordDatabase",
        [
            "QueryExecution", "Percolation", "QueryPlanning", "PredicateSemantics", "PredicateSyntax", "Indexing",
            "RecordColumns", "RecordStore",
            "RecordFiles", "RecordStorage", "RecordModel", "OrdinalSets", "TextAnalysis", "Geospatial",
        ]
    ),
    ("CloudKitCompat", ["RecordDatabase", "RecordModel"]),
    ("predicate", ["RecordDatabase", "LineEditing"]),
    ("todo", ["RecordDatabase"]),
    ("todo-cloudkit", ["CloudKitCompat"]),
    (
        "predicate-fuzz",
        [
            "RecordDatabase", "QueryExecution", "QueryPlanning", "Percolation", "PredicateSemantics", "PredicateSyntax",
            "RecordColumns", "RecordFiles", "RecordStore",
            "RecordModel", "RecordStorage", "Indexing", "Geospatial", "CXXHash", "CMemory",
            "CSQLite",
        ]
    ),
]

/// Parts of the system that any module may import; of Foundation only the essentials.
private let systemModules: Set<String> = ["FoundationEssentials", "Glibc", "Dispatch", "Synchronization", "Swift"]

/// Modules that may see all of Foundation: what they stand in for is built on its classes.
private let foundationModules: Set<String> = ["CloudKitCompat"]

/// What no source may contain: unchecked ways around the type system, traps, and promises. Written in two halves, so
/// that this file does not contain what it looks for.
private let forbidden = [
    "try" + "! ", " as" + "! ", "fatal" + "Error(", "TO" + "DO", "FIX" + "ME",
    "/wor" + "k/", "/hom" + "e/", "/tm" + "p/",
]

private struct Source {
    let path: String
    let lines: [Substring]

    init(_ path: String) throws {
        self.path = path
        lines = try ProjectFiles.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The module in whose folder the file lies.
    var module: String { String(path.split(separator: "/")[1]) }

    /// Names of the imported modules.
    var imports: [String] {
        lines.compactMap { line in
            var words = line.split(separator: " ")[...]
            while let word = words.first, word.hasPrefix("@") || ["public", "package", "internal"].contains(word) {
                words.removeFirst()
            }
            guard words.first == "import", let last = words.dropFirst().last else { return nil }
            return last.split(separator: ".").first.map(String.init)
        }
    }
}

@Suite struct ArchitectureTests {
    private static let swiftSources = Result {
        try ProjectFiles.files(under: "Sources", extensions: ["swift"]).map(Source.init)
    }
    private static let allSources = Result {
        try ["Sources", "Tests", "Benchmarks"].flatMap {
            try ProjectFiles.files(under: $0, extensions: ["swift", "c", "cpp", "h", "hpp"]).map(Source.init)
        }
    }

    @Test func modulesAreTheKnownOnes() throws {
        let known = Set(layers.map(\.module))
        for folder in try ProjectFiles.entries(of: "Sources") {
            #expect(known.contains(folder), "\(folder) has no place in the table of layers")
        }
        // The table itself flows one way: a module imports only what stands above it in the list.
        for (index, layer) in layers.enumerated() {
            #expect(layer.imports.isSubset(of: layers[..<index].map(\.module)), "\(layer.module)")
        }
    }

    @Test func importsFollowTheLayers() throws {
        let allowed = Dictionary(uniqueKeysWithValues: layers.map { ($0.module, $0.imports) })
        var count = 0
        for source in try Self.swiftSources.get() {
            for module in source.imports {
                count += 1
                let isAllowed =
                    systemModules.contains(module) || allowed[source.module]?.contains(module) == true
                    || module == "Foundation" && foundationModules.contains(source.module)
                #expect(isAllowed, "\(source.path) imports \(module)")
            }
        }
        #expect(count > 50, "the imports were found")
    }

    /// The package names the same arrows: SwiftPM lets a module import what its dependencies depend on.
    @Test func packageFollowsTheLayers() throws {
        let allowed = Dictionary(uniqueKeysWithValues: layers.map { ($0.module, $0.imports) })
        let package = try ProjectFiles.text("Package.swift")
        var found = 0
        for part in package.split(separator: "arget(", omittingEmptySubsequences: false).dropFirst() {
            let strings = part.split(separator: "\"", omittingEmptySubsequences: false)
            guard strings.count > 1, let imports = allowed[String(strings[1])] else { continue }
            found += 1
            guard let start = part.firstRange(of: "dependencies: [")?.upperBound else { continue }
            let list = part[start...].prefix { $0 != "]" }
            let names = list.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            #expect(imports.isSuperset(of: names), "\(strings[1]) depends on \(names)")
        }
        #expect(found >= 12, "the targets were found")
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
    @Test func theTimeOfDayIsAskedInFewPlaces() throws {
        let places: Set = [
            "CLLocation.swift", "RecordSet+Binding.swift", "PreparedQuery.swift", "Configuration.swift",
            "EvaluationContext.swift", "FilePath.swift",
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
