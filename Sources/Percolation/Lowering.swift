// From bound predicates to conditions: which terms a predicate requires.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordModel
import TextAnalysis

/// What comes to light when a predicate becomes a condition.
struct Lowering {
    /// The terms that were mentioned, each as often as it was.
    var mentions: [UInt32] = []
    private(set) var assumptions: [KindAssumption] = []
    /// Fields whose numbers or places the condition reads.
    private(set) var valueFields: [Int] = []
    var bytes: [UInt8] = []

    /// Takes for granted that a field's values are of the kinds.
    mutating func assume(_ field: Int, _ kinds: ValueKinds) {
        if kinds == .all { return }
        if let index = assumptions.firstIndex(where: { $0.field == field }) {
            assumptions[index].kinds.formIntersection(kinds)
        } else {
            assumptions.append(KindAssumption(field: field, kinds: kinds))
        }
    }

    mutating func readsValue(of field: Int) {
        if !valueFields.contains(field) { valueFields.append(field) }
    }
}

/// A text as terms hold it.
private struct FoldedText {
    let bytes: [UInt8]
    let options: TextOptions

    init(_ text: String, _ options: TextOptions) {
        self.options = options.foldable
        bytes = Array(TextFolding.fold(text, self.options).utf8)
    }
}

extension TypeIndex {
    /// The condition that a node of a predicate is; its terms are mentioned.
    mutating func lower(_ node: BoundNode, isNegated: Bool, _ lowering: inout Lowering) -> Condition {
        switch node {
        case .constant(let value): return .constant(value != isNegated)
        case .not(let node): return lower(node, isNegated: !isNegated, &lowering)
        case .and(let nodes), .or(let nodes):
            var conditions: [Condition] = []
            conditions.reserveCapacity(nodes.count)
            for node in nodes { conditions.append(lower(node, isNegated: isNegated, &lowering)) }
            let isConjunction = if case .and = node { !isNegated } else { isNegated }
            return isConjunction ? .conjunction(conditions) : .disjunction(conditions)
        case .comparison(let comparison):
            guard let constraint = comparison.constraint, constraint.isExact, constraint.subject.keys.isEmpty else {
                let condition = evaluated(comparison, &lowering)
                return isNegated ? condition.negated : condition
            }
            if case .presence(let isWanted) = constraint.requirement, let name = constraint.subject.field?.name {
                let isWanted = isWanted != (constraint.isNegated != isNegated)
                let field = field(name)
                return .term(isWanted ? presence(of: field, &lowering) : absence(of: field, &lowering))
            }
            guard let condition = lower(constraint, of: comparison, &lowering) else {
                let condition = evaluated(comparison, &lowering)
                return isNegated ? condition.negated : condition
            }
            return constraint.isNegated != isNegated ? condition.negated : condition
        }
    }

    /// What the evaluator alone decides; where it cannot fail, a field that must have a value for it to hold.
    private mutating func evaluated(_ comparison: BoundComparison, _ lowering: inout Lowering) -> Condition {
        var analysis = ThrowAnalysis()
        guard analysis.cannotThrow(comparison) else { return .evaluated(.comparison(comparison), cannotThrow: false) }
        for (name, kinds) in analysis.assumed { lowering.assume(field(name), kinds) }
        let condition = Condition.evaluated(.comparison(comparison), cannotThrow: true)
        guard let name = comparison.necessaryField else { return condition }
        return .conjunction([.term(presence(of: field(name), &lowering)), condition])
    }

    private mutating func presence(of field: Int, _ lowering: inout Lowering) -> UInt32 {
        mention([UInt8]().span, TermField(field: field, kind: .presence), &lowering)
    }

    private mutating func absence(of field: Int, _ lowering: inout Lowering) -> UInt32 {
        mention([UInt8]().span, TermField(field: field, kind: .absence), &lowering)
    }

    // MARK: - Constraints

