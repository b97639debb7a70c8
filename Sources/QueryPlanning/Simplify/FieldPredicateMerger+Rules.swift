// What several requirements on one subject come to together.

import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordModel
import TextAnalysis

// MARK: All of them

extension FieldPredicateMerger {
    /// Requirements that must all be met.
    mutating func conjoin(_ literals: [Literal]) {
        let literals = literals.first?.subject.isElementwise == true ? literals : conjoinPresence(literals)
        guard decision == nil, literals.count > 1 else { return }
        if literals[0].subject.isElementwise {
            // Elements may meet a requirement each; only what no element meets adds up.
            return mergeLists(literals.filter(\.isNegated), isIntersection: false)
        }
        if filterValues(literals) { return }
        joinRanges(literals.filter { $0.range != nil })
        joinDistances(literals)
        mergeLists(literals.filter(\.isNegated), isIntersection: false)
    }

    /// Nil, and not nil. Gives the requirements that are left.
    private mutating func conjoinPresence(_ literals: [Literal]) -> [Literal] {
        let absences = literals.filter { $0.isPresence(false) }
        let others = literals.filter { !$0.isPresence(false) }
        if !absences.isEmpty {
            if others.contains(where: \.needsValue) {
                decide(false)
            } else {
                // A record without a value meets what is negated.
                remove(others + absences.dropFirst())
            }
            return []
        }
        let presences = literals.filter { $0.isPresence(true) }
        let rest = literals.filter { !$0.isPresence(true) }
        remove(rest.contains(where: \.needsValue) ? presences[...] : presences.dropFirst())
        return rest
    }

    /// Of listed values those that meet everything else; true when that was all there is to do.
    private mutating func filterValues(_ literals: [Literal]) -> Bool {
        let lists = literals.filter { !$0.isNegated && $0.values != nil && $0.subject.keys.isEmpty }
            .sorted { ($0.values?.values.count ?? 0) < ($1.values?.values.count ?? 0) }
        for list in lists where decision == nil {
            guard let (values, options) = list.values else { continue }
            let others = literals.filter { $0.index != list.index && $0.isAlike(underEqualityBy: options) }
            if !others.isEmpty { return filter(values, of: list, by: others) }
        }
        return false
    }

    private mutating func filter(_ values: [FieldValue], of list: Literal, by others: [Literal]) -> Bool {
        guard let slot = list.subject.field?.slot else { return false }
        var kept: [FieldValue] = []
        for value in values {
            var isKept = true
            for other in others where isKept {
                guard let holds = try? SingleValue.holds(other.node, slot: slot, value) else { return false }
                isKept = holds
            }
            if isKept { kept.append(value) }
        }
        if kept.isEmpty {
            decide(false)
        } else if kept.count == values.count {
            remove(others)
        } else if let comparison = list.rewritten(kept, [list] + others) {
            replace([list] + others, with: [.comparison(comparison)])
        }
        return true
    }

    /// The narrowest bounds of all ranges.
    private mutating func joinRanges(_ literals: [Literal]) {
        guard literals.count > 1, let first = literals.first, let options = first.range?.options,
            literals.allSatisfy({ $0.range?.options == options })
        else { return }
        var interval = Interval()
        for literal in literals {
            guard let range = literal.range?.interval,
                let both = interval.intersection(range, by: first.comparison.order)
            else { return }
            interval = both
        }
        guard let isEmpty = interval.isEmpty(by: first.comparison.order) else { return }
        if isEmpty { return decide(false) }
        let (lower, upper) = (interval.lower, interval.upper)
        let quantifier = first.comparison.quantifier
        let span = literals.place
        var nodes: [BoundComparison?] = []
        if let lower, let upper, lower.isInclusive, upper.isInclusive {
            let bounds: FieldValue = .list([lower.value, upper.value])
            nodes.append(first.comparison.rewritten(.between, bounds, quantifier: quantifier, span: span))
        } else {
            // Two bounds in two comparisons are as few as there can be.
            guard literals.count > 2 || lower == nil || upper == nil || literals.contains(where: \.isClosed) else {
                return
            }
            if let lower {
                nodes.append(
                    first.comparison.rewritten(
                        lower.isInclusive ? .greaterThanOrEqual : .greaterThan, lower.value, span: span))
            }
            if let upper {
                nodes.append(
                    first.comparison.rewritten(
                        upper.isInclusive ? .lessThanOrEqual : .lessThan, upper.value, span: span))
            }
        }
        let comparisons = nodes.compactMap(\.self)
        if comparisons.count == nodes.count { replace(literals, with: comparisons.map { .comparison($0) }) }
    }

    /// Distances from one centre: a ring.
    private mutating func joinDistances(_ literals: [Literal]) {
        let distances = literals.filter { $0.distance != nil }
        guard distances.count > 1, let first = distances.first, let center = first.distance?.center else { return }
        let alike = distances.filter { $0.distance?.center == center }
        let range = alike.reduce(DistanceRange.all) { range, literal in
            literal.distance.map { range.intersection($0.range) } ?? range
        }
        guard alike.count > 1 else { return }
        if range.isEmpty { return decide(false) }
        if let only = alike.first(where: { $0.distance?.range == range }) {
            return remove(alike.filter { $0.index != only.index })
        }
        let bounds: FieldValue = .list([.double(range.lowerBound), .double(range.upperBound)])
        guard let ring = first.comparison.rewritten(.between, bounds, span: alike.place) else { return }
        replace(alike, with: [.comparison(ring)])
    }
}

