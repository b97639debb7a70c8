// Values for completion where there are more of them than are kept, and how typed letters find the others.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct RareCompletionTests {
    private static func digits(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }

    /// So many records of different texts, and two more of one that is last in the order of texts.
    private static func completer(_ count: Int) throws -> PredicateCompleter {
        let names = (0..<count).map { "n" + digits($0) } + ["zz", "zz"]
        return PredicateCompleter(
            for: try RecordSet(
                records: names.enumerated().map { record("r\($0.offset)", ["name": .string($0.element)]) }))
    }

    private static func values(_ text: String, _ completer: PredicateCompleter) -> [PredicateCompletion] {
        completer.completions(of: text, at: text.utf8.count).candidates.filter { $0.kind == .value }
    }

    /// A thousand values are kept, the most frequent ones, then the first ones; others are sought by what is typed.
    @Test(arguments: [998, 999, 1_000, 1_001]) func aThousandValuesAreKept(_ count: Int) throws {
        let completer = try Self.completer(count)
        let all = Self.values("name == ", completer)
        #expect(all.count == min(count + 1, 1_000))
        #expect(all.prefix(3).map(\.text) == ["'zz'", "'n0000'", "'n0001'"])
        #expect(all.prefix(2).map(\.detail) == ["2 records", "1 record"])
        // The last of them is found once, whether it is kept or not; what is not kept has no number of records.
        let last = "n" + Self.digits(count - 1)
        let found = Self.values("name == '" + last, completer)
        #expect(found.map(\.text) == ["'\(last)'"])
        #expect(found.map(\.detail) == [count <= 999 ? "1 record" : ""])
    }

    /// Texts are found without regard to the case of ASCII letters, each once; signs beside the letters are no letters.
    @Test func textsByTheirBeginning() throws {
        let others = (0..<40).map { "other \($0)" }
        let texts = ["Lake", "lake", "Lake", "LAKE side", "la", "Zoo", "[a", "@b", "\u{C4}rger"] + others
        var records = texts.enumerated().map { record("r\($0.offset)", ["s": .string($0.element)]) }
        records.append(record("last", ["n": 1]))
        let set = try RecordSet(records: records)
        let segment = try #require(set.snapshot.segments.first?.segment)
        let position = try #require(segment.schema.position(of: "s"))
        let column = segment.columns[position]
        let cases: [(typed: String, limit: Int, found: [String])] = [
            ("laK", 20, ["Lake", "lake", "LAKE side"]), ("laK", 3, ["Lake", "lake", "LAKE side"]),
            ("lak", 2, ["Lake", "lake"]), ("lake", 1, ["Lake"]), ("lake s", 20, ["LAKE side"]), ("z", 20, ["Zoo"]),
            ("{a", 20, []), ("`b", 20, []), ("[A", 20, ["[a"]), ("@B", 20, ["@b"]), ("\u{E4}rger", 20, []),
            ("\u{C4}RGER", 20, ["\u{C4}rger"]), ("none", 20, []),
        ]
        for (typed, limit, found) in cases {
            #expect(column.texts(beginningWith: typed, limit: limit) == found, "\(typed), \(limit)")
        }
    }
}
