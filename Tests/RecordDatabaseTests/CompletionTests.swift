// What could be typed next, as data: a text with `|` at the cursor, and what completion offers.

import RecordModel
import Testing

@testable import RecordDatabase

struct CompletionTests {
    private static let set = Result {
        try RecordSet(records: (0..<60).map { record($0) })
    }

    private static func record(_ number: Int) -> Record {
        let kinds = ["hill", "hill", "hill", "lake", "lake", "Moor's edge"]
        var fields: [String: FieldValue] = [:]
        fields["name"] = .string("Name \(number)")
        fields["kind"] = .string(kinds[number % 6])
        fields["height"] = .int64(Int64(number))
        fields["isOpen"] = .bool(number % 4 == 0)
        fields["tags"] = .list([.string("wet"), .string("t\(number % 7)")])
        fields["location"] = .location(Location(latitude: 1, longitude: 2))
        fields["full name"] = .string("x")
        fields["near"] = .reference(RecordReference(recordID: Record.ID("r1")))
        fields["detail"] = .object(["depth": .int64(3), "colour": .string("blue")])
        fields["nest"] = .object([
            "one": .object(["two": .object(["three": .string("x")])]),
            "items": .list([.object(["label": .string("L\(number % 2)")])]),
        ])
        return Record(type: number % 3 == 0 ? "Peak" : "Place", id: Record.ID("r\(number)"), fields: fields)
    }

    /// The first candidates are those named, in that order; `nil` where there must be none.
    private static let cases: [(text: String, first: [String]?)] = [
        // Fields, and what a predicate begins with.
        ("he|", ["height"]), ("nam|", ["name"]), ("ful|", ["#'full name'"]), ("uln|", ["#'full name'"]),
        ("height > 3 AND ki|", ["kind"]),
        ("NOT isO|", ["isOpen"]),
        ("(tag|", ["tags"]), ("AN|", ["ANY"]), ("al|", ["ALL", "allTokens"]), ("subq|", ["SUBQUERY("]),
        ("dtlo|", ["distanceToLocation:fromLocation:("]), ("distanceToLocation:fromLocation:(loc|", ["location"]),
        ("height + hei|", ["height"]), ("upp|", ["uppercase("]), ("no|", ["NOT", "NONE", "now()"]),
        // Operators fit the field.
        ("kind |", ["==", "!=", "CONTAINS", "CONTAINS[cd]"]), ("height |", ["==", "!=", "<", "<="]),
        ("isOpen |", ["==", "!="]),
        ("kind beg|", ["BEGINSWITH", "BEGINSWITH[cd]"]), ("kind bw|", ["BETWEEN {", "BEGINSWITH"]),
        ("height bet|", ["BETWEEN {"]), ("tags |", ["CONTAINS"]), ("ANY tags con|", ["CONTAINS"]),
        ("near |", ["==", "!=", "IN {"]),
        // Values, the most frequent first, with the quotation marks that are missing.
        ("kind == |", ["'hill'", "'lake'", "'Moor\\'s edge'", "nil"]), ("kind == l|", ["'lake'", "ln("]),
        ("kind == 'la|", ["'lake'"]), ("kind == \"mo|", ["\"Moor's edge\""]),
        ("kind IN {'hill', |", ["'hill'", "'lake'"]),
        ("kind IN {'hill', 'l|", ["'lake'"]), ("kind ==[cd] 'h|", ["'hill'"]),
        ("kind CONTAINS[cd] mo|", ["'Moor\\'s edge'"]),
        ("isOpen == |", ["FALSE", "TRUE", "nil"]), ("ANY tags == we|", ["'wet'"]), ("tags CONTAINS 't3|", ["'t3'"]),
        ("type == |", ["'Peak'", "'Place'"]), ("name == 'Name 59|", ["'Name 59'"]), ("kind == $|", ["$here"]),
        ("$h|", ["$here"]),
        // Behind a comparison.
        ("height > 3 |", ["AND", "OR"]), ("kind == 'hill' an|", ["AND"]), ("tags CONTAINS 'wet' |", ["AND", "OR"]),
        ("(height > 3) |", ["AND", "OR"]), ("TRUEPREDICATE |", ["AND", "OR"]), ("sum(height) |", ["==", "!="]),
        ("height BETWEEN {1, 2} |", ["AND", "OR"]),
        // Options, indices, steps.
        ("kind CONTAINS[|", ["cd]", "c]"]), ("kind ==[d|", ["d]"]), ("tags[|", ["FIRST]", "LAST]", "SIZE]"]),
        ("tags[la|", ["LAST]"]), ("near.na|", ["name"]), ("detail.|", ["colour", "depth", "@count"]),
        ("detail.de|", ["depth"]), ("tags.@c|", ["@count"]),
        ("nest.|", ["items", "one", "@count"]), ("nest.one.|", ["two"]), ("nest.one.two.|", ["three"]),
        ("nest.one.two.three == |", ["'x'"]), ("nest.one.two.three == 'x|", ["'x'"]), ("nest.items.la|", ["label"]),
        ("near.nest.one.|", ["two"]), ("ANY nest.items.label == |", ["'L0'", "'L1'"]),
        ("allTokens |", ["TOKENMATCHES[cdl]"]), ("allTokens tok|", ["TOKENMATCHES", "TOKENMATCHES[cdl]"]),
        // Nothing certain can be said.
        ("height > 12|", nil), ("kind == 'hill'|", nil), ("kind == 'zzz|", nil), ("%|", nil),
    ]

