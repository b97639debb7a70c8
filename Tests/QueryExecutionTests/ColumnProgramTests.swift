// Column programs: every instruction set, and quotients without division.

import CKernels
import Testing

@testable import Campaigns

@Suite(.serialized) struct ColumnProgramTests {
    /// The kernels for older processors give the answers of those for this one.
    @Test(arguments: [KERNELS_PLAIN, KERNELS_AVX2, KERNELS_AVX512])
    func everyInstructionSet(level: Int) {
        kernels_limit_level(Int32(level))
        defer { kernels_limit_level(Int32(KERNELS_AVX512)) }
        for (seed, records) in [(UInt64(31), 200), (32, 65), (33, 1)] {
            var campaign = ResultCampaign()
            let differences = campaign.run(seed: seed, predicates: 120, records: records)
            for difference in differences.prefix(5) { Issue.record("level \(level): \(difference)") }
        }
    }

    /// Integers divided by constants are rounded as division rounds them.
    @Test func quotientsOfIntegers() {
        var generator = SeededGenerator(seed: 41)
        var wholes: [Int64] = [0, 1, -1, .max, .min, 1 << 53, (1 << 53) + 1, 3, 7]
        while wholes.count < 2048 {
            wholes.append(
                Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...62, using: &generator))
        }
        var divisors: [Double] = [1e6, 3, 7, 10, 0.1, 1.0 / 3, 0x1.fffffffffffffp0, 0x1.0000000000001p0, 1e100, 1e-100]
        for _ in 0..<60 {
            divisors.append(Double.random(in: 1..<2, using: &generator) * 0x1p40)
            divisors.append(Double(Int.random(in: 1...100_000, using: &generator)))
        }
        for divisor in divisors {
            let wrong = mistakes(wholes, divisor)
            #expect(wrong == 0, "\(wrong) quotients by \(divisor)")
        }
    }

    /// How many quotients differ from those of the language.
    private func mistakes(_ wholes: [Int64], _ divisor: Double) -> Int {
        let quotients = wholes.map { Double($0) / divisor }
        func step(_ operation: kernels_operation, _ operand: kernels_operand, _ source: Int, _ constant: Double = 0)
            -> kernels_step
        {
            kernels_step(
                operation: Int32(operation.rawValue), operand: Int32(operand.rawValue), source: Int32(source), bits: 0,
                combination: Int32(operation == KERNELS_EQUAL ? KERNELS_SET : KERNELS_IGNORE),
                constant: Int64(bitPattern: constant.bitPattern), reciprocal: constant == 0 ? 0 : 1 / constant)
        }
        let steps = [
            step(KERNELS_LOAD, KERNELS_WIDENED, 0), step(KERNELS_DIVIDE_INTEGER, KERNELS_CONSTANT, 0, divisor),
            step(KERNELS_EQUAL, KERNELS_VALUES, 1),
        ]
        var members = [UInt64](repeating: 0, count: (wholes.count + 63) / 64)
        wholes.withUnsafeBytes { wholes in
            quotients.withUnsafeBytes { quotients in
                steps.withUnsafeBufferPointer { steps in
                    let inputs = [wholes, quotients].map {
                        kernels_input(values: $0.baseAddress?.assumingMemoryBound(to: UInt64.self), is_bits: 0)
                    }
                    inputs.withUnsafeBufferPointer { inputs in
                        var program = kernels_program(
                            steps: steps.baseAddress, step_count: steps.count, inputs: inputs.baseAddress,
                            input_count: inputs.count)
                        _ = kernels_program_run(&program, nil, 0, wholes.count / 8, nil, &members, nil)
                    }
                }
            }
        }
        return wholes.count - members.reduce(0) { $0 + $1.nonzeroBitCount }
    }
}
