// Every boundary that ICU finds in a text: what Unicode's cases and the definition of a substring match are held
// against.
import CICU

@testable import TextAnalysis

enum BoundaryProbe {
    /// All boundaries of one kind in UTF-8 offsets, the start and the end included.
    static func boundaries(of text: String, _ pool: BreakerPool) -> [Int] {
        guard let breaker = pool.borrow() else { return [] }
        defer { pool.giveBack(breaker) }
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
