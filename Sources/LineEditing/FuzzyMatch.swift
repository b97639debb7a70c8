// How well a candidate fits what was typed, when letters may be left out.

/// Subsequence matching: the letters typed occur in the candidate in their order, better the closer they stand together
/// and the more of them begin words. Letter case of ASCII does not count.
package struct FuzzyMatch: Hashable, Sendable {
    /// Greater is better.
    package var score: Int

    /// The match of a pattern with a candidate, `nil` when letters are missing. Everything matches an empty pattern.
    /// - Complexity: O(pattern · candidate).
    package init?(_ pattern: String, in candidate: String) {
        self.init(Self.lowered(pattern), in: Array(candidate.utf8))
    }

    /// As `init(_:in:)` with a pattern prepared by `lowered`.
    package init?(_ pattern: [UInt8], in candidate: [UInt8]) {
        score = 0
        if pattern.isEmpty { return }
        guard pattern.count <= candidate.count else { return nil }
        if Self.begins(candidate, with: pattern) {
            score = 1_000 - min(candidate.count, 500)
            return
        }
        guard let found = Self.best(pattern, candidate) else { return nil }
        score = found - min(candidate.count, 100) / 4
    }

    /// The bytes of a text with ASCII letters in lower case.
    package static func lowered(_ text: String) -> [UInt8] { text.utf8.map(lowered) }

    @inline(__always)
    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    private static func begins(_ candidate: [UInt8], with pattern: [UInt8]) -> Bool {
        zip(candidate, pattern).allSatisfy { lowered($0) == $1 }
    }

    /// Tries every place where the first letter can stand, taking the rest as early as possible.
    private static func best(_ pattern: [UInt8], _ candidate: [UInt8]) -> Int? {
        var best: Int?
        for start in candidate.indices where lowered(candidate[start]) == pattern[0] {
            guard let score = score(pattern, candidate, from: start) else { break }
            best = max(best ?? score, score)
        }
        return best
    }

    private static func score(_ pattern: [UInt8], _ candidate: [UInt8], from start: Int) -> Int? {
        var score = 0
        var next = 0
        var last = start - 1
        for index in start..<candidate.count where next < pattern.count && lowered(candidate[index]) == pattern[next] {
            if index == last + 1, next > 0 { score += 8 } else { score -= min(index - last, 10) }
            if beginsWord(candidate, index) { score += index == 0 ? 20 : 10 }
            last = index
            next += 1
        }
        return next == pattern.count ? score : nil
    }

    /// Whether a word begins at the byte: behind a sign, or a capital behind a small letter.
    private static func beginsWord(_ text: [UInt8], _ index: Int) -> Bool {
        guard index > 0 else { return true }
        let isUpper = text[index] &- 0x41 < 26
        let before = text[index - 1]
        let isLetter = lowered(before) &- 0x61 < 26 || before >= 0x80 || before &- 0x30 < 10
        return !isLetter || isUpper && before &- 0x61 < 26
    }
}
