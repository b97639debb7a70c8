// The layers: sources, package and article name the same modules and the same imports.
import Testing
import _TestSupport

@Suite struct LayerTests {
    private static let manifest = Result { PackageTarget.all(in: try ProjectFiles.text("Package.swift")) }
    private static let sources = Result {
        try ["Sources", "Tests", "Benchmarks"].flatMap {
            try ProjectFiles.files(under: $0, extensions: ["swift"]).map(SourceFile.init(_:))
        }
    }

    /// The targets that are no tests and no support of tests alone, with their files.
    private static func modules() throws -> [(target: PackageTarget, sources: [SourceFile])] {
        try manifest.get().filter { $0.kind != .testTarget && !$0.name.hasPrefix("_") }
            .map { target in (target, try sources.get().filter { target.owns($0.path) }) }
    }

    @Test func modulesAreTheKnownOnes() throws {
        let targets = try Self.modules().map(\.target)
        let (known, declared) = (layers.map(\.module), targets.map(\.name))
        for name in declared { #expect(known.contains(name), "\(name) has no place among the layers") }
        for name in known { #expect(declared.contains(name), "\(name) is no target of Package.swift") }
        for folder in try ProjectFiles.entries(of: "Sources") {
            #expect(declared.contains(folder), "Sources/\(folder) is no target of Package.swift")
        }
        // The layers flow one way: a module imports only what stands above it in the list.
        for (index, layer) in layers.enumerated() {
            #expect(layer.imports.isSubset(of: layers[..<index].map(\.module)), "\(layer.module)")
        }
    }

    @Test func importsFollowTheLayers() throws {
        let allowed = Dictionary(uniqueKeysWithValues: layers.map { ($0.module, $0.imports) })
        var count = 0
        for (target, sources) in try Self.modules() {
            for source in sources {
                for module in source.imports {
                    count += 1
                    let isAllowed =
                        systemModules.contains(module) || allowed[target.name]?.contains(module) == true
                        || module == "Foundation" && foundationModules.contains(target.name)
                    #expect(isAllowed, "\(source.path) imports \(module)")
                }
            }
        }
        #expect(count > 1000, "the imports were found")
    }

    /// SwiftPM lets a module import what its dependencies depend on: the package declares the imports themselves.
    @Test func packageFollowsTheLayers() throws {
        let expected = Dictionary(uniqueKeysWithValues: layers.map { ($0.module, $0.imports) })
        for (target, _) in try Self.modules() {
            let imports = try #require(expected[target.name], "\(target.name) has no place among the layers")
            let differing = imports.symmetricDifference(target.dependencies).sorted()
            #expect(
                differing.isEmpty, "Package.swift and the layers differ in what \(target.name) imports: \(differing)")
        }
    }

    /// Of every target, tests included: what is declared is imported, and what is imported is declared.
    @Test func dependenciesAreTheImports() throws {
        let (targets, sources) = (try Self.manifest.get(), try Self.sources.get())
        for target in targets {
            for fault in target.faults(of: sources.filter { target.owns($0.path) }, in: targets) {
                Issue.record("\(fault)")
            }
        }
        for source in sources {
            #expect(targets.contains { $0.owns(source.path) }, "\(source.path) belongs to no target")
        }
        #expect(targets.count > 40, "the targets were found")
    }

    private static let article = "Sources/RecordDatabase/RecordDatabase.docc/Architecture.md"

    @Test func theArticleHasTheLayers() throws {
        let table = ModuleTable(markdown: try ProjectFiles.text(Self.article))
        for fault in table.faults(against: layers) { Issue.record("\(Self.article): \(fault)") }
    }

    /// The walks through the modules name types that their modules declare.
    @Test func theWalksNameTypesOfTheirModules() throws {
        let walks = MarkdownTable.all(in: try ProjectFiles.text(Self.article), columns: "module", "types")
        #expect(walks.count == 2, "a query and a save")
        let modules = Dictionary(uniqueKeysWithValues: try Self.modules().map { ($0.target.name, $0.sources) })
        var declared: [String: Set<String>] = [:]
        for row in walks.flatMap(\.rows) where !row.second.isEmpty {
            let module = try #require(row.first.first, "\(Self.article): \(row.second) without a module")
            let sources = try #require(
                modules[module],
                "\(Self.article) walks through \(module), which is no module")
            let types = declared[module] ?? sources.reduce(into: []) { $0.formUnion($1.declaredTypes) }
            declared[module] = types
            for type in row.second {
                let isDeclared = types.contains(type)
                #expect(isDeclared, "\(Self.article): \(module) declares no \(type)")
            }
        }
        #expect(declared.count > 10, "the modules of the walks were found")
    }

