// Operands of column programs: what is computed from which columns, with the kind of number at every place.

import CKernels
import PredicateSyntax
import RecordModel

/// A number computed for every row.
indirect enum ProgramTerm {
    /// The kind of number at a place of a program.
    enum Kind {
        /// 64-bit integers.
        case int
        case double
        /// Whole and fractional numbers mixed. As doubles, exact as long as no whole one is beyond 2⁵³.
        case mixed
        /// Seconds; comparable, not computable.
        case date
    }

    case int(Int64)
    case double(Double)
    case date(Double)
    /// An input; for mixed numbers also the one that tells which are fractions.
    case column(Kind, input: Int, bits: Int)
    /// Truth values, which are whole numbers.
    case truth(input: Int)
    /// An operation on the term alone.
    case unary(kernels_operation, ProgramTerm, Kind)
    case binary(BinaryOperator, ProgramTerm, ProgramTerm, Kind)

    var kind: Kind {
        switch self {
        case .int, .truth: .int
        case .double: .double
        case .date: .date
        case .column(let kind, _, _), .unary(_, _, let kind), .binary(_, _, _, let kind): kind
        }
    }

    /// Whether a zero might carry another sign than the evaluator's: a whole zero in a mixed column has none.
    private var hidesSignOfZero: Bool {
        switch self {
        case .int, .double, .date, .truth: false
        case .column(let kind, _, _): kind == .mixed
        case .unary(_, let term, _): term.hidesSignOfZero
        case .binary(_, let lhs, let rhs, _): lhs.hidesSignOfZero || rhs.hidesSignOfZero
        }
    }

    /// `-term`
    init?(negating term: ProgramTerm) {
        switch term.kind {
        // The product overflows where the negative does.
        case .int: self = .binary(.multiply, term, .int(-1), .int)
        case .double: self = .binary(.multiply, term, .double(-1), .double)
        case .mixed: self = .binary(.multiply, term, .int(-1), .mixed)
        case .date: return nil
        }
    }

    /// `lhs + rhs` and the other operations; `nil` for those without a kernel and those that could fail.
    init?(_ operation: BinaryOperator, _ lhs: ProgramTerm, _ rhs: ProgramTerm) {
        let kinds = [lhs.kind, rhs.kind]
        guard !kinds.contains(.date) else { return nil }
        let kind: Kind = kinds.contains(.double) ? .double : kinds.contains(.mixed) ? .mixed : .int
        switch (operation, kind) {
        case (.add, _), (.subtract, _), (.multiply, _): self = .binary(operation, lhs, rhs, kind)
        case (.divide, .double):
            guard !rhs.hidesSignOfZero else { return nil }
            self = .binary(.divide, lhs, rhs, .double)
        case (.divide, .int):
            // A divisor that is 0 is an error, which only a constant cannot be.
            guard case .int(let divisor) = rhs, divisor != 0 else { return nil }
            // The one quotient that overflows is a product, which is checked.
            self = .binary(divisor == -1 ? .multiply : .divide, lhs, rhs, .int)
        default: return nil
        }
    }

    /// A function of one number; `nil` for those without a kernel.
    init?(_ function: FunctionName, of term: ProgramTerm) {
        let kind = term.kind
        guard kind != .date else { return nil }
        switch function {
        case .sqrt: self = .unary(KERNELS_ROOT, term, .double)
        case .abs: self = .unary(kind == .int ? KERNELS_MAGNITUDE_WHOLE : KERNELS_MAGNITUDE, term, kind)
        case .floor: self = kind == .int ? term : .unary(KERNELS_FLOOR, term, kind)
        case .ceiling: self = kind == .int ? term : .unary(KERNELS_CEILING, term, kind)
        case .trunc: self = kind == .int ? term : .unary(KERNELS_TRUNCATE, term, kind)
        default: return nil
        }
    }
}
