// Translations at their edges: characters of several scalars, texts before fields, the first part without words.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct TranslationDetailTests {
    /// Databases count scalars, and a character may have several of them.
    @Test func scalarsOfBeginnings() {
        let text = "👍🏽x"
        for (name, sqlite, postgresql) in [
            ("BEGINSWITH", "substr(\"t\", 1, 3)", "starts_with(\"t\", '\(text)')"),
            ("ENDSWITH", "substr(\"t\", -3)", "right(\"t\", 3) = '\(text)'"),
        ] {
            let words = ["translate", "--to", "sql", "t \(name) '\(text)'"]
            #expect(CommandCall(words).output == "\(sqlite) = '\(text)'\n")
            #expect(CommandCall(words + ["--database", "postgresql"]).output == "\(postgresql)\n")
        }
    }

    /// Columns are in normal form C, and so are constants, except where code points are compared.
    @Test func constantsAreComposed() {
        let (one, two) = ("'\u{E9}'", "'e\u{301}'")
        for (predicate, sql) in [
            ("t == \(two)", "\"t\" = \(one)"), ("t ==[n] \(two)", "\"t\" = \(two)"),
            ("t IN {\(two)}", "\"t\" IN (\(one))"), ("t LIKE \(two)", "\"t\" GLOB \(one)"),
            ("t BEGINSWITH \(two)", "substr(\"t\", 1, 1) = \(one)"),
            ("t BEGINSWITH[n] \(two)", "substr(\"t\", 1, 2) = \(two)"),
            ("t ENDSWITH \(two)", "substr(\"t\", -1) = \(one)"),
        ] {
            // Equality of texts is blind to what is tested here.
            let output = CommandCall(["translate", "--to", "sql", predicate]).output
            #expect(output.unicodeScalars.elementsEqual((sql + "\n").unicodeScalars), "\(predicate): \(output)")
        }
        let call = CommandCall(["translate", "--to", "sql", "t == \(two)", "--parameters"])
        #expect(call.output.unicodeScalars.contains("\u{E9}"), "\(call)")
    }

    /// What divides by 0 is NULL or an error in databases, and infinite in predicates.
    @Test(arguments: ["sqlite", "postgresql"]) func divisionsByZero(_ database: String) {
        let words = ["translate", "--to", "sql", "--database", database]
        for predicate in ["2 / g > 1", "m / 0.0 > 1", "m / 0 > 1", "m / (g - 1) > 1", "m / nil > 1"] {
            let call = CommandCall(words + [predicate])
            #expect(call.output == "" && call.status == .usage, "\(predicate): \(call)")
        }
        #expect(CommandCall(words + ["2 / g > 1"]).messages.contains("division by what may be 0"))
        #expect(CommandCall(words + ["m / 2 > 1"]).output == "(\"m\" / 2) > 1\n")
    }

    /// SQLite compares whole milliseconds of dates.
    @Test func fractionsOfDates() {
        for (fraction, isExact) in [(".5", true), (".125", true), (".0005", false), (".123456", false)] {
            let words = ["translate", "--to", "sql", "d > %@", "-a", "{\"$date\":\"2026-01-01T00:00:00\(fraction)Z\"}"]
            let call = CommandCall(words)
            #expect((call.status == .success) == isExact, "\(call)")
            #expect(call.messages.contains("fractions of a millisecond") != isExact, "\(call)")
            #expect(CommandCall(words + ["--database", "postgresql"]).status == .success)
        }
    }

    /// A text that ends with a backslash ends there: what follows is no part of it.
    @Test func textsBeforeFields() {
        for (predicate, body) in [
            (#"'a\\' == t"#, #""a\\" == $0.t"#), (#"'a\\"' == t"#, #""a\\\"" == $0.t"#),
            ("'$0' == t", #""$0" == $0.t"#),
        ] {
            let call = CommandCall(["translate", "--to", "swift", predicate])
            #expect(call.output == "Record.where { \(body) }\n", "\(call)")
        }
    }

    /// Of several parts without a counterpart the first is told.
    @Test func theFirstPartWithoutCounterpart() {
        let (box, phrase) = ("inBox(p, 0, 0, 1, 1) == TRUE", "t TOKENMATCHES[cp] 'a b'")
        for (predicate, told, other) in [
            ("\(box) AND \(phrase)", "for inBox", "for phrases"), ("\(phrase) AND \(box)", "for phrases", "for inBox"),
        ] {
            let call = CommandCall(["translate", "--to", "nspredicate", predicate])
            #expect(call.messages.contains(told) && !call.messages.contains(other), "\(call)")
            #expect(call.status == .usage && call.output == "")
        }
    }

    /// Arguments are for the lines of a file that have places for them.
    @Test func argumentsOfSomeLines() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("p.txt", "a == %@\nb == 3\n# no predicate\nc != %@\n")
        let call = CommandCall(["translate", "--to", "sql", "-p", file, "-a", "5"])
        #expect(call.output == "\"a\" = 5\n\"b\" = 3\n\"c\" IS NOT 5\n" && call.status == .success, "\(call)")
    }
}