    /// The condition that a constraint is, its negation aside; nil where only the evaluator knows.
    private mutating func lower(
        _ constraint: FieldConstraint, of comparison: BoundComparison, _ lowering: inout Lowering
    ) -> Condition? {
        let subject = constraint.subject
        guard let name = subject.field?.name else { return words(constraint, of: comparison, nil, &lowering) }
        switch constraint.requirement {
        case .tokens, .tokenPrefix: return words(constraint, of: comparison, field(name), &lowering)
        case .presence, .analyzed: return nil
        case .equal(let value, let options):
            return values([value], options, constraint, of: comparison, field(name), &lowering)
        case .membership(let members, let options):
            return values(members, options, constraint, of: comparison, field(name), &lowering)
        case .range(let lower, let upper, _):
            guard !subject.isElementwise else { return elementwise(constraint, of: comparison, &lowering) }
            return range(lower, upper, field(name), &lowering)
        case .distance(let center, let range):
            return distance(DistanceTest(center: center, range: range), field(name), &lowering)
        case .area: return nil
        case .prefix(let text, let options):
            return affix(FoldedText(text, options), .prefix, constraint, of: comparison, field(name), &lowering)
        case .suffix(let text, let options):
            guard !subject.isElementwise else { return elementwise(constraint, of: comparison, &lowering) }
            return affix(FoldedText(text, options), .suffix, constraint, of: comparison, field(name), &lowering)
        case .substring(let text, let options):
            guard !subject.isElementwise else { return elementwise(constraint, of: comparison, &lowering) }
            return substring(FoldedText(text, options), constraint, of: comparison, field(name), &lowering)
        case .pattern(let pattern, let options):
            guard !subject.isElementwise else { return elementwise(constraint, of: comparison, &lowering) }
            guard case .like(let text) = pattern, !constraint.isNegated else { return nil }
            return like(LikePattern(text, options: options), of: comparison, field(name), &lowering)
        }
    }

    /// A test of elements that terms cannot decide: the list must be there.
    private mutating func elementwise(
        _ constraint: FieldConstraint, of comparison: BoundComparison, _ lowering: inout Lowering
    ) -> Condition? {
        guard !constraint.isNegated, let name = constraint.subject.field?.name else { return nil }
        let kinds: ValueKinds
        switch constraint.requirement {
        case .range(let lower, let upper, _):
            let bounds = [lower, upper].compactMap { $0.map { ValueKinds(of: $0.value) } }
            guard let family = [ValueKinds.anyNumber, .anyDate, .string].first(where: bounds.areWithin) else {
                return nil
            }
            kinds = family
        case .suffix, .substring, .pattern(.like, _): kinds = .string
        default: return nil
        }
        let field = field(name)
        lowering.assume(field, [.null, .list(of: kinds.union(.null))])
        return .all([
            .term(presence(of: field, &lowering)), .evaluated(.comparison(comparison), cannotThrow: true),
        ])
    }

    /// The text tests that a term narrows down and the evaluator decides.
    private func decided(_ term: Condition, by comparison: BoundComparison) -> Condition {
        .conjunction([term, .evaluated(.comparison(comparison), cannotThrow: true)])
    }

    private mutating func values(
        _ members: [FieldValue], _ options: TextOptions, _ constraint: FieldConstraint,
        of comparison: BoundComparison, _ field: Int, _ lowering: inout Lowering
    ) -> Condition? {
        let isElementwise = constraint.subject.isElementwise
        var keys: [(kind: ScalarKind, bytes: [UInt8])] = []
        for member in members {
            if case .string(let text) = member {
                guard let options = options.comparable else { return nil }
                keys.append((.text, Array(TextFolding.fold(text, options).utf8)))
            } else {
                guard let kind = ScalarKind.encode(member, into: &lowering.bytes) else { return nil }
                keys.append((kind, lowering.bytes))
            }
        }
        // Plain `==` and IN take values of all kinds.
        switch comparison.comparisonOperator {
        case .equal, .notEqual, .in, .contains:
            if isElementwise { lowering.assume(field, [.null, .list(of: .flat)]) }
        default: lowering.assume(field, isElementwise ? [.null, .list(of: [.string, .null])] : [.string, .null])
        }
        var terms: [UInt32] = []
        var seen: Set<UInt32> = []
        for key in keys {
            let space = TermField(
                field: field, kind: isElementwise ? .element : .value,
                options: key.kind == .text ? options.foldable : [], parameter: key.kind.rawValue)
            let term = mention(key.bytes.span, space, &lowering)
            if seen.insert(term).inserted { terms.append(term) }
        }
        if terms.count == 1 { return .term(terms[0]) }
        if terms.isEmpty { return .constant(false) }
        return isElementwise ? .any(terms.map { .term($0) }) : .oneOf(terms)
    }

