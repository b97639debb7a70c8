// AND and OR: terms that decide, repeat, or belong together.

import PredicateSemantics
import PredicateSyntax

extension Simplifier {
    /// Beyond so many terms only those of one field are compared with each other.
    private static let pairLimit = 32

    /// A group in fewer parts; `nil` when there is nothing to simplify.
    static func group(_ terms: [BoundNode], isConjunction: Bool) -> BoundNode? {
        var list: [BoundNode]?
        if terms.contains(where: { isOpen($0, isConjunction) }) || terms.contains(where: { simplified($0) != nil }) {
            var opened: [BoundNode] = []
            for term in terms { append(simplified(term) ?? term, to: &opened, isConjunction) }
            list = decided(opened, isConjunction) ?? opened
        } else {
            list = decided(terms, isConjunction)
        }
        if let rest = distinct(list ?? terms, isConjunction) { list = rest }
        if let joined = FieldPredicateMerger.joined(list ?? terms, isConjunction: isConjunction) { list = joined }
        guard let list else { return nil }
        switch list.count {
        case 0: return .constant(isConjunction)
        case 1: return list[0]
        default: return isConjunction ? .and(list) : .or(list)
        }
    }

    /// Whether a term is a group of the same kind, or a constant.
    private static func isOpen(_ term: BoundNode, _ isConjunction: Bool) -> Bool {
        switch term {
        case .constant: true
        case .and: isConjunction
        case .or: !isConjunction
        // `a AND NOT (b OR c)` is three conjuncts.
        case .not(.or): isConjunction
        case .not, .comparison: false
        }
    }

    /// Appends a term, a group of the same kind term by term.
    private static func append(_ term: BoundNode, to list: inout [BoundNode], _ isConjunction: Bool) {
        switch term {
        case .and(let inner) where isConjunction: for term in inner { append(term, to: &list, isConjunction) }
        case .or(let inner) where !isConjunction: for term in inner { append(term, to: &list, isConjunction) }
        case .not(.or(let inner)) where isConjunction:
            for term in inner { append(freeNegation(of: term) ?? .not(term), to: &list, isConjunction) }
        default: list.append(term)
        }
    }

    /// The terms without those that can never decide, up to one that always does; `nil` when all are needed.
    private static func decided(_ terms: [BoundNode], _ isConjunction: Bool) -> [BoundNode]? {
        guard terms.contains(where: \.isConstant) else { return nil }
        var kept: [BoundNode] = []
        for term in terms {
            guard case .constant(let value) = term else {
                kept.append(term)
                continue
            }
            if value == isConjunction { continue }
            // It decides, unless a term before it fails.
            if !kept.contains(where: \.canThrow) { return [term] }
            kept.append(term)
            break
        }
        return kept
    }

    // MARK: Repetitions

    /// The terms without those that a term before them has decided; `nil` when all are needed.
    ///
    /// Where a term is reached that says the same as one before it, that one held (or, in an OR, did not): so it adds
    /// nothing, whether or not others in between may fail.
    private static func distinct(_ terms: [BoundNode], _ isConjunction: Bool) -> [BoundNode]? {
        guard terms.count > 1, terms.count <= pairLimit else { return nil }
        var kept: [BoundNode]?
        for (index, term) in terms.enumerated() {
            let before = kept ?? Array(terms[..<index])
            if before.contains(where: { $0.isSame(as: term) }) || isAbsorbed(term, by: before, isConjunction) {
                kept = before
            } else if before.contains(where: { isOpposite($0, term) }), !before.contains(where: \.canThrow) {
                // The term is one of those before it but for a NOT, so it cannot fail either.
                return [.constant(!isConjunction)]
            } else if kept != nil {
                kept?.append(term)
            }
        }
        return kept
    }

    /// Whether `a AND (a OR b)`, or `a OR (a AND b)`: the group behind cannot say otherwise.
    private static func isAbsorbed(_ term: BoundNode, by terms: [BoundNode], _ isConjunction: Bool) -> Bool {
        let inner: [BoundNode]
        switch term {
        case .or(let nodes) where isConjunction: inner = nodes
        case .and(let nodes) where !isConjunction: inner = nodes
        default: return false
        }
        guard let found = inner.firstIndex(where: { node in terms.contains { $0.isSame(as: node) } }) else {
            return false
        }
        return !inner[..<found].contains(where: \.canThrow)
    }

    private static func isOpposite(_ a: BoundNode, _ b: BoundNode) -> Bool {
        switch (a, b) {
        case (.not(let inner), _) where inner.isSame(as: b): true
        case (_, .not(let inner)) where inner.isSame(as: a): true
        default: false
        }
    }
}

extension BoundNode {
    fileprivate var isConstant: Bool { if case .constant = self { true } else { false } }
}
