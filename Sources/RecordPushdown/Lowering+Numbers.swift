// Numbers and dates: compared by exact value, whatever kinds column and constant are of.

import FoundationEssentials
import PredicateSemantics
import PredicateSyntax
import RecordModel

/// Something of a row that is a number or a date, or NULL.
struct NumberExpression {
    let text: SQLText
    let kind: FieldColumn.Kind

    /// A value that it may have, as a parameter; `nil` for one that it never has.
    static func value(_ value: FieldValue, as kind: FieldColumn.Kind) -> SQLValue? {
        switch (kind, value) {
        case (.date, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case (.date, _), (_, .date): return nil
        case (.int64, _): return value.number?.asInteger.map { .int64($0) }
        default:
            switch value.number {
            case .double(let double)?: return .double(double)
            case .integer(let integer)?: return Double(exactly: integer).map { .double($0) }
            case nil: return nil
            }
        }
    }

    func equals(_ value: FieldValue) -> Condition {
        Self.value(value, as: kind).map { .holds("\(text) = \($0)") } ?? .constant(false)
    }

    func isAmong(_ values: [FieldValue]) -> Condition {
        let members = values.compactMap { Self.value($0, as: kind) }
        if members.isEmpty { return .constant(false) }
        return .holds("\(text) = ANY(\(Self.list(members)))")
    }

    /// Values of one kind as one parameter.
    static func list(_ values: [SQLValue]) -> SQLValue {
        let wholes = values.compactMap { if case .int64(let number) = $0 { number } else { nil } }
        if wholes.count == values.count { return .int64s(wholes) }
        return .doubles(values.compactMap { if case .double(let number) = $0 { number } else { nil } })
    }

    func isWithin(_ lower: FieldConstraint.Bound?, _ upper: FieldConstraint.Bound?) -> Condition {
        var conditions: [Condition] = []
        if let lower { conditions.append(isBeyond(lower, isAbove: true)) }
        if let upper { conditions.append(isBeyond(upper, isAbove: false)) }
        return .every(conditions)
    }

    /// Above a bound, or below it.
    func isBeyond(_ bound: FieldConstraint.Bound, isAbove: Bool) -> Condition {
        switch (kind, bound.value) {
        case (.date, .date(let date)):
            return compared(.double(date.timeIntervalSinceReferenceDate), isAbove, bound.isInclusive)
        case (.date, _), (_, .date): return .constant(false)
        case (.int64, _):
            guard let number = bound.value.number else { return .constant(false) }
            return wholeNumber(beyond: number, isAbove, bound.isInclusive)
        default:
            switch bound.value.number {
            case .double(let double)?: return compared(.double(double), isAbove, bound.isInclusive)
            case .integer(let integer)?: return fraction(beyond: integer, isAbove, bound.isInclusive)
            case nil: return .constant(false)
            }
        }
    }

    private func compared(_ value: SQLValue, _ isAbove: Bool, _ isInclusive: Bool) -> Condition {
        switch (isAbove, isInclusive) {
        case (true, true): .holds("\(text) >= \(value)")
        case (true, false): .holds("\(text) > \(value)")
        case (false, true): .holds("\(text) <= \(value)")
        case (false, false): .holds("\(text) < \(value)")
        }
    }

    private func wholeNumber(
        beyond number: FieldValue.Number, _ isAbove: Bool, _ isInclusive: Bool
    ) -> Condition {
        switch number {
        case .integer(let integer): return compared(.int64(integer), isAbove, isInclusive)
        case .double(let double):
            let isPresent = Condition.holds("\(text) IS NOT NULL")
            // NaN is above all numbers.
            if double.isNaN || double >= 0x1p63 { return isAbove ? .constant(false) : isPresent }
            if double < -0x1p63 { return isAbove ? isPresent : .constant(false) }
            if let whole = Int64(exactly: double) { return compared(.int64(whole), isAbove, isInclusive) }
            return compared(.int64(Int64(double.rounded(.down))), isAbove, !isAbove)
        }
    }

    private func fraction(beyond integer: Int64, _ isAbove: Bool, _ isInclusive: Bool) -> Condition {
        let double = Double(integer)
        if Int64(exactly: double) == integer { return compared(.double(double), isAbove, isInclusive) }
        // The whole number lies between two neighbours among the fractions, and this is one of them.
        let isLarger = double >= 0x1p63 || Int64(double) > integer
        return compared(.double(double), isAbove, isLarger == isAbove)
    }
}

extension Lowering {
    /// A number or a date of a row; `nil` for a requirement that is none on numbers.
    func number(_ field: FieldColumn, _ requirement: FieldConstraint.Requirement) -> Bounds? {
        number(NumberExpression(text: column(field.name), kind: field.kind), requirement)
    }

    func number(_ number: NumberExpression, _ requirement: FieldConstraint.Requirement) -> Bounds? {
        switch requirement {
        case .equal(let value, _): return value.isNull ? nil : Bounds(exact: number.equals(value))
        case .membership(let values, _):
            return values.contains(where: \.isNull) ? nil : Bounds(exact: number.isAmong(values))
        case .range(let lower, let upper, _): return Bounds(exact: number.isWithin(lower, upper))
        default: return nil
        }
    }

