// The Swift in README and DocC articles is the Swift that the folder `Examples` compiles and runs.

import Foundation
import Testing

struct DocumentationTests {
    /// The code without blanks and line ends, however it is wrapped; imports left out.
    private static func normalized(_ text: some StringProtocol) -> String {
        text.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
    }

    /// The contents of the fenced blocks of a language.
    private static func blocks(_ language: String, in markdown: String) -> [Substring] {
        markdown.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap { part in
            part.range(of: "\n```").map { part[..<$0.lowerBound] }
        }
    }

    private static func documents() throws -> [URL] {
        let articles = Fixtures.project.appendingPathComponent("Sources/RecordDatabase/RecordDatabase.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: articles.path).sorted()
        return [Fixtures.project.appendingPathComponent("README.md")]
            + names.filter { $0.hasSuffix(".md") }.map { articles.appendingPathComponent($0) }
    }

    @Test func everySwiftBlockIsCompiled() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Examples")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let files =
            names.map { folder.appendingPathComponent($0) }
            + [Fixtures.project.appendingPathComponent("Tests/CloudKitCompatTests/Examples.swift")]
        let compiled = try files.map { Self.normalized(try String(contentsOf: $0, encoding: .utf8)) }.joined()
        var count = 0
        for document in try Self.documents() {
            let text = try String(contentsOf: document, encoding: .utf8)
            for block in Self.blocks("swift", in: text) {
                let isCompiled = compiled.contains(Self.normalized(block))
                #expect(isCompiled, "\(document.lastPathComponent): not in Examples:\n\(block)")
                count += 1
            }
        }
        #expect(count >= 8)
    }

    /// Relative links lead somewhere.
    @Test func everyLinkOfTheREADMELeadsSomewhere() throws {
        let text = try String(contentsOf: Fixtures.project.appendingPathComponent("README.md"), encoding: .utf8)
        let targets = text.components(separatedBy: "](").dropFirst().compactMap { $0.split(separator: ")").first }
        for target in targets where !target.hasPrefix("http") && !target.hasPrefix("#") {
            let path = Fixtures.project.appendingPathComponent(String(target)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(target)")
        }
    }
}
