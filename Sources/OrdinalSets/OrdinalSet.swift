// A set of row ordinals in whichever form suits it.

/// A set of row ordinals `0..<universe`: the currency of query execution.
///
/// Four forms behind one type. Runs cost nothing and include the empty set and the full one. Lists of four bytes a
/// member suit sets of up to a thirty-second of the universe, where a bitmap starts to be smaller, bitmaps larger ones:
/// with two members to a word no other form keeps up with operations on words. Compressed sets are for keeping, in
/// universes where even the bitmap is large: results are compressed only if both operands are.
package struct OrdinalSet: Sendable {
    enum Form: Sendable {
        case run(Range<Int>)
        case list([UInt32])
        case dense(Bitmap, cardinality: Int)
        case compressed(CompressedOrdinals)
    }

    let form: Form
    /// Number of rows there are; every member is below it. At most 2³².
    package let universe: Int

    /// Takes over a form that keeps the invariants of `OrdinalSet+Invariants.swift`.
    init(form: Form, universe: Int) {
        self.form = form
        self.universe = universe
        checkInvariants()
    }

    /// The rows `members`; those beyond `universe` are left out.
    package init(_ members: Range<Int>, universe: Int) {
        let members = members.clamped(to: 0..<universe)
        self.init(form: .run(members.isEmpty ? 0..<0 : members), universe: universe)
    }

    /// No row.
    package static func empty(universe: Int) -> OrdinalSet { OrdinalSet(0..<0, universe: universe) }

    /// Every row.
    package static func full(universe: Int) -> OrdinalSet { OrdinalSet(0..<universe, universe: universe) }

    /// The rows `ordinals`, in any order and repeated or not; those beyond `universe` are left out.
    ///
    /// Complexity: O(ordinals) if they ascend, otherwise O(ordinals log ordinals) or O(ordinals + universe / 64).
    package init(_ ordinals: [UInt32], universe: Int) {
        if Self.isDense(ordinals.count, universe) {
            self.init(Bitmap(ordinals: ordinals, count: universe))
            return
        }
        var list = ordinals
        if !SortedOrdinals.isAscending(list) {
            list.sort()
            var kept = 0
            for index in list.indices where index == 0 || list[index] != list[kept - 1] {
                list[kept] = list[index]
                kept += 1
            }
            list.removeSubrange(kept...)
        }
        if let last = list.last, Int(last) >= universe {
            list.removeSubrange(SortedOrdinals.position(of: UInt32(universe), in: list)...)
        }
        self.init(list: list, universe: universe)
    }

    /// The rows of `bitmap`, whose `count` is the universe.
    package init(_ bitmap: Bitmap) { self.init(bitmap: bitmap, cardinality: bitmap.cardinality) }

    /// A list that ascends without repetition, members below `universe`.
    init(list: [UInt32], universe: Int) {
        guard let first = list.first, let last = list.last else {
            self.init(0..<0, universe: universe)
            return
        }
        if Int(last) - Int(first) == list.count - 1 {
            self.init(Int(first)..<Int(last) + 1, universe: universe)
        } else if Self.isDense(list.count, universe) {
            self.init(
                form: .dense(Bitmap(ordinals: list, count: universe), cardinality: list.count), universe: universe)
        } else {
            self.init(form: .list(list), universe: universe)
        }
    }

    /// A bitmap of the universe and its number of members.
    package init(bitmap: Bitmap, cardinality: Int) {
        let universe = bitmap.count
        if cardinality == 0 || cardinality == universe {
            self.init(0..<cardinality, universe: universe)
        } else if cardinality <= universe >> 9 {
            // So few members that listing them costs no more than one look at the words.
            self.init(list: bitmap.ordinals(capacity: cardinality), universe: universe)
        } else {
            self.init(form: .dense(bitmap, cardinality: cardinality), universe: universe)
        }
    }

    /// A bitmap of the universe and its number of members.
    init(_ counted: (bitmap: Bitmap, cardinality: Int)) {
        self.init(bitmap: counted.bitmap, cardinality: counted.cardinality)
    }

    /// A compressed set, all members below `universe`.
    init(compressed: CompressedOrdinals, universe: Int) {
        let cardinality = compressed.cardinality
        if cardinality == 0 || cardinality == universe {
            self.init(0..<cardinality, universe: universe)
        } else {
            self.init(form: .compressed(compressed), universe: universe)
        }
    }

    /// Whether a bitmap is no larger than the list of `cardinality` members.
    static func isDense(_ cardinality: Int, _ universe: Int) -> Bool { cardinality > universe >> 5 }
}

// MARK: - Asking

extension OrdinalSet {
    /// Number of members.
    package var cardinality: Int {
        switch form {
        case .run(let run): run.count
        case .list(let list): list.count
        case .dense(_, let cardinality): cardinality
        case .compressed(let set): set.cardinality
        }
    }

    /// Whether there is no member.
    package var isEmpty: Bool {
        if case .run(let run) = form { run.isEmpty } else { false }
    }