    /// A comparison by an operator that has bounds; `nil` for others.
    private func compare(
        _ number: NumberExpression, _ comparison: ComparisonOperator, _ constant: FieldValue
    ) -> Condition? {
        switch comparison {
        case .equal: number.equals(constant)
        case .notEqual: number.equals(constant).negated
        case .lessThan: number.isBeyond(.init(constant, isInclusive: false), isAbove: false)
        case .lessThanOrEqual: number.isBeyond(.init(constant, isInclusive: true), isAbove: false)
        case .greaterThan: number.isBeyond(.init(constant, isInclusive: false), isAbove: true)
        case .greaterThanOrEqual: number.isBeyond(.init(constant, isInclusive: true), isAbove: true)
        default: nil
        }
    }

    // MARK: Arithmetic

    /// Sums, differences and products of whole numbers beside a constant, computed without bounds: certain where no
    /// step leaves 64 bits, and undecided where one does, as the language goes on with fractions then.
    func wholeArithmetic(_ comparison: BoundComparison) -> Bounds? {
        guard comparison.quantifier == nil else { return nil }
        var (side, constant, sign) = (comparison.lhs, comparison.rhs.constant, comparison.comparisonOperator)
        if let left = comparison.lhs.constant {
            guard let mirrored = Self.mirrored(sign) else { return nil }
            (side, constant, sign) = (comparison.rhs, left, mirrored)
        }
        guard let constant, constant.number != nil else { return nil }
        switch side.kind {
        case .binary, .unary: break
        default: return nil
        }
        var steps: [SQLText] = []
        guard let text = exactNumber(side, &steps) else { return nil }
        let base: ComparisonOperator = sign == .notEqual ? .equal : sign
        guard let value = compare(NumberExpression(text: text, kind: .int64), base, constant) else { return nil }
        let inside = SQLText.joined(
            steps.map { "\($0) BETWEEN -9223372036854775808 AND 9223372036854775807" }, by: " AND ")
        let bounds = Bounds(
            .every([value, .holds(inside)]), .some([value, .holds("NOT (\(inside))")]))
        return sign == .notEqual ? bounds.negated : bounds
    }

    private static func mirrored(_ sign: ComparisonOperator) -> ComparisonOperator? {
        switch sign {
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        case .equal, .notEqual: sign
        default: nil
        }
    }

    /// Whole numbers as the server computes with them without bounds; `nil` for what is more than that.
    private func exactNumber(_ operand: Operand, _ steps: inout [SQLText]) -> SQLText? {
        let step: SQLText
        switch operand.kind {
        case .constant(.int64(let value)): return "\(.int64(value))::numeric"
        case .field(let field):
            guard let column = layout.fields[field.name], column.kind == .int64, !column.isList else { return nil }
            return "\(self.column(column.name))::numeric"
        case .unary(.minus, let inner):
            guard let text = exactNumber(inner, &steps) else { return nil }
            step = "(-\(text))"
        case .binary(let operation, let left, let right):
            guard [.add, .subtract, .multiply].contains(operation), let left = exactNumber(left, &steps),
                let right = exactNumber(right, &steps)
            else { return nil }
            switch operation {
            case .add: step = "(\(left) + \(right))"
            case .subtract: step = "(\(left) - \(right))"
            default: step = "(\(left) * \(right))"
            }
        default: return nil
        }
        steps.append(step)
        return step
    }

    // MARK: Lists

    /// `list.@count op n`
    func elementCount(_ comparison: BoundComparison) -> Bounds? {
        guard comparison.quantifier == nil, case .path(let base, let steps) = comparison.lhs.kind, steps.count == 1,
            case .collection(.count, let argument) = steps[0].kind, argument.isEmpty,
            case .field(let field) = base.kind, let column = layout.fields[field.name], column.isList,
            let constant = comparison.rhs.constant, constant.number != nil
        else { return nil }
        let count = NumberExpression(text: "cardinality(\(self.column(column.name)))::bigint", kind: .int64)
        return compare(count, comparison.comparisonOperator, constant).map { Bounds(exact: $0) }
    }

    /// `ALL list op n`: no element is there for which that is not so.
    func allElements(_ comparison: BoundComparison) -> Bounds? {
        guard comparison.quantifier == .all, case .field(let field) = comparison.lhs.kind,
            let column = layout.fields[field.name], column.isList, column.kind == .int64 || column.kind == .double,
            let constant = comparison.rhs.constant, constant.number != nil,
            let holds = compare(
                NumberExpression(text: "e", kind: column.kind), comparison.comparisonOperator, constant)
        else { return nil }
        return Bounds(
            exact: "EXISTS (SELECT 1 FROM unnest(\(self.column(column.name))) e WHERE \(holds.negated.text))"
        ).negated
    }
}
