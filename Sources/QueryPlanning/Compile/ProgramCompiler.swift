// From a bound comparison to a column program, by the columns that a segment really has.

import CKernels
import FoundationEssentials
import OrdinalSets
import PredicateSemantics
import PredicateSyntax
import RecordColumns
import RecordModel

/// Compiles one comparison against the columns of a segment.
struct ProgramCompiler {
    private let segment: Segment
    private var inputs: [ColumnProgram.Input] = []
    private var emitter = ProgramEmitter()

    private init(_ segment: Segment) { self.segment = segment }

    /// A program that decides the comparison for every row of the segment; `nil` where kernels cannot.
    static func compile(_ comparison: BoundComparison, over segment: Segment) -> ColumnProgram? {
        guard comparison.quantifier == nil else { return nil }
        var compiler = ProgramCompiler(segment)
        return compiler.program(comparison)
    }

    private mutating func program(_ comparison: BoundComparison) -> ColumnProgram? {
        switch comparison.comparisonOperator {
        case .equal: relation(comparison, .init(order: .equal), mayBothMiss: true)
        case .notEqual: relation(comparison, .init(order: .equal), mayBothMiss: true, isNegated: true)
        case .lessThan: relation(comparison, .init(order: .less), mayBothMiss: false)
        case .greaterThan: relation(comparison, .init(order: .more), mayBothMiss: false)
        case .lessThanOrEqual: relation(comparison, .init(order: .more, isNegated: true), mayBothMiss: true)
        case .greaterThanOrEqual: relation(comparison, .init(order: .less, isNegated: true), mayBothMiss: true)
        case .between: between(comparison)
        case .in: membership(comparison)
        default: nil
        }
    }

    // MARK: Comparisons

    /// A relation of two sides; `mayBothMiss` tells whether it holds between nil and nil.
    private mutating func relation(
        _ comparison: BoundComparison, _ relation: ProgramEmitter.Relation, mayBothMiss: Bool, isNegated: Bool = false
    ) -> ColumnProgram? {
        var (left, right) = (Bitmap?.none, Bitmap?.none)
        guard let lhs = term(comparison.lhs, &left), let rhs = term(comparison.rhs, &right),
            (lhs.kind == .date) == (rhs.kind == .date), emitter.compare(relation, lhs, rhs)
        else { return nil }
        var bothMissing: Bitmap?
        if mayBothMiss, let left, let right {
            var missing = left
            missing.formUnion(right)
            missing.formComplement()
            bothMissing = missing
        }
        Self.narrow(&left, to: right)
        return finished(comparison, present: left, bothMissing: bothMissing, isNegated: isNegated)
    }

    private mutating func between(_ comparison: BoundComparison) -> ColumnProgram? {
        var present: Bitmap?
        guard case .list(let bounds) = comparison.rhs.constant, bounds.count == 2,
            let first = Self.constant(bounds[0]), let second = Self.constant(bounds[1]),
            let value = term(comparison.lhs, &present),
            Set([value, first, second].map { $0.kind == .date }).count == 1
        else { return nil }
        let isOrdered = Self.order(bounds[0], bounds[1]) <= 0
        let (low, high) = isOrdered ? (first, second) : (second, first)
        let isInt = [value, low, high].allSatisfy { $0.kind == .int }
        let form: ProgramEmitter.Form = isInt ? .int : .exact
        guard emitter.load(value, form),
            emitter.compareLoaded(.init(order: .less, isNegated: true), form, low, .set),
            emitter.compareLoaded(.init(order: .more, isNegated: true), form, high, .and)
        else { return nil }
        return finished(comparison, present: present)
    }

    private static let memberLimit = 32

