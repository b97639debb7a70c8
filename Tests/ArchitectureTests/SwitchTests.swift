// What a new case of an enumeration touches: the switches that name all cases, counted, and what the article says.
import Testing
import _TestSupport

/// A switch of a source: which names its patterns have, and whether a default takes the rest.
private struct SwitchStatement {
    var names: Set<Substring> = []
    var hasDefault = false

    /// The switches of a text, those within others too.
    static func all(in text: String) -> [SwitchStatement] {
        // Texts between quotes may hold braces.
        let code = text.replacing(/\\"|"(\\.|[^"\\\n])*"|\/\/[^\n]*/, with: "")
        return code.matches(of: /\bswitch\b[^{\n]*\{/).map { SwitchStatement(body: code[$0.range.upperBound...]) }
    }

    private init(body: Substring) {
        var depth = 1
        for line in body.split(separator: "\n") {
            let words = line.drop { $0 == " " }
            if depth == 1, words.hasPrefix("default:") { hasDefault = true }
            if depth == 1, words.hasPrefix("case ") || isPattern {
                isPattern = !line.contains(":")
                // `case .a, .b:` and what stands behind the colon, which is no pattern.
                let pattern = words.firstIndex(of: ":").map { words[..<$0] } ?? words
                names.formUnion(pattern.matches(of: /\.`?([a-z]\w*)/).map(\.1))
            }
            for character in line {
                depth += character == "{" ? 1 : character == "}" ? -1 : 0
                if depth == 0 { return }
            }
        }
    }

    /// Whether the last pattern goes on in the next line.
    private var isPattern = false
}

@Suite struct SwitchTests {
    /// The cases that a file declares on the level of its enumeration.
    private static func cases(_ path: String, margin: String) throws -> Set<Substring> {
        Set(
            try ProjectFiles.text(path).matches(of: /(?m)^( *)(?:indirect )?case `?([a-z]\w*)/)
                .filter { $0.1 == margin }.map(\.2))
    }

    /// How many switches of each module name all of the cases, as the article writes it.
    private static func row(_ name: String, _ cases: Set<Substring>) throws -> (count: Int, text: String) {
        var counts: [String: Int] = [:]
        for path in try ProjectFiles.files(under: "Sources", extensions: ["swift"]) {
            let text = try ProjectFiles.text(path)
            // Most files name few of the cases: reading them as code takes long.
            guard cases.allSatisfy({ text.contains($0) }) else { continue }
            let count = SwitchStatement.all(in: text).count { !$0.hasDefault && $0.names.isSuperset(of: cases) }
            if count > 0 { counts[SourceFile(path: path, text: "").module, default: 0] += count }
        }
        let count = counts.values.reduce(0, +)
        let modules = counts.sorted { $0.key < $1.key }.map { "`\($0.key)` \($0.value)" }.joined(separator: ", ")
        return (count, "| `\(name)` | \(count) | \(modules) |")
    }

    /// The rows of the article are what is counted here.
    @Test func theArticleCountsTheSwitches() throws {
        let article = try ProjectFiles.text("Sources/RecordDatabase/RecordDatabase.docc/ForContributors.md")
        let operators = try Self.cases("Sources/PredicateSyntax/ComparisonOperator.swift", margin: "    ")
        let values = try Self.cases("Sources/RecordModel/FieldValue.swift", margin: "    ")
        // The table of operators has a heading and a row for each of them.
        let table = try ProjectFiles.text("Grammar/operators.tsv").split(separator: "\n")
        #expect(operators.count == table.count - 1, "the cases were found: \(operators)")
        #expect(values.count == 13, "the cases were found: \(values)")
        for (name, cases) in [("ComparisonOperator", operators), ("FieldValue", values)] {
            let row = try Self.row(name, cases)
            #expect(row.count > 0)
            #expect(article.split(separator: "\n").contains { $0 == row.text }, "the row should be\n\(row.text)")
        }
    }

    @Test func switchesAreTold() {
        let text = """
            switch a { // one
            case .b(let c), .`in`: c.d
            case .e
                , .f: switch g {
                case .h: "{ case .x"
                default: i
                }
            }
            """
        let found = SwitchStatement.all(in: text)
        #expect(found.map(\.names) == [["b", "in", "e", "f"], ["h"]] && found.map(\.hasDefault) == [false, true])
    }
}
