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
        if let search = test.search { return try select(test, search, among: rows) }
        return try verify(test, among: candidates(test, rows))
    }

    private func candidates(_ test: TextTest, _ rows: Bitmap?) -> Bitmap {
        var rows = rows ?? Bitmap(count: rowCount, repeating: true)
        if let presence = test.presence { _ = rows.formIntersection(presence) }
        return rows
    }

    /// Searches the bytes of the rows, then looks at the rows that are in doubt.
    private func select(
        _ test: TextTest, _ search: TextSearch, among rows: Bitmap?
    ) throws(EvaluationError) -> Bitmap {
        let texts = test.texts
        var (sure, unsure) = try found(search, in: texts, among: rows)
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

    /// The rows that hold a text, and those that may hold it, by bytes alone; among some rows where they are few.
    private func found(
        _ search: TextSearch, in texts: TextColumn, among rows: Bitmap?
    ) throws(EvaluationError) -> (sure: Bitmap, unsure: Bitmap) {
        var unsure = Bitmap(count: rowCount)
        guard search.isOverBytes else { return (unsure, unsure) }
        let sure = try unsafe unsure.words.withUnsafeMutableBufferPointer { buffer throws(EvaluationError) in
            guard let base = buffer.baseAddress else { return Bitmap(count: rowCount) }
            let unsure = unsafe SharedWords(base: base)
            // A search of the whole column at once costs as much as one of each text in four.
            let few = rows.flatMap { $0.cardinality <= rowCount / 4 ? $0 : nil }
            return try unsafe filled(cost: .text, pending: few?.cardinality) { range, words throws(EvaluationError) in
                unsafe texts.bytes.withElements { bytes in
                    unsafe texts.offsets.withElements { offsets in
                        // SAFETY: the offsets, one more than rows, ascend and end within the bytes; the words cover the
                        // range, which begins with a whole word.
                        let start = unsafe UnsafeBufferPointer(rebasing: offsets[range.lowerBound...]).baseAddress
                        let first = range.lowerBound / 64
                        let unsure = unsafe unsure.base + first
                        guard let few else {
                            return unsafe kernels_text_find(
                                bytes.baseAddress, start, range.count, search.text, search.text.count,
                                search.ignoresCase ? 1 : 0, words, unsure)
                        }
                        unsafe few.words.withUnsafeBufferPointer { few in
                            unsafe kernels_text_find_among(
                                bytes.baseAddress, start, range.count, search.text, search.text.count,
                                search.ignoresCase ? 1 : 0, UnsafeBufferPointer(rebasing: few[first...]).baseAddress,
                                words, unsure)
                        }
                    }
                }
            }
        }
        return (sure, unsure)
    }

    /// Looks at the text of each candidate.
    private func verify(_ test: TextTest, among candidates: Bitmap) throws(EvaluationError) -> Bitmap {
        guard let automaton = test.automaton else { return try look(test, at: candidates) }
        var unknown = Bitmap(count: rowCount)
        var members = try unsafe unknown.words.withUnsafeMutableBufferPointer { buffer throws(EvaluationError) in
            guard let base = buffer.baseAddress else { return Bitmap(count: rowCount) }
            let unknown = unsafe SharedWords(base: base)
            return try unsafe filled(cost: .text, pending: candidates.cardinality) {
                range, words throws(EvaluationError) in
                let first = range.lowerBound / 64
                let among = Array(candidates.words[first..<(range.upperBound + 63) / 64])
                unsafe test.texts.bytes.withElements { bytes in
                    unsafe test.texts.offsets.withElements { offsets in
                        // SAFETY: as above.
                        let sorted = unsafe automaton.select(
                            bytes, UnsafeBufferPointer(rebasing: offsets[range.lowerBound...range.upperBound]),
                            among: among, below: test.condition.automatonLimit)
                        for word in among.indices {
                            unsafe words[word] = sorted.matching[word]
                            unsafe unknown.base[first + word] = sorted.unknown[word]
                        }
                    }
                }
            }
        }
        members.formUnion(try look(test, at: unknown))
        return members
    }

    private func look(_ test: TextTest, at candidates: Bitmap) throws(EvaluationError) -> Bitmap {
        guard candidates.words.contains(where: { $0 != 0 }) else { return candidates }
        return try rows(among: candidates) { row throws(EvaluationError) in try meets(test, row) }
    }

    /// Whether the text of a row meets a condition.
    func meets(_ test: TextTest, _ row: Int) throws(EvaluationError) -> Bool {
        guard test.presence?[row] ?? true else { return false }
        let result = unsafe test.texts.withBytes(row) { text in try? test.condition.holds(for: unsafe text.span) }
        // The evaluator tells why it is undecided.
        return if let result { result } else { try evaluator.holds(test.comparison, row: row) }
    }
}
