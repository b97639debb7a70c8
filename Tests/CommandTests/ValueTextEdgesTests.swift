// Values as people read them: what stands for control characters, numbers, places and nested values.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct ValueTextEdgesTests {
    /// Each alone, as a text of plain characters is passed on as it is.
    @Test(arguments: [
        ("\u{0}", "␀"), ("\u{1F}", "␟"), (" ", " "), ("~", "~"), ("\u{7F}", "␡"), ("\u{80}", "\u{FFFD}"),
        ("\u{9F}", "\u{FFFD}"), ("\u{A0}", "\u{A0}"), ("\u{2029}", "\u{2029}"), ("\u{202A}", "\u{FFFD}"),
        ("\u{202E}", "\u{FFFD}"), ("\u{202F}", "\u{202F}"), ("\u{2066}", "\u{FFFD}"), ("\u{2069}", "\u{FFFD}"),
        ("\u{206A}", "\u{206A}"), ("é", "é"),
    ]) func charactersThatCommandAreReplaced(_ text: String, _ shown: String) {
        #expect(ValueText.singleLine("a\(text)b").unicodeScalars.elementsEqual("a\(shown)b".unicodeScalars))
        #expect(ValueText.display(.string(text)).unicodeScalars.elementsEqual(shown.unicodeScalars))
        #expect(
            ValueText.message("a\(text)\n", Style(isColored: false)).unicodeScalars
                .elementsEqual("a\(shown)\n".unicodeScalars))
    }

    /// The style's own codes stay in messages that are coloured; all others are shown.
    @Test func coloursOfMessagesStay() {
        let text = "\u{1B}[1;31mx\u{1B}[0m\n\u{1B}[8my\u{9B}\u{1B}[36m"
        #expect(
            ValueText.message(text, Style(isColored: true))
                == "\u{1B}[1;31mx\u{1B}[0m\n␛[8my\u{FFFD}\u{1B}[36m")
        #expect(ValueText.message(text, Style(isColored: false)) == "␛[1;31mx␛[0m\n␛[8my\u{FFFD}␛[36m")
        #expect(ValueText.message("plain\n", Style(isColored: true)) == "plain\n")
    }

    @Test func valuesOfEveryKind() {
        let midnight = Date(timeIntervalSince1970: 1_767_225_600)
        let cases: [(value: FieldValue, text: String)] = [
            (.null, ""), (.bool(true), "true"), (.bool(false), "false"), (.int64(-7), "-7"), (.double(2), "2.0"),
            (.data(Data([0, 1])), "<2 bytes>"), (.location(Location(latitude: 1.5, longitude: -2)), "1.5, -2.0"),
            (.date(midnight), "2026-01-01"), (.date(midnight.addingTimeInterval(1)), "2026-01-01T00:00:01Z"),
            (.list([.int64(1), .string("a\tb")]), "[1, a␉b]"), (.set([.string("x")]), "{x}"), (.list([]), "[]"),
            (.object(["k": .string("a\nb")]), #"{"k":"a\nb"}"#),
        ]
        for (value, text) in cases { #expect(ValueText.display(value) == text) }
    }

    /// What a terminal shows of a cell of CSV: texts without what commands it, nested values as their JSON.
    @Test func shownCells() {
        #expect(ValueText.shown(.string("a\u{9B}")) == .string("a\u{FFFD}"))
        #expect(ValueText.shown(.int64(3)) == .int64(3))
        #expect(ValueText.shown(.list([.int64(1)])) == .string("[1]"))
    }

    @Test func wordsOfShells() {
        for (word, quoted) in [
            ("a-b_c.d/e,f:g@h%i+j9Z", "a-b_c.d/e,f:g@h%i+j9Z"), ("", "''"), ("a b", "'a b'"), ("é", "é"),
            ("a*", "'a*'"), ("a=b", "'a=b'"), ("it's", #"'it'"'"'s'"#),
        ] {
            #expect(ShellWord.quoted(word) == quoted)
        }
    }
}
