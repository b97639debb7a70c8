// How well a candidate fits what was typed, when letters may be left out.

/// Subsequence matching: the letters typed occur in the candidate in their order, better the closer they are together
/// and the more of them begin words. Letter case and marks do not count.
package struct FuzzyMatch: Hashable, Sendable {
    /// Greater is better.
    package var score: Int

    /// Whether the candidate begins with the pattern.
    package var isPrefix: Bool { score >= Self.prefixScore }

    private static let prefixScore = 500

    /// What was typed, folded once for many candidates.
    package struct Pattern: Hashable, Sendable {
        fileprivate let bytes: [UInt8]

        package init(_ text: String) { bytes = FuzzyMatch.folded(text) }
    }

    private static let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    private static func folded(_ text: String) -> [UInt8] { Array(TextFolding.fold(text, options).utf8) }

    /// Whether the text begins with the prefix, without regard to case and marks.
    package static func begins(_ text: String, with prefix: String) -> Bool {
        folded(text).starts(with: folded(prefix))
    }

    /// The match of a pattern with a candidate, `nil` when letters are missing. Everything matches an empty pattern.
    /// - Complexity: O(pattern · candidate).
    package init?(_ pattern: String, in candidate: String) { self.init(Pattern(pattern), in: candidate) }

    /// As `init(_:in:)`.
    package init?(_ pattern: Pattern, in candidate: String) {
        score = 0
        let pattern = pattern.bytes
        if pattern.isEmpty { return }
        let candidate = Candidate(candidate)
        guard pattern.count <= candidate.bytes.count else { return nil }
        if candidate.bytes.starts(with: pattern) {
            score = 2 * Self.prefixScore - min(candidate.bytes.count, Self.prefixScore)
            return
        }
        guard let found = candidate.best(pattern) else { return nil }
        score = found - min(candidate.bytes.count, 100) / 4
    }

    /// The candidates that begin with what was typed; where there are none, those that have its letters. The best come
    /// first, else they keep their order.
    ///
    /// - Parameter isFirst: Whether a candidate precedes others that fit as well. Among those that begin with what was
    ///   typed such candidates keep their order; of others the shorter ones fit better.
    package static func ranked<Candidate>(
        _ candidates: [Candidate], typed: String, isFirst: (Candidate) -> Bool = { _ in false },
        by text: (Candidate) -> String
    ) -> [Candidate] {
        if typed.isEmpty { return candidates }
        let pattern = Pattern(typed)
        var found: [(match: FuzzyMatch, score: Int, index: Int)] = []
        for (index, candidate) in candidates.enumerated() {
            guard let match = FuzzyMatch(pattern, in: text(candidate)) else { continue }
            let precedence = !isFirst(candidate) ? 0 : match.isPrefix ? 3 * prefixScore - match.score : 200
            found.append((match, match.score + precedence, index))
        }
        if found.contains(where: \.match.isPrefix) { found.removeAll { !$0.match.isPrefix } }
        found.sort { $0.score != $1.score ? $0.score > $1.score : $0.index < $1.index }
        return found.map { candidates[$0.index] }
    }

    private struct Candidate {
        let bytes: [UInt8]
        /// The text as it is written, where folding left its bytes in their places: capitals begin words.
        let written: [UInt8]

        init(_ text: String) {
            bytes = FuzzyMatch.folded(text)
            let original = Array(text.utf8)
            written = original.count == bytes.count ? original : bytes
        }

        /// Tries every place where the first letter can be, taking the rest as early as possible.
        func best(_ pattern: [UInt8]) -> Int? {
            var best: Int?
            for start in bytes.indices where bytes[start] == pattern[0] {
                guard let score = score(pattern, from: start) else { break }
                best = max(best ?? score, score)
            }
            return best
        }

        private func score(_ pattern: [UInt8], from start: Int) -> Int? {
            var score = 0
            var next = 0
            var last = start - 1
            for index in start..<bytes.count where next < pattern.count && bytes[index] == pattern[next] {
                if index == last + 1, next > 0 { score += 8 } else { score -= min(index - last, 10) }
                if beginsWord(at: index) { score += index == 0 ? 20 : 10 }
                last = index
                next += 1
            }
            return next == pattern.count ? score : nil
        }

        /// Whether a word begins at the byte: behind a sign, or a capital behind a small letter.
        private func beginsWord(at index: Int) -> Bool {
            guard index > 0 else { return true }
            let before = written[index - 1]
            let isSmall = before &- 0x61 < 26
            let isLetter = isSmall || before &- 0x41 < 26 || before >= 0x80 || before &- 0x30 < 10
            return !isLetter || isSmall && written[index] &- 0x41 < 26
        }
    }
}