    private mutating func range(
        _ lower: FieldConstraint.Bound?, _ upper: FieldConstraint.Bound?, _ field: Int, _ lowering: inout Lowering
    ) -> Condition? {
        let bounds = [lower, upper].compactMap { $0.map { ValueKinds(of: $0.value) } }
        let isDate: Bool
        if bounds.areWithin(.number) {
            isDate = false
        } else if bounds.areWithin(.date) {
            isDate = true
        } else {
            return nil
        }
        lowering.assume(field, [.null, isDate ? .date : .number])
        var (low, high) = (lower?.value.order ?? -.infinity, upper?.value.order ?? .infinity)
        // Numbers of the record are Doubles: an excluded bound is the next one.
        if lower?.isInclusive == false {
            if low == .infinity { return .constant(false) }
            low = low.nextUp
        }
        if upper?.isInclusive == false {
            if high == -.infinity { return .constant(false) }
            high = high.nextDown
        }
        guard low <= high else { return .constant(false) }
        lowering.readsValue(of: field)
        let range = NumberRange(field: field, isDate: isDate, low: low, high: high)
        return .range(range, presence: presence(of: field, &lowering))
    }

    private mutating func distance(
        _ test: DistanceTest, _ field: Int, _ lowering: inout Lowering
    ) -> Condition? {
        lowering.assume(field, [.null, .location])
        guard !test.range.isEmpty else { return .constant(false) }
        lowering.readsValue(of: field)
        let condition = Condition.distance(field: field, test)
        guard let cells = EarthGrid.cells(covering: test) else {
            return .all([.term(presence(of: field, &lowering)), condition])
        }
        let space = TermField(field: field, kind: .cell, parameter: cells.level)
        var terms: [UInt32] = []
        for key in cells.keys {
            key.encode(into: &lowering.bytes)
            let bytes = lowering.bytes
            terms.append(mention(bytes.span, space, &lowering))
        }
        return .all([terms.count == 1 ? .term(terms[0]) : .oneOf(terms), condition])
    }

    // MARK: - Parts of texts

    private mutating func affix(
        _ text: FoldedText, _ kind: TermField.Kind, _ constraint: FieldConstraint, of comparison: BoundComparison,
        _ field: Int, _ lowering: inout Lowering
    ) -> Condition? {
        let bytes = text.bytes
        let isCut = bytes.count > TermField.longestAffix
        // A test by the evaluator cannot be turned around where the comparison itself is.
        if isCut, constraint.isNegated { return nil }
        let isElementwise = constraint.subject.isElementwise
        lowering.assume(field, isElementwise ? [.null, .list(of: [.string, .null])] : [.string, .null])
        if bytes.isEmpty { return .constant(false) }
        let length = min(bytes.count, TermField.longestAffix)
        let key = kind == .suffix ? Array(bytes.suffix(length)) : Array(bytes.prefix(length))
        let space = TermField(
            field: field, kind: isElementwise ? .elementPrefix : kind, options: text.options,
            parameter: isCut ? -length : length)
        let term = Condition.term(mention(key.span, space, &lowering))
        return isCut ? decided(term, by: comparison) : term
    }

