// A small language to type into, and keys written as text.

import LineEditing
import TextAnalysis

/// Words and brackets; `bad` is an error, `odd` a warning; a text is finished when its brackets are closed.
struct TestLanguage: EditorLanguage {
    var words = ["population", "popular", "place", "name"]

    func highlights(of text: String) -> [HighlightedRange] {
        let bytes = Array(text.utf8)
        return bytes.indices.compactMap { index in
            "()[]{}".utf8.contains(bytes[index]) ? HighlightedRange(index..<index + 1, .bracket) : nil
        }
    }

    func diagnosis(of text: String, cursor: Int) -> Diagnosis? {
        for (word, severity) in [("bad", Diagnosis.Severity.error), ("odd", .warning)] {
            guard let range = text.firstRange(of: word) else { continue }
            let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
            return Diagnosis(severity, start..<start + 3, "this is \(word)", hint: "say good")
        }
        return isFinished(text) ? nil : Diagnosis(.unfinished, text.utf8.count..<text.utf8.count, "')' expected")
    }

    func isFinished(_ text: String) -> Bool { text.count { $0 == "(" } <= text.count { $0 == ")" } }

    func completions(of text: String, cursor: Int) -> CompletionList {
        let before = Array(text.utf8.prefix(cursor))
        let start = before.lastIndex(of: 0x20).map { $0 + 1 } ?? 0
        let typed = String(decoding: before[start...], as: UTF8.self)
        let candidates = words.filter { FuzzyMatch(typed, in: $0) != nil }
            .map { CompletionCandidate($0, detail: "word") }
        return CompletionList(range: start..<cursor, candidates: candidates)
    }
}

/// Keys as text: `abc<C-a><Left><M-b><Paste:x>`; everything outside brackets is typed. `<lt>` is a `<`.
enum KeyText {
    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        // By scalars: a mark behind a bracket would join it.
        var rest = text.unicodeScalars[...]
        while let open = rest.firstIndex(of: "<") {
            bytes += String(rest[..<open]).utf8
            let close = rest[open...].firstIndex(of: ">") ?? rest.endIndex
            bytes += sequence(String(rest[rest.index(after: open)..<close]))
            rest = close == rest.endIndex ? rest[close...] : rest[rest.index(after: close)...]
        }
        return bytes + String(rest).utf8
    }

    /// The keys as they come one byte at a time.
    static func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return bytes(text).flatMap { decoder.keys([$0]) } + decoder.flush()
    }

    private static let named = [
        "Enter": "\r", "Tab": "\t", "S-Tab": "\u{1B}[Z", "BS": "\u{7F}", "Del": "\u{1B}[3~", "Esc": "\u{1B}[27u",
        "Left": "\u{1B}[D", "Right": "\u{1B}[C", "Up": "\u{1B}[A", "Down": "\u{1B}OB", "Home": "\u{1B}[H",
        "End": "\u{1B}[4~", "C-Left": "\u{1B}[1;5D", "C-Right": "\u{1B}[1;5C", "M-Enter": "\u{1B}\r",
        "M-BS": "\u{1B}\u{7F}", "M-lt": "\u{1B}<", "M-gt": "\u{1B}>", "C-_": "\u{1F}", "lt": "<", "PgUp": "\u{1B}[5~",
        "PgDn": "\u{1B}[6~",
    ]

    private static func sequence(_ name: String) -> [UInt8] {
        if let text = named[name] { return Array(text.utf8) }
        if name.hasPrefix("Paste:") { return Array("\u{1B}[200~\(name.dropFirst(6))\u{1B}[201~".utf8) }
        let letter = Array(name.utf8.suffix(1))
        return name.hasPrefix("C-") ? [letter[0] & 0x1F] : [0x1B] + letter
    }
}

/// Types keys into an editor and answers the last action.
@discardableResult
func type(_ keys: String, into state: inout EditorState, _ language: TestLanguage = TestLanguage()) -> EditorAction {
    var action = EditorAction.edit
    for key in KeyText.keys(keys) { action = state.handle(key, language) }
    return action
}

extension EditorState {
    /// The text with `|` at the cursor.
    var marked: String {
        String(buffer.clusters[..<buffer.cursor]) + "|" + String(buffer.clusters[buffer.cursor...])
    }
}
