// Cutting text into words (Decision 7 of the language). Index and query go through this code alike.

/// Cuts text into words by ICU's boundaries in the root locale, dictionaries for Chinese, Japanese, Thai and their like
/// included, and folds each word by its options. Segments without a letter, a digit or an ideograph are no words.
///
/// ASCII stretches are cut by an own scanner that tests hold equal to ICU; the rest goes to ICU. A stretch of more than
/// 16 MiB without a line feed or a space before an ASCII letter or digit is cut at its 16 MiB, wherever that is.
package struct Tokenizer: Sendable {
    /// How words are folded: `c`, `d`, or `n` for not at all. `l` changes nothing: words are cut by the root locale.
    package let options: TextOptions
    /// What analyzes folded words.
    private let table: WordTable?

    /// A tokenizer for the options of `tokenize(x, 'cdl')` or of `TOKENMATCHES[cdl]`.
    ///
    /// - Parameter analysis: What analyzes folded words. A word that it leaves out is an empty one, in its place.
    package init(options: TextOptions, analysis: WordAnalysis? = nil) {
        self.options = options
        table = analysis?.table(options)
    }

    /// The words of a text in order.
    /// - Complexity: O(n).
    package func tokens(of text: String) -> [Token] {
        var tokens: [Token] = []
        forEachToken(in: text.utf8.span) { bytes, range, position in
            tokens.append(Token(text: String(utf8: bytes), range: range, position: position))
            return true
        }
        return tokens
    }

    /// The folded words of a text in order, repeated ones repeated: the terms of an index.
    /// - Complexity: O(n).
    package func terms(of text: String) -> [String] {
        var terms: [String] = []
        forEachToken(in: text.utf8.span) { bytes, _, _ in
            terms.append(String(utf8: bytes))
            return true
        }
        return terms
    }

    /// Calls `body` for every word of UTF-8 text: its folded bytes, valid during the call; its byte range in the text;
    /// its position, the number of words before it. Stops where `body` returns false, and may give up within a long
    /// text. Allocates nothing per word.
    /// - Complexity: O(n).
    package func forEachToken(in text: Span<UInt8>, _ body: (Span<UInt8>, Range<Int>, Int) -> Bool) {
        guard let table else { return forEachWord(in: text, body) }
        var analysis = WordWalk(table)
        forEachWord(in: text) { bytes, range, position in
            analysis.analyze(bytes)
            return body(analysis.word.span, range, position)
        }
    }

    private func forEachWord(in text: Span<UInt8>, _ body: (Span<UInt8>, Range<Int>, Int) -> Bool) {
        var walk = TokenWalk(options: options)
        if text.count < LongText.stretch { return walk.walk(text, body) }
        var looks = LongText.DeadlineCheck(each: LongText.stretch)
        var last = 0
        walk.walk(text) { bytes, range, position in
            defer { last = range.lowerBound }
            return !looks.isOver(after: range.lowerBound - last) && body(bytes, range, position)
        }
    }
}

/// One walk over the words of a text.
private struct TokenWalk: ~Copyable {
    let options: TextOptions
    var position = 0
    var folded = ByteBuffer(capacity: 128)
    var segmenter: WordSegmenter?

    /// An ASCII stretch shorter than this inside other text is not worth a switch of scanners.
    private static let worthwhileASCII = 64
    /// Stretches of other text are cut at the next safe place beyond this many bytes, and anywhere beyond the limit.
    private static let longStretch = 1 << 20
    private static let stretchLimit = 1 << 24
    /// ASCII text is folded in blocks of this many bytes, so that the copy stays in the cache.
    private static let blockSize = 1 << 14

    init(options: TextOptions) { self.options = options }

    mutating func walk(_ text: Span<UInt8>, _ body: (Span<UInt8>, Range<Int>, Int) -> Bool) {
        var start = 0
        while start < text.count {
            let nonASCII = text.firstNonASCII(from: start)
            let cut = nonASCII == text.count ? nonASCII : text.lastSafeCut(after: start, upTo: nonASCII) ?? start
            guard walkASCII(text, start..<cut, body) else { return }
            if cut == text.count { break }
            start = TokenWalk.endOfStretch(text, from: cut, nonASCII: nonASCII)
            guard walkOther(text, cut..<start, body) else { return }
        }
        if let segmenter { WordSegmenter.giveBack(segmenter) }
    }

