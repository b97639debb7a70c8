// Did-you-mean: the closest known spelling of a misspelt word.

/// Distance between words in single-letter slips: one letter wrong, missing, too many, or two neighbours swapped.
package enum EditDistance {
    /// The candidate nearest to `word` without regard to ASCII case, if it is near enough to be meant: at most one
    /// slip in three letters, and never more than three. One that begins with the whole word, if that is of four
    /// letters or more, comes before all others.
    package static func closest(to word: String, in candidates: [String]) -> String? {
        let letters = lowered(word)
        guard letters.count <= 64 else { return nil }
        if letters.count >= 4, let longer = candidates.first(where: { lowered($0).starts(with: letters) }) {
            return longer
        }
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            let distance = distance(letters, lowered(candidate))
            let allowed = min(3, max(letters.count, candidate.utf8.count) / 3)
            if distance <= allowed, distance < best?.distance ?? Int.max { best = (distance, candidate) }
        }
        return best?.candidate
    }

    private static func lowered(_ word: String) -> [UInt8] {
        word.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    }

    /// Optimal string alignment distance. O(n·m).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        if abs(a.count - b.count) > 3 { return 4 }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...max(1, a.count) where i <= a.count {
            var row = [i]
            for j in 1...max(1, b.count) where j <= b.count {
                var value = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    value = min(value, beforeLast[j - 2] + 1)
                }
                row.append(value)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
