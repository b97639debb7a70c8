// The thorough way to fold text: ICU's normaliser and case folding over UTF-16. The folding table is built from it.
import CICU

/// Folding by Decision 5 of the language: decompose, strip, fold case, compose.
///
/// Marks are stripped before case folding, so that `[d]` equality implies `[cd]` equality, and after it, because
/// folding may turn a base above the limit into one below (ẞ becomes ss).
enum FoldingPipeline {
    /// Non-spacing marks are stripped after bases below this scalar: Latin, Greek and Cyrillic.
    static let firstKeptBase: UInt32 = 0x510

    /// The folded form, in composed normal form.
    /// - Complexity: O(n), or O(n log n) in the length of runs of combining marks.
    static func fold(_ text: [UInt16], _ options: TextOptions) -> [UInt16] {
        // SAFETY, here and below: the seam's functions keep to the lengths that they are given.
        var folded = decompose(text)
        let strips = options.contains(.diacriticInsensitive)
        if strips { strip(&folded) }
        if options.contains(.caseInsensitive) {
            folded = unsafe transform(folded, cicu_fold_case)
            if strips {
                folded = decompose(folded)
                strip(&folded)
            }
        }
        return unsafe transform(folded, cicu_compose)
    }

    /// Removes the non-spacing marks whose base is below the limit. Other marks never count as a base.
    private static func strip(_ text: inout [UInt16]) {
        var base: UInt32?
        var kept = 0
        var offset = 0
        while offset < text.count {
            let (scalar, length) = scalar(in: text, at: offset)
            let mark = cicu_mark_of(scalar)
            let isStripped = mark == Int32(CICU_MARK_NONSPACING.rawValue) && base.map { $0 < firstKeptBase } == true
            if mark == Int32(CICU_MARK_NONE.rawValue) { base = scalar }
            if !isStripped {
                for index in 0..<length { text[kept + index] = text[offset + index] }
                kept += length
            }
            offset += length
        }
        text.removeLast(text.count - kept)
    }
}

// MARK: - Steps over UTF-16

extension FoldingPipeline {
    /// Beyond this many units ICU is not trusted with the order of marks: it sorts runs of them by insertion.
    private static let longText = 256

    /// Canonical decomposition, of long texts piece by piece. A character of two units that falls between two pieces
    /// stays as it is: it keeps its place among marks and bases as its parts would, and composing takes it apart.
    private static func decompose(_ text: [UInt16]) -> [UInt16] {
        guard text.count > longText else { return unsafe transform(text, cicu_decompose) }
        var decomposed: [UInt16] = []
        decomposed.reserveCapacity(text.count)
        var start = 0
        while start < text.count {
            let end = min(start + longText / 2, text.count)
            decomposed += unsafe transform(Array(text[start..<end]), cicu_decompose)
            start = end
        }
        sortMarks(&decomposed)
        return decomposed
    }

    /// Puts every run of combining marks into canonical order: by combining class, equals in the order they came.
    private static func sortMarks(_ text: inout [UInt16]) {
        var sorted: [UInt16] = []
        sorted.reserveCapacity(text.count)
        var run: [(order: UInt8, scalar: UInt32)] = []
        func flush() {
            // The standard sort keeps the order of equals.
            if run.count > 1 { run.sort { $0.order < $1.order } }
            for mark in run { append(mark.scalar, to: &sorted) }
            run.removeAll(keepingCapacity: true)
        }
        var offset = 0
        while offset < text.count {
            let (scalar, length) = scalar(in: text, at: offset)
            let order = cicu_combining_class(scalar)
            if order == 0 {
                flush()
                append(scalar, to: &sorted)
            } else {
                run.append((order, scalar))
            }
            offset += length
        }
        flush()
        text = sorted
    }

    private static func append(_ scalar: UInt32, to text: inout [UInt16]) {
        if scalar > 0xFFFF {
            text.append(UInt16(truncatingIfNeeded: 0xD7C0 + scalar >> 10))
            text.append(UInt16(truncatingIfNeeded: 0xDC00 + scalar & 0x3FF))
        } else {
            text.append(UInt16(truncatingIfNeeded: scalar))
        }
    }

    private static func scalar(in text: [UInt16], at offset: Int) -> (scalar: UInt32, length: Int) {
        let unit = text[offset]
        guard UTF16.isLeadSurrogate(unit), offset + 1 < text.count, UTF16.isTrailSurrogate(text[offset + 1]) else {
            return (UInt32(unit), 1)
        }
        return (0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(text[offset + 1]) & 0x3FF, 2)
    }

    /// A transformation of the seam: source and its length, result and its capacity; the length of the whole result.
    typealias Transformation = (UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt16>?, Int32) -> Int32

    /// The transformed text; the text itself where ICU fails, which it does only out of memory or beyond 2 GiB.
    static func transform(_ text: [UInt16], _ transformation: Transformation) -> [UInt16] {
        guard !text.isEmpty, let length = Int32(exactly: text.count) else { return text }
        var capacity = text.count + 16
        for _ in 0..<2 {
            guard let room = Int32(exactly: capacity) else { return text }
            var needed: Int32 = 0
            // SAFETY: both buffers live during the call, which reads `length` units and writes at most `room`.
            let result = unsafe [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
                needed = unsafe text.withUnsafeBufferPointer {
                    unsafe transformation($0.baseAddress, length, buffer.baseAddress, room)
                }
                count = needed >= 0 && needed <= room ? Int(needed) : 0
            }
            if needed < 0 { return text }
            if needed <= room { return result }
            capacity = Int(needed)
        }
        return text
    }
}