    /// A text that matches begins with the plain characters of the pattern.
    private mutating func like(
        _ pattern: LikePattern, of comparison: BoundComparison, _ field: Int, _ lowering: inout Lowering
    ) -> Condition {
        lowering.assume(field, [.string, .null])
        let prefix = pattern.literalPrefix.utf8.prefix(TermField.longestAffix)
        guard !prefix.isEmpty else { return decided(.term(presence(of: field, &lowering)), by: comparison) }
        let space = TermField(
            field: field, kind: .prefix, options: pattern.options.foldable, parameter: -prefix.count)
        return decided(.term(mention(Array(prefix).span, space, &lowering)), by: comparison)
    }

    /// A text that contains the needle contains all its grams: the rarest represents them.
    private mutating func substring(
        _ text: FoldedText, _ constraint: FieldConstraint, of comparison: BoundComparison, _ field: Int,
        _ lowering: inout Lowering
    ) -> Condition? {
        if constraint.isNegated { return nil }
        let bytes = text.bytes
        lowering.assume(field, [.string, .null])
        if bytes.isEmpty { return .constant(false) }
        guard bytes.count >= TermField.gramLength else {
            return decided(.term(presence(of: field, &lowering)), by: comparison)
        }
        let space = TermField(field: field, kind: .gram, options: text.options)
        var best: (mentions: Int, start: Int)?
        for start in 0...min(bytes.count - TermField.gramLength, 64) {
            let mentions = mentions(of: bytes.span.extracting(start..<start + TermField.gramLength), space)
            if best.map({ mentions < $0.mentions }) ?? true { best = (mentions, start) }
        }
        let start = best?.start ?? 0
        let term = mention(bytes.span.extracting(start..<start + TermField.gramLength), space, &lowering)
        return decided(.term(term), by: comparison)
    }

    // MARK: - Words

    private mutating func words(
        _ constraint: FieldConstraint, of comparison: BoundComparison, _ field: Int?, _ lowering: inout Lowering
    ) -> Condition? {
        switch constraint.requirement {
        case .tokens(let terms, let mode, let options):
            if mode == .phrase, constraint.isNegated { return nil }
            if let field { lowering.assume(field, [.null, .string, .list(of: .anyElements)]) }
            let space = TermField(field: field ?? TermField.recordField, kind: .word, options: options.foldable)
            var conditions: [Condition] = []
            for term in Set(terms).sorted() {
                conditions.append(.term(mention(term.utf8.span, space, &lowering)))
            }
            if conditions.isEmpty { return .constant(false) }
            let condition = mode == .any ? Condition.disjunction(conditions) : .conjunction(conditions)
            return mode == .phrase ? decided(condition, by: comparison) : condition
        case .tokenPrefix(let text, let options):
            let text = FoldedText(text, options)
            let bytes = text.bytes
            let isCut = bytes.count > TermField.longestAffix
            if isCut, constraint.isNegated { return nil }
            if let field { lowering.assume(field, [.null, .string]) }
            if bytes.isEmpty { return .constant(false) }
            let length = min(bytes.count, TermField.longestAffix)
            let space = TermField(
                field: field ?? TermField.recordField, kind: .wordPrefix, options: text.options,
                parameter: isCut ? -length : length)
            let term = Condition.term(mention(bytes.span.extracting(first: length), space, &lowering))
            return isCut ? decided(term, by: comparison) : term
        default: return nil
        }
    }
}

extension [ValueKinds] {
    fileprivate func areWithin(_ kinds: ValueKinds) -> Bool { allSatisfy { $0.isSubset(of: kinds) } }
}

extension BoundComparison {
    /// A field that must have a value for the comparison to hold.
    fileprivate var necessaryField: String? {
        if let constraint, !constraint.isNegated, !constraint.subject.isElementwise,
            let name = constraint.subject.field?.name
        {
            if case .presence(false) = constraint.requirement { return nil }
            return name
        }
        // Nil is below and above nothing.
        guard comparisonOperator == .lessThan || comparisonOperator == .greaterThan else { return nil }
        for side in [lhs, rhs] {
            if case .field(let field) = side.kind { return field.name }
        }
        return nil
    }
}

extension FieldValue {
    /// The place of a number or date in the order of its family.
    var order: Double? {
        switch self {
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: number?.asDouble
        }
    }
}
