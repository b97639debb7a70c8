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
        // A search of the whole column costs as much as a look at one text in eight.
        if let search = test.search, rows.map({ $0.cardinality > rowCount / 8 }) ?? true {
            return try select(test, search, among: rows)
        }
        return try verify(test, among: candidates(test, rows))
    }

    private func candidates(_ test: TextTest, _ rows: Bitmap?) -> Bitmap {
        var rows = rows ?? Bitmap(count: rowCount, repeating: true)
        if let presence = test.presence { _ = rows.formIntersection(presence) }
        return rows
    }

    /// Searches the bytes of all rows at once, then looks at the rows that are in doubt.
    private func select(
        _ test: TextTest, _ search: TextSearch, among rows: Bitmap?
    ) throws(EvaluationError) -> Bitmap {
        let texts = test.texts
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
        guard let automaton = test.automaton else { return try look(test, at: candidates) }
        let (matching, unknown) = unsafe test.texts.bytes.withElements { bytes in
            unsafe test.texts.offsets.withElements { offsets in
                // SAFETY: the offsets, one more than rows, ascend and end within the bytes.
                unsafe automaton.select(bytes, offsets, among: candidates.words, below: test.condition.automatonLimit)
            }
        }
        var members = try look(test, at: Bitmap(words: unknown, count: rowCount))
        members.formUnion(Bitmap(words: matching, count: rowCount))
        return members
    }

    private func look(_ test: TextTest, at candidates: Bitmap) throws(EvaluationError) -> Bitmap {
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

    /// Whether the text of a row meets a condition.
    func meets(_ test: TextTest, _ row: Int) throws(EvaluationError) -> Bool {
        guard test.presence?[row] ?? true else { return false }
        let answer = unsafe test.texts.withBytes(row) { text in try? test.condition.holds(for: unsafe text.span) }
        // The evaluator tells why there is no answer.
        return if let answer { answer } else { try evaluator.holds(test.comparison, row: row) }
    }
}
