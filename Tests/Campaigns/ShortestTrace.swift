// A list of steps that fails, made short.

/// Leaves out of a list of steps what its failure does not need.
enum ShortestTrace {
    /// Steps that still fail, in their order: the half that fails alone, then without each eighth, and so on down to
    /// single steps.
    ///
    /// - Parameters:
    ///   - attempts: How often the failure is tried at most; what was found by then is returned.
    ///   - fails: Whether a list of steps fails.
    static func of<Step>(_ steps: [Step], attempts: Int = 300, fails: ([Step]) -> Bool) -> [Step] {
        var (shortest, left, size) = (steps, attempts, max(1, steps.count / 2))
        while left > 0 {
            var isShorter = false
            // From the end: what happens after the failure is left out first.
            var end = shortest.count
            while end > 0, left > 0, shortest.count > 1 {
                let begin = max(0, end - size)
                let rest = Array(shortest[..<begin] + shortest[end...])
                end = begin
                if rest.isEmpty { continue }
                left -= 1
                if fails(rest) { (shortest, isShorter) = (rest, true) }
            }
            if size == 1, !isShorter { break }
            if !isShorter || size > shortest.count { size = max(1, size / 2) }
        }
        return shortest
    }
}