// MARK: Any of them

extension FieldPredicateMerger {
    /// Requirements of which one must be met.
    mutating func disjoin(_ literals: [Literal]) {
        if !literals[0].subject.isElementwise {
            let isAbsenceEnough = literals.contains { $0.isPresence(false) }
            if isAbsenceEnough, literals.contains(where: { $0.isPresence(true) }) { return decide(true) }
            let negated = literals.filter(\.isNegated)
            // A record without a value meets what is negated.
            if isAbsenceEnough, !negated.isEmpty { remove(literals.filter { $0.isPresence(false) }) }
            // One with a value meets what requires any.
            if literals.contains(where: { $0.isPresence(true) }) {
                remove(literals.filter { $0.needsValue && !$0.isPresence(true) })
                return
            }
            mergeLists(negated, isIntersection: true)
            guard decision == nil else { return }
        }
        mergeLists(literals.filter { !$0.isNegated }, isIntersection: false)
    }

    /// Lists of values as one: all of their values, or those that are in each.
    fileprivate mutating func mergeLists(_ literals: [Literal], isIntersection: Bool) {
        var groups: [(options: TextOptions, literals: [Literal])] = []
        for literal in literals {
            guard let (values, options) = literal.values, literal.isMergeable else { continue }
            // Whatever the options, values that are no texts are equal or not; but a list has options for all.
            let hasTexts = values.contains(where: \.isText)
            if let known = groups.firstIndex(where: { $0.options == options && $0.literals[0].hasTexts == hasTexts }) {
                groups[known].literals.append(literal)
            } else {
                groups.append((options, [literal]))
            }
        }
        for (_, literals) in groups where literals.count > 1 {
            if isIntersection { intersectLists(literals) } else { uniteLists(literals) }
        }
    }

    private mutating func uniteLists(_ literals: [Literal]) {
        let values = literals.flatMap { $0.values?.values ?? [] }
        guard let node = literals[0].rewritten(values, literals).map({ literals[0].negatedAsWritten($0) }) else {
            return
        }
        replace(literals, with: [node])
    }

    /// `a != 1 OR NOT (a IN {1, 2})`: only what every list has is ruled out.
    private mutating func intersectLists(_ literals: [Literal]) {
        guard let first = literals.first, let values = first.values?.values, first.subject.keys.isEmpty,
            let slot = first.subject.field?.slot
        else { return }
        var common: [FieldValue] = []
        for value in values {
            var isCommon = true
            for other in literals.dropFirst() where isCommon {
                guard let holds = try? SingleValue.holds(other.node, slot: slot, value) else { return }
                isCommon = !holds
            }
            if isCommon { common.append(value) }
        }
        if common.isEmpty { return decide(true) }
        guard let node = first.rewritten(common, literals).map({ first.negatedAsWritten($0) }) else { return }
        replace(literals, with: [node])
    }
}

extension FieldPredicateMerger.Literal {
    fileprivate func isPresence(_ isWanted: Bool) -> Bool {
        if case .presence(isWanted) = requirement { true } else { false }
    }

    fileprivate var hasTexts: Bool { values?.values.contains(where: \.isText) ?? false }

    /// Whether a range has both ends.
    fileprivate var isClosed: Bool { range?.interval.bounds.count == 2 }

    fileprivate var distance: (center: Location, range: DistanceRange)? {
        guard !isNegated, case .distance(let center, let range) = requirement else { return nil }
        return (center, range)
    }

    /// Whether the subject is on the left, so that other values can be put on the right.
    fileprivate var isMergeable: Bool {
        comparison.rhs.constant != nil && (!subject.isElementwise || comparison.quantifier != nil)
    }

    /// Whether values that are equal under some options are all treated alike: then the values of a list stand for all
    /// that equal them.
    fileprivate func isAlike(underEqualityBy options: TextOptions) -> Bool {
        let own: TextOptions
        if let values { own = values.options } else if let range { own = range.options } else { return false }
        let compared: TextOptions = [.normalized, .localeSensitive]
        if own == options { return true }
        return own.isDisjoint(with: compared) && options.isDisjoint(with: compared)
            && (own.isSuperset(of: options) || !isAboutTexts)
    }

    private var isAboutTexts: Bool {
        if let values { return values.values.contains(where: \.isText) }
        return range?.interval.bounds.first?.value.isText ?? true
    }

    /// The comparison of the subject with a list of values, under the options of this one.
    fileprivate func rewritten(_ values: [FieldValue], _ literals: [Self]) -> BoundComparison? {
        let quantifier: Quantifier? = subject.isElementwise ? comparison.quantifier : nil
        let span = literals.place
        return values.count == 1
            ? comparison.rewritten(.equal, values[0], quantifier: quantifier, span: span)
            : comparison.rewritten(.in, .list(values), quantifier: quantifier, span: span)
    }

    /// A list of values with the negation of this literal, which `rewritten` leaves to the quantifier NONE or drops.
    fileprivate func negatedAsWritten(_ list: BoundComparison) -> BoundNode {
        let isByQuantifier = list.quantifier == Quantifier.none
        if isNegated == isByQuantifier { return .comparison(list) }
        return Simplifier.freeNegation(of: .comparison(list)) ?? .not(.comparison(list))
    }
}

extension [FieldPredicateMerger.Literal] {
    /// The place in the predicate's text from the first to the last.
    fileprivate var place: SourceSpan { reduce(SourceSpan.none) { $0.union($1.comparison.span) } }
}
