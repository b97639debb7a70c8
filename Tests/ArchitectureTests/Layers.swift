// The modules and what they import, from the bottom up.

/// Which modules a module imports: no others, and each of them. A module that is not named here may not exist. The
/// article on the architecture has the same table for readers, and the package declares the same dependencies; tests
/// compare all three with the sources.
let layers: [(module: String, imports: Set<String>)] = [
    // C seams: library headers only.
    ("CICU", []),
    ("CSIMDJSON", []),
    ("CCompression", []),
    ("CKernels", []),
    ("CLMDB", []),
    ("CStemmer", []),
    ("CXXHash", []),
    ("CMemory", []),
    ("CPostgreSQL", []),
    ("CCrypto", []),
    ("CHTTP", []),
    ("CExplorePage", []),
    // Of the benchmarks: no library product may have them.
    ("CSQLite", []),
    ("CAllocations", []),

    ("PredicateSyntax", []),
    ("Deadlines", []),
    ("TextAnalysis", ["CICU", "CKernels", "CStemmer", "Deadlines"]),
    ("Geospatial", ["CKernels"]),
    ("OrdinalSets", ["CKernels"]),
    ("RecordModel", ["Geospatial"]),
    ("LineEditing", ["TextAnalysis"]),
    ("HTTPServing", ["CHTTP"]),
    ("PredicateSemantics", ["PredicateSyntax", "Deadlines", "TextAnalysis", "Geospatial", "RecordModel"]),
    ("RecordColumns", ["Geospatial", "OrdinalSets", "RecordModel"]),
    ("RecordFiles", ["CSIMDJSON", "CCompression", "Geospatial", "RecordModel", "RecordColumns"]),
    (
        "Indexing",
        ["CKernels", "Deadlines", "TextAnalysis", "Geospatial", "OrdinalSets", "RecordModel", "RecordColumns"]
    ),
    ("RecordStore", ["TextAnalysis", "OrdinalSets", "RecordModel", "RecordColumns", "Indexing"]),
    (
        "QueryPlanning",
        [
            "CKernels", "PredicateSyntax", "TextAnalysis", "Geospatial", "OrdinalSets", "RecordModel",
            "PredicateSemantics", "RecordColumns", "Indexing", "RecordStore",
        ]
    ),
    (
        "QueryExecution",
        [
            "CKernels", "PredicateSyntax", "Deadlines", "TextAnalysis", "Geospatial", "OrdinalSets", "RecordModel",
            "PredicateSemantics", "RecordColumns", "Indexing", "RecordStore", "QueryPlanning",
        ]
    ),
    (
        "RecordStorage",
        [
            "CLMDB", "CXXHash", "CMemory", "TextAnalysis", "OrdinalSets", "RecordModel", "RecordColumns", "Indexing",
            "RecordStore",
        ]
    ),
    ("Percolation", ["PredicateSyntax", "TextAnalysis", "Geospatial", "RecordModel", "PredicateSemantics"]),
    ("RecordPushdown", ["PredicateSyntax", "TextAnalysis", "Geospatial", "RecordModel", "PredicateSemantics"]),
    (
        "QueryFrontEnds",
        ["PredicateSyntax", "TextAnalysis", "Geospatial", "RecordModel", "PredicateSemantics", "RecordFiles"]
    ),
    (
        "RecordDatabase",
        [
            "PredicateSyntax", "TextAnalysis", "Geospatial", "OrdinalSets", "RecordModel", "PredicateSemantics",
            "RecordColumns", "RecordFiles", "Indexing", "RecordStore", "QueryPlanning", "QueryExecution",
            "RecordStorage", "Percolation", "QueryFrontEnds", "Deadlines", "CCrypto",
        ]
    ),
    (
        "PostgreSQLStore",
        [
            "CPostgreSQL", "TextAnalysis", "Deadlines", "RecordModel", "PredicateSemantics", "RecordPushdown",
            "RecordDatabase",
        ]
    ),
    ("RecordDatabasePostgreSQL", ["RecordModel", "RecordDatabase", "PostgreSQLStore"]),
    ("CloudKitCompat", ["RecordModel", "RecordDatabase"]),
    ("CloudKitClients5", ["CloudKitCompat"]),

    ("PredicateEditing", ["PredicateSyntax", "TextAnalysis", "LineEditing", "RecordDatabase"]),
    (
        "ExploreServer",
        [
            "CCompression", "CExplorePage", "PredicateSyntax", "Geospatial", "LineEditing", "HTTPServing",
            "QueryExecution",
            "RecordDatabase", "PredicateEditing",
        ]
    ),

    // Programs.
    (
        "predicate",
        [
            "CSQLite", "PredicateSyntax", "TextAnalysis", "LineEditing", "RecordDatabase", "PostgreSQLStore",
            "PredicateEditing", "ExploreServer",
        ]
    ),
    ("todo", ["RecordDatabase"]),
    ("todo-cloudkit", ["CloudKitCompat"]),
    (
        "Campaigns",
        [
            "CXXHash", "CMemory", "CSQLite", "PredicateSyntax", "TextAnalysis", "Geospatial", "RecordModel",
            "PredicateSemantics", "RecordColumns", "RecordFiles", "Indexing", "RecordStore", "QueryPlanning",
            "QueryExecution", "RecordStorage", "Percolation", "RecordDatabase", "RecordPushdown", "PostgreSQLStore",
            "CloudKitCompat", "PredicateEditing", "ExploreServer",
        ]
    ),
    ("predicate-fuzz", ["Campaigns"]),
    (
        "Benchmarks",
        [
            "CICU", "CSQLite", "CAllocations", "PredicateSyntax", "TextAnalysis", "Geospatial", "RecordModel",
            "PredicateSemantics", "RecordColumns", "RecordFiles", "Indexing", "RecordStore", "QueryExecution",
            "Percolation", "RecordDatabase", "PostgreSQLStore",
        ]
    ),
]

/// Parts of the system that any module may import; of Foundation only the essentials.
let systemModules: Set<String> = ["FoundationEssentials", "Glibc", "Dispatch", "Synchronization", "Swift"]

/// Modules that may see all of Foundation: what CloudKitCompat stands in for is built on its classes, and the
/// benchmarks compare with its decoders.
let foundationModules: Set<String> = ["CloudKitCompat", "CloudKitClients5", "Benchmarks"]
