// A list of steps that fails, made short.

/// Leaves out of a list of steps what its failure does not need: the half that fails alone, then without each eighth,
/// and so on down to single steps.
struct ShortestTrace<Step> {
    /// Steps that still fail, in their order.
    private(set) var steps: [Step]
    private var left: Int
    private var size: Int
    private var end: Int
    private var isShorter = false
    private var candidate: [Step] = []

    /// - Parameter attempts: How often the failure is tried at most.
    init(_ steps: [Step], attempts: Int) {
        (self.steps, left, size, end) = (steps, attempts, max(1, steps.count / 2), steps.count)
    }

    /// The next list to try; `nil` when no shorter one is found.
    mutating func next() -> [Step]? {
        while left > 0 {
            // From the end: what happens after the failure is left out first.
            while end > 0, steps.count > 1 {
                let begin = max(0, end - size)
                candidate = Array(steps[..<begin] + steps[end...])
                end = begin
                if candidate.isEmpty { continue }
                left -= 1
                return candidate
            }
            if size == 1, !isShorter { return nil }
            if !isShorter || size > steps.count { size = max(1, size / 2) }
            (end, isShorter) = (steps.count, false)
        }
        return nil
    }

    /// Tells whether the list that was tried last fails.
    mutating func tell(_ fails: Bool) {
        if fails { (steps, isShorter) = (candidate, true) }
    }

    /// Steps that still fail.
    ///
    /// - Parameters:
    ///   - attempts: How often the failure is tried at most; what was found by then is returned.
    ///   - fails: Whether a list of steps fails.
    static func of(_ steps: [Step], attempts: Int = 300, fails: ([Step]) -> Bool) -> [Step] {
        var trace = Self(steps, attempts: attempts)
        while let candidate = trace.next() { trace.tell(fails(candidate)) }
        return trace.steps
    }
}
