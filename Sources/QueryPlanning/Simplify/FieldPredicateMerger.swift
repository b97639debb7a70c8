// Terms about one subject, put together: ranges, lists of values, distances from one centre.

import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordModel
import TextAnalysis

/// Joins the comparisons of a group that are about one subject.
struct FieldPredicateMerger {
    /// A comparison, with or without NOT, as a requirement on its subject.
    struct Literal {
        let index: Int
        let node: BoundNode
        let comparison: BoundComparison
        let requirement: FieldConstraint.Requirement
        let subject: FieldConstraint.Subject
        /// Whether values are meant that do not meet the requirement; never of a presence.
        let isNegated: Bool
    }

    private(set) var terms: [BoundNode?]
    let isConjunction: Bool
    /// Whether the group as a whole was decided: a contradiction, or a term and its opposite.
    private(set) var decision: Bool?
    private(set) var isChanged = false

    /// The terms with those of one subject joined; `nil` when there is nothing to join. Behind a decision nothing is
    /// reached.
    static func joined(_ terms: [BoundNode], isConjunction: Bool) -> [BoundNode]? {
        guard hasCommonField(terms) else { return nil }
        var merger = FieldPredicateMerger(terms: terms, isConjunction: isConjunction)
        merger.run(terms)
        if let decision = merger.decision { return [.constant(decision)] }
        return merger.isChanged ? merger.terms.compactMap(\.self) : nil
    }

    private init(terms: [BoundNode], isConjunction: Bool) {
        self.terms = terms
        self.isConjunction = isConjunction
    }

    // MARK: Finding terms of one subject

    /// Whether two terms may be about one field: the fast path for most groups.
    private static func hasCommonField(_ terms: [BoundNode]) -> Bool {
        if terms.count <= 8 {
            for (index, term) in terms.enumerated().dropFirst() {
                guard let slot = term.fieldSlot else { continue }
                for other in terms[..<index] where other.fieldSlot == slot { return true }
            }
            return false
        }
        var seen: Set<Int> = []
        return terms.contains { term in term.fieldSlot.map { !seen.insert($0).inserted } ?? false }
    }

    private mutating func run(_ terms: [BoundNode]) {
        var groups: [FieldConstraint.Subject: [Literal]] = [:]
        var order: [FieldConstraint.Subject] = []
        // What follows a term that may fail runs only where that did not.
        for (index, term) in terms.prefix(while: { !$0.canThrow }).enumerated() {
            guard let literal = Literal(term, index: index) else { continue }
            if groups[literal.subject] == nil { order.append(literal.subject) }
            groups[literal.subject, default: []].append(literal)
        }
        for subject in order {
            guard decision == nil, let literals = groups[subject], literals.count > 1 else { continue }
            if isConjunction { conjoin(literals) } else { disjoin(literals) }
        }
    }

    // MARK: Results

    mutating func decide(_ value: Bool) { decision = value }

    mutating func remove(_ literals: some Sequence<Literal>) {
        for literal in literals {
            terms[literal.index] = nil
            isChanged = true
        }
    }

    /// Puts nodes in the place of literals, at the place of the first.
    mutating func replace(_ literals: [Literal], with nodes: [BoundNode]) {
        guard let first = literals.first else { return }
        remove(literals)
        terms[first.index] = nodes.count == 1 ? nodes[0] : isConjunction ? .and(nodes) : .or(nodes)
    }
}

extension FieldPredicateMerger.Literal {
    /// - Returns: `nil` for terms that are no requirement on one subject.
    fileprivate init?(_ node: BoundNode, index: Int) {
        let comparison: BoundComparison
        let isNot: Bool
        switch node {
        case .comparison(let inner): (comparison, isNot) = (inner, false)
        case .not(.comparison(let inner)): (comparison, isNot) = (inner, true)
        default: return nil
        }
        guard let constraint = comparison.constraint, constraint.isExact else { return nil }
        self.index = index
        self.node = node
        self.comparison = comparison
        subject = constraint.subject
        if case .presence(let isWanted) = constraint.requirement {
            requirement = .presence(isWanted != (isNot != constraint.isNegated))
            isNegated = false
        } else {
            requirement = constraint.requirement
            isNegated = constraint.isNegated != isNot
        }
    }

    /// Whether a record without a value fails.
    var needsValue: Bool {
        if case .presence(let isWanted) = requirement { return isWanted }
        return !isNegated
    }

    /// The values that are compared with, under which options: of `==`, `!=` and IN between values of one kind each.
    var values: (values: [FieldValue], options: TextOptions)? {
        guard [.equal, .notEqual, .in].contains(comparison.comparisonOperator) else { return nil }
        switch requirement {
        case .equal(let value, let options):
            return value.isScalar ? ([value], value.isText ? options : []) : nil
        case .membership(let values, let options):
            guard values.allSatisfy(\.isScalar) else { return nil }
            return (values, values.contains(where: \.isText) ? options : [])
        default: return nil
        }
    }

    /// The bounds of a range.
    var range: (interval: Interval, options: TextOptions)? {
        guard !isNegated, case .range(let lower, let upper, let options) = requirement else { return nil }
        return (Interval(lower: lower, upper: upper), (lower ?? upper)?.value.isText == true ? options : [])
    }
}

extension BoundNode {
    /// The field that a comparison, negated or not, is about; `nil` where it is not one field and constants.
    fileprivate var fieldSlot: Int? {
        switch self {
        case .comparison(let comparison), .not(.comparison(let comparison)): comparison.subject.fieldSlot
        default: nil
        }
    }
}

extension Operand {
    fileprivate var fieldSlot: Int? {
        switch kind {
        case .field(let field): field.slot
        case .path(let base, _): base.fieldSlot
        case .function(.distanceToLocation, let arguments):
            arguments.lazy.compactMap(\.fieldSlot).first
        default: nil
        }
    }
}

extension FieldValue {
    /// Whether the value is neither nil nor made of others.
    var isScalar: Bool {
        switch self {
        case .null, .list, .set, .object: false
        default: true
        }
    }

    var isText: Bool { if case .string = self { true } else { false } }
}
