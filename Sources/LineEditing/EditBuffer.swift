// The text being edited and the cursor in it, by what a reader sees as characters.

import TextAnalysis

/// Text of one or more lines with a cursor between two grapheme clusters.
package struct EditBuffer: Equatable, Sendable {
    /// The grapheme clusters of the text.
    package private(set) var clusters: [Character] = []
    /// Clusters before the cursor.
    package private(set) var cursor = 0

    /// A text with the cursor behind it.
    package init(_ text: String = "") {
        clusters = Array(text)
        cursor = clusters.count
    }

    /// A text with the cursor near a place of its UTF-8.
    package init(_ text: String, byteCursor: Int) {
        clusters = Array(text)
        cursor = Self.index(in: clusters, ofByte: byteCursor)
    }

    /// The whole text.
    package var text: String { String(clusters) }
    /// UTF-8 bytes before the cursor.
    package var byteCursor: Int { byteOffset(of: cursor) }
    /// Whether there is no text.
    package var isEmpty: Bool { clusters.isEmpty }
    /// Whether the cursor follows all text.
    package var isAtEnd: Bool { cursor == clusters.count }

    /// UTF-8 bytes before a cluster. Complexity: O(index).
    package func byteOffset(of index: Int) -> Int { clusters[..<index].reduce(0) { $0 + $1.utf8.count } }

    /// The cluster that begins at a byte, or the next one.
    private static func index(in clusters: [Character], ofByte offset: Int) -> Int {
        var bytes = 0
        for (index, cluster) in clusters.enumerated() {
            if bytes >= offset { return index }
            bytes += cluster.utf8.count
        }
        return clusters.count
    }

    // MARK: Changes

    /// Puts text in at the cursor, which ends behind it.
    package mutating func insert(_ text: String) { replace(cursor..<cursor, with: text) }

    /// Replaces clusters, and sets the cursor behind the replacement. What a mark joins becomes one cluster.
    package mutating func replace(_ range: Range<Int>, with text: String) {
        let head = String(clusters[..<range.lowerBound]) + text
        let tail = String(clusters[range.upperBound...])
        clusters = Array(head + tail)
        cursor = Self.index(in: clusters, ofByte: head.utf8.count)
    }

    /// Replaces a range of UTF-8 bytes.
    package mutating func replace(bytes: Range<Int>, with text: String) {
        let lower = Self.index(in: clusters, ofByte: bytes.lowerBound)
        let upper = Self.index(in: clusters, ofByte: bytes.upperBound)
        replace(lower..<max(lower, upper), with: text)
    }

    /// Takes clusters out and returns them; the cursor goes where they were.
    package mutating func remove(_ range: Range<Int>) -> String {
        let removed = String(clusters[range])
        replace(range, with: "")
        return removed
    }

    // MARK: Movement

    /// Moves the cursor, within the text.
    package mutating func move(to index: Int) { cursor = min(max(0, index), clusters.count) }

    /// Where the line of the cursor begins.
    package var lineStart: Int { clusters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }

    /// Where the line of the cursor ends.
    package var lineEnd: Int { clusters[cursor...].firstIndex(of: "\n") ?? clusters.count }

    /// Where the next word ends.
    package var wordEnd: Int {
        var index = cursor
        while index < clusters.count, !clusters[index].isWordPart { index += 1 }
        while index < clusters.count, clusters[index].isWordPart { index += 1 }
        return index
    }

    /// Where the word before the cursor begins.
    package var wordStart: Int {
        var index = cursor
        while index > 0, !clusters[index - 1].isWordPart { index -= 1 }
        while index > 0, clusters[index - 1].isWordPart { index -= 1 }
        return index
    }

    /// Where the text between blanks before the cursor begins.
    package var blankStart: Int {
        var index = cursor
        while index > 0, clusters[index - 1].isWhitespace { index -= 1 }
        while index > 0, !clusters[index - 1].isWhitespace { index -= 1 }
        return index
    }

    /// Terminal columns from the beginning of the line to the cursor.
    package var column: Int { TextWidth.columns(of: String(clusters[lineStart..<cursor])) }

    /// The place of a column in the line above (`-1`) or below (`1`); `nil` when there is no such line.
    package func index(inLine direction: Int, column: Int) -> Int? {
        let start: Int
        if direction < 0 {
            guard lineStart > 0 else { return nil }
            start = clusters[..<(lineStart - 1)].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        } else {
            guard lineEnd < clusters.count else { return nil }
            start = lineEnd + 1
        }
        var index = start
        var columns = 0
        while index < clusters.count, clusters[index] != "\n", columns < column {
            columns += TextWidth.columns(of: String(clusters[index]))
            index += 1
        }
        return index
    }
}

extension Character {
    /// Whether the character belongs to a word.
    var isWordPart: Bool { isLetter || isNumber || self == "_" }
}
