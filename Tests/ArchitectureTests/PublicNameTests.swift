// Names of public types: none that an application may import from a module of the toolchain beside this package.
import Testing
import _TestSupport

@Suite struct PublicNameTests {
    /// Public types that share their name with another module's all the same, and why.
    private static let exceptions: [String: String] = [:]

    /// The modules that an application sees: those of the library products, and what these export again.
    private static func publicModules() throws -> Set<String> {
        let manifest = try ProjectFiles.text("Package.swift")
        var modules: Set<String> = []
        var open = manifest.matches(of: /\.library\(name: "\w+", targets: \["(\w+)"\]\)/).map { String($0.1) }
        while let module = open.popLast() {
            guard ProjectFiles.isFolder("Sources/\(module)"), modules.insert(module).inserted else { continue }
            for source in try sources(of: module) {
                open += source.lines.compactMap {
                    $0.wholeMatch(of: /@_exported public import (\w+)/).map { String($0.1) }
                }
            }
        }
        return modules
    }

    private static func sources(of module: String) throws -> [SourceFile] {
        try ProjectFiles.files(under: "Sources/\(module)", extensions: ["swift"]).map(SourceFile.init(_:))
    }

    /// Types that a file declares for all, on the top level.
    private static func publicTypes(in source: SourceFile) -> [String] {
        let declaration =
            /(?:@\w+ )*(?:public|open) (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
        return source.lines.compactMap { $0.prefixMatch(of: declaration).map { String($0.1) } }
    }

    @Test func publicTypesHaveNamesOfTheirOwn() throws {
        let lines = try ProjectFiles.text("Tests/ArchitectureTests/Fixtures/foreign-names.txt").split(separator: "\n")
        let foreign = Dictionary(
            uniqueKeysWithValues: lines.filter { !$0.hasPrefix("#") }.map { line in
                let words = line.split(separator: " ")
                return (String(words[0]), words.dropFirst().joined(separator: ", "))
            })
        #expect(foreign["Notification"] == "Foundation" && foreign["Reference"] == "RegexBuilder")
        var (count, unused) = (0, Set(Self.exceptions.keys))
        for module in try Self.publicModules().sorted() {
            for source in try Self.sources(of: module) {
                for name in Self.publicTypes(in: source) {
                    count += 1
                    guard let other = foreign[name], unused.remove(name) == nil else { continue }
                    Issue.record("\(source.path): \(name) is a name of \(other) too")
                }
            }
        }
        #expect(count > 150, "the types were found")
        #expect(unused.isEmpty, "no exception is needed for \(unused.sorted())")
    }
}
