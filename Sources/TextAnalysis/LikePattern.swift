// LIKE: `*` stands for any text, `?` for one scalar, a backslash takes the next scalar as it is.

/// A pattern of LIKE, compiled once.
///
/// The whole text must match, line feeds included. Pattern and text are folded by the options; `?` stands for one
/// scalar of the folded text. The empty pattern matches the empty text alone. A backslash at the end stands for itself.
/// `l` changes nothing: patterns are compared by folding.
package struct LikePattern: Hashable, Sendable {
    /// The options it was compiled with; texts are folded the same way.
    package let options: TextOptions
    private let segments: [LikeSegment]

    /// Compiles a pattern.
    /// - Complexity: O(n).
    package init(_ pattern: String, options: TextOptions) {
        self.options = options
        segments = LikePattern.parse(pattern, options)
    }

    /// Whether the whole text matches.
    /// - Complexity: O(n), times one for every 64 scalars of the longest stretch between two `*` that has a `?` in it.
    package func matches(_ text: String) -> Bool { matches(text.utf8.span) }

    /// Whether the whole UTF-8 text matches.
    package func matches(_ text: Span<UInt8>) -> Bool {
        TextFolding.withFolded(text, options) { matches(folded: $0) }
    }

    /// Whether the whole of a text that was folded with the pattern's options matches.
    package func matches(folded text: Span<UInt8>) -> Bool {
        guard let first = segments.first, var start = first.end(in: text, at: 0) else { return false }
        if segments.count == 1 { return start == text.count }
        let last = segments[segments.count - 1]
        guard let end = last.start(in: text, endingAt: text.count), end >= start else { return false }
        // The earliest place for every middle segment leaves the most room for those after it.
        let middle = text.extracting(first: end)
        for segment in segments.dropFirst().dropLast() {
            guard let found = segment.firstEnd(in: middle, from: start) else { return false }
            start = found
        }
        return true
    }

    /// What is between the stars, the text before the first and after the last one included.
    private static func parse(_ pattern: String, _ options: TextOptions) -> [LikeSegment] {
        var segments: [LikeSegment] = []
        var pieces: [LikePiece] = []
        var literal = ""
        func flush() {
            if !literal.isEmpty { pieces.append(.text(Array(TextFolding.fold(literal, options).utf8))) }
            literal = ""
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\":
                isEscaped = true
            case "?":
                flush()
                pieces.append(.anyScalar)
            case "*":
                flush()
                segments.append(LikeSegment(pieces))
                pieces = []
            default:
                literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal.append("\\") }
        flush()
        segments.append(LikeSegment(pieces))
        return segments
    }
}

/// A part of a pattern between two wildcards, or a `?`.
enum LikePiece: Hashable, Sendable {
    /// Folded UTF-8.
    case text([UInt8])
    case anyScalar
}

extension LikePattern {
    /// Folded text that every match begins with; an index may look it up.
    package var literalPrefix: String { segments.first?.literalPrefix ?? "" }

    /// The pattern as an automaton over folded texts; over ASCII texts as they are too. Nil where it would be too
    /// large.
    package var automaton: TextAutomaton? {
        var nodes: [RegularNode] = []
        let ignoresCase = options.folding.contains(.caseInsensitive)
        for (index, segment) in segments.enumerated() {
            if index > 0 { nodes.append(.anything) }
            nodes += segment.nodes(ignoringCase: ignoresCase)
        }
        return TextAutomaton(.sequence(nodes))
    }

    /// The longest folded UTF-8 between two wildcards; empty when there is none.
    package var longestText: [UInt8] {
        segments.map(\.longestText).max { $0.count < $1.count } ?? []
    }

    /// The folded UTF-8 between wildcards, piece by piece.
    var texts: [[UInt8]] { segments.flatMap(\.texts) }
}
