// Terms to steps of the accumulator machine in the kernels.

import CKernels
import PredicateSyntax
import RecordModel

/// Writes the steps of a program.
struct ProgramEmitter {
    /// The form of a number in the accumulator.
    enum Form {
        /// As 64-bit integers, of whole terms.
        case int
        /// As doubles, large whole numbers rounded as the language rounds them.
        case double
        /// As doubles that equal their numbers: rows with others are undecided.
        case exact
    }

    /// What a step reads beside the accumulator.
    private struct Source {
        var operand: kernels_operand
        var number: Int = 0
        var bits: Int = 0
        var constant: Int64 = 0

        init(_ operand: kernels_operand, input: Int, bits: Int = 0) {
            self.operand = operand
            number = input
            self.bits = bits
        }

        init(constant: Int64) {
            operand = KERNELS_CONSTANT
            self.constant = constant
        }

        static let none = Source(KERNELS_NO_OPERAND, input: 0)
    }

    private(set) var steps: [kernels_step] = []
    /// Whether a step may leave rows undecided.
    private(set) var mayBeUndecided = false
    private var cellsInUse = 0

    /// How the rows that a comparison selects are combined with those selected before.
    enum Combination {
        case set, and, or

        fileprivate var code: Int {
            switch self {
            case .set: KERNELS_SET
            case .and: KERNELS_AND
            case .or: KERNELS_OR
            }
        }
    }

    /// A relation between the accumulator and another number.
    struct Relation {
        enum Order { case less, equal, more }

        var order: Order
        var isNegated = false

        /// The relation with sides exchanged.
        var mirrored: Relation {
            switch order {
            case .less: Relation(order: .more, isNegated: isNegated)
            case .equal: self
            case .more: Relation(order: .less, isNegated: isNegated)
            }
        }

        fileprivate func operation(_ form: Form) -> kernels_operation {
            switch (order, form) {
            case (.less, .int): KERNELS_LESS_WHOLE
            case (.equal, .int): KERNELS_EQUAL_WHOLE
            case (.more, .int): KERNELS_MORE_WHOLE
            case (.less, _): KERNELS_LESS
            case (.equal, _): KERNELS_EQUAL
            case (.more, _): KERNELS_MORE
            }
        }
    }

    // MARK: Comparisons

    /// Selects the rows for which a relation holds between two terms; `false` when that cannot be expressed.
    mutating func compare(_ relation: Relation, _ lhs: ProgramTerm, _ rhs: ProgramTerm) -> Bool {
        let form: Form = lhs.kind == .int && rhs.kind == .int ? .int : .exact
        if let source = source(rhs, form) {
            guard load(lhs, form) else { return false }
            select(relation, form, source, .set)
        } else if let source = source(lhs, form) {
            guard load(rhs, form) else { return false }
            select(relation.mirrored, form, source, .set)
        } else {
            guard let cell = stored(rhs, form), load(lhs, form) else { return false }
            select(relation, form, cell, .set)
        }
        return true
    }

    /// Selects by a relation of what was loaded to a constant; `false` when the constant has no such form.
    mutating func compareLoaded(
        _ relation: Relation, _ form: Form, _ constant: ProgramTerm, _ combination: Combination
    ) -> Bool {
        guard let source = source(constant, form) else { return false }
        select(relation, form, source, combination)
        return true
    }

    private mutating func select(
        _ relation: Relation, _ form: Form, _ source: Source, _ combination: Combination
    ) {
        emit(
            relation.operation(form), source,
            combination: combination.code | (relation.isNegated ? KERNELS_NEGATED : 0))
    }

    // MARK: Terms

    /// Brings a term into the accumulator.
    mutating func load(_ term: ProgramTerm, _ form: Form) -> Bool {
        if let source = source(term, form) {
            emit(KERNELS_LOAD, source)
            return true
        }
        switch term {
        case .unary(let operation, let inner, let kind):
            guard load(inner, kind == .int ? .int : kind == .double ? .double : .exact) else { return false }
            emit(operation, .none)
        case .binary(let operation, let lhs, let rhs, let kind):
            guard combine(operation, lhs, rhs, kind) else { return false }
        case .truth(let input): emit(KERNELS_LOAD, Source(KERNELS_TRUTH, input: input))
        case .int, .double, .date, .column: return false
        }
        if term.kind == .int, form != .int {
            emit(form == .exact ? KERNELS_WIDEN_EXACTLY : KERNELS_WIDEN, .none)
        }
        return true
    }

