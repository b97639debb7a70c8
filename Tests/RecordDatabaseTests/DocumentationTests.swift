// What the documents say holds: their Swift is compiled, their links and paths lead somewhere, their figures are the
// report's.

import Foundation
import Testing

struct DocumentationTests {
    /// A text of the project for its readers.
    private struct Document {
        let path: String
        let text: String

        init(_ path: String) throws {
            self.path = path
            text = try String(contentsOf: Fixtures.project.appendingPathComponent(path), encoding: .utf8)
        }

        /// The contents of the fenced blocks of a language.
        func blocks(_ language: String) -> [Substring] {
            text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap { part in
                part.range(of: "\n```").map { part[..<$0.lowerBound] }
            }
        }

        /// The text without fenced blocks.
        var prose: String {
            text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
                .joined(separator: "\n")
        }

        var folder: URL { Fixtures.project.appendingPathComponent(path).deletingLastPathComponent() }
    }

    private static let articleFolder = "Sources/RecordDatabase/RecordDatabase.docc"

    private static func names(in folder: String, _ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Fixtures.project.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }

    private static func articles() throws -> [Document] { try names(in: articleFolder, ".md").map(Document.init) }

    /// The pages of the other libraries.
    private static func landingPages() throws -> [Document] {
        try ["CloudKitCompat", "PredicateSyntax"].map { try Document("Sources/\($0)/\($0).docc/\($0).md") }
    }

    private static func documents() throws -> [Document] {
        let others = ["README.md", "Grammar/README.md", "Benchmarks/README.md", "Benchmarks/Report/README.md"]
        return try others.map(Document.init) + names(in: ".github", ".md").map(Document.init) + articles()
            + landingPages()
    }