    /// Where a stretch with other than ASCII bytes ends: at a safe cut in an ASCII stretch worth its own scanner.
    private static func endOfStretch(_ text: Span<UInt8>, from start: Int, nonASCII: Int) -> Int {
        var offset = nonASCII
        while offset < text.count {
            while offset < text.count, text[offset] >= 0x80 { offset &+= 1 }
            let end = text.firstNonASCII(from: offset)
            let isLong = end - start > longStretch
            if end - offset >= worthwhileASCII || isLong, let cut = text.firstSafeCut(after: offset, upTo: end) {
                return cut
            }
            if end - start > stretchLimit { return end }
            offset = end
        }
        return text.count
    }

    private mutating func walkASCII(
        _ text: Span<UInt8>, _ range: Range<Int>, _ body: (Span<UInt8>, Range<Int>, Int) -> Bool
    ) -> Bool {
        let foldsCase = options.folding.contains(.caseInsensitive)
        if !foldsCase { return TokenWalk.scanASCII(text.extracting(range), at: range.lowerBound, &position, body) }
        var start = range.lowerBound
        while start < range.upperBound {
            var end = range.upperBound
            if end - start > TokenWalk.blockSize {
                let full = start + TokenWalk.blockSize
                end = text.lastSafeCut(after: start, upTo: full) ?? text.firstSafeCut(after: full, upTo: end) ?? end
            }
            folded.truncate(to: 0)
            folded.append(lowercasingASCII: text.extracting(start..<end))
            var position = position
            let goesOn = folded.withBytes { TokenWalk.scanASCII($0, at: start, &position, body) }
            self.position = position
            if !goesOn { return false }
            start = end
        }
        return true
    }

    private static func scanASCII(
        _ text: Span<UInt8>, at base: Int, _ position: inout Int, _ body: (Span<UInt8>, Range<Int>, Int) -> Bool
    ) -> Bool {
        ASCIIWords().forEach(in: text) { word in
            let range = base &+ word.lowerBound..<base &+ word.upperBound
            let goesOn = body(text.extracting(word), range, position)
            position &+= 1
            return goesOn
        }
    }

    private mutating func walkOther(
        _ text: Span<UInt8>, _ range: Range<Int>, _ body: (Span<UInt8>, Range<Int>, Int) -> Bool
    ) -> Bool {
        guard !range.isEmpty else { return true }
        if segmenter == nil { segmenter = WordSegmenter.borrow() }
        guard let segmenter else { return true }
        segmenter.setText(text.extracting(range))
        while let word = segmenter.next() {
            let source = range.lowerBound + word.lowerBound..<range.lowerBound + word.upperBound
            let bytes = text.extracting(source)
            folded.truncate(to: 0)
            TextFolding.append(bytes, options, isASCII: bytes.isASCII, to: &folded)
            let position = position
            guard folded.withBytes({ body($0, source, position) }) else { return false }
            self.position &+= 1
        }
        return true
    }
}

extension Span<UInt8> {
    /// Whether words never reach across `offset`, whatever is around: after a line feed, or between a space and an
    /// ASCII letter or digit.
    private func isSafeCut(_ offset: Int) -> Bool {
        let before = self[offset &- 1]
        if before == 0x0A { return true }
        guard before == 0x20 else { return false }
        let after = self[offset]
        return (after | 0x20) &- 0x61 < 26 || after &- 0x30 < 10
    }

    /// The last safe cut in `start+1 ... end`, where `end` is inside the text.
    fileprivate func lastSafeCut(after start: Int, upTo end: Int) -> Int? {
        var offset = end
        while offset > start {
            if isSafeCut(offset) { return offset }
            offset &-= 1
        }
        return nil
    }

    /// The first safe cut in `start+1 ..< end`.
    fileprivate func firstSafeCut(after start: Int, upTo end: Int) -> Int? {
        var offset = start &+ 1
        while offset < end {
            if isSafeCut(offset) { return offset }
            offset &+= 1
        }
        return nil
    }
}
