// Tests over many rows at once.

internal import CKernels
import Geospatial
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns

extension SegmentExecutor {
    /// The rows that pass a test, among some or among all.
    func select(_ test: RowTest, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        switch test {
        case .whole(let values, let presence, let low, let high, _):
            return unsafe selected(among: rows, presence) { words in
                unsafe values.withElements { values in
                    // SAFETY: the column has a value for each row, and the words cover all rows.
                    unsafe kernels_select_range_i64(values.baseAddress, values.count, low, high, words)
                }
            }
        case .fractional(let values, let presence, let low, let high, _):
            return unsafe selected(among: rows, presence) { words in
                unsafe values.withElements { values in
                    // SAFETY: as above.
                    unsafe kernels_select_range_f64(values.baseAddress, values.count, low, high, words)
                }
            }
        case .member(let bitmap, _):
            guard var rows else { return bitmap }
            _ = rows.formIntersection(bitmap)
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
        case .evaluate(let node): return try evaluate(node, among: rows)
        }
    }

    private func select(_ test: DictionaryTest, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        let decision = try test.decision()
        var members = unsafe selected(among: nil, test.presence) { words in
            unsafe test.codes.withElements { codes in
                if decision.count == 1, let code = decision.codes.ordinals.first {
                    // SAFETY: the column has a code for each row, and the words cover all rows.
                    unsafe kernels_select_code(codes.baseAddress, codes.count, code, words)
                } else {
                    // SAFETY: as above; the bitmap covers all codes.
                    unsafe kernels_select_codes(codes.baseAddress, codes.count, decision.codes.words, words)
                }
            }
        }
        if decision.holdsForMissing, let presence = test.presence { members.formUnion(presence.complement) }
        if let rows { members.formIntersection(rows) }
        return members
    }

    private func selected(
        among rows: Bitmap?, _ presence: Bitmap?, _ fill: (UnsafeMutablePointer<UInt64>) -> Void
    ) -> Bitmap {
        var members = Bitmap(count: rowCount)
        unsafe members.words.withUnsafeMutableBufferPointer { words in
            if let base = words.baseAddress { unsafe fill(base) }
        }
        return intersection(members, rows, presence)
    }

    private func intersection(_ members: Bitmap, _ rows: Bitmap?, _ presence: Bitmap?) -> Bitmap {
        var members = members
        if let rows { _ = members.formIntersection(rows) }
        if let presence { _ = members.formIntersection(presence) }
        return members
    }

    private func evaluate(_ node: BoundNode, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        var words = [UInt64](repeating: 0, count: (rowCount + 63) / 64)
        for word in words.indices {
            var pending = rows?.words[word] ?? .max
            if word == words.count - 1, rowCount % 64 != 0 { pending &= (1 << UInt64(rowCount % 64)) - 1 }
            while pending != 0 {
                let bit = pending & (0 &- pending)
                pending &= pending - 1
                if try evaluator.holds(node, row: word * 64 + bit.trailingZeroBitCount) { words[word] |= bit }
            }
        }
        return Bitmap(words: words, count: rowCount)
    }
}
