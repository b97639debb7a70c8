// Texts as numbers: how the words of rows are collected.

import RecordColumns
import RecordModel
import TextAnalysis

/// Reads texts word by word and numbers the distinct words in order of appearance.
final class TermReader {
    /// The distinct words by number.
    let terms = TextTable()
    private let tokenizer: Tokenizer
    /// The short words of the text at hand, and their numbers.
    private let keys = ColumnBuffer<ShortKey>()
    private let found = ColumnBuffer<UInt32>()
    /// The gaps, and the words that no key holds whole: where they are, and their numbers.
    private var long: [(place: Int, number: UInt32)] = []
    private let merged = ColumnBuffer<UInt32>()

    /// The number of a word that an analyzer leaves out.
    static let gap = UInt32.max

    init(_ tokenizer: Tokenizer) { self.tokenizer = tokenizer }

    /// The numbers of the words of a text in order, with gaps, valid until the next text is read.
    /// - Returns: `nil` when there are more words than can be numbered.
    func numbers(of text: UnsafeBufferPointer<UInt8>) -> ColumnBuffer<UInt32>? {
        keys.truncate(to: 0)
        if !long.isEmpty { long.removeAll(keepingCapacity: true) }
        var fits = true
        tokenizer.forEachToken(in: unsafe text.span) { term, _, place in
            let key = unsafe term.withUnsafeBufferPointer { unsafe ShortKey($0) }
            if term.isEmpty {
                long.append((place, Self.gap))
            } else if !key.isPartial {
                keys.append(key)
            } else if let number = unsafe term.withUnsafeBufferPointer({ unsafe terms.number(of: $0) }) {
                long.append((place, UInt32(truncatingIfNeeded: number)))
            } else {
                fits = false
            }
            return fits
        }
        guard fits, terms.numbers(of: keys, into: found) else { return nil }
        return long.isEmpty ? found : mergeLong()
    }

    private func mergeLong() -> ColumnBuffer<UInt32> {
        merged.truncate(to: 0)
        var short = 0
        for word in long {
            while merged.count < word.place {
                merged.append(found[short])
                short += 1
            }
            merged.append(word.number)
        }
        for place in short..<found.count { merged.append(found[place]) }
        return merged
    }
}

extension Column {
    /// Calls `body` with every text of a row: of a text one, of a list those of its elements. Lists in lists have none.
    func forEachText(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        switch values {
        case .list(let lists) where isPresent(row):
            for element in lists.range(row) { unsafe lists.elements.readText(element, body) }
        case .any:
            switch value(row) {
            case .string(var text): text.withUTF8 { unsafe body($0) }
            case .list(let elements): for case .string(var text) in elements { text.withUTF8 { unsafe body($0) } }
            default: break
            }
        default: unsafe readText(row, body)
        }
    }

    /// Calls `body` with the text of a row that is one.
    private func readText(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        switch values {
        case .text, .dictionary: _ = unsafe withText(row) { unsafe body($0) }
        case .any:
            guard case .string(var text) = value(row) else { return }
            text.withUTF8 { unsafe body($0) }
        default: break
        }
    }
}