    private mutating func combine(
        _ operation: BinaryOperator, _ lhs: ProgramTerm, _ rhs: ProgramTerm, _ kind: ProgramTerm.Kind
    ) -> Bool {
        let form: Form = kind == .int ? .int : kind == .double ? .double : .exact
        let isSimple = source(rhs, form) != nil
        guard let other = isSimple ? source(rhs, form) : stored(rhs, form), load(lhs, form) else { return false }
        if !isSimple { cellsInUse -= 1 }
        switch (operation, kind) {
        case (.add, .int): emit(KERNELS_ADD_WHOLE, other)
        case (.subtract, .int): emit(KERNELS_SUBTRACT_WHOLE, other)
        case (.multiply, .int): emit(KERNELS_MULTIPLY_WHOLE, other)
        case (.divide, .int): emit(KERNELS_DIVIDE_WHOLE, other)
        case (.add, _): emit(KERNELS_ADD, other)
        case (.subtract, _): emit(KERNELS_SUBTRACT, other)
        case (.multiply, _): emit(KERNELS_MULTIPLY, other)
        case (.divide, _):
            if lhs.kind == .int, let divisor = rhs.number, divisor > 0x1p-500, divisor < 0x1p500 {
                emit(KERNELS_DIVIDE_INTEGER, other, reciprocal: 1 / divisor)
            } else {
                emit(KERNELS_DIVIDE, other)
            }
        default: return false
        }
        if kind == .mixed { emit(KERNELS_CHECK_EXACT, .none) }
        return true
    }

    /// A term computed into a cell of memory.
    private mutating func stored(_ term: ProgramTerm, _ form: Form) -> Source? {
        guard cellsInUse < KERNELS_MEMORY_LIMIT, load(term, form) else { return nil }
        let cell = Int(KERNELS_INPUT_LIMIT) + cellsInUse
        cellsInUse += 1
        emit(KERNELS_STORE, Source(KERNELS_NO_OPERAND, input: cell))
        return Source(KERNELS_VALUES, input: cell)
    }

    /// A term that a step can read without computing.
    private func source(_ term: ProgramTerm, _ form: Form) -> Source? {
        switch (term, form) {
        case (.int(let number), .int): return Source(constant: number)
        case (.int(let number), .exact) where Double(exactly: number) == nil: return nil
        case (.int, _), (.double, .double), (.double, .exact), (.date, .double), (.date, .exact):
            return term.number.map { Source(constant: Int64(bitPattern: $0.bitPattern)) }
        case (.column(.int, let input, _), .int): return Source(KERNELS_VALUES, input: input)
        case (.column(.int, let input, _), .double): return Source(KERNELS_WIDENED, input: input)
        case (.column(.int, let input, _), .exact): return Source(KERNELS_WIDENED_EXACTLY, input: input)
        case (.column(.mixed, let input, let bits), .double), (.column(.mixed, let input, let bits), .exact):
            return Source(KERNELS_NUMBERS, input: input, bits: bits)
        case (.column(.double, let input, _), .double), (.column(.double, let input, _), .exact),
            (.column(.date, let input, _), .double), (.column(.date, let input, _), .exact):
            return Source(KERNELS_VALUES, input: input)
        case (.truth(let input), .int): return Source(KERNELS_TRUTH, input: input)
        default: return nil
        }
    }

    private mutating func emit(
        _ operation: kernels_operation, _ source: Source, combination: Int = KERNELS_IGNORE, reciprocal: Double = 0
    ) {
        switch operation {
        case KERNELS_WIDEN_EXACTLY, KERNELS_CHECK_EXACT, KERNELS_ADD_WHOLE, KERNELS_SUBTRACT_WHOLE,
            KERNELS_MULTIPLY_WHOLE, KERNELS_MAGNITUDE_WHOLE:
            mayBeUndecided = true
        default: if [KERNELS_WIDENED_EXACTLY, KERNELS_NUMBERS].contains(source.operand) { mayBeUndecided = true }
        }
        steps.append(
            kernels_step(
                operation: Int32(operation.rawValue), operand: Int32(source.operand.rawValue),
                source: Int32(source.number), bits: Int32(source.bits), combination: Int32(combination),
                constant: source.constant, reciprocal: reciprocal))
    }
}

extension ProgramTerm {
    /// The value of a constant as a double, rounded where it is a large whole number.
    fileprivate var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number), .date(let number): number
        default: nil
        }
    }
}
