// Column programs: computed comparisons, many rows at a time.

internal import CKernels
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns

extension SegmentExecutor {
    /// The rows that a program selects, among some or among all.
    func select(_ program: ColumnProgram, among rows: Bitmap?) throws(EvaluationError) -> Bitmap {
        var members = Bitmap(count: rowCount)
        var undecided = Bitmap(count: rowCount)
        let isUndecided = unsafe program.withKernel { kernel in
            unsafe members.words.withUnsafeMutableBufferPointer { members in
                unsafe undecided.words.withUnsafeMutableBufferPointer { undecided in
                    // SAFETY: inputs have a value or bit for each row, and all words cover all rows.
                    unsafe kernels_program_run(
                        &kernel, nil, 0, rowCount, rows?.words, members.baseAddress, undecided.baseAddress) != 0
                }
            }
        }
        if let present = program.present { members.formIntersection(present) }
        if let missing = program.bothMissing { members.formUnion(missing) }
        if program.isNegated { members.formComplement() }
        if let rows { members.formIntersection(rows) }
        guard isUndecided else { return members }
        if let present = program.present { undecided.formIntersection(present) }
        for row in undecided.ordinals {
            members[Int(row)] = try evaluator.holds(program.node, row: Int(row))
        }
        return members
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
        case .whole(let values): return unsafe values.withElements { unsafe with($0.baseAddress, isBits: false) }
        case .fractional(let values): return unsafe values.withElements { unsafe with($0.baseAddress, isBits: false) }
        case .mixed(let values): return unsafe values.withElements { unsafe with($0.baseAddress, isBits: false) }
        case .bits(let bitmap):
            return unsafe bitmap.words.withUnsafeBufferPointer { unsafe with($0.baseAddress, isBits: true) }
        }
    }
}
