// Which plan is chosen: predicates and their plans over described records, so that a choice that changes is seen.

import Foundation
import PredicateSemantics
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

/// The plans of a file: sections of indexes, in each predicates with their plans.
private struct PlanFile {
    struct Case: CustomTestStringConvertible {
        let indexes: String
        let predicate: String
        let plan: String
        var testDescription: String { "\(indexes): \(predicate)" }
    }

    static let path = "Tests/QueryPlanningTests/Fixtures/plans.txt"
    static let cases = Result { try read(try ProjectFiles.text(path)) }

    /// `[indexes]` begins a section, `? predicate` a case; the lines that follow it are its plan.
    private static func read(_ text: String) throws -> [Case] {
        var cases: [Case] = []
        var indexes = ""
        for block in text.split(separator: "\n\n") {
            var lines = block.split(separator: "\n")
            while let line = lines.first, line.hasPrefix("#") || line.hasPrefix("[") {
                if line.hasPrefix("[") { indexes = String(line.dropFirst().dropLast()) }
                lines.removeFirst()
            }
            guard let first = lines.first else { continue }
            try #require(first.hasPrefix("? "), "\(path): \(first)")
            cases.append(
                Case(
                    indexes: indexes, predicate: String(first.dropFirst(2)),
                    plan: lines.dropFirst().joined(separator: "\n")))
        }
        return cases
    }

    /// The comment at the file's head.
    static func head(of text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }.joined(
            separator: "\n")
    }
}

/// The records that the plans are about; the head of the file describes them.
private enum Described {
    static let count = 4_000
    private static let categories = ["bar", "cafe", "pub", "hotel", "museum"]
    private static let words = ["old", "bridge", "garden", "river", "market", "tower", "station", "hill"]

    static let records = (0..<count).map(place) + (0..<40).map(owner)
    static let set = Result { try RecordSet(records: records) }

    private static func place(_ number: Int) -> Record {
        var record = Record(type: "Place", id: Record.ID("p\(number)"))
        record["number"] = .int64(Int64(number))
        record["name"] = .string("Place \(number)")
        record["category"] = .string(categories[number % 100 < 60 ? 0 : number % 5])
        record["population"] = .int64(Int64(number * 7_919 % 100_003))
        if number % 7 != 0 { record["rating"] = .double(Double(number % 50) / 10) }
        record["open"] = .bool(number % 3 == 0)
        record["tags"] = .list((0..<number % 4).map { .string(words[(number + $0) % 8]) })
        record["text"] = .string("the \(words[number % 8]) by the \(words[number / 8 % 8])")
        record["created"] = .date(Date(timeIntervalSinceReferenceDate: Double(number) * 3_600))
        record["location"] = .location(
            Location(latitude: Double(number % 60) - 30, longitude: Double(number / 60)))
        record["owner"] = .reference(RecordReference(recordID: Record.ID("o\(number % 40)")))
        return record
    }

    private static func owner(_ number: Int) -> Record {
        var record = Record(type: "Owner", id: Record.ID("o\(number)"))
        record["name"] = .string("Owner \(number)")
        record["age"] = .int64(Int64(20 + number))
        return record
    }

    /// A predicate; its placeholder is a place among the others.
    static func predicate(_ text: String) throws -> RecordPredicate {
        let arguments: [FieldValue] = text.contains("%@") ? [.location(Location(latitude: 0, longitude: 10))] : []
        return try RecordPredicate(format: text, arguments: arguments)
    }

    /// `automatic`, `none`, `automatic + substring name text`, or `queryable category, sortable population`.
    static func declaration(_ words: String) throws -> IndexDeclaration {
        var declaration = words.hasPrefix("automatic") ? IndexDeclaration.automatic : IndexDeclaration()
        let marks: [Substring: IndexMarks] = [
            "queryable": .queryable, "sortable": .sortable, "searchable": .searchable, "substring": .substring,
        ]
        if words == "none" { return declaration }
        for part in words.split(separator: ",") where part != "automatic" {
            let words = part.split(separator: " ")
            let mark = try #require(words.first.flatMap { marks[$0] }, "\(part)")
            for field in words.dropFirst() { declaration[String(field)].formUnion(mark) }
        }
        return declaration
    }
}

@Suite struct PlanTests {
    private static func plan(_ predicate: RecordPredicate, _ indexes: String) throws -> (text: String, count: Int) {
        var set = try Described.set.get()
        set.declaredIndexes = try Described.declaration(indexes)
        let explanation = try set.explain(predicate)
        var lines: [String] = []
        if let simplified = explanation.simplified { lines.append("as \(simplified)") }
        for plan in explanation.plans { append(plan.step, "", to: &lines) }
        for scan in explanation.scans { lines.append("reads all for \(scan.part): \(scan.reason)") }
        for advice in explanation.advice { lines.append("advice \(advice)") }
        return (lines.joined(separator: "\n"), explanation.plans.reduce(0) { $0 + $1.step.rows })
    }

    private static func append(_ step: QueryExplanation.Step, _ margin: String, to lines: inout [String]) {
        let expected = step.isExact ? "" : "about \(step.estimatedRows), "
        let detail = step.detail.isEmpty ? "" : " · \(step.detail)"
        lines.append("\(margin)\(step.name)\(detail) (\(expected)\(step.rows))")
        for input in step.inputs { append(input, margin + "  ", to: &lines) }
    }

    /// All plans are as the file has them; and they give the records that the evaluator does.
    @Test func plans() throws {
        let cases = try PlanFile.cases.get()
        var (found, differing) = ("", 0)
        var section = ""
        for item in cases {
            if item.indexes != section { found += "\n\n[\(item.indexes)]" }
            let predicate = try Described.predicate(item.predicate)
            let (plan, count) = try Self.plan(predicate, item.indexes)
            found += item.indexes == section ? "\n\n" : "\n"
            found += "? \(item.predicate)\n\(plan)"
            section = item.indexes
            if plan != item.plan {
                differing += 1
                if differing <= 10 { Issue.record("\(item.testDescription)\n\(plan)\nnot\n\(item.plan)") }
            }
            // One record alone leads to no others.
            if item.predicate.contains("owner.") { continue }
            #expect(
                try count == Described.records.count { try predicate.evaluate(on: $0) }, "\(item.testDescription)")
        }
        #expect(cases.count >= 200)
        guard differing > 0 else { return }
        let now = FileManager.default.temporaryDirectory.appending(path: "plans.txt")
        try (PlanFile.head(of: try ProjectFiles.text(PlanFile.path)) + found + "\n").write(
            to: now, atomically: true, encoding: .utf8)
        Issue.record("\(differing) plans are others than in \(PlanFile.path); all as they are now: \(now.path)")
    }
}
