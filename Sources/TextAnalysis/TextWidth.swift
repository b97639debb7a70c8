// How many columns of a terminal a text takes.
import CICU

/// Terminal columns, by East Asian width and grapheme clusters.
package enum TextWidth {
    /// The columns of a text on one line: wide characters and emoji take two, marks and controls none.
    /// - Complexity: O(n).
    package static func columns(of text: String) -> Int {
        let bytes = text.utf8.span
        var columns = 0
        var boundaries = ClusterBoundaries()
        var cluster = Cluster()
        var offset = 0
        while offset < bytes.count {
            let decoded = bytes.scalar(at: offset)
            if boundaries.isBoundary(offset, in: bytes) {
                columns += cluster.columns
                cluster = Cluster()
            }
            cluster.add(decoded.value)
            offset += decoded.length
        }
        return columns + cluster.columns
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
            // A joined emoji, a flag, an emoji with a skin tone, or a picture asked to be drawn as one.
            if isPictographic, !isFirst, columns > 0 || scalar == Cluster.emojiSelector { isEmoji = true }
            sum += columns
            isFirst = false
        }

        var columns: Int { isEmoji ? 2 : sum }
    }
}