    private mutating func membership(_ comparison: BoundComparison) -> ColumnProgram? {
        var present: Bitmap?
        guard case .list(let members) = comparison.rhs.constant, members.count <= Self.memberLimit,
            let value = term(comparison.lhs, &present)
        else { return nil }
        let form: ProgramEmitter.Form = value.kind == .int ? .int : .exact
        // Members of another family, and those that no number of this form equals, are never found.
        let constants = members.compactMap { member -> ProgramTerm? in
            guard let constant = Self.constant(member), (constant.kind == .date) == (value.kind == .date) else {
                return nil
            }
            if case .date = constant { return constant }
            guard let number = member.number else { return nil }
            if value.kind == .int { return number.asInteger.map { .int($0) } }
            if case .integer(let integer) = number { return Double(exactly: integer).map { .double($0) } }
            return constant
        }
        guard !constants.isEmpty, emitter.load(value, form) else { return nil }
        for (index, constant) in constants.enumerated() {
            let combination: ProgramEmitter.Combination = index == 0 ? .set : .or
            guard emitter.compareLoaded(.init(order: .equal), form, constant, combination) else { return nil }
        }
        return finished(comparison, present: present)
    }

    private func finished(
        _ comparison: BoundComparison, present: Bitmap?, bothMissing: Bitmap? = nil, isNegated: Bool = false
    ) -> ColumnProgram? {
        guard inputs.count <= KERNELS_INPUT_LIMIT else { return nil }
        return ColumnProgram(
            emitter, inputs: inputs, present: present, bothMissing: bothMissing, isNegated: isNegated,
            node: .comparison(comparison))
    }

    // MARK: Operands

    /// The term of an operand; `present` is narrowed to the rows where it has a value.
    private mutating func term(_ operand: Operand, _ present: inout Bitmap?) -> ProgramTerm? {
        switch operand.kind {
        case .constant(let value): return Self.constant(value)
        case .field(let field): return column(field, &present)
        case .unary(.minus, let inner): return term(inner, &present).flatMap { ProgramTerm(negating: $0) }
        case .binary(let operation, let lhs, let rhs):
            guard let left = term(lhs, &present), let right = term(rhs, &present) else { return nil }
            return ProgramTerm(operation, left, right)
        case .function(let name, let arguments):
            guard arguments.count == 1, let inner = term(arguments[0], &present) else { return nil }
            return ProgramTerm(name, of: inner)
        default: return nil
        }
    }

    private static func constant(_ value: FieldValue) -> ProgramTerm? {
        if case .date(let date) = value { return .date(date.timeIntervalSinceReferenceDate) }
        switch value.number {
        case .integer(let number): return .int(number)
        case .double(let number): return .double(number)
        case nil: return nil
        }
    }

    /// The order of two constants of one family.
    private static func order(_ a: FieldValue, _ b: FieldValue) -> Int {
        if case .date(let first) = a, case .date(let second) = b {
            return NumericOrder.compare(first.timeIntervalSinceReferenceDate, second.timeIntervalSinceReferenceDate)
        }
        guard let first = a.number, let second = b.number else { return 0 }
        return FieldValue.Number.compare(first, second)
    }

    private mutating func column(_ field: FieldReference, _ present: inout Bitmap?) -> ProgramTerm? {
        guard let position = segment.schema.position(of: field.name) else { return nil }
        let column = segment.columns[position]
        Self.narrow(&present, to: column.presence)
        switch column.values {
        case .int64(let numbers): return .column(.int, input: input(.int(numbers)), bits: 0)
        case .double(let numbers): return .column(.double, input: input(.double(numbers)), bits: 0)
        case .date(let seconds): return .column(.date, input: input(.double(seconds)), bits: 0)
        case .number(let numbers):
            return .column(.mixed, input: input(.mixed(numbers.payload)), bits: input(.bits(numbers.isDouble)))
        case .bool(let bits): return .truth(input: input(.bits(bits)))
        case .missing, .text, .dictionary, .data, .location, .reference, .list, .any: return nil
        }
    }

    private mutating func input(_ input: ColumnProgram.Input) -> Int {
        inputs.append(input)
        return inputs.count - 1
    }

    private static func narrow(_ rows: inout Bitmap?, to others: Bitmap?) {
        guard let others else { return }
        if rows == nil { rows = others } else { _ = rows?.formIntersection(others) }
    }
}
