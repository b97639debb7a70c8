// Column programs: computed comparisons, many rows at a time.

internal import CKernels
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns

extension SegmentExecutor {
    /// The rows that a program selects, among some or among all.
    func select(_ program: ColumnProgram, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        var scope = program.present
        if let rows { if scope == nil { scope = rows } else { scope?.formIntersection(rows) } }
        var members = try decided(program, among: scope)
        if let missing = program.bothMissing { members.formUnion(missing) }
        if program.isNegated { members.formComplement() }
        if let rows, program.isNegated || program.bothMissing != nil { members.formIntersection(rows) }
        return members
    }

    /// The rows that a program's steps select, or that the evaluator selects where they cannot.
    private func decided(_ program: ColumnProgram, among scope: Bitmap?) throws(EvaluationError) -> Bitmap {
        guard program.mayBeUndecided else { return try unsafe run(program, among: scope, undecided: nil) }
        var undecided = Bitmap(count: rowCount)
        var members = try unsafe undecided.words.withUnsafeMutableBufferPointer { words throws(EvaluationError) in
            try unsafe run(program, among: scope, undecided: words.baseAddress)
        }
        guard undecided.words.contains(where: { $0 != 0 }) else { return members }
        // The evaluator decides the comparison as a whole, the steps only what it may be the negation of.
        var held = try evaluate(program.node, among: undecided)
        if program.isNegated { held.formSymmetricDifference(undecided) }
        members.subtract(undecided)
        members.formUnion(held)
        return members
    }

    /// What a program's steps select.
    private func run(
        _ program: ColumnProgram, among rows: Bitmap?, undecided: UnsafeMutablePointer<UInt64>?
    ) throws(EvaluationError) -> Bitmap {
        let doubt = unsafe undecided.map { unsafe SharedWords(base: $0) }
        return try unsafe filled(cost: .kernel) { range, words throws(EvaluationError) in
            let word = range.lowerBound / 64
            unsafe program.withKernel { kernel in
                unsafe rows.withWords { among in
                    // SAFETY: inputs have a value or bit for each row, and all bitmaps cover all rows.
                    _ = unsafe kernels_program_run(
                        &kernel, nil, range.lowerBound, range.count, among.map { unsafe $0 + word }, words,
                        doubt.map { unsafe $0.base + word })
                }
            }
        }
    }

    /// Those of some rows that a program selects.
    func keep(_ candidates: [UInt32], _ program: ColumnProgram) throws(EvaluationError) -> [UInt32] {
        var members = Bitmap(count: candidates.count)
        var undecided = Bitmap(count: candidates.count)
        unsafe program.withKernel { kernel in
            unsafe members.words.withUnsafeMutableBufferPointer { members in
                unsafe undecided.words.withUnsafeMutableBufferPointer { undecided in
                    // SAFETY: inputs have a value or bit for each candidate, and the words cover all candidates.
                    _ = unsafe kernels_program_run(
                        &kernel, candidates, 0, candidates.count, nil, members.baseAddress, undecided.baseAddress)
                }
            }
        }
        var kept: [UInt32] = []
        for (position, ordinal) in candidates.enumerated() {
            let row = Int(ordinal)
            var isMember = members[position]
            if let present = program.present, !present[row] {
                isMember = program.bothMissing?[row] ?? false
            } else if undecided[position] {
                isMember = try evaluator.holds(program.node, row: row) != program.isNegated
            }
            if isMember != program.isNegated { kept.append(ordinal) }
        }
        return kept
    }
}

extension Bitmap? {
    /// Calls `body` with the words, or with nothing where there is no bitmap.
    fileprivate func withWords(_ body: (UnsafePointer<UInt64>?) -> Void) {
        guard let self else { return body(nil) }
        unsafe self.words.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}

extension ColumnProgram {
    /// Calls `body` with the program in the form of the kernels, whose pointers are valid during the call.
    func withKernel<Result>(_ body: (inout kernels_program) -> Result) -> Result {
        unsafe withInputs(inputs[...], []) { inputs in
            unsafe steps.withUnsafeBufferPointer { steps in
                var kernel = unsafe kernels_program(
                    steps: steps.baseAddress, step_count: steps.count, inputs: inputs.baseAddress,
                    input_count: inputs.count)
                return unsafe body(&kernel)
            }
        }
    }

    private func withInputs<Result>(
        _ rest: ArraySlice<Input>, _ found: [kernels_input], _ body: (UnsafeBufferPointer<kernels_input>) -> Result
    ) -> Result {
        guard let input = rest.first else { return unsafe found.withUnsafeBufferPointer(body) }
        func with(_ values: UnsafeRawPointer?, isBits: Bool) -> Result {
            // SAFETY: elements of all columns are of 64 bits, as are words.
            let words = unsafe values?.assumingMemoryBound(to: UInt64.self)
            let next = unsafe found + [kernels_input(values: words, is_bits: isBits ? 1 : 0)]
            return unsafe withInputs(rest.dropFirst(), next, body)
        }
        switch input {
        case .int(let values): return unsafe values.withElements { unsafe with($0.baseAddress, isBits: false) }
        case .double(let values): return unsafe values.withElements { unsafe with($0.baseAddress, isBits: false) }
        case .mixed(let values): return unsafe values.withElements { unsafe with($0.baseAddress, isBits: false) }
        case .bits(let bitmap):
            return unsafe bitmap.words.withUnsafeBufferPointer { unsafe with($0.baseAddress, isBits: true) }
        }
    }
}
