// `CONTAINS`: text in text, member in collection.

import Deadlines
import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var contains: any OperatorSemantics { Contains() }
}

/// `x CONTAINS y`: a substring where `x` is text, a member where it is a list, a set or an object (its values).
///
/// On a record, `SELF CONTAINS 'bob smith'` is a token search (see `TokenSearch`).
struct Contains: OperatorSemantics {
    let mirrored: ComparisonOperator? = .in

    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash? {
        ContainmentTest.clash(container: lhs, member: rhs, isMirrored: false)
    }

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        try ContainmentTest(
            isMirrored: false, container: constants.lhs, member: constants.rhs, text: text)
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        ContainmentTest.constraint(
            comparison, container: comparison.lhs, member: comparison.rhs, isMirrored: false)
    }

    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        let isList = comparison.quantifier == nil && comparison.lhs.type.knownElement != nil
        return !(isList || left.isText && comparison.rhs.type.isText)
    }

    func neverHolds(beside constant: FieldValue, _ left: OperandType) -> Bool {
        constant.isNull || constant == "" && left == .string
    }

    func equated(_ left: OperandType, _ rhs: OperandType) -> (OperandType, OperandType)? {
        left.element.map { ($0, rhs) }
    }
}

/// The test behind CONTAINS and IN, which mirror each other.
struct ContainmentTest: ComparisonTest {
    /// Whether the container is on the right: IN.
    let isMirrored: Bool
    private let equality: ValueEquality
    private let needle: PreparedNeedle?
    private let members: MemberSet?

    /// A test with a constant needle or a constant collection prepared.
    ///
    /// - Throws: `ValueFault` when the constant container can hold nothing.
    init(
        isMirrored: Bool, container: FieldValue?, member: FieldValue?, text: TextSettings
    ) throws(ValueFault) {
        self.isMirrored = isMirrored
        equality = ValueEquality(text: text)
        needle =
            if case .string(let text) = member { PreparedNeedle(text, options: equality.text.options) } else { nil }
        members = container?.elements.map { MemberSet($0, text: text) }
        if let container, !container.isNull, members == nil {
            guard case .string = container else { throw Self.fault(container, isMirrored) }
        }
    }

    func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
        let (container, member) = isMirrored ? (rhs, lhs) : (lhs, rhs)
        if member.isNull { return false }
        if let members { return members.contains(member) }
        switch container {
        case .null: return false
        case .string(let text):
            guard case .string(let part) = member else {
                throw ValueFault(
                    .typeMismatch, "text can only contain text, not \(member.phrase)", operand: isMirrored ? 0 : 1)
            }
            return (needle ?? PreparedNeedle(part, options: equality.text.options)).isContained(in: text)
        case .list(let elements), .set(let elements):
            let watch = QueryDeadline.watch
            for (index, element) in elements.enumerated() {
                if equality.areEqual(element, member) { return true }
                if index % 4096 == 4095, watch.isOver { return false }
            }
            return false
        case .object(let values): return values.contains { equality.areEqual($0.value, member) }
        default: throw Self.fault(container, isMirrored)
        }
    }

    private static func fault(_ container: FieldValue, _ isMirrored: Bool) -> ValueFault {
        ValueFault(
            .typeMismatch, "\(isMirrored ? "IN" : "CONTAINS") needs a list or text, not \(container.phrase)",
            hint: isMirrored ? "write IN {a, b}" : nil, operand: isMirrored ? 1 : 0)
    }

    /// The operand that can never contain or be contained.
    static func clash(container: OperandType, member: OperandType, isMirrored: Bool) -> TypeClash? {
        if container == .string {
            guard !member.fits(.string) else { return nil }
            return TypeClash(
                operand: isMirrored ? 0 : 1, message: "text can only contain text, not \(member.phrase)", hint: nil)
        }
        guard container.element == nil else { return nil }
        return TypeClash(
            operand: isMirrored ? 1 : 0,
            message: "\(isMirrored ? "IN" : "CONTAINS") needs a list or text, not \(container.phrase)",
            hint: isMirrored ? "write IN {a, b}" : nil)
    }

    /// What the comparison tests of one field: a member of a list field, a substring of a text field, or, with the
    /// field as the member, one of the values of a constant list.
    static func constraint(
        _ comparison: BoundComparison, container: Operand, member: Operand, isMirrored: Bool
    ) -> FieldConstraint? {
        let options = comparison.options
        if case .allTokens(let folding) = container.kind {
            return FieldConstraint(tokenMembershipFor: comparison, member: member, options: folding)
        }
        if let members = container.constant?.elements, comparison.quantifier == nil || isMirrored,
            let subject = FieldConstraint.Subject(member, quantifier: comparison.quantifier)
        {
            let values = members.filter { !$0.isNull }
            guard subject.field != nil else { return FieldConstraint(tokensAmong: values, comparison) }
            return FieldConstraint(
                subject, .membership(values, options), isNegated: comparison.quantifier == Quantifier.none)
        }
        guard let constant = member.constant, !constant.isNull, comparison.quantifier != .all,
            !(isMirrored && comparison.quantifier != nil),
            let subject = FieldConstraint.Subject(container, quantifier: comparison.quantifier)
        else { return FieldConstraint(presenceFor: comparison) }
        let isNegated = comparison.quantifier == Quantifier.none
        switch (comparison.quantifier == nil ? container.type : container.type.element ?? .any, constant) {
        case (.list, _), (.set, _), (.object, _):
            guard comparison.quantifier == nil else { return nil }
            return FieldConstraint(subject.elements, .equal(constant, options), isNegated: isNegated)
        case (.string, .string(let text)):
            return FieldConstraint(subject, .substring(text, options), isNegated: isNegated)
        default: return FieldConstraint(presenceFor: comparison)
        }
    }
}
