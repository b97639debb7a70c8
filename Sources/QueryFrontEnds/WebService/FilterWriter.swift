// Predicates as filters, as far as the web service can say them.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import TextAnalysis

/// Takes a bound predicate apart into filters that hold together.
struct FilterWriter {
    private(set) var filters: [(filter: Filter, place: String)] = []

    /// - Throws: `FilterError` of kind `unsupported` with the part that no filter says.
    mutating func write(_ node: BoundNode) throws(FilterError) {
        switch node {
        case .constant(true): break
        case .constant(false): throw unsupported(node, "no filter is always false")
        case .and(let terms): for term in terms { try write(term) }
        case .or:
            throw unsupported(
                node, "filters hold together: there is no OR",
                hint: "IN says that a field equals one of several values; else send one query for each alternative")
        case .comparison(let comparison): try write(comparison)
        case .not(.not(let term)): try write(term)
        case .not(.comparison(let comparison)):
            for filter in try Self.filters(of: comparison) {
                guard let negation = filter.comparator.negation, comparison.comparisonOperator != .between else {
                    throw unsupported(node, "\(filter.comparator.rawValue) has no negation")
                }
                append(Filter(filter.field, negation, filter.value), node)
            }
        case .not: throw unsupported(node, "NOT applies to single comparisons only")
        }
    }

    private mutating func write(_ comparison: BoundComparison) throws(FilterError) {
        for filter in try Self.filters(of: comparison) { append(filter, .comparison(comparison)) }
    }

    private mutating func append(_ filter: Filter, _ node: BoundNode) {
        filters.append((filter, node.description))
    }

    private func unsupported(_ node: BoundNode, _ message: String, hint: String? = nil) -> FilterError {
        FilterError(.unsupported, node.description, message, hint: hint)
    }

    // MARK: Comparisons

    /// The filters of a comparison: two for BETWEEN, else one.
    private static func filters(of comparison: BoundComparison) throws(FilterError) -> [Filter] {
        let shapes = Shapes(comparison)
        let filters = shapes.search ?? shapes.between ?? shapes.distance ?? shapes.ofList ?? shapes.ofField
        guard let filters, shapes.optionsFit else {
            throw FilterError(
                .unsupported, comparison.description, "no comparator says this",
                hint: shapes.optionsFit ? nil : "filters take no options; TOKENMATCHES is [cdl]")
        }
        for filter in filters where !filter.comparator.takes(filter.value) {
            if filter.value.isNull { _ = try filter.json(of: comparison.description) }
            throw FilterError(
                .unsupported, comparison.description, "\(filter.comparator.rawValue) does not take such a value")
        }
        return filters
    }
}

/// The shapes of comparisons that filters have; each is nil for a comparison of another shape.
private struct Shapes {
    let quantifier: Quantifier?
    let comparisonOperator: ComparisonOperator
    let lhs: Operand
    let rhs: Operand
    let options: ComparisonOptions
    /// The field left and the constant right, or the other way round with the operator turned.
    private let field: String?
    private let value: FieldValue?
    private let turned: ComparisonOperator?

    init(_ comparison: BoundComparison) {
        quantifier = comparison.quantifier
        comparisonOperator = comparison.comparisonOperator
        (lhs, rhs) = (comparison.lhs, comparison.rhs)
        options =
            if case .comparison(let syntax) = BoundNode.comparison(comparison).syntax.kind { syntax.options } else {
                []
            }
        if let name = Self.field(lhs), let constant = rhs.constant {
            (field, value, turned) = (name, constant, comparisonOperator)
        } else if let name = Self.field(rhs), let constant = lhs.constant, quantifier == nil {
            (field, value, turned) = (name, constant, comparisonOperator.mirrored)
        } else {
            (field, value, turned) = (nil, nil, nil)
        }
    }

    /// Only a search for words has options, and always the same.
    var optionsFit: Bool {
        comparisonOperator == .tokenMatches ? options.union(.localeSensitive) == .fullText : options.isEmpty
    }

    private static func field(_ operand: Operand) -> String? {
        if case .field(let field) = operand.kind { field.name } else { nil }
    }

    /// A field and a constant.
    var ofField: [Filter]? {
        guard quantifier == nil, let field, let value else { return nil }
        let comparator: Comparator? =
            switch turned {
            case .equal: .equals
            case .notEqual: .notEquals
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEquals
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEquals
            case .in: .in
            case .contains: .listContains
            case .beginsWith: .beginsWith
            default: nil
            }
        return comparator.map { [Filter(field, $0, value)] }
    }