    // MARK: What the tests above would say

    private static let sample = PackageTarget.all(
        in: """
            products: [.library(name: "A", targets: ["A"])],
            targets: [
                .target(name: "A"),
                .executableTarget(name: "a-tool", dependencies: ["A"]),
                .target(name: "B(1)", dependencies: ["A", "C"], path: "Other", exclude: ["Data", "x.swift"]),
                .target(name: "C", path: "Other/C", linkerSettings: [.linkedLibrary("m")]),
                .testTarget(
                    name: "ATests",
                    dependencies: [
                        "A", "a-tool",
                    ]),
            ]
            """)

    @Test func targetsOfAManifest() throws {
        #expect(Self.sample.map(\.name) == ["A", "a-tool", "B(1)", "C", "ATests"])
        #expect(Self.sample.map(\.path) == ["Sources/A", "Sources/a-tool", "Other", "Other/C", "Tests/ATests"])
        #expect(Self.sample.map(\.kind.rawValue).filter { $0 != "target" } == ["executableTarget", "testTarget"])
        #expect(Self.sample.map(\.dependencies) == [[], ["A"], ["A", "C"], [], ["A", "a-tool"]])
        #expect(Self.sample[2].owns("Other/b.swift") && !Self.sample[2].owns("Other/Data/b.swift"))
        #expect(!Self.sample[2].owns("Other/x.swift") && !Self.sample[2].owns("Others/b.swift"))
    }

    @Test func faultsOfDependencies() {
        func faults(_ target: Int, _ text: String) -> [String] {
            Self.sample[target].faults(of: [SourceFile(path: "f.swift", text: text)], in: Self.sample)
        }
        #expect(faults(1, "@testable public import A\nimport Glibc") == [])
        #expect(faults(1, "package import struct A.Part // A") == [])
        #expect(faults(1, "// import A") == ["Package.swift: a-tool depends on A, which none of its files imports"])
        #expect(faults(0, "import C") == ["f.swift imports C, which is no dependency of A in Package.swift"])
        #expect(faults(3, "    import a_tool").first?.contains("imports a-tool") == true)
        // A test runs the tool; a program cannot.
        #expect(faults(4, "import A") == [])
    }

    @Test func faultsOfTheTable() {
        let layers: [(module: String, imports: Set<String>)] = [("A", []), ("B", []), ("C", ["A"]), ("D", ["A", "C"])]
        func faults(_ rows: String) -> [String] {
            ModuleTable(
                markdown: "| a | b |\n\nText\n\n| module | imports | has |\n|---|---|---|\n\(rows)\n\n| `E` | | |"
            )
            .faults(against: layers)
        }
        #expect(faults("| `A` `B` | | x |\n| `C` | `A` | `y` |\n| `D` | `A` `C` | |") == [])
        #expect(
            faults("| `A` `B` | | |\n| `D` | `A` | |") == [
                "C is missing in the table", "the row of D lacks the import of C",
            ])
        #expect(
            faults("| `A` `B` | | |\n| `C` | `A` `B` | |\n| `D` | `A` `C` | |\n| `X` | | |") == [
                "X is in the table, but is no module of the layers", "the row of C names B, which it does not import",
            ])
        #expect(
            faults("| `A` `B` `A` | | |\n| `D` | `A` `C` | |\n| `C` | `A` | |") == [
                "A is in the table twice", "the row of D imports C, which does not stand above it",
            ])
        #expect(ModuleTable(markdown: "no table").faults(against: layers).count == 4)
    }
}
