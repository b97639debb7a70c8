// The candidates of a completion that are on offer, and which is chosen.

import TextAnalysis

/// A menu of candidates over a text.
struct CompletionMenu: Equatable, Sendable {
    /// The candidates and what they replace in `original`.
    let list: CompletionList
    /// The text before any candidate was put in.
    let original: EditBuffer
    /// The chosen candidate; `nil` when none is.
    private(set) var chosen: Int?

    init(_ list: CompletionList, over original: EditBuffer) {
        self.list = list
        self.original = original
    }

    /// Chooses the next (`1`) or previous (`-1`) candidate, around the end.
    mutating func step(_ direction: Int) {
        let count = list.candidates.count
        let start = direction > 0 ? -1 : count
        chosen = ((chosen ?? start) + direction + count) % count
    }

    /// The text with the chosen candidate in place.
    var preview: EditBuffer {
        guard let chosen else { return original }
        var buffer = original
        buffer.replace(bytes: list.range, with: list.candidates[chosen].text)
        return buffer
    }

    /// What all candidates begin with, where that is more than what is in the text.
    var commonPrefix: String? {
        guard let first = list.candidates.first?.text else { return nil }
        var prefix = first
        for candidate in list.candidates.dropFirst() {
            prefix = String(zip(prefix, candidate.text).prefix { $0 == $1 }.map(\.0))
        }
        let typed = typedText
        return prefix.utf8.count > typed.utf8.count && FuzzyMatch.begins(prefix, with: typed) ? prefix : nil
    }

    /// What is in the text where candidates go.
    private var typedText: String {
        let bytes = Array(original.text.utf8)
        let range = list.range.clamped(to: 0..<bytes.count)
        return String(decoding: bytes[range], as: UTF8.self)
    }
}