    /// Elements of a list field.
    var ofList: [Filter]? {
        guard let quantifier else { return nil }
        if quantifier == .all {
            guard comparisonOperator == .in, let field = Self.field(rhs), let value = lhs.constant else { return nil }
            return [Filter(field, .listContainsAll, value)]
        }
        // `ANY {…} == field` is true where the field is one of them.
        if quantifier == .any, comparisonOperator == .equal, let field = Self.field(rhs), let value = lhs.constant {
            return [Filter(field, .in, value)]
        }
        guard let field, let value else { return nil }
        let comparator: Comparator? =
            switch comparisonOperator {
            case .equal: .listContains
            case .in: .listContainsAny
            case .beginsWith: .listMemberBeginsWith
            default: nil
            }
        guard let comparator else { return nil }
        return [Filter(field, quantifier == .none ? comparator.negation ?? comparator : comparator, value)]
    }

    var between: [Filter]? {
        guard quantifier == nil, comparisonOperator == .between, let field = Self.field(lhs),
            case .list(let bounds)? = rhs.constant, bounds.count == 2, !bounds.contains(where: \.isNull)
        else { return nil }
        let isReversed =
            SortOrder.compare(
                prepared: SortOrder.prepared(bounds[0]), SortOrder.prepared(bounds[1])) > 0
        let (lower, upper) = isReversed ? (bounds[1], bounds[0]) : (bounds[0], bounds[1])
        return [Filter(field, .greaterThanOrEquals, lower), Filter(field, .lessThanOrEquals, upper)]
    }

    /// `distance(field, place) < radius`, or the other way round.
    var distance: [Filter]? {
        let sides: (Operand, Operand)? =
            switch comparisonOperator {
            case .lessThan: (lhs, rhs)
            case .greaterThan: (rhs, lhs)
            default: nil
            }
        guard quantifier == nil, let (away, radius) = sides,
            let metres = radius.constant.flatMap(Double.init(fieldValue:)),
            metres.isFinite, case .function(.distanceToLocation, let ends) = away.kind, ends.count == 2
        else { return nil }
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            if let field = Self.field(end), let place = other.constant {
                return [Filter(field, .near, place, distance: metres)]
            }
        }
        return nil
    }

    /// Words of a field or of all fields.
    var search: [Filter]? {
        switch (quantifier, comparisonOperator) {
        case (nil, .tokenMatches):
            guard let text = rhs.constant else { return nil }
            if case .allTokens = lhs.kind { return [Filter(nil, .containsAllTokens, text)] }
            return Self.field(lhs).map { [Filter($0, .containsAllTokens, text)] }
        case (nil, .contains):
            guard case .selfObject = lhs.kind, let text = rhs.constant else { return nil }
            return [Filter(nil, .containsAnyTokens, text)]
        case (.any, .in), (.all, .in):
            guard case .list(let words)? = lhs.constant, let field = searched(rhs), let text = Self.text(of: words),
                // No words are none of any, and a search for all of no words finds nothing.
                quantifier == .any || !words.isEmpty
            else { return nil }
            return [Filter(field, quantifier == .any ? .containsAnyTokens : .containsAllTokens, .string(text))]
        default: return nil
        }
    }

    /// A text that has some words, as a search folds and cuts it; `nil` for what is no such word.
    private static func text(of words: [FieldValue]) -> String? {
        var texts: [String] = []
        for word in words {
            guard case .string(let text) = word else { return nil }
            texts.append(text)
        }
        let joined = texts.joined(separator: " ")
        let tokenizer = Tokenizer(options: [.caseInsensitive, .diacriticInsensitive])
        return tokenizer.terms(of: joined) == texts ? joined : nil
    }

    /// The field whose words are searched, or nil for all of them; nothing for another operand.
    private func searched(_ operand: Operand) -> String?? {
        switch operand.kind {
        case .allTokens(let options):
            return options.union(.localeSensitive) == [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
                ? .some(nil) : nil
        case .function(.tokenize, let arguments):
            guard arguments.count == 2, let field = Self.field(arguments[0]),
                case .string(let letters)? = arguments[1].constant,
                Set(letters.lowercased()).union("l") == Set("cdl")
            else { return nil }
            return .some(field)
        default: return nil
        }
    }
}
