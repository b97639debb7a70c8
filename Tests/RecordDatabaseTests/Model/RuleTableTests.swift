// The table of rules in the contributors' article is that of the tests.

import Foundation
import Testing

@Suite struct RuleTableTests {
    /// The suites of the database, which are run over stored containers, too.
    static let suites: [(name: String, rules: [Rule])] = [
        ("AssetRules", AssetRules.rules), ("ChangeRules", ChangeRules.rules), ("ContainerRules", ContainerRules.rules),
        ("EncryptionRules", EncryptionRules.rules), ("ErrorRules", ErrorRules.rules), ("QueryRules", QueryRules.rules),
        ("RecordRules", RecordRules.rules),
        ("ReferenceRules", ReferenceRules.rules), ("SaveRules", SaveRules.rules), ("SchemaRules", SchemaRules.rules),
        ("ShareRules", ShareRules.rules), ("SharedDatabaseRules", SharedDatabaseRules.rules),
        ("SharedMomentRules", SharedMomentRules.rules),
        ("SubscriptionRules", SubscriptionRules.rules),
        ("ZoneRules", ZoneRules.rules),
    ]

    /// A rule of the model, as tests show it.
    private struct Shown {
        var texts: Set<String> = []
        var suites: Set<String> = []
    }

    private static let folders = ["Tests/RecordDatabaseTests/Model", "Tests/CloudKitCompatTests"]

    /// What the scenes of the files show, by number of the rule: each begins with `Rule`, its numbers and its text.
    private static func rules() throws -> [Int: Shown] {
        var rules: [Int: Shown] = [:]
        for folder in folders.map({ Fixtures.project.appendingPathComponent($0) }) {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".swift") {
                let file = folder.appendingPathComponent(name)
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: #/\bRule\(([0-9,\s]+)text: "([^"]*)"/#) {
                    for number in match.1.split(whereSeparator: { !$0.isNumber }).compactMap({ Int($0) }) {
                        rules[number, default: Shown()].texts.insert(String(match.2))
                        rules[number]?.suites.insert("`\(file.deletingPathExtension().lastPathComponent)`")
                    }
                }
            }
        }
        return rules
    }

    @Test func theArticleListsEveryRuleWithItsTest() throws {
        let shown = try Self.rules()
        let article = try String(
            contentsOf: Fixtures.project.appending(path: "Sources/RecordDatabase/RecordDatabase.docc/ModelRules.md"),
            encoding: .utf8)
        var listed: [Int] = []
        for line in article.split(separator: "\n") where line.hasPrefix("| R") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let number = try #require(cells.first.flatMap { Int($0.dropFirst()) })
            listed.append(number)
            let rule = try #require(shown[number], "R\(number) has no test")
            #expect(Set(cells[1].components(separatedBy: "; ")) == rule.texts, "R\(number)")
            #expect(Set(cells[2].components(separatedBy: ", ")) == rule.suites, "R\(number)")
        }
        #expect(listed == Array(1...367) + Array(400...418))
        #expect(Set(shown.keys) == Set(listed))
    }
}
