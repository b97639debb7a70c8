// Union, intersection, difference, complement: by the forms and sizes of the operands.

/// Sets that meet have the same universe; the result has that of the left one.
extension OrdinalSet {
    /// The members of both.
    package func intersection(_ other: OrdinalSet) -> OrdinalSet {
        switch (form, other.form) {
        case (.run(let run), _): return other.clipped(to: run, universe: universe)
        case (_, .run(let run)): return clipped(to: run, universe: universe)
        case (.list(let list), _): return OrdinalSet(list: other.filter(list), universe: universe)
        case (_, .list(let list)): return OrdinalSet(list: filter(list), universe: universe)
        case (.compressed(let left), .compressed(let right)):
            return OrdinalSet(compressed: left.intersection(right), universe: universe)
        case (.compressed, _): return expanded.intersection(other)
        case (_, .compressed): return intersection(other.expanded)
        case (.dense(let left, _), .dense(let right, _)):
            return OrdinalSet(left.combined(.intersection, right))
        }
    }

    /// The members of either.
    package func union(_ other: OrdinalSet) -> OrdinalSet {
        if isEmpty || other.isFull { return other }
        if other.isEmpty || isFull { return self }
        switch (form, other.form) {
        case (.compressed(let left), .compressed(let right)):
            return OrdinalSet(compressed: left.union(right), universe: universe)
        case (.run(let left), .run(let right))
        where left.lowerBound <= right.upperBound
            && right.lowerBound <= left.upperBound:
            let (low, high) = (min(left.lowerBound, right.lowerBound), max(left.upperBound, right.upperBound))
            return OrdinalSet(low..<high, universe: universe)
        case _ where Self.meetAsLists(self, other):
            return OrdinalSet(list: SortedOrdinals.union(ordinals, other.ordinals), universe: universe)
        case (.dense(let left, _), .dense(let right, _)):
            return OrdinalSet(left.combined(.union, right))
        default:
            // The larger set is the cheaper one to start from.
            let (large, small) = cardinality < other.cardinality ? (other, self) : (self, other)
            var bitmap = large.bitmap
            small.insert(into: &bitmap)
            return OrdinalSet(bitmap)
        }
    }

    /// The members that are not in `other`.
    package func subtracting(_ other: OrdinalSet) -> OrdinalSet {
        if isEmpty || other.isEmpty { return self }
        switch (form, other.form) {
        case (.list(let list), _):
            return OrdinalSet(list: other.filter(list, wanted: false), universe: universe)
        case (_, .run(let run)):
            let below = clipped(to: 0..<run.lowerBound, universe: universe)
            return below.union(clipped(to: run.upperBound..<max(universe, run.upperBound), universe: universe))
        case (.compressed(let left), .compressed(let right)):
            return OrdinalSet(compressed: left.subtracting(right), universe: universe)
        case (.run(let run), _) where Self.meetAsLists(self, other):
            return OrdinalSet(list: other.filter(run.map { UInt32($0) }, wanted: false), universe: universe)
        case (_, .list(let list)):
            var bitmap = bitmap
            bitmap.remove(list)
            return OrdinalSet(bitmap)
        default:
            return OrdinalSet(bitmap.combined(.subtraction, other.bitmap))
        }
    }

    /// The members of exactly one.
    package func symmetricDifference(_ other: OrdinalSet) -> OrdinalSet {
        if isEmpty { return other }
        if other.isEmpty { return self }
        switch (form, other.form) {
        case (.compressed(let left), .compressed(let right)):
            return OrdinalSet(compressed: left.symmetricDifference(right), universe: universe)
        case _ where Self.meetAsLists(self, other):
            return OrdinalSet(list: SortedOrdinals.symmetricDifference(ordinals, other.ordinals), universe: universe)
        default:
            return OrdinalSet(bitmap.combined(.symmetricDifference, other.bitmap))
        }
    }

    /// The rows that are not members.
    package var complement: OrdinalSet { OrdinalSet.full(universe: universe).subtracting(self) }

    /// The members of every one of `sets`; all rows if there are none. The smallest meet first.
    package static func intersection(_ sets: [OrdinalSet], universe: Int) -> OrdinalSet {
        var result = OrdinalSet.full(universe: universe)
        for set in sets.sorted(by: { $0.cardinality < $1.cardinality }) {
            if result.isEmpty { break }
            result = result.intersection(set)
        }
        return result
    }

