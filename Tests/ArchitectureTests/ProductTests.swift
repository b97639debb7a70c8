// The products of the package: what readers are told of them, and what keeps them apart.
import Testing
import _TestSupport

@Suite struct ProductTests {
    private static let manifest = Result { try ProjectFiles.text("Package.swift") }

    private static func products() throws -> [(kind: Substring, name: Substring)] {
        try manifest.get().matches(of: /\.(library|executable)\(name: "(\w+)"/).map { ($0.1, $0.2) }
    }

    @Test(arguments: ["README.md", "Sources/RecordDatabase/RecordDatabase.docc/RecordDatabase.md"])
    func readersAreToldOfEveryProduct(_ path: String) throws {
        let tables = MarkdownTable.all(in: try ProjectFiles.text(path), columns: "product", "what for")
        let told = try #require(tables.first, "\(path) has no table of products").rows.flatMap(\.first)
        #expect(told.sorted() == (try Self.products().map { String($0.name) }).sorted())
    }

    /// The site that hosts documentation builds the libraries', and each has a page to begin with.
    @Test func everyLibraryHasDocumentation() throws {
        let libraries = try Self.products().filter { $0.kind == "library" }.map { String($0.name) }
        let list = try ProjectFiles.text(".spi.yml").firstMatch(of: /documentation_targets: \[([^\]]*)\]/)?.1
        #expect(list?.matches(of: /\w+/).map { String($0.0) }.sorted() == libraries.sorted())
        for library in libraries {
            let page = try ProjectFiles.text("Sources/\(library)/\(library).docc/\(library).md")
            #expect(page.hasPrefix("# ``\(library)``\n"))
        }
    }

    /// A module that is a product of its own is imported by those who want it: at most single names are passed on.
    @Test func productsAreImportedByTheirOwnName() throws {
        let libraries = try Self.products().filter { $0.kind == "library" }.map { String($0.name) }
        #expect(libraries.count > 2)
        for source in try ProjectFiles.files(under: "Sources", extensions: ["swift"]).map(SourceFile.init(_:)) {
            for library in libraries where source.lines.contains("@_exported public import \(library)") {
                Issue.record("\(source.path) passes on all of \(library)")
            }
        }
    }
}
