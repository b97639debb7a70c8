// The table of rules in the article on CloudKit's model is that of the tests.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct RuleTableTests {
    static let suites: [(name: String, rules: [Rule])] = [
        ("AssetRules", AssetRules.rules), ("ChangeRules", ChangeRules.rules), ("ContainerRules", ContainerRules.rules),
        ("ErrorRules", ErrorRules.rules), ("QueryRules", QueryRules.rules), ("RecordRules", RecordRules.rules),
        ("ReferenceRules", ReferenceRules.rules), ("SaveRules", SaveRules.rules), ("SchemaRules", SchemaRules.rules),
        ("SubscriptionRules", SubscriptionRules.rules),
        ("ZoneRules", ZoneRules.rules),
    ]

    @Test func theArticleListsEveryRuleWithItsTest() throws {
        var shown: [Int: (texts: [String], suites: Set<String>)] = [:]
        for (suite, rules) in Self.suites {
            for rule in rules {
                for number in rule.numbers {
                    shown[number, default: ([], [])].texts.append(rule.text)
                    shown[number]?.suites.insert("`\(suite)`")
                }
            }
        }
        let article = try String(
            contentsOf: Fixtures.project.appending(path: "Sources/RecordDatabase/RecordDatabase.docc/CloudKitModel.md"),
            encoding: .utf8)
        var listed: Set<Int> = []
        for line in article.split(separator: "\n") where line.hasPrefix("| R") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let number = try #require(cells.first.flatMap { Int($0.dropFirst()) })
            #expect(listed.insert(number).inserted, "R\(number) is listed twice")
            let rule = try #require(shown[number], "R\(number) has no test")
            #expect(Set(cells[1].components(separatedBy: "; ")) == Set(rule.texts), "R\(number)")
            #expect(Set(cells[2].components(separatedBy: ", ")) == rule.suites, "R\(number)")
        }
        #expect(listed == Set(shown.keys))
        #expect(listed.count > 250)
    }
}
