// A predicate of fields and values, bound before the values are known.

import FoundationEssentials
package import RecordModel
package import TextAnalysis

/// What a shape requires of the fields of one record type: the constraints that it gives for any values of the fields'
/// kinds, without binding it again.
///
/// An operator tells its constraint for a sample value; other values of that kind take its place.
package struct ConstraintTemplate: Sendable {
    /// A constraint, and the slots whose values are put into it: two for BETWEEN.
    fileprivate struct Term: Sendable {
        let sample: FieldConstraint
        let slots: [Int]
        let type: OperandType
    }

    private let terms: [Term]
    private let open: PredicateTemplate
    /// The fields that the predicate reads, by slot of the bound predicate.
    package let fieldNames: [String]
    /// The one field that all conditions are about, where these are an equality or the ends of a range.
    package let soleField: SoleField?

    /// - Returns: `nil` when a field is not of one kind that indexes order, so that values decide the constraints.
    package init?(_ shape: PredicateShape, binder: Binder) {
        guard let bound = try? binder.bind(shape.tree), let open = PredicateTemplate(bound, binder: binder) else {
            return nil
        }
        let nodes: [BoundNode] = if case .and(let nodes) = bound.root { nodes } else { [bound.root] }
        var samples: [String: FieldValue] = [:]
        var places: [(slots: [Int], type: OperandType)] = []
        for node in nodes {
            guard case .comparison(let comparison) = node, case .field(let field) = comparison.lhs.kind,
                let slots = Self.slots(of: comparison.rhs), let type = field.type,
                let sample = Self.sample(of: OperandType(type)), !comparison.options.contains(.localeSensitive)
            else { return nil }
            for slot in slots { samples[PredicateShape.variable(slot)] = sample }
            places.append((slots, OperandType(type)))
        }
        guard let sampled = try? open.bound(samples) else { return nil }
        let comparisons: [BoundNode] = if case .and(let nodes) = sampled.root { nodes } else { [sampled.root] }
        guard comparisons.count == places.count else { return nil }
        var terms: [Term] = []
        for (node, place) in zip(comparisons, places) {
            guard case .comparison(let comparison) = node, let constraint = comparison.constraint,
                constraint.isExact, !constraint.isNegated, constraint.subject.field != nil,
                let sample = Self.sample(of: place.type),
                constraint.filled(with: place.slots.map { _ in sample }) != nil
            else { return nil }
            terms.append(Term(sample: constraint, slots: place.slots, type: place.type))
        }
        (self.terms, self.open, fieldNames) = (terms, open, bound.fieldNames)
        soleField = SoleField(terms)
    }

    /// The slots of a value, or of two bounds.
    private static func slots(of operand: Operand) -> [Int]? {
        switch operand.kind {
        case .variable(let name): return Int(name).map { [$0] }
        case .list(let members):
            let slots = members.compactMap { member -> Int? in
                if case .variable(let name) = member.kind { Int(name) } else { nil }
            }
            return slots.count == members.count ? slots : nil
        default: return nil
        }
    }

    /// The constraints of values; `nil` as in `FilledTemplate`.
    fileprivate func constraints(_ values: [FieldValue]) -> [FieldConstraint]? {
        var constraints: [FieldConstraint] = []
        constraints.reserveCapacity(terms.count)
        for term in terms {
            let values = term.slots.map { values[$0] }
            guard values.allSatisfy({ $0.fits(term.type) }), let constraint = term.sample.filled(with: values) else {
                return nil
            }
            constraints.append(constraint)
        }
        return constraints
    }

    /// What the binder makes of the predicate with values that `constraints` takes.
    fileprivate func bound(_ values: [FieldValue]) -> BoundPredicate {
        var variables: [String: FieldValue] = [:]
        for (slot, value) in values.enumerated() { variables[PredicateShape.variable(slot)] = value }
        // Values of the fields' kinds can be bound; others would be missing when a record is evaluated.
        return (try? open.bound(variables)) ?? open.open
    }

    private static func sample(of type: OperandType) -> FieldValue? {
        switch type {
        case .number: .int64(1)
        case .string: "a"
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .reference: .reference(RecordReference("a"))
        default: nil
        }
    }
}

