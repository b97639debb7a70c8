// Conditions on texts over many rows.

internal import CKernels
import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns
import TextAnalysis

extension SegmentExecutor {
    /// The rows whose text meets a condition, among some or among all.
    func select(_ test: TextTest, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        switch test.column.values {
        case .dictionary(let dictionary): return try select(test, dictionary, among: rows)
        case .text(let texts):
            // A search of the whole column costs as much as a look at one text in eight.
            if let search = test.search, rows.map({ $0.cardinality > rowCount / 8 }) ?? true {
                return try select(test, search, texts, among: rows)
            }
            return try verify(test, among: candidates(test, rows))
        default: return Bitmap(count: rowCount)
        }
    }

    private func candidates(_ test: TextTest, _ rows: Bitmap?) -> Bitmap {
        var rows = rows ?? Bitmap(count: rowCount, repeating: true)
        if let presence = test.column.presence { _ = rows.formIntersection(presence) }
        return rows
    }

    /// Searches the bytes of all rows at once, then looks at the rows that are in doubt.
    private func select(
        _ test: TextTest, _ search: TextSearch, _ texts: TextColumn, among rows: Bitmap?
    ) throws(EvaluationError) -> Bitmap {
        var sure = Bitmap(count: rowCount)
        var unsure = Bitmap(count: rowCount)
        if search.isOverBytes {
            unsafe texts.bytes.withElements { bytes in
                unsafe texts.offsets.withElements { offsets in
                    unsafe sure.words.withUnsafeMutableBufferPointer { sure in
                        unsafe unsure.words.withUnsafeMutableBufferPointer { unsure in
                            // SAFETY: the offsets, one more than rows, ascend and end within the bytes; the words cover
                            // all rows.
                            unsafe kernels_text_find(
                                bytes.baseAddress, offsets.baseAddress, texts.count, search.text, search.text.count,
                                search.ignoresCase ? 1 : 0, sure.baseAddress, unsure.baseAddress)
                        }
                    }
                }
            }
        }
        if search.ignoresNeighbours {
            sure.formUnion(unsure)
            unsure = Bitmap(count: rowCount)
        }
        if search.isSufficient {
            sure.insert(search.findings.sure)
            unsure.insert(search.findings.unsure)
            unsure.subtract(sure)
        } else {
            unsure.formUnion(sure)
            unsure.insert(search.findings.sure)
            unsure.insert(search.findings.unsure)
            sure = Bitmap(count: rowCount)
        }
        let allowed = candidates(test, rows)
        sure.formIntersection(allowed)
        unsure.formIntersection(allowed)
        sure.formUnion(try verify(test, among: unsure))
        return sure
    }

    /// Looks at the text of each candidate, in row order.
    private func verify(_ test: TextTest, among candidates: Bitmap) throws(EvaluationError) -> Bitmap {
        var words = candidates.words
        for word in words.indices {
            var pending = words[word]
            while pending != 0 {
                let bit = pending & (0 &- pending)
                pending &= pending - 1
                if try !meets(test, word * 64 + bit.trailingZeroBitCount) { words[word] &= ~bit }
            }
        }
        return Bitmap(words: words, count: rowCount)
    }

    /// Asks each distinct text once.
    private func select(
        _ test: TextTest, _ dictionary: DictionaryColumn, among rows: Bitmap?
    ) throws(EvaluationError) -> Bitmap {
        // A regular expression may fail on a text, and only rows that are asked for may tell of it.
        if case .matches = test.condition { return try verify(test, among: candidates(test, rows)) }
        var wanted = [UInt64](repeating: 0, count: (dictionary.values.count + 63) / 64)
        for code in 0..<dictionary.values.count {
            let meets: Bool = unsafe dictionary.values.withBytes(code) { text in
                (try? test.condition.holds(for: unsafe text.span)) ?? false
            }
            if meets { wanted[code / 64] |= 1 << UInt64(code % 64) }
        }
        var members = Bitmap(count: rowCount)
        unsafe dictionary.codes.withElements { codes in
            unsafe members.words.withUnsafeMutableBufferPointer { words in
                // SAFETY: every row has a code, the bits wanted cover all codes, and the words all rows.
                unsafe kernels_select_codes(codes.baseAddress, codes.count, wanted, words.baseAddress)
            }
        }
        members.formIntersection(candidates(test, rows))
        return members
    }

    /// Whether the text of a row meets a condition.
    func meets(_ test: TextTest, _ row: Int) throws(EvaluationError) -> Bool {
        let answer: Bool?? = unsafe test.column.withText(row) { text in
            try? test.condition.holds(for: unsafe text.span)
        }
        guard let answer else { return false }
        // The evaluator tells why there is no answer.
        return if let answer { answer } else { try evaluator.holds(test.comparison, row: row) }
    }
}
