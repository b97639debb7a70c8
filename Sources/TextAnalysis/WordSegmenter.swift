// The words of any text, by ICU over UTF-16 with offsets mapped back to UTF-8.
import CICU
import Synchronization

/// Finds the words of a text with ICU. Keeps its memory between texts; serves one borrower at a time.
@safe final class WordSegmenter: @unchecked Sendable {
    // SAFETY of @unchecked Sendable: the pool lends a segmenter to one borrower at a time, under its lock.
    private let breaker: Breaker
    /// The text in UTF-16, in memory that does not move while ICU reads it.
    private var units = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: 0)
    /// The UTF-8 offset of every unit and, after the last one, of the end.
    private var offsets = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 0)
    private var pairs = [Int32](repeating: 0, count: 512)
    private var pairCount = 0
    private var nextPair = 0

    private static let idle = Mutex<[WordSegmenter]>([])
    private static let limit = 64
    /// A segmenter that has grown beyond this many units is not kept.
    private static let largestKept = 1 << 18

    private init?() {
        guard let breaker = BreakerPool.words.borrow() else { return nil }
        self.breaker = breaker
    }

    deinit {
        // SAFETY: both were allocated here, and the breaker gets a new text before it reads again.
        unsafe units.deallocate()
        unsafe offsets.deallocate()
        BreakerPool.words.giveBack(breaker)
    }

    /// A segmenter for the caller alone; nil only when memory is exhausted.
    static func borrow() -> WordSegmenter? {
        idle.withLock { $0.popLast() } ?? WordSegmenter()
    }

    /// Takes a segmenter back.
    static func giveBack(_ segmenter: WordSegmenter) {
        guard unsafe segmenter.units.count <= largestKept else { return }
        idle.withLock { if $0.count < limit { $0.append(segmenter) } }
    }

    /// Begins with a text of less than 1 GiB. Ill-formed bytes count as U+FFFD.
    func setText(_ text: Span<UInt8>) {
        makeRoom(for: text.count)
        var count = 0
        var offset = 0
        // SAFETY: a scalar takes at least as many bytes as units, so `count` stays at most `offset`, which is below the
        // room made; `offsets` has one more.
        while offset < text.count {
            let decoded = text.scalar(at: offset)
            let place = Int32(truncatingIfNeeded: offset)
            unsafe offsets[count] = place
            if decoded.value > 0xFFFF {
                unsafe units[count] = UInt16(truncatingIfNeeded: 0xD7C0 &+ decoded.value >> 10)
                count &+= 1
                unsafe units[count] = UInt16(truncatingIfNeeded: 0xDC00 | decoded.value & 0x3FF)
                unsafe offsets[count] = place
            } else {
                unsafe units[count] = UInt16(truncatingIfNeeded: decoded.value)
            }
            count &+= 1
            offset &+= decoded.length
        }
        unsafe offsets[count] = Int32(truncatingIfNeeded: text.count)
        pairCount = 0
        nextPair = 0
        // SAFETY: the memory stays in place until the next text is set.
        _ = unsafe cicu_breaker_set_text(breaker.pointer, units.baseAddress, Int32(truncatingIfNeeded: count))
    }

    /// The next word's byte range; nil at the end.
    func next() -> Range<Int>? {
        if nextPair == pairCount {
            let capacity = Int32(truncatingIfNeeded: pairs.count / 2)
            // SAFETY: the call writes at most `capacity` pairs.
            pairCount = unsafe pairs.withUnsafeMutableBufferPointer {
                Int(unsafe cicu_breaker_next_words(breaker.pointer, $0.baseAddress, capacity))
            }
            nextPair = 0
            if pairCount == 0 { return nil }
        }
        let (start, end) = (Int(pairs[2 * nextPair]), Int(pairs[2 * nextPair + 1]))
        nextPair += 1
        // SAFETY: ICU's offsets lie between zero and the number of units.
        return unsafe Int(offsets[start])..<Int(offsets[end])
    }

    private func makeRoom(for count: Int) {
        guard unsafe units.count < count || offsets.count <= count else { return }
        let capacity = max(256, count + count / 2)
        // SAFETY: as in deinit; the new memory is written before it is read.
        unsafe units.deallocate()
        unsafe offsets.deallocate()
        unsafe units = .allocate(capacity: capacity)
        unsafe offsets = .allocate(capacity: capacity + 1)
    }
}