    private static func exists(_ path: String, in folder: URL = Fixtures.project) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
    }

    /// The code without blanks and line ends, however it is wrapped; imports left out.
    private static func normalized(_ text: some StringProtocol) -> String {
        text.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
    }

    @Test func everySwiftBlockIsCompiled() throws {
        let files =
            try Self.names(in: "Tests/RecordDatabaseTests/Examples", ".swift")
            + [
                "Tests/CloudKitCompatTests/Examples.swift", "Tests/Examples/todo/Todo.swift",
                "Tests/Examples/todo-cloudkit/Todo.swift",
            ]
        let compiled = try files.map { Self.normalized(try Document($0).text) }.joined()
        var count = 0
        for document in try Self.documents() {
            for block in document.blocks("swift") {
                let isCompiled = compiled.contains(Self.normalized(block))
                #expect(isCompiled, "\(document.path): not in Examples:\n\(block)")
                count += 1
            }
        }
        #expect(count >= 30)
    }

    /// Relative links lead somewhere, from the document's folder.
    @Test func everyLinkLeadsSomewhere() throws {
        var count = 0
        for document in try Self.documents() {
            for match in document.prose.matches(of: #/\]\(([^)\s]+)\)/#) {
                let target = match.1.split(separator: "#").first.map(String.init) ?? ""
                if target.isEmpty || target.contains(":") { continue }
                #expect(Self.exists(target, in: document.folder), "\(document.path): \(target)")
                count += 1
            }
        }
        #expect(count >= 5)
    }

    /// Files of the project that the prose names are there: from the project's folder, or from the document's.
    @Test func everyPathIsThere() throws {
        let roots = ["Sources/", "Tests/", "Grammar/", "Benchmarks/", ".ci/", ".github/"]
        var count = 0
        for document in try Self.documents() {
            for match in document.text.matches(of: #/(?:^|[\s`(=])((?:\.?[A-Za-z0-9_+-]+\/)+[A-Za-z0-9_.+*-]*)/#) {
                let path = String(match.1)
                guard roots.contains(where: path.hasPrefix), !path.contains("*") else { continue }
                let name = path.last == "." ? String(path.dropLast()) : path
                #expect(Self.exists(name) || Self.exists(name, in: document.folder), "\(document.path): \(name)")
                count += 1
            }
        }
        #expect(count >= 20)
    }

    /// The modules whose names the library's users see.
    private static let publicModules = [
        "RecordDatabase", "RecordModel", "PredicateSemantics", "PredicateSyntax", "Geospatial", "QueryFrontEnds",
        "RecordFiles", "TextAnalysis",
    ]
    private static let declaringWords: Set<String> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "var", "let", "case",
    ]

    /// The names that follow a declaring word somewhere in the public modules.
    private static func declaredNames() throws -> Set<String> {
        var declared: Set<String> = []
        for module in publicModules {
            let folder = Fixtures.project.appendingPathComponent("Sources/\(module)")
            let files = try #require(FileManager.default.enumerator(atPath: folder.path))
            for case let name as String in files where name.hasSuffix(".swift") {
                let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
                var follows = false
                for word in bytes.split(whereSeparator: { $0 < 0x30 || (0x3A..<0x41).contains($0) || $0 == 0x60 }) {
                    let text = String(decoding: word, as: UTF8.self)
                    if follows { declared.insert(text) }
                    follows = declaringWords.contains(text)
                }
            }
        }
        return declared
    }

    /// The links of articles name articles, and symbols that the sources declare.
    @Test func everySymbolIsDeclared() throws {
        let declared = try Self.declaredNames()
        var count = 0
        for article in try Self.articles() {
            for match in article.prose.matches(of: #/<doc:([A-Za-z]+)>/#) {
                #expect(Self.exists("\(Self.articleFolder)/\(match.1).md"), "\(article.path): \(match.1)")
                count += 1
            }
            for match in article.prose.matches(of: #/``([A-Za-z\/]+)[^`]*``/#) {
                for name in match.1.split(separator: "/") where !["RecordDatabase", "init"].contains(name) {
                    #expect(declared.contains(String(name)), "\(article.path): \(name)")
                }
                count += 1
            }
        }
        #expect(count >= 50)
    }

    /// Every article is listed on the first page.
    @Test func everyArticleIsListed() throws {
        let front = try Document("\(Self.articleFolder)/RecordDatabase.md")
        for article in try Self.articles() where article.path != front.path {
            let name = article.folder.appendingPathComponent(article.path).deletingPathExtension().lastPathComponent
            #expect(front.text.contains("<doc:\(name)>"), "\(name)")
        }
    }

    /// The figures of the article on performance are lines of the report.
    @Test func figuresAreThoseOfTheReport() throws {
        let report = Set(try Document("Benchmarks/Report/README.md").text.split(separator: "\n"))
        let figures = try Document("\(Self.articleFolder)/Performance.md").text.split(separator: "\n")
            .filter { $0.hasPrefix("| Q") }
        #expect(figures.count >= 10)
        for figure in figures { #expect(report.contains(figure), "not in the report: \(figure)") }
    }

    private static func lineCount(_ block: Substring) -> Int {
        block.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }.count
    }

    /// The programs of the first week have at most 20 lines each, the recipes of the cookbook 3 to 12.
    @Test func programsAndRecipesAreShort() throws {
        let programs = try Document("\(Self.articleFolder)/FirstWeek.md").blocks("swift")
        #expect(programs.count >= 11)
        for program in programs { #expect(Self.lineCount(program) <= 20, "\(program)") }
        // The first block is what the recipes share.
        let recipes = try Document("\(Self.articleFolder)/Cookbook.md").blocks("swift").dropFirst()
        #expect(recipes.count >= 30)
        for recipe in recipes { #expect((3...12).contains(Self.lineCount(recipe)), "\(recipe)") }
    }

    /// Pictures show without style sheets, and without variables in them: colours are attributes, too.
    @Test(arguments: ["Benchmarks/Report/places.svg", "Benchmarks/Report/terminal.svg", "Grammar/railroad.svg"])
    func picturesNeedNoStyleSheet(path: String) throws {
        let picture = try Document(path).text
        #expect(!picture.contains("var("))
        let elements = picture.split(separator: "<").map { $0.prefix { $0 != ">" } }
        let root = try #require(elements.first { $0.hasPrefix("svg ") })
        for element in elements {
            let name = element.prefix { $0.isLetter }
            let inherits = name == "text" && root.contains(" fill=")
            guard ["text", "rect", "circle", "path", "line"].contains(name), !inherits else { continue }
            #expect(element.contains(" fill=") || element.contains(" stroke="), "\(path): \(element)")
        }
    }
}