/// A field that is compared with a value or with the ends of a range, and the slots that these come from.
package struct SoleField: Sendable {
    package let name: String
    package let options: TextOptions
    package let type: OperandType
    private enum Form: Sendable {
        case equal(slot: Int)
        case range(lower: (slot: Int, isInclusive: Bool)?, upper: (slot: Int, isInclusive: Bool)?)
    }

    private let form: Form

    fileprivate init?(_ terms: [ConstraintTemplate.Term]) {
        guard let first = terms.first, let name = first.sample.subject.field?.name else { return nil }
        var form: Form?
        var known: TextOptions?
        for term in terms {
            // Bounds of BETWEEN come in any order.
            guard term.sample.subject.field?.name == name, term.slots.count == 1 else { return nil }
            let slot = term.slots[0]
            let options: TextOptions
            switch (term.sample.requirement, form) {
            case (.equal(_, let own), nil): (form, options) = (.equal(slot: slot), own)
            case (.range(let bound?, nil, let own), nil):
                (form, options) = (.range(lower: (slot, bound.isInclusive), upper: nil), own)
            case (.range(nil, let bound?, let own), nil):
                (form, options) = (.range(lower: nil, upper: (slot, bound.isInclusive)), own)
            case (.range(let bound?, nil, let own), .range(nil, let upper)?):
                (form, options) = (.range(lower: (slot, bound.isInclusive), upper: upper), own)
            case (.range(nil, let bound?, let own), .range(let lower, nil)?):
                (form, options) = (.range(lower: lower, upper: (slot, bound.isInclusive)), own)
            default: return nil
            }
            guard known == nil || known == options else { return nil }
            known = options
        }
        guard let form, let known else { return nil }
        (self.name, options, type, self.form) = (name, known, first.type, form)
    }

    /// What the field must be; `nil` where a value is missing, or of another kind than the field.
    package func condition(_ value: (Int) -> FieldValue?) -> FieldCondition? {
        func bound(_ end: (slot: Int, isInclusive: Bool)) -> FieldConstraint.Bound? {
            value(end.slot).flatMap { $0.fits(type) ? FieldConstraint.Bound($0, isInclusive: end.isInclusive) : nil }
        }
        switch form {
        case .equal(let slot): return value(slot).flatMap { $0.fits(type) ? .equal($0) : nil }
        case .range(let lower, let upper):
            let ends = (lower.flatMap(bound), upper.flatMap(bound))
            guard (ends.0 == nil) == (lower == nil), (ends.1 == nil) == (upper == nil) else { return nil }
            return .range(lower: ends.0, upper: ends.1)
        }
    }
}

/// What the value of a field must be.
package enum FieldCondition: Sendable {
    case equal(FieldValue)
    case range(lower: FieldConstraint.Bound?, upper: FieldConstraint.Bound?)
}

/// A template with values in its slots.
package struct FilledTemplate: Sendable {
    package let template: ConstraintTemplate
    private let values: [FieldValue]
    /// What the predicate comes to: all of these hold.
    package let constraints: [FieldConstraint]

    /// - Parameter values: One for each slot.
    /// - Returns: `nil` when a value is of another kind than its field, or none that an order has a place for.
    package init?(_ template: ConstraintTemplate, _ values: [FieldValue]) {
        guard let constraints = template.constraints(values) else { return nil }
        (self.template, self.values, self.constraints) = (template, values, constraints)
    }

    /// What the binder makes of the predicate with these values. Complexity: O(slots).
    package var bound: BoundPredicate { template.bound(values) }
}

extension FieldValue {
    /// Whether the value may appear beside a field of a kind, whatever it is: not nil, and no number without an order.
    fileprivate func fits(_ type: OperandType) -> Bool {
        switch (self, type) {
        case (.int64, .number), (.string, .string), (.reference, .reference): true
        case (.double(let number), .number): !number.isNaN
        case (.date(let date), .date): date.timeIntervalSinceReferenceDate.isFinite
        default: false
        }
    }
}

extension FieldConstraint {
    /// The constraint with other values of the same kind in the places of its own; `nil` where it has not as many.
    fileprivate func filled(with values: [FieldValue]) -> FieldConstraint? {
        var filled = self
        if values.count == 2 {
            guard case .range(.some, .some, let options) = requirement, let ends = Self.ordered(values[0], values[1])
            else { return nil }
            filled.requirement = .range(
                lower: Bound(ends.0, isInclusive: true), upper: Bound(ends.1, isInclusive: true), options)
            return filled
        }
        guard values.count == 1, let value = values.first else { return nil }
        switch requirement {
        case .equal(_, let options): filled.requirement = .equal(value, options)
        case .range(let lower?, nil, let options):
            filled.requirement = .range(lower: Bound(value, isInclusive: lower.isInclusive), upper: nil, options)
        case .range(nil, let upper?, let options):
            filled.requirement = .range(lower: nil, upper: Bound(value, isInclusive: upper.isInclusive), options)
        case .prefix(_, let options):
            guard case .string(let text) = value, !text.isEmpty else { return nil }
            filled.requirement = .prefix(text, options)
        default: return nil
        }
        return filled
    }

    /// Two bounds of BETWEEN, the lower first; `nil` for texts, whose order depends on how they are folded.
    private static func ordered(_ a: FieldValue, _ b: FieldValue) -> (FieldValue, FieldValue)? {
        switch (a, b) {
        case (.date(let first), .date(let second)): return second < first ? (b, a) : (a, b)
        default:
            guard let first = a.number, let second = b.number else { return nil }
            return FieldValue.Number.compare(first, second) > 0 ? (b, a) : (a, b)
        }
    }
}
