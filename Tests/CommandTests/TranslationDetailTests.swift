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
