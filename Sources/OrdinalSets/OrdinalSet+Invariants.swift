// What holds of every ordinal set; checked in debug builds.

extension OrdinalSet {
    /// Stops a debug build if this set is not well formed.
    ///
    /// Runs: within the universe; the empty one is `0..<0`. Lists: at least two members, ascending, below the universe,
    /// not contiguous. Bitmaps: of the universe's rows, with the members counted, neither none nor all.
    func checkInvariants() {
        assert(universe >= 0 && universe <= 1 << 32, "a universe of \(universe) rows")
        switch form {
        case .run(let run):
            assert(run.upperBound <= universe && run.lowerBound >= 0, "run beyond the universe")
            assert(!run.isEmpty || run == 0..<0, "empty run elsewhere than at 0")
        case .list(let list):
            assert(SortedOrdinals.isAscending(list), "list does not ascend")
            assert(list.count > 1 && Int(list[list.count - 1]) < universe, "list beyond the universe")
            assert(Int(list[list.count - 1] - list[0]) > list.count - 1, "list is a run")
        case .dense(let bitmap, let cardinality):
            assert(bitmap.count == universe && bitmap.words.count == (universe + 63) / 64, "bitmap of other rows")
            assert(bitmap.cardinality == cardinality, "members miscounted")
            assert(bitmap.words.last.map { $0 >> UInt64((universe - 1) & 63) <= 1 } ?? true, "bits beyond the universe")
            assert(cardinality > 0 && cardinality < universe, "bitmap of none or all")
        }
    }
}
