// What questions and loads may cost: limits, and attacks on time and memory.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

struct LimitTests {
    private static func set(_ count: Int) throws -> RecordSet {
        try RecordSet(
            records: (0..<count).map { number in
                Record(
                    type: "Item", id: Record.ID("r\(number)"),
                    fields: ["n": .int64(Int64(number)), "s": .string("text \(number)")])
            })
    }

    @Test func timeOfQueries() throws {
        var set = try Self.set(20_000)
        let predicate: RecordPredicate = "n * 2 > 30 AND s LIKE '*9'"
        let count = try set.count(matching: predicate)
        set.limits.time = .zero
        #expect(set.ofType("Item").limits == set.limits)
        let prepared = try set.prepare(predicate)
        let queries: [() throws -> Void] = [
            { _ = try set.count(matching: predicate) }, { _ = try set.ordinals(matching: predicate) },
            { _ = try set.records(matching: predicate, sortedBy: [.descending("s")]) },
            { _ = try prepared.count() }, { _ = try prepared.records() },
            { _ = try set.explain(predicate) },
        ]
        for (number, query) in queries.enumerated() {
            let error = #expect(throws: RecordPredicateError.self, "\(number)") { try query() }
            #expect(error?.evaluationKind == .timeLimit)
            #expect(error?.description.contains("took longer") == true)
        }
        set.limits.time = .seconds(1000)
        #expect(try set.count(matching: predicate) == count)
        #expect(try set.prepare(predicate).records().count == count)
    }

