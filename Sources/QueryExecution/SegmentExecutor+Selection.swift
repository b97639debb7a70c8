// Tests over many rows at once.

internal import CKernels
import Geospatial
import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns

extension SegmentExecutor {
    /// The rows that pass a test, among some or among all.
    func select(_ test: RowTest, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        switch test {
        case .int(let values, let presence, let low, let high, _):
            return unsafe try selected(among: rows, presence) { range, words in
                unsafe values.withElements { values in
                    // SAFETY: the column has a value for each row, and the words cover the range.
                    let values = unsafe UnsafeBufferPointer(rebasing: values[range])
                    unsafe kernels_select_range_i64(values.baseAddress, values.count, low, high, words)
                }
            }
        case .double(let values, let presence, let low, let high, _):
            return unsafe try selected(among: rows, presence) { range, words in
                unsafe values.withElements { values in
                    // SAFETY: as above.
                    let values = unsafe UnsafeBufferPointer(rebasing: values[range])
                    unsafe kernels_select_range_f64(values.baseAddress, values.count, low, high, words)
                }
            }
        case .member(let bitmap, _):
            guard var rows else { return bitmap }
            rows.formIntersection(bitmap)
            return rows
        case .near(let locations, let presence, let test):
            var members = Bitmap(count: rowCount)
            unsafe locations.latitudes.withElements { latitudes in
                unsafe locations.longitudes.withElements { longitudes in
                    var words = members.words.mutableSpan
                    test.select(
                        latitudes: unsafe latitudes.span, longitudes: unsafe longitudes.span, into: &words)
                }
            }
            return intersection(members, rows, presence)
        case .computed(let program): return try select(program, among: rows)
        case .coded(let test): return try select(test, among: rows)
        case .text(let test): return try select(test, among: rows)
        case .phrase(let test):
            let candidates = rows?.ordinals ?? OrdinalSet.full(universe: rowCount).ordinals
            return Bitmap(ordinals: keep(candidates, test), count: rowCount)
        case .evaluate(let node): return try evaluate(node, among: rows)
        }
    }

    /// The rows, ascending, among some that hold a phrase.
    func keep(_ candidates: [UInt32], _ test: PhraseTest) -> [UInt32] {
        var cursor = PhraseCursor(test.words, of: test.positions)
        return ascending(candidates).filter { cursor.count(in: $0) > 0 }
    }

    private func select(_ test: DictionaryTest, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        let wanted = try test.decision()
        let only = wanted.count == 1 ? wanted.codes.ordinals.first : nil
        var members = unsafe try selected(among: nil, test.presence) { range, words in
            unsafe test.codes.withElements { codes in
                // SAFETY: the column has a code for each row, and the words cover the range.
                let codes = unsafe UnsafeBufferPointer(rebasing: codes[range])
                if let only {
                    unsafe kernels_select_code(codes.baseAddress, codes.count, only, words)
                } else {
                    // SAFETY: the bitmap covers all codes.
                    unsafe kernels_select_codes(codes.baseAddress, codes.count, wanted.codes.words, words)
                }
            }
        }
        if wanted.holdsForMissing, let presence = test.presence { members.formUnion(presence.complement) }
        if let rows { members.formIntersection(rows) }
        return members
    }

    /// The rows for which `fill` sets bits: it gets ranges of rows, with the words that stand for them.
    private func selected(
        among rows: Bitmap?, _ presence: Bitmap?, _ fill: @Sendable (Range<Int>, UnsafeMutablePointer<UInt64>) -> Void
    ) throws(EvaluationError) -> Bitmap {
        let members = try unsafe filled(cost: .kernel) { range, words throws(EvaluationError) in
            unsafe fill(range, words)
        }
        return intersection(members, rows, presence)
    }

    private func intersection(_ members: Bitmap, _ rows: Bitmap?, _ presence: Bitmap?) -> Bitmap {
        var members = members
        if let rows { members.formIntersection(rows) }
        if let presence { members.formIntersection(presence) }
        return members
    }

    func evaluate(_ node: BoundNode, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        try self.rows(among: rows) { row throws(EvaluationError) in try evaluator.holds(node, row: row) }
    }

    /// The rows that pass, among some or among all, decided one by one.
    func rows(
        among rows: Bitmap?, where passes: @Sendable (Int) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bitmap {
        let watch = QueryDeadline.watch
        return try unsafe filled(cost: .evaluator, pending: rows?.cardinality) { range, words throws(EvaluationError) in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 64) {
                var pending = rows?.words[start / 64] ?? .max
                if range.upperBound - start < 64 { pending &= (1 << UInt64(range.upperBound - start)) - 1 }
                var members: UInt64 = 0
                while pending != 0 {
                    let bit = pending & (0 &- pending)
                    pending &= pending - 1
                    try watch.checkTime()
                    if try passes(start + bit.trailingZeroBitCount) { members |= bit }
                }
                // SAFETY: the words cover the range, which begins with a whole word.
                unsafe words[(start - range.lowerBound) / 64] = members
            }
        }
    }

    /// A bitmap whose words `fill` writes, range of rows by range of rows, perhaps on several threads.
    func filled(
        cost: RowWork.Cost, pending: Int? = nil,
        _ fill: @Sendable (Range<Int>, UnsafeMutablePointer<UInt64>) throws(EvaluationError) -> Void
    ) throws(EvaluationError) -> Bitmap {
        var members = Bitmap(count: rowCount)
        try unsafe members.words.withUnsafeMutableBufferPointer { buffer throws(EvaluationError) in
            guard let base = buffer.baseAddress else { return }
            let words = unsafe SharedWords(base: base)
            try RowWork(rowCount: rowCount, cost: cost).run(threads: threads, pending: pending) {
                range throws(EvaluationError) in
                let rows = range.lowerBound * 64..<min(rowCount, range.upperBound * 64)
                // SAFETY: ranges of words lie within the bitmap.
                try unsafe fill(rows, words.base + range.lowerBound)
            }
        }
        return members
    }
}

/// Words that threads write, each its own.
@safe struct SharedWords: @unchecked Sendable {
    // SAFETY: ranges of words that are worked on at the same time do not overlap, and the array they belong to is not
    // used before all work is done.
    let base: UnsafeMutablePointer<UInt64>
}