    @Test(arguments: cases.indices) func completes(index: Int) throws {
        let (marked, first) = Self.cases[index]
        let parts = marked.split(separator: "|", omittingEmptySubsequences: false)
        let text = parts.joined()
        let completer = PredicateCompleter(for: try Self.set.get())
        let found = completer.completions(of: text, at: parts[0].utf8.count, variables: ["here"])
        let texts = found.candidates.map(\.text)
        if let first {
            #expect(Array(texts.prefix(first.count)) == first, "\(marked)")
        } else {
            #expect(texts.isEmpty, "\(marked)")
        }
        // What is put in stands where the typed part stood.
        #expect(found.range.upperBound == parts[0].utf8.count && found.range.lowerBound >= 0, "\(marked)")
    }

    /// What can never match is not offered.
    @Test(arguments: [
        ("tags == |", "'wet'", false), ("tags CONTAINS |", "'wet'", true), ("ALL tags == |", "'wet'", true),
        ("SOME tags == |", "'wet'", true), ("NONE tags == |", "'wet'", true),
        ("tags IN |", "'wet'", false), ("height > |", "nil", false), ("height == |", "nil", true),
        ("height BETWEEN {|", "nil", false), ("kind BEGINSWITH |", "nil", false), ("kind IN {|", "nil", true),
    ]) func offersWhatCanMatch(_ marked: String, _ text: String, _ isThere: Bool) throws {
        let completer = PredicateCompleter(for: try Self.set.get())
        let found = completer.completions(of: marked.replacing("|", with: ""), at: marked.utf8.count - 1)
        #expect(found.candidates.contains { $0.text == text } == isThere, "\(marked)")
    }

    /// Every place of every prefix has an answer, and each answer keeps the text readable as tokens.
    @Test func anyPlaceMayBeQueried() throws {
        let text =
            "NOT (kind ==[cd] 'Moor\\'s' AND ANY tags IN {'a', $x}) OR detail.depth[0] + sum(height, 3) < -1.5e3 é"
        let completer = PredicateCompleter(for: try Self.set.get())
        for cursor in 0...text.utf8.count {
            let found = completer.completions(of: text, at: cursor)
            #expect(found.range.lowerBound <= cursor && cursor <= found.range.upperBound)
            #expect(Set(found.candidates.map(\.text)).count == found.candidates.count)
        }
    }

    /// Counts come from the index once there is one, from codes or a sample before.
    @Test func countsAreTold() throws {
        let set = try Self.set.get()
        let details = PredicateCompleter(for: set).completions(of: "kind == ", at: 8).candidates.prefix(3).map(\.detail)
        #expect(details == ["30 records", "20 records", "10 records"])
        _ = try set.count(matching: "height > 3")
        let numbers = PredicateCompleter(for: set).completions(of: "height == ", at: 10).candidates.prefix(2)
        #expect(numbers.map(\.text) == ["0", "1"])
        #expect(numbers.map(\.detail) == ["1 record", "1 record"])
    }

    /// A quotation mark that closes what was typed goes with it; another one does not.
    @Test(arguments: [
        ("kind == 'la'", 11, 8..<12), ("kind == 'la\"", 11, 8..<11), ("kind == 'la", 11, 8..<11),
        ("ki", -5, 0..<0), ("ki", 99, 0..<2),
    ]) func whatIsReplaced(_ text: String, _ cursor: Int, _ range: Range<Int>) throws {
        let found = PredicateCompleter(for: try Self.set.get()).completions(of: text, at: cursor)
        #expect(found.range == range)
    }

    /// Operators that make sense behind values of a type, in order, and constants to compare with.
    private static let suited: [(type: FieldType?, comparisons: [String], constants: Int)] = [
        (.bool, ["==", "!="], 4), (.location, ["==", "!="], 1), (.object, ["==", "!="], 1),
        (.reference, ["==", "!=", "IN {"], 1),
        (.date, ["==", "!=", "<", "<=", ">", ">=", "BETWEEN {", "IN {"], 1),
        (.number, ["==", "!=", "<", "<=", ">", ">=", "BETWEEN {", "IN {"], 1),
        (.list(.string), ["CONTAINS", "==", "!=", "TOKENMATCHES[cdl]", "IN {"], 1),
    ]

    @Test func whatSuitsTypes() {
        for (type, comparisons, constants) in Self.suited {
            #expect(PredicateCompleter.comparisons(for: type).map(\.text) == comparisons)
            #expect(PredicateCompleter.constants(for: type).count == constants)
        }
        for type in [FieldType.any, nil] {
            #expect(PredicateCompleter.constants(for: type).map(\.text) == ["nil", "TRUE", "FALSE", "SELF"])
            #expect(PredicateCompleter.comparisons(for: type).map(\.text).contains("UTI-EQUALS"))
        }
    }

    /// Values as they are written; `nil` for those that cannot be, or are too long to be picked from a list.
    @Test func literals() {
        let long = String(repeating: "x", count: 200)
        let cases: [(value: FieldValue, literal: String?)] = [
            (.string(long), "'\(long)'"), (.string(long + "x"), nil), (-5, "-5"), (0.5, "0.5"), (.bool(false), "FALSE"),
            (.double(.infinity), nil), (.double(.nan), nil), (.null, nil), ([1], nil),
            (.date(.init(timeIntervalSinceReferenceDate: 0)), "'2001-01-01T00:00:00Z'"),
        ]
        for (value, literal) in cases { #expect(value.literal("'") == literal, "\(value)") }
    }
}
