// Sets of Unicode scalars, as regular expressions name them.

/// Ranges of scalars, ascending and apart.
struct ScalarSet {
    private(set) var ranges: [ClosedRange<UInt32>] = []
    /// Whether only ICU knows which scalars beyond ASCII belong to the set.
    private(set) var isOpenBeyondASCII = false

    private static let last: UInt32 = 0x10FFFF

    init() {}

    init(_ scalar: UInt32) { ranges = [scalar...scalar] }

    init(_ range: ClosedRange<UInt32>) { ranges = [range] }

    private init(_ ranges: [ClosedRange<UInt32>], isOpenBeyondASCII: Bool) {
        for range in ranges { formUnion(ScalarSet(range)) }
        self.isOpenBeyondASCII = isOpenBeyondASCII
    }

    /// `.`: all but the ends of lines.
    static let withoutLineEnds = ScalarSet(
        [0...0x09, 0x0E...0x84, 0x86...0x2027, 0x202A...last], isOpenBeyondASCII: false)
    /// `?` of LIKE.
    static let all = ScalarSet(0...last)
    /// `\d`
    static let digits = ScalarSet([0x30...0x39], isOpenBeyondASCII: true)
    /// `\w`
    static let wordScalars = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A], isOpenBeyondASCII: true)

    var isEmpty: Bool { ranges.isEmpty }

    /// The scalar of a set of one.
    var only: UInt32? {
        guard ranges.count == 1, ranges[0].count == 1, !isOpenBeyondASCII else { return nil }
        return ranges[0].lowerBound
    }

    mutating func formUnion(_ other: ScalarSet) {
        isOpenBeyondASCII = isOpenBeyondASCII || other.isOpenBeyondASCII
        var merged: [ClosedRange<UInt32>] = []
        for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    /// All other scalars.
    var complement: ScalarSet {
        var others: [ClosedRange<UInt32>] = []
        var start: UInt32 = 0
        for range in ranges {
            if range.lowerBound > start { others.append(start...range.lowerBound - 1) }
            start = range.upperBound + 1
        }
        if start <= Self.last { others.append(start...Self.last) }
        return ScalarSet(others, isOpenBeyondASCII: isOpenBeyondASCII)
    }

    /// The set with both cases of its letters, open beyond ASCII; nil where it names scalars beyond ASCII, whose case
    /// is not one letter for another.
    var ignoringCaseOfASCII: ScalarSet? {
        guard let last = ranges.last?.upperBound else { return nil }
        if last >= 0x80 {
            guard ranges == Self.withoutLineEnds.ranges else { return nil }
            return ScalarSet([0...0x09, 0x0E...0x7F], isOpenBeyondASCII: true)
        }
        var closed = withBothCasesOfASCII
        closed.isOpenBeyondASCII = true
        return closed
    }

    /// The set with both cases of its ASCII letters.
    var withBothCasesOfASCII: ScalarSet {
        var closed = self
        for range in ranges {
            for scalar in range.clamped(to: 0...0x7F) where (scalar | 0x20) &- 0x61 < 26 && range.contains(scalar) {
                closed.formUnion(ScalarSet(scalar ^ 0x20))
            }
        }
        return closed
    }
}