    /// The members of any of `sets`: many small ones are gathered in one pass.
    package static func union(_ sets: [OrdinalSet], universe: Int) -> OrdinalSet {
        if sets.count <= 2 { return sets.reduce(.empty(universe: universe)) { $0.union($1) } }
        let total = sets.reduce(0) { $0 + $1.cardinality }
        if total <= universe >> 8 {
            // Sorting so few costs less than a bitmap.
            var gathered: [UInt32] = []
            gathered.reserveCapacity(total)
            for set in sets { gathered.append(contentsOf: set.ordinals) }
            return OrdinalSet(gathered, universe: universe)
        }
        var bitmap = Bitmap(count: universe)
        for set in sets { set.insert(into: &bitmap) }
        return OrdinalSet(bitmap)
    }
}

// MARK: - Counting

extension OrdinalSet {
    /// Number of members of both, without making the set.
    package func intersectionCount(_ other: OrdinalSet) -> Int {
        switch (form, other.form) {
        case (.run(let run), _): other.cardinality(in: run)
        case (_, .run(let run)): cardinality(in: run)
        case (.list(let left), .list(let right)): SortedOrdinals.intersectionCount(left, right)
        case (.list(let list), .dense(let bitmap, _)), (.dense(let bitmap, _), .list(let list)):
            SortedOrdinals.filterCount(list, in: bitmap)
        case (.list(let list), .compressed(let set)), (.compressed(let set), .list(let list)): set.filterCount(list)
        case (.dense(let left, _), .dense(let right, _)): left.intersectionCount(right)
        case (.compressed(let left), .compressed(let right)): left.intersectionCount(right)
        case (.dense(let bitmap, _), .compressed(let set)), (.compressed(let set), .dense(let bitmap, _)):
            bitmap.intersectionCount(set.bitmap(count: universe))
        }
    }

    /// Number of members of either, without making the set.
    package func unionCount(_ other: OrdinalSet) -> Int { cardinality + other.cardinality - intersectionCount(other) }

    /// Number of members that are not in `other`, without making the set.
    package func subtractingCount(_ other: OrdinalSet) -> Int { cardinality - intersectionCount(other) }

    /// Whether the sets have no member in common.
    package func isDisjoint(with other: OrdinalSet) -> Bool { intersectionCount(other) == 0 }
}

// MARK: - Steps

extension OrdinalSet {
    /// Whether two sets are together so small that merging lists costs less than a bitmap does, as measured.
    private static func meetAsLists(_ left: OrdinalSet, _ right: OrdinalSet) -> Bool {
        left.cardinality + right.cardinality <= left.universe >> 8
    }

    /// The members within `run`.
    private func clipped(to run: Range<Int>, universe: Int) -> OrdinalSet {
        if run.lowerBound <= 0, run.upperBound >= self.universe, universe == self.universe { return self }
        let run = run.clamped(to: 0..<universe)
        switch form {
        case .run(let mine): return OrdinalSet(mine.clamped(to: run), universe: universe)
        case .list(let list):
            return OrdinalSet(list: Array(list[Self.positions(of: run, in: list)]), universe: universe)
        case .dense(var bitmap, _):
            bitmap.remove(0..<run.lowerBound)
            bitmap.remove(run.upperBound..<max(run.upperBound, self.universe))
            return OrdinalSet(bitmap)
        case .compressed(let set):
            let offset = set.rank(UInt32(clamping: run.lowerBound))
            return OrdinalSet(
                list: set.ordinals(from: offset, limit: set.cardinality(in: run)), universe: universe)
        }
    }

    /// The ordinals of an ascending list that are members (or, with `wanted` false, are not).
    private func filter(_ list: [UInt32], wanted: Bool = true) -> [UInt32] {
        switch form {
        case .run(let run):
            let inside = Self.positions(of: run, in: list)
            return wanted ? Array(list[inside]) : Array(list[..<inside.lowerBound] + list[inside.upperBound...])
        case .list(let mine):
            return wanted ? SortedOrdinals.intersection(list, mine) : SortedOrdinals.subtracting(list, mine)
        case .dense(let bitmap, _): return SortedOrdinals.filter(list, in: bitmap, wanted: wanted)
        case .compressed(let set): return set.filter(list, wanted: wanted)
        }
    }

    /// Adds the members to `bitmap`.
    private func insert(into bitmap: inout Bitmap) {
        switch form {
        case .run(let run): bitmap.insert(run)
        case .list(let list): bitmap.insert(list)
        case .dense(let mine, _): bitmap.formUnion(mine)
        case .compressed(let set): bitmap.insert(set.ordinals)
        }
    }
}
