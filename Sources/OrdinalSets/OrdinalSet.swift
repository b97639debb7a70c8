// A set of row ordinals in whichever form suits it.

/// A set of row ordinals `0..<universe`: what the parts of a plan give.
///
/// Three forms behind one type. Runs cost nothing and include the empty set and the full one. Lists of four bytes a
/// member suit sets of up to a thirty-second of the universe, where a bitmap starts to be smaller; bitmaps suit larger
/// ones: with two members to a word no other form keeps up with operations on words.
package struct OrdinalSet: Sendable {
    enum Form: Sendable {
        case run(Range<Int>)
        case list([UInt32])
        case dense(Bitmap, cardinality: Int)
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
    /// - Complexity: O(ordinals) if they ascend, otherwise O(ordinals log ordinals) or O(ordinals + universe / 64).
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

    /// Whether a bitmap is no larger than the list of `cardinality` members.
    static func isDense(_ cardinality: Int, _ universe: Int) -> Bool { cardinality > universe >> 5 }
}

// MARK: - What is in it

extension OrdinalSet {
    /// Number of members.
    package var cardinality: Int {
        switch form {
        case .run(let run): run.count
        case .list(let list): list.count
        case .dense(_, let cardinality): cardinality
        }
    }

    /// Whether there is no member.
    package var isEmpty: Bool { cardinality == 0 }

    /// Whether `ordinal` is a member. Complexity: O(1) for runs and bitmaps, otherwise logarithmic.
    package func contains(_ ordinal: Int) -> Bool {
        guard ordinal >= 0, ordinal < universe else { return false }
        switch form {
        case .run(let run): return run.contains(ordinal)
        case .list(let list):
            let position = SortedOrdinals.position(of: UInt32(ordinal), in: list)
            return position < list.count && list[position] == UInt32(ordinal)
        case .dense(let bitmap, _): return bitmap[ordinal]
        }
    }

    /// The members, ascending. Complexity: O(cardinality + universe / 64).
    package var ordinals: [UInt32] {
        switch form {
        case .run(let run): run.map { UInt32($0) }
        case .list(let list): list
        case .dense(let bitmap, let cardinality): bitmap.ordinals(capacity: cardinality)
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
        }
    }

    /// The members that are not in `other`, of the same universe.
    package func subtracting(_ other: OrdinalSet) -> OrdinalSet {
        if isEmpty || other.isEmpty { return self }
        switch (form, other.form) {
        case (.list(let list), .list(let others)):
            return OrdinalSet(list: SortedOrdinals.subtracting(list, others), universe: universe)
        case (.list(let list), _):
            return OrdinalSet(list: list.filter { !other.contains(Int($0)) }, universe: universe)
        default:
            var members = bitmap
            let cardinality = members.subtract(other.bitmap)
            return OrdinalSet(bitmap: members, cardinality: cardinality)
        }
    }

    /// The rows that are not members. Complexity: O(universe / 64).
    package var complement: OrdinalSet { OrdinalSet.full(universe: universe).subtracting(self) }
}
