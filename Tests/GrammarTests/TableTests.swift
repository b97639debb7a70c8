// The tables of the Grammar folder against the grammar and the parser's enums.
import PredicateSyntax
import Testing
import _TestSupport

/// A table with a head line, columns parted by tabs.
private struct Table {
    let columns: [String]
    let rows: [[String: String]]

    init(_ path: String) throws {
        let lines = try ProjectFiles.text(path).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let columns = lines.first ?? []
        self.columns = columns
        rows = try lines.dropFirst().map { cells in
            try #require(cells.count == columns.count, "\(path): \(cells)")
            return Dictionary(uniqueKeysWithValues: zip(columns, cells))
        }
    }
}

/// The words of a file of words, by the paragraphs they stand in.
private func wordLists(_ path: String) throws -> [Set<String>] {
    try ProjectFiles.text(path).split(separator: "\n\n").map { paragraph in
        Set(paragraph.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
    }
}

@Suite struct TableTests {
    @Test func operatorsEqualTheParsers() throws {
        let rows = try Table("Grammar/operators.tsv").rows
        #expect(rows.map { $0["operator"] } == rows.compactMap { $0["operator"] })
        #expect(Set(rows.compactMap { $0["operator"] }) == Set(ComparisonOperator.allCases.map(\.rawValue)))
        for row in rows {
            let name = try #require(row["operator"])
            let synonyms = Set((row["synonyms"] ?? "").split(separator: " ").map(String.init))
            let spellings = LanguageWords.comparisonSpellings.filter { $0.comparisonOperator.rawValue == name }
            #expect(Set(spellings.map(\.spelling)) == synonyms.union([name]))
            let letters = (row["options"] ?? "").replacing(" ", with: "")
            #expect((try? SyntaxTree(parsing: "a \(name)[\(letters)] b")) != nil || letters.isEmpty, "\(name)")
            #expect((try? SyntaxTree(parsing: "a \(name)[c] b")) == nil || !letters.isEmpty, "\(name)")
            for spelling in synonyms {
                #expect(try SyntaxTree(parsing: "a \(spelling) b") == SyntaxTree(parsing: "a \(name) b"))
            }
        }
    }

    /// The cloudKit column says what the validator of the dialect does.
    @Test func cloudKitColumnsHold() throws {
        for row in try Table("Grammar/operators.tsv").rows {
            let name = try #require(row["operator"])
            let tree = try SyntaxTree(parsing: "a \(name) \(["BETWEEN", "IN"].contains(name) ? "{1, 2}" : "'x'")")
            #expect(((try? tree.validate(for: .cloudKit)) != nil) == (row["cloudKit"] == "yes"), "\(name)")
        }
        for row in try Table("Grammar/functions.tsv").rows {
            let selector = try #require(row["selector"])
            let arity = row["arity"] == "1+" ? 1 : Int(row["arity"] ?? "") ?? 0
            let values = (["a"] + Array(repeating: "%@", count: 4)).prefix(arity).joined(separator: ", ")
            let text: String =
                switch selector {
                case "now": "a < now()"
                case "tokenize:using:": "ALL tokenize(%@, 'cdl') IN allTokens"
                default: "\(selector)(\(values)) < 5"
                }
            let tree = try SyntaxTree(parsing: text)
            #expect(((try? tree.validate(for: .cloudKit)) != nil) == (row["cloudKit"] == "yes"), "\(selector)")
        }
    }

    @Test func functionsEqualTheParsers() throws {
        let rows = try Table("Grammar/functions.tsv").rows
        #expect(Set(rows.compactMap { $0["selector"] }) == Set(FunctionName.allCases.map(\.rawValue)))
        #expect(rows.count == FunctionName.allCases.count)
        for row in rows {
            let selector = try #require(row["selector"])
            let function = try #require(FunctionName(rawValue: selector))
            let arity = try #require(row["arity"])
            #expect(function.argumentCounts == (arity == "1+" ? 1...Int.max : (Int(arity) ?? -1)...(Int(arity) ?? -1)))
            let values = Array(repeating: "a", count: function.argumentCounts.lowerBound).joined(separator: ", ")
            for spelling in [selector, row["short"] ?? ""] where !spelling.isEmpty {
                let tree = try SyntaxTree(parsing: "\(spelling)(\(values)) == 1")
                guard case .comparison(let comparison) = tree.root.kind,
                    case .function(function, _) = comparison.lhs.kind
                else {
                    Issue.record("\(spelling) calls another function")
                    continue
                }
            }
        }
    }

    @Test func functionsEqualTheGrammars() throws {
        let recogniser = try Recogniser(try GrammarFile.read())
        for row in try Table("Grammar/functions.tsv").rows {
            let arity = row["arity"] == "1+" ? 1 : Int(row["arity"] ?? "") ?? 0
            for count in 0...6 {
                let isRight = row["arity"] == "1+" ? count >= 1 : count == arity
                let values = Array(repeating: "a", count: count).joined(separator: ", ")
                for spelling in [row["selector"] ?? "", row["short"] ?? ""] where !spelling.isEmpty {
                    let verdict = recogniser.verdict(on: "\(spelling)(\(values)) == 1")
                    #expect((verdict == .derives) == isRight, "\(spelling) with \(count)")
                }
            }
        }
    }

    @Test func wordsEqualTheParsersAndTheGrammars() throws {
        let lists = try wordLists("Grammar/reserved-words.txt")
        try #require(lists.count == 2)
        #expect(lists[0] == Set(LanguageWords.reserved))
        #expect(lists[1] == Set(LanguageWords.contextual))
        let grammar = try GrammarFile.read()
        guard case .choice(let alternatives) = grammar.productions["ReservedWord"] else {
            Issue.record("ReservedWord is no choice of words")
            return
        }
        let words = alternatives.compactMap { if case .terminal(let word, true) = $0 { word } else { nil } }
        #expect(Set(words) == lists[0].filter { !$0.contains("-") })
    }

    /// Seeds are small; a file of regressions that parses must print and parse again.
    @Test func seedsAndRegressionsAreReadable() throws {
        var count = 0
        for path in try ProjectFiles.files(under: "Grammar/Fuzz", extensions: ["txt"]) {
            let text = try ProjectFiles.text(path)
            #expect(text.utf8.count < 100_000, "\(path)")
            count += 1
            guard let tree = try? SyntaxTree(parsing: text) else { continue }
            #expect(try SyntaxTree(parsing: tree.description) == tree, "\(path)")
        }
        #expect(count >= 40)
    }
}