    /// Lists within lists: one record would take for ever.
    @Test(arguments: [2, 250_000]) func timeOfOneRecord(count: Int) throws {
        var set = try Self.set(count)
        set.limits.time = .milliseconds(20)
        let list = "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}"
        let slow = (0..<15).reduce("$x0 == n") { "SUBQUERY(\(list), $x\($1), \($0)).@count > 99" }
        let error = #expect(throws: RecordPredicateError.self) {
            try set.count(matching: RecordPredicate(format: slow))
        }
        #expect(error?.evaluationKind == .timeLimit)
    }

    @Test func memoryOfResults() throws {
        var set = try Self.set(2000)
        set.limits.resultBytes = 1000
        #expect(try set.count(matching: "n >= 0") == 2000)
        #expect(try set.ordinals(matching: "n < 100").count == 100)
        #expect(
            try set.records(matching: "n >= 0", sortedBy: [.descending("n")], limit: 2).map { $0["n"] } == [1999, 1998])
        for limit in [nil, 10] {
            let error = #expect(throws: RecordPredicateError.self) {
                try set.records(matching: "n >= 0", limit: limit)
            }
            #expect(error?.evaluationKind == .resultLimit)
        }
        let ordinals = #expect(throws: RecordPredicateError.self) { try set.ordinals(matching: "n >= 0") }
        #expect(ordinals?.evaluationKind == .resultLimit)
        let prepared = #expect(throws: RecordPredicateError.self) { try set.prepare("n >= 0").records() }
        #expect(prepared?.evaluationKind == .resultLimit)
        let other = #expect(throws: RecordPredicateError.self) { try set.count(matching: "s > 3") }
        #expect(other?.evaluationKind == nil)
    }

    // MARK: Attacks

    /// Seconds of a thread for what takes a hundredth of them, unless time grows with the square of something.
    private static let patience = 10.0

    /// Texts made to be slow, and predicates that are slow on them if anything is: an answer, or a typed refusal.
    @Test func slowTexts() throws {
        let marks = "a" + String(repeating: "\u{301}\u{323}\u{331}\u{307}", count: 25_000)
        let mixed = "e" + String(repeating: "\u{301}", count: 50_000) + String(repeating: "\u{323}", count: 50_000)
        let plain = String(repeating: "a", count: 100_000)
        let bidi = String(repeating: "\u{202E}\u{2067}x\u{2069}", count: 25_000)
        let flags = String(repeating: "\u{1F1E6}", count: 25_000) + String(repeating: "\u{200D}👩", count: 10_000)
        let unassigned = String(repeating: "\u{10FFFD}\u{E0100}\u{FFFE}", count: 15_000)
        let texts = [marks, mixed, plain, bidi, flags, unassigned]
        let set = try RecordSet(
            records: texts.enumerated().map { Record(type: "T", id: Record.ID("\($0)"), fields: ["s": .string($1)]) })
        let stars = String(repeating: "*a", count: 300)
        let queries = [
            "s ==[cd] 'x'", "s CONTAINS[cd] 'ax'", "s CONTAINS 'x\u{301}'", "s BEGINSWITH[d] 'ab'", "s ENDSWITH[c] 'b'",
            "s LIKE '\(stars)*b'", "s LIKE[cd] '\(stars)*b'", "s LIKE '\(String(repeating: "?*a", count: 300))b'",
            "s TOKENMATCHES[cdl] 'b'", "s TOKENMATCHES[cdp] 'b c'", "ANY tokenize(s, 'cd') BEGINSWITH 'b'",
            "s MATCHES '(a|a)*b'", "s MATCHES '(.*a){20}b'", "s MATCHES '.*.*.*.*.*.*y'", "uppercase(s) == 'b'",
            "s MATCHES[cd] '.*ax.*'", "s < 'a'", "length(s) == 3", "s ==[l] 'b'", "s CONTAINS[n] 'b\u{301}'",
        ]
        var succeeded = 0
        for query in queries {
            let predicate = try RecordPredicate(format: query)
            let time = processorSeconds {
                do throws(RecordPredicateError) {
                    #expect(try set.count(matching: predicate) == 0, "\(query)")
                    succeeded += 1
                } catch {
                    #expect(error.evaluationKind == .patternLimit, "\(query): \(error)")
                }
            }
            #expect(time < Self.patience, "\(query)")
        }
        #expect(succeeded > 15, "\(succeeded) of \(queries.count)")
        for pattern in ["(a+)+$b", "(a*)*b", "((a{1,30}){1,30}){1,30}b", "(a|aa)+$c"] {
            let predicate = try RecordPredicate(format: "s MATCHES '\(pattern)'")
            let time = processorSeconds {
                do throws(RecordPredicateError) {
                    #expect(try set.count(matching: predicate) == 0)
                } catch {
                    #expect(error.evaluationKind == .patternLimit, "\(pattern)")
                }
            }
            #expect(time < Self.patience, "\(pattern)")
        }
    }

    private static func joined(_ count: Int, by separator: String, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: separator)
    }

    /// Predicates of many megabytes.
    @Test func longPredicates() throws {
        let set = try Self.set(2000)
        let long = String(repeating: "x", count: 4_000_000)
        let numbers = Self.joined(200_000, by: ",") { "\($0 * 7)" }
        let texts = Self.joined(50_000, by: ",") { "'text \($0 * 7)'" }
        let words = String(repeating: "x y ", count: 200_000)
        let cases: [(text: String, count: Int)] = [
            ("n IN {\(numbers)}", 286), ("s IN {\(texts)}", 286), ("NOT (n IN {\(numbers)})", 1714),
            ("s IN[l] {\(texts)}", 286), ("{n} IN {\(Self.joined(20_000, by: ",") { "{\($0 * 7)}" })}", 286),
            ("s == '\(long)'", 0), ("s CONTAINS[cd] '\(long)'", 0), ("s LIKE '*\(long)*'", 0),
            ("s TOKENMATCHES[cd] '\(words)'", 0),
            (Self.joined(5_000, by: " OR ") { "n == \($0 * 7)" }, 286),
            (Self.joined(5_000, by: " AND ") { "n != \($0 * 7)" }, 1714),
            (Self.joined(1_500, by: " OR ") { "s CONTAINS 'y\($0)'" }, 0),
        ]
        for (text, count) in cases {
            let time = try processorSeconds {
                let found = try set.count(matching: RecordPredicate(format: text))
                #expect(found == count, "\(text.prefix(40))")
            }
            #expect(time < Self.patience, "\(text.prefix(40))")
        }
        let nines = String(repeating: "9", count: 1_000_000)
        for text in ["n == \(nines)", "n == 1e\(nines)"] {
            let time = processorSeconds {
                #expect(throws: RecordPredicateError.self) { try RecordPredicate(format: text) }
            }
            #expect(time < Self.patience, "\(text.prefix(10))")
        }
    }

    /// Names that no record has are looked up, not held against each other.
    @Test func unknownFields() throws {
        var set = try Self.set(10)
        set.allowsUnknownFields = true
        let names = 4000
        let text = Self.joined(names, by: " OR ") { "f\($0) == g\($0)" }
        var selection = try set.select("TRUEPREDICATE", limit: 1)
        let time = try processorSeconds { selection = try set.select(RecordPredicate(format: text), limit: 1) }
        #expect(time < Self.patience)
        #expect(selection.unknownFields.count == 2 * names)
        #expect(selection.unknownFields.map(\.name).prefix(3) == ["f0", "g0", "f1"])
        #expect(selection.unknownFields.filter(\.isPerhapsText).count == names)
        var named = try RecordSet(records: [Record(type: "T", id: Record.ID("r"), fields: ["name": "x"])])
        named.allowsUnknownFields = true
        let slips = try named.select(RecordPredicate(format: Self.joined(20, by: " OR ") { "name\($0) == 1" }))
        let suggestions = slips.unknownFields.map { $0.suggestion ?? "none" }
        #expect(suggestions == Array(repeating: "name", count: 16) + Array(repeating: "none", count: 4))
    }

    /// Records that are named by a text, which is a field too.
    private static func named(_ names: [String]) throws -> RecordSet {
        let lines = names.enumerated().map { "{\"id\":\"\($1)\",\"s\":\"\($1)\",\"n\":\($0)}\n" }
        return try RecordSet(bytes: Array(lines.joined().utf8), name: "names.ndjson")
    }

    /// Names and values that a hash table without a key would put into one place.
    @Test func collidingKeys() throws {
        // Every block of eight bytes swaps with its neighbour: sums and exclusive ors of blocks are all the same.
        let names = (0..<20_000).map { number in
            (0..<15).map { (number >> $0) & 1 == 0 ? "AaAaAaAaBBBBBBBB" : "BBBBBBBBAaAaAaAa" }.joined()
        }
        let others = names.indices.map { String(repeating: "\(100_000 + $0)", count: 40) }
        func seconds(_ names: [String]) throws -> Double {
            try processorSeconds {
                let set = try Self.named(names)
                let found = try set.count(matching: "s == \(names[777])")
                #expect(set.count == names.count && found == 1)
                #expect(set.record(named: names[4242])?["n"] == 4242)
            }
        }
        let (usual, time) = (try seconds(others), try seconds(names))
        #expect(time < 10 * usual, "\(time) s, other names \(usual) s")
    }
}
