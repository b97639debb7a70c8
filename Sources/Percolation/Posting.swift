// The predicates listed under one term, in the order in which a record goes through them.

/// A stored predicate in a list: its slot, and what has to be done once its lists say yes.
struct PostingEntry: Hashable, Comparable, Sendable {
    let rawValue: UInt32

    private static let residualBit: UInt32 = 1 << 31
    private static let repeatBit: UInt32 = 1 << 30

    /// Slots are below this.
    static let slotLimit = 1 << 30

    /// - Parameters:
    ///   - hasResidual: Whether a residual condition decides.
    ///   - mayRepeat: Whether a record may come upon the predicate in several lists.
    init(slot: Int, hasResidual: Bool, mayRepeat: Bool) {
        rawValue =
            UInt32(truncatingIfNeeded: slot) | (hasResidual ? Self.residualBit : 0) | (mayRepeat ? Self.repeatBit : 0)
    }

    var slot: Int { Int(rawValue & (Self.repeatBit - 1)) }
    var hasResidual: Bool { rawValue & Self.residualBit != 0 }
    var mayRepeat: Bool { rawValue & Self.repeatBit != 0 }
    /// Whether being listed is all it takes.
    var isPlain: Bool { rawValue < Self.repeatBit }

    static func < (a: Self, b: Self) -> Bool { a.slot < b.slot }
}

/// An entry that holds only where the record has a second term, too.
struct PairedEntry: Hashable, Comparable, Sendable {
    var entry: PostingEntry
    var term: UInt32

    static func < (a: Self, b: Self) -> Bool { a.entry < b.entry }
}

/// A condition on the number or date of a field: within bounds, both included.
struct NumberRange: Hashable, Sendable {
    /// The field's number in its index.
    var field: Int
    /// Whether dates are meant, and not numbers.
    var isDate: Bool
    var low: Double
    var high: Double

    @inline(__always)
    func contains(_ number: Double) -> Bool { number >= low && number <= high }
}

/// All entries of one term.
struct Posting: Sendable {
    /// Entries without more ado, by slot.
    private(set) var plain: [PostingEntry] = []
    /// Entries that require a second term, by slot.
    private(set) var paired: [PairedEntry] = []
    /// Entries that require a range of one field.
    private(set) var ranged: [IntervalIndex] = []

    var isEmpty: Bool { plain.isEmpty && paired.isEmpty && ranged.isEmpty }

    /// Bytes of memory behind it, about.
    var byteCount: Int {
        plain.capacity * 4 + paired.capacity * 8 + ranged.reduce(0) { $0 + $1.byteCount }
    }

    /// What an entry requires besides the posting's term.
    enum SecondaryCondition: Hashable, Sendable {
        case none
        case term(UInt32)
        case range(NumberRange)
    }

    /// Inserts an entry. Complexity: O(log n) comparisons, and moving those behind it.
    mutating func insert(_ entry: PostingEntry, _ secondary: SecondaryCondition) {
        switch secondary {
        case .none: plain.insert(entry, at: plain.firstIndex(notBelow: entry))
        case .term(let term):
            let entry = PairedEntry(entry: entry, term: term)
            paired.insert(entry, at: paired.firstIndex(notBelow: entry))
        case .range(let range):
            if let index = ranged.firstIndex(where: { $0.isFor(range) }) {
                ranged[index].insert(entry, range)
            } else {
                var intervals = IntervalIndex(field: range.field, isDate: range.isDate)
                intervals.insert(entry, range)
                ranged.append(intervals)
            }
        }
    }

    /// Takes an entry out; it must be there.
    mutating func remove(_ entry: PostingEntry, _ secondary: SecondaryCondition) {
        switch secondary {
        case .none: plain.remove(at: plain.firstIndex(notBelow: entry))
        case .term(let term): paired.remove(at: paired.firstIndex(notBelow: PairedEntry(entry: entry, term: term)))
        case .range(let range):
            guard let index = ranged.firstIndex(where: { $0.isFor(range) }) else { return }
            ranged[index].remove(entry, range)
            if ranged[index].isEmpty { ranged.remove(at: index) }
        }
    }
}

extension Array where Element: Comparable {
    /// The first index of an ascending array whose element is not below a value. Complexity: O(log n).
    func firstIndex(notBelow value: Element) -> Int {
        if let last, last < value { return count }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low &+ high) / 2
            if self[middle] < value { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
