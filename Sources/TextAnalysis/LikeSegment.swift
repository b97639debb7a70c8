// What is between two stars of a LIKE pattern, and how it is found.

/// A stretch of a pattern with no star in it: a fixed number of scalars.
struct LikeSegment: Hashable, Sendable {
    private let pieces: [LikePiece]
    private let search: ScalarSearch?

    init(_ pieces: [LikePiece]) {
        self.pieces = pieces
        search = pieces.contains(.anyScalar) ? ScalarSearch(pieces) : nil
    }

    /// The folded text before the first `?`.
    var literalPrefix: String {
        if case .text(let bytes)? = pieces.first { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// The pieces as parts of a regular expression; ASCII letters in both cases where that makes no difference.
    func nodes(ignoringCase: Bool) -> [RegularNode] {
        pieces.flatMap { piece -> [RegularNode] in
            switch piece {
            case .anyScalar: return [.scalar(.all)]
            case .text(let bytes):
                return String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
                    let set = ScalarSet(scalar.value)
                    return .scalar(ignoringCase ? set.withBothCasesOfASCII : set)
                }
            }
        }
    }

    /// The longest folded text between two `?`.
    var longestText: [UInt8] {
        var longest: [UInt8] = []
        for case .text(let bytes) in pieces where bytes.count > longest.count { longest = bytes }
        return longest
    }

    /// The folded texts between two `?`.
    var texts: [[UInt8]] { pieces.compactMap { if case .text(let bytes) = $0 { bytes } else { nil } } }

    /// Where the segment ends if it begins at `start`.
    func end(in text: Span<UInt8>, at start: Int) -> Int? {
        var offset = start
        for piece in pieces {
            switch piece {
            case .anyScalar:
                guard offset < text.count else { return nil }
                offset += text.scalar(at: offset).length
            case .text(let bytes):
                guard text.count - offset >= bytes.count,
                    text.extracting(offset..<offset + bytes.count).hasSameBytes(as: bytes.span)
                else { return nil }
                offset += bytes.count
            }
        }
        return offset
    }

    /// Where the segment starts if it ends at `end`.
    func start(in text: Span<UInt8>, endingAt end: Int) -> Int? {
        var offset = end
        for piece in pieces.reversed() {
            switch piece {
            case .anyScalar:
                guard offset > 0 else { return nil }
                offset -= text.scalar(before: offset).length
            case .text(let bytes):
                guard offset >= bytes.count,
                    text.extracting(offset - bytes.count..<offset).hasSameBytes(as: bytes.span)
                else { return nil }
                offset -= bytes.count
            }
        }
        return offset
    }

    /// The end of the segment's first occurrence at or after `start`.
    /// - Complexity: O(n), times one for every 64 scalars of the segment if it has a `?`.
    func firstEnd(in text: Span<UInt8>, from start: Int) -> Int? {
        if let search { return search.firstEnd(in: text, from: start) }
        guard case .text(let bytes)? = pieces.first else { return start }
        return text.firstOffset(of: bytes.span, from: start).map { $0 + bytes.count }
    }
}

/// Search for a fixed number of scalars, some of them free, with one bit per scalar: the shift-and automaton.
private struct ScalarSearch: Hashable, Sendable {
    private let wordCount: Int
    /// The bit of the last scalar, in the last word.
    private let finalBit: UInt64
    /// Where the pattern accepts any scalar.
    private let free: [UInt64]
    /// Where the pattern accepts a scalar, for the scalars that it names.
    private let accepted: [UInt32: [UInt64]]

    init(_ pieces: [LikePiece]) {
        var scalars: [UInt32?] = []
        for piece in pieces {
            switch piece {
            case .anyScalar: scalars.append(nil)
            case .text(let bytes): scalars += String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
            }
        }
        wordCount = (scalars.count + 63) / 64
        finalBit = 1 << UInt64((scalars.count + 63) % 64)
        var free = [UInt64](repeating: 0, count: wordCount)
        for (index, scalar) in scalars.enumerated() where scalar == nil { free[index / 64] |= 1 << UInt64(index % 64) }
        var accepted: [UInt32: [UInt64]] = [:]
        for (index, scalar) in scalars.enumerated() {
            if let scalar { accepted[scalar, default: free][index / 64] |= 1 << UInt64(index % 64) }
        }
        self.free = free
        self.accepted = accepted
    }

    /// The end of the first occurrence at or after `start`.
    func firstEnd(in text: Span<UInt8>, from start: Int) -> Int? {
        // A set bit means: the pattern up to this scalar ends just before the offset.
        var state = [UInt64](repeating: 0, count: wordCount)
        var offset = start
        var looks = LongText.DeadlineCheck(each: LongText.stretch)
        while offset < text.count {
            if looks.isOver(after: wordCount) { return nil }
            let decoded = text.scalar(at: offset)
            let accepts = accepted[decoded.value] ?? free
            var carry: UInt64 = 1
            for word in 0..<wordCount {
                let shifted = state[word] << 1 | carry
                carry = state[word] >> 63
                state[word] = shifted & accepts[word]
            }
            offset &+= decoded.length
            if state[wordCount - 1] & finalBit != 0 { return offset }
        }
        return nil
    }
}
