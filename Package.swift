// swift-tools-version: 6.2
// The package: C seams at the bottom, one module per layer above (Tests/ArchitectureTests checks the arrows).
import PackageDescription

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// For modules whose functions run where their callers run, unless they have to wait.
let calling = swift + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
/// In release, what is tested is optimised as it ships, and tests and what they share are not: what takes time in them
/// is what they call. The compiler takes a third of the time, and ends at CloudKitCompatTests otherwise, with
/// "deserializing SIL vtable for 'CKLocationSortDescriptor'".
let plainly: SwiftSetting = .unsafeFlags(
    ["-Onone", "-gnone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
let testing: [SwiftSetting] = [.swiftLanguageMode(.v6), plainly]

let package = Package(
    name: "swift-record-database",
    products: [
        .library(name: "RecordDatabase", targets: ["RecordDatabase"]),
        .library(name: "CloudKitCompat", targets: ["CloudKitCompat"]),
        .library(name: "RecordDatabasePostgreSQL", targets: ["RecordDatabasePostgreSQL"]),
        .library(name: "PredicateSyntax", targets: ["PredicateSyntax"]),
        .library(name: "ExploreServer", targets: ["ExploreServer"]),
        .executable(name: "predicate", targets: ["predicate"]),
    ],
    targets: [
        // Layer 0: C seams, opaque wrappers of the library functions used.
        .target(
            name: "CICU",
            linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc"), .linkedLibrary("icudata")]),
        .target(name: "CSIMDJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CCompression", linkerSettings: [.linkedLibrary("z"), .linkedLibrary("zstd")]),
        .target(name: "CKernels", linkerSettings: [.linkedLibrary("m")]),
        .target(name: "CStemmer", linkerSettings: [.linkedLibrary("stemmer")]),
        .target(name: "CXXHash"),
        .target(name: "CMemory"),
        .target(name: "CLMDB", linkerSettings: [.linkedLibrary("lmdb")]),
        .target(
            name: "CHTTP", linkerSettings: [.linkedLibrary("event_core"), .linkedLibrary("event_extra")]),
        // Loads libpq when a connection is made: nothing is linked.
        .target(name: "CPostgreSQL"),
        // Loads libcrypto when the first value is encrypted.
        .target(name: "CCrypto"),

        // Layer 1
        .target(name: "PredicateSyntax", swiftSettings: swift),
        .target(name: "Deadlines", swiftSettings: swift),
        .target(
            name: "TextAnalysis", dependencies: ["Deadlines", "CICU", "CKernels", "CStemmer"], swiftSettings: swift),
        .target(name: "Geospatial", dependencies: ["CKernels"], swiftSettings: swift),
        .target(name: "OrdinalSets", dependencies: ["CKernels"], swiftSettings: swift),

        // Layer 2
        .target(name: "RecordModel", dependencies: ["Geospatial"], swiftSettings: swift),

        .target(name: "LineEditing", dependencies: ["TextAnalysis"], swiftSettings: swift),
        .target(name: "HTTPServing", dependencies: ["CHTTP"], swiftSettings: swift),

        // Layer 3
        .target(
            name: "PredicateSemantics",
            dependencies: ["RecordModel", "PredicateSyntax", "TextAnalysis", "Geospatial", "Deadlines"],
            swiftSettings: swift),
        .target(
            name: "RecordColumns", dependencies: ["RecordModel", "OrdinalSets", "Geospatial"], swiftSettings: swift),

        // Layer 4
        .target(
            name: "RecordFiles",
            dependencies: [
                "RecordModel", "RecordColumns", "CSIMDJSON", "CCompression", "Geospatial",
            ],
            swiftSettings: swift),

        .target(
            name: "Indexing",
            dependencies: [
                "RecordModel", "RecordColumns", "OrdinalSets", "TextAnalysis", "Geospatial", "Deadlines", "CKernels",
            ], swiftSettings: swift),

        // Layer 5: records that are read and written at the same time.
        .target(
            name: "RecordStore",
            dependencies: ["Indexing", "RecordModel", "RecordColumns", "TextAnalysis", "OrdinalSets"],
            swiftSettings: swift),

        // Layers 6 and 7: the query engine.
        .target(
            name: "QueryPlanning",
            dependencies: [
                "PredicateSemantics", "PredicateSyntax", "RecordStore", "Indexing", "RecordModel", "RecordColumns",
                "OrdinalSets",
                "TextAnalysis", "Geospatial", "CKernels",
            ], swiftSettings: swift),
        .target(
            name: "QueryExecution",
            dependencies: [
                "QueryPlanning", "PredicateSemantics", "PredicateSyntax", "RecordStore", "Indexing", "RecordModel",
                "RecordColumns", "OrdinalSets", "TextAnalysis", "Geospatial", "Deadlines", "CKernels",
            ], swiftSettings: swift),

        .target(
            name: "RecordStorage",
            dependencies: [
                "RecordStore", "Indexing", "RecordModel", "RecordColumns", "OrdinalSets", "TextAnalysis", "CXXHash",
                "CLMDB", "CMemory",
            ], swiftSettings: swift),

        .target(
            name: "Percolation",
            dependencies: ["PredicateSemantics", "PredicateSyntax", "RecordModel", "TextAnalysis", "Geospatial"],
            swiftSettings: swift),
        // What a server of SQL can tell about predicates: no input, no output.
        .target(
            name: "RecordPushdown",
            dependencies: ["PredicateSemantics", "PredicateSyntax", "RecordModel", "TextAnalysis", "Geospatial"],
            swiftSettings: swift),
        // What predicates and records are made of in Swift: interpolation, builder, #Predicate, Codable, JSON filters.
        .target(
            name: "QueryFrontEnds",
            dependencies: [
                "PredicateSemantics", "PredicateSyntax", "RecordFiles", "RecordModel", "TextAnalysis", "Geospatial",
            ], swiftSettings: swift),

        // Layer 7: the public library.
        .target(
            name: "RecordDatabase",
            dependencies: [
                "PredicateSyntax", "TextAnalysis", "Geospatial", "OrdinalSets", "RecordModel", "PredicateSemantics",
                "RecordColumns", "RecordFiles", "Indexing", "RecordStore", "QueryPlanning", "QueryExecution",
                "Percolation", "QueryFrontEnds", "RecordStorage", "Deadlines", "CCrypto",
            ], swiftSettings: calling),

        // Layer 8: containers on PostgreSQL, CloudKit's names, and the command.
        .target(
            name: "PostgreSQLStore",
            dependencies: [
                "RecordDatabase", "RecordPushdown", "PredicateSemantics", "RecordModel", "TextAnalysis", "Deadlines",
                "CPostgreSQL",
            ], swiftSettings: calling),
        .target(
            name: "RecordDatabasePostgreSQL", dependencies: ["PostgreSQLStore", "RecordDatabase", "RecordModel"],
            swiftSettings: calling),
        // Its functions run where their callers run, too, and say so one by one: requirements of its protocols must not,
        // so that types of the main actor can conform.
        .target(name: "CloudKitCompat", dependencies: ["RecordDatabase", "RecordModel"], swiftSettings: swift),
        // Help with typing predicates, for terminals and pages.
        .target(
            name: "PredicateEditing",
            dependencies: ["RecordDatabase", "PredicateSyntax", "TextAnalysis", "LineEditing"],
            swiftSettings: swift),
        // Records in a browser.
        .target(name: "CExplorePage"),
        .target(
            name: "ExploreServer",
            dependencies: [
                "RecordDatabase", "PredicateEditing", "LineEditing", "QueryExecution", "Geospatial", "PredicateSyntax",
                "HTTPServing", "CExplorePage", "CCompression",
            ], swiftSettings: swift),
        .executableTarget(
            name: "predicate",
            dependencies: [
                "RecordDatabase", "PostgreSQLStore", "PredicateEditing", "ExploreServer", "PredicateSyntax",
                "TextAnalysis", "LineEditing", "CSQLite",
            ], swiftSettings: swift),

        // One sample application, written against each product.
        .executableTarget(
            name: "todo", dependencies: ["RecordDatabase"], path: "Tests/Examples/todo", swiftSettings: swift),
        .executableTarget(
            name: "todo-cloudkit", dependencies: ["CloudKitCompat"], path: "Tests/Examples/todo-cloudkit",
            swiftSettings: swift),

        // Benchmarks: a target of this package, since a package of its own could not see `package` declarations.
        .target(
            name: "CSQLite", path: "Benchmarks/CSQLite",
            linkerSettings: [
                .linkedLibrary("sqlite3"), .linkedLibrary("icui18n"), .linkedLibrary("icuuc"), .linkedLibrary("m"),
            ]),
        .target(name: "CAllocations", path: "Benchmarks/CAllocations"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "RecordDatabase", "QueryExecution", "Percolation", "PredicateSyntax", "PredicateSemantics",
                "RecordModel", "RecordStore", "RecordColumns", "RecordFiles", "Indexing", "TextAnalysis",
                "Geospatial", "CICU", "CAllocations", "CSQLite", "PostgreSQLStore",
            ],
            path: "Benchmarks",
            exclude: [
                "CAllocations", "CSQLite", "Data", "README.md", "Workloads", "Baselines", "Peers/setup",
                "Peers/explore.py", "Peers/groups.py", "Peers/peers.py", "Peers/streams.py", "Peers/requirements.txt",
                "Report",
                "Differential",
            ],
            swiftSettings: swift),
        .executableTarget(name: "predicate-fuzz", dependencies: ["Campaigns"], swiftSettings: swift),

        // Tests: one target per module, and those that look at the whole.
        // Random input and what it is compared with: of predicate-fuzz, and of tests.
        .target(
            name: "Campaigns",
            dependencies: [
                "RecordDatabase", "QueryExecution", "QueryPlanning", "Percolation", "PredicateSemantics",
                "PredicateSyntax", "RecordStore", "RecordColumns", "RecordFiles", "RecordModel", "RecordStorage",
                "Indexing", "Geospatial", "RecordPushdown", "PostgreSQLStore", "CXXHash", "CMemory", "CSQLite",
                "ExploreServer", "PredicateEditing", "CloudKitCompat", "TextAnalysis",
            ], path: "Tests/Campaigns", swiftSettings: swift + [plainly]),
        .target(name: "_TestWidth", path: "Tests/_TestWidth"),
        .target(
            name: "_TestSupport", dependencies: ["_TestWidth"], path: "Tests/_TestSupport", swiftSettings: testing),
        .testTarget(
            name: "PredicateSyntaxTests", dependencies: ["PredicateSyntax"], exclude: ["Fixtures"],
            swiftSettings: testing),
        .testTarget(name: "DeadlinesTests", dependencies: ["Deadlines"], swiftSettings: testing),
        .testTarget(
            name: "TextAnalysisTests", dependencies: ["TextAnalysis", "Deadlines", "CICU", "_TestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: testing),
        .testTarget(
            name: "LineEditingTests", dependencies: ["LineEditing", "TextAnalysis", "_TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "HTTPServingTests", dependencies: ["HTTPServing", "Campaigns", "_TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "GeospatialTests", dependencies: ["Geospatial", "CKernels", "_TestSupport"], exclude: ["Fixtures"],
            swiftSettings: testing),
        .testTarget(
            name: "OrdinalSetsTests", dependencies: ["OrdinalSets", "CKernels", "_TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "RecordModelTests", dependencies: ["RecordModel", "Geospatial", "_TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "PredicateSemanticsTests",
            dependencies: [
                "PredicateSemantics", "PredicateSyntax", "RecordModel", "TextAnalysis", "Geospatial", "_TestSupport",
            ],
            exclude: ["Fixtures"],
            swiftSettings: testing),
        .testTarget(
            name: "RecordColumnsTests",
            dependencies: [
                "RecordColumns", "RecordModel", "OrdinalSets", "Geospatial", "_TestSupport",
            ], swiftSettings: testing),
        .testTarget(
            name: "IndexingTests",
            dependencies: [
                "Deadlines", "Geospatial", "Indexing", "OrdinalSets", "RecordColumns", "RecordModel", "TextAnalysis",
                "CKernels", "_TestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "RecordStoreTests",
            dependencies: [
                "RecordStore", "Indexing", "OrdinalSets", "RecordColumns", "RecordModel", "Campaigns",
                "PredicateSemantics", "_TestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "QueryPlanningTests",
            dependencies: ["RecordDatabase", "RecordModel", "PredicateSemantics", "_TestSupport"],
            exclude: ["Fixtures"], swiftSettings: testing),
        .testTarget(
            name: "QueryExecutionTests",
            dependencies: [
                "Campaigns", "Deadlines", "Geospatial", "QueryExecution", "QueryPlanning", "PredicateSemantics",
                "PredicateSyntax", "QueryFrontEnds",
                "RecordStore", "RecordColumns", "RecordModel", "OrdinalSets", "CKernels", "_TestSupport",
            ], swiftSettings: testing),
        .testTarget(
            name: "PercolationTests",
            dependencies: [
                "Percolation", "Campaigns", "PredicateSemantics", "RecordModel", "Geospatial",
            ], swiftSettings: testing),
        .testTarget(
            name: "QueryFrontEndsTests",
            dependencies: [
                "QueryFrontEnds", "PredicateSemantics", "PredicateSyntax", "RecordModel", "Geospatial", "_TestSupport",
            ], swiftSettings: testing),
        .testTarget(
            name: "RecordStorageTests",
            dependencies: [
                "RecordStorage", "RecordStore", "Indexing", "RecordModel", "RecordColumns", "OrdinalSets",
                "Geospatial", "TextAnalysis", "Campaigns", "predicate-fuzz", "RecordDatabase", "_TestSupport",
            ], swiftSettings: testing),
        .testTarget(
            name: "RecordFilesTests",
            dependencies: [
                "RecordFiles", "RecordColumns", "RecordModel", "Geospatial",
            ], resources: [.copy("Fixtures")],
            swiftSettings: testing),
        .testTarget(
            name: "RecordDatabaseTests",
            dependencies: [
                "RecordDatabase", "RecordStorage", "RecordStore", "Campaigns", "predicate-fuzz", "QueryExecution",
                "PredicateSemantics", "RecordColumns", "RecordModel", "TextAnalysis", "Deadlines", "Geospatial",
                "PredicateSyntax", "RecordFiles", "PostgreSQLStore", "_TestSupport",
            ], exclude: ["Fixtures"], swiftSettings: testing),
        .testTarget(
            name: "RecordPushdownTests",
            dependencies: ["RecordPushdown", "PredicateSemantics", "RecordModel", "Geospatial", "TextAnalysis"],
            swiftSettings: testing),
        .testTarget(
            name: "PostgreSQLStoreTests",
            dependencies: [
                "PostgreSQLStore", "Campaigns", "RecordDatabase", "RecordModel", "_TestSupport",
            ], swiftSettings: testing),
        // The client programs of the tests once more, as Swift 5 compiles them: links to the files of the tests.
        .target(
            name: "CloudKitClients5", dependencies: ["CloudKitCompat"], path: "Tests/CloudKitClients5",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error), plainly]),
        .testTarget(
            name: "CloudKitCompatTests",
            dependencies: ["CloudKitCompat", "RecordDatabase", "_TestSupport"],
            exclude: ["Fixtures"], swiftSettings: testing + [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "predicate", "Campaigns", "predicate-fuzz", "todo", "todo-cloudkit", "RecordDatabase", "CSQLite",
                "CloudKitCompat", "_TestSupport",
            ],
            exclude: ["Fixtures"], swiftSettings: testing),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "Geospatial", "PredicateSemantics", "PredicateSyntax", "QueryExecution", "RecordModel", "RecordStore",
                "RecordDatabase", "PostgreSQLStore", "Campaigns", "_TestSupport",
            ], swiftSettings: testing),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["_TestSupport"], exclude: ["Fixtures"], swiftSettings: testing),
        .testTarget(
            name: "ExploreTests",
            dependencies: [
                "ExploreServer", "HTTPServing", "Campaigns", "PredicateSyntax", "RecordDatabase", "_TestSupport",
            ],
            exclude: ["Browser"], swiftSettings: testing),
        .testTarget(
            name: "PredicateEditingTests",
            dependencies: ["PredicateEditing", "LineEditing", "PredicateSyntax", "RecordDatabase"],
            swiftSettings: testing),
        .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"], swiftSettings: testing),
        .testTarget(name: "GrammarTests", dependencies: ["PredicateSyntax", "_TestSupport"], swiftSettings: testing),
    ],
    cxxLanguageStandard: .cxx17
)
