// How many columns of a terminal a text takes.
import CICU

/// Terminal columns, by East Asian width and grapheme clusters.
package enum TextWidth {
    /// The columns of a text on one line: wide characters and emoji take two, marks and controls none.
    /// - Complexity: O(n).
    package static func columns(of text: String) -> Int {
        var columns = 0
        forEachCluster(in: text.utf8.span) { _, width in
            columns += width
            return true
        }
        return columns
    }

    /// As much of the text, in whole grapheme clusters, as fits into a number of columns.
    /// - Complexity: O(n) in the length of the result.
    package static func prefix(of text: String, columns limit: Int) -> Substring {
        var (columns, end) = (0, 0)
        forEachCluster(in: text.utf8.span) { offset, width in
            columns += width
            if columns > limit { return false }
            end = offset
            return true
        }
        return text[..<text.utf8.index(text.startIndex, offsetBy: end)]
    }

    /// Calls `body` with the end and the columns of every cluster until it returns false.
    private static func forEachCluster(in text: Span<UInt8>, _ body: (Int, Int) -> Bool) {
        var boundaries = ClusterBoundaries()
        var cluster = Cluster()
        var offset = 0
        while offset < text.count {
            let decoded = text.scalar(at: offset)
            cluster.add(decoded.value)
            offset += decoded.length
            if boundaries.isBoundary(offset, in: text) {
                guard body(offset, cluster.columns) else { return }
                cluster = Cluster()
            }
        }
    }

    /// What a reader sees as one character.
    private struct Cluster {
        private var sum = 0
        private var isPictographic = false
        private var isFirst = true
        private var isEmoji = false

        private static let emojiSelector: UInt32 = 0xFE0F

        mutating func add(_ scalar: UInt32) {
            let isSimple = scalar < 0x7F
            let columns = isSimple ? (scalar < 0x20 ? 0 : 1) : Int(cicu_columns_of(scalar))
            if isFirst { isPictographic = !isSimple && cicu_is_pictographic(scalar) }
            // A joined emoji, a flag, an emoji with a skin tone, or a picture to be drawn as one.
            if isPictographic, !isFirst, columns > 0 || scalar == Cluster.emojiSelector { isEmoji = true }
            sum += columns
            isFirst = false
        }

        var columns: Int { isEmoji ? 2 : sum }
    }
}
