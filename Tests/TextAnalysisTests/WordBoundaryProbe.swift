// Every boundary that ICU finds, for comparison with Unicode's own cases.
import CICU

@testable import TextAnalysis

enum WordBoundaryProbe {
    /// All word boundaries of a text in UTF-8 offsets, the start and the end included.
    static func boundaries(of text: String) -> [Int] {
        guard let breaker = BreakerPool.words.borrow() else { return [] }
        defer { BreakerPool.words.giveBack(breaker) }
        return Array(text.utf8).withUnsafeBufferPointer { buffer in
            _ = cicu_breaker_set_utf8(breaker.pointer, buffer.baseAddress, Int32(buffer.count))
            var found = [0]
            while true {
                let next = cicu_breaker_next(breaker.pointer)
                if next < 0 { return found }
                found.append(Int(next))
            }
        }
    }
}