    /// Whether every row is a member.
    package var isFull: Bool {
        if case .run(let run) = form { run.count == universe } else { false }
    }

    /// Whether `ordinal` is a member. Complexity: O(1) for runs and bitmaps, otherwise logarithmic.
    package func contains(_ ordinal: Int) -> Bool {
        guard ordinal >= 0, ordinal < universe else { return false }
        switch form {
        case .run(let run): return run.contains(ordinal)
        case .list(let list):
            let position = SortedOrdinals.position(of: UInt32(ordinal), in: list)
            return position < list.count && list[position] == UInt32(ordinal)
        case .dense(let bitmap, _): return bitmap[ordinal]
        case .compressed(let set): return set.contains(UInt32(ordinal))
        }
    }

    /// Number of members below `ordinal`. Complexity: at most O(universe / 64).
    package func rank(_ ordinal: Int) -> Int { cardinality(in: 0..<max(0, ordinal)) }

    /// Number of members in `ordinals`. Complexity: at most O(universe / 64).
    package func cardinality(in ordinals: Range<Int>) -> Int {
        let ordinals = ordinals.clamped(to: 0..<universe)
        switch form {
        case .run(let run): return run.clamped(to: ordinals).count
        case .list(let list): return Self.positions(of: ordinals, in: list).count
        case .dense(let bitmap, _): return bitmap.cardinality(in: ordinals)
        case .compressed(let set): return set.cardinality(in: ordinals)
        }
    }

    /// The member with `rank` members below it, or nil if there are not so many. Complexity: at most O(universe / 64).
    package func select(_ rank: Int) -> Int? {
        guard rank >= 0, rank < cardinality else { return nil }
        switch form {
        case .run(let run): return run.lowerBound + rank
        case .list(let list): return Int(list[rank])
        case .dense(let bitmap, _): return bitmap.select(rank)
        case .compressed(let set): return set.select(rank)
        }
    }

    /// The lowest member.
    package var first: Int? { select(0) }

    /// Bytes of memory the members take.
    package var byteCount: Int {
        switch form {
        case .run: 0
        case .list(let list): list.count * 4
        case .dense(let bitmap, _): bitmap.words.count * 8
        case .compressed(let set): set.byteCount
        }
    }

    /// The positions in `list` of its members within `ordinals`.
    static func positions(of ordinals: Range<Int>, in list: [UInt32]) -> Range<Int> {
        guard !ordinals.isEmpty else { return 0..<0 }
        let low = SortedOrdinals.position(of: UInt32(clamping: ordinals.lowerBound), in: list)
        let high =
            ordinals.upperBound > Int(UInt32.max)
            ? list.count : SortedOrdinals.position(of: UInt32(ordinals.upperBound), in: list)
        return low..<max(low, high)
    }
}

// MARK: - Turning into other forms

extension OrdinalSet {
    /// The members, ascending. Complexity: O(cardinality + universe / 64).
    package var ordinals: [UInt32] {
        switch form {
        case .run(let run): run.map { UInt32($0) }
        case .list(let list): list
        case .dense(let bitmap, let cardinality): bitmap.ordinals(capacity: cardinality)
        case .compressed(let set): set.ordinals
        }
    }

    /// The members as a bitmap. Complexity: O(cardinality + universe / 64).
    package var bitmap: Bitmap {
        switch form {
        case .run(let run):
            if run.count == universe { return Bitmap(count: universe, repeating: true) }
            var bitmap = Bitmap(count: universe)
            bitmap.insert(run)
            return bitmap
        case .list(let list): return Bitmap(ordinals: list, count: universe)
        case .dense(let bitmap, _): return bitmap
        case .compressed(let set): return set.bitmap(count: universe)
        }
    }

    /// The same set in compressed form if that takes less memory: for keeping. Complexity: O(cardinality).
    package var compressed: OrdinalSet {
        switch form {
        case .run, .compressed: return self
        case .list, .dense:
            let set = CompressedOrdinals(ascending: ordinals)
            return set.byteCount < byteCount ? OrdinalSet(compressed: set, universe: universe) : self
        }
    }

    /// The same set as a run, a list or a bitmap: for working with.
    package var expanded: OrdinalSet {
        guard case .compressed(let set) = form else { return self }
        return Self.isDense(set.cardinality, universe)
            ? OrdinalSet(bitmap: set.bitmap(count: universe), cardinality: set.cardinality)
            : OrdinalSet(list: set.ordinals, universe: universe)
    }

    /// The same members among more rows, or the members that are left among fewer.
    package func resized(to universe: Int) -> OrdinalSet {
        switch form {
        case .run(let run): return OrdinalSet(run, universe: universe)
        case .list, .compressed, .dense: return OrdinalSet(ordinals, universe: universe)
        }
    }
}

extension OrdinalSet: Equatable {
    /// Whether the members and the universe are the same, whatever the form.
    package static func == (left: OrdinalSet, right: OrdinalSet) -> Bool {
        left.universe == right.universe && left.cardinality == right.cardinality
            && left.intersectionCount(right) == left.cardinality
    }
}
