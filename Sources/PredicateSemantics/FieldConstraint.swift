// What a comparison requires of one field, in terms that an index can serve.

package import Geospatial
import PredicateSyntax
package import RecordModel
package import TextAnalysis

/// A requirement on the value of one field, or on the tokens of a record, that a comparison amounts to.
///
/// The set of records that a constraint describes is exactly the set for which the comparison holds when `isExact`,
/// and contains that set otherwise. A negated constraint describes the records that do not meet the requirement,
/// those without the field included: logic is two-valued.
package struct FieldConstraint: Sendable {
    /// What is looked at.
    package struct Subject: Hashable, Sendable {
        /// The field, or the first field of a path; nil for all tokens of the record.
        package var field: FieldReference?
        /// Keys behind the field, through objects or references; empty for the field itself.
        package var keys: [String]
        /// Whether some element of the value must meet the requirement, and not the value itself.
        package var isElementwise: Bool
    }

    /// An end of a range.
    package struct Bound: Hashable, Sendable {
        package var value: FieldValue
        package var isInclusive: Bool

        package init(_ value: FieldValue, isInclusive: Bool) {
            self.value = value
            self.isInclusive = isInclusive
        }
    }

    /// A pattern over the whole text.
    package enum Pattern: Hashable, Sendable {
        /// A LIKE pattern, escapes unresolved.
        case like(String)
        /// An ICU regular expression.
        case regularExpression(String)
    }

    /// How many of the terms must be there, and where.
    package enum TokenMode: Hashable, Sendable {
        case any, all
        /// All, two or more, side by side and in order within one text or one element of a list.
        case phrase
    }

    /// What the subject must satisfy. Text options say how texts are compared.
    package enum Requirement: Hashable, Sendable {
        /// A value other than nil, or nil.
        case presence(Bool)
        /// Equal to a value that is not nil.
        case equal(FieldValue, TextOptions)
        /// Equal to one of the values, none of them nil. The list may hold equal values twice.
        case membership([FieldValue], TextOptions)
        /// Within bounds, of one family; at least one is given.
        case range(lower: Bound?, upper: Bound?, TextOptions)
        /// Text that begins with the (unfolded) text; the empty text is no prefix.
        case prefix(String, TextOptions)
        /// Text that ends with the (unfolded) text.
        case suffix(String, TextOptions)
        /// Text that contains the (unfolded) text.
        case substring(String, TextOptions)
        /// Text that matches as a whole.
        case pattern(Pattern, TextOptions)
        /// Texts whose tokens, folded by the options, include the terms, which are folded already. Of no terms,
        /// nothing. The terms of a phrase are in order and may repeat.
        case tokens([String], TokenMode, TokenOptions)
        /// Texts that have words as the analyzers of their fields make them.
        case analyzed(AnalyzedWords)
        /// Texts with a token that, folded by the options, begins with the (unfolded) text.
        case tokenPrefix(String, TextOptions)
        /// A location at a distance from the centre that lies in the range.
        case distance(Location, DistanceRange)
        /// A location in the area.
        case area(GeoArea)
    }

    /// The folding of tokens.
    package typealias TokenOptions = TextOptions

    package var subject: Subject
    package var requirement: Requirement
    /// Whether the records that do not meet the requirement are meant.
    package var isNegated: Bool
    /// Whether the described set is the comparison's own, and not a larger one.
    package var isExact: Bool

    init(_ subject: Subject, _ requirement: Requirement, isNegated: Bool = false, isExact: Bool = true) {
        self.subject = subject
        self.requirement = requirement
        self.isNegated = isNegated
        self.isExact = isExact
    }
}

extension FieldConstraint.Subject {
    /// All tokens of the record.
    package static let allTokens = Self(field: nil, keys: [], isElementwise: false)

    /// The subject that an operand reads: a field, a path of keys from a field, or the tokens.
    init?(_ operand: Operand, quantifier: Quantifier?) {
        guard quantifier != .all else { return nil }
        switch operand.kind {
        case .field(let field): self.init(field: field, keys: [], isElementwise: quantifier != nil)
        case .allTokens: self = .allTokens
        case .path(let base, let steps):
            guard case .field(let field) = base.kind else { return nil }
            var keys: [String] = []
            for step in steps {
                guard case .key(let key) = step.kind else { return nil }
                keys.append(key)
            }
            self.init(field: field, keys: keys, isElementwise: quantifier != nil)
        default: return nil
        }
    }

    /// The same subject, element by element.
    var elements: Self { Self(field: field, keys: keys, isElementwise: true) }
}

/// The commonest shape of an indexable comparison: a subject on one side, a constant on the other.
struct ConstraintShape {
    let subject: FieldConstraint.Subject
    let constant: FieldValue
    /// Whether the constant is on the left.
    let isMirrored: Bool
    private let quantifier: Quantifier?

    init?(_ comparison: BoundComparison) {
        quantifier = comparison.quantifier
        if let constant = comparison.rhs.constant,
            let subject = FieldConstraint.Subject(comparison.lhs, quantifier: quantifier)
        {
            self.subject = subject
            self.constant = constant
            isMirrored = false
        } else if quantifier == nil, comparison.comparisonOperator.mirrored != nil,
            let constant = comparison.lhs.constant,
            let subject = FieldConstraint.Subject(comparison.rhs, quantifier: nil)
        {
            self.subject = subject
            self.constant = constant
            isMirrored = true
        } else {
            return nil
        }
    }

    /// The constraint of a requirement; nil where elements make it mean something else: an element unlike a value is
    /// not the absence of an element like it, and a nil element is not a missing field.
    func constraint(
        _ requirement: FieldConstraint.Requirement, isNegated: Bool = false
    ) -> FieldConstraint? {
        if subject.field == nil { return tokenConstraint(requirement, isNegated: isNegated) }
        if subject.isElementwise, isNegated { return nil }
        if subject.isElementwise, case .presence = requirement { return nil }
        return FieldConstraint(
            subject, requirement, isNegated: isNegated || quantifier == Quantifier.none)
    }

    /// `ANY allTokens == 'x'` and `ANY allTokens BEGINSWITH 'x'`: searches that a term dictionary serves, which holds
    /// folded words, and none as a locale compares them.
    private func tokenConstraint(_ requirement: FieldConstraint.Requirement, isNegated: Bool) -> FieldConstraint? {
        guard quantifier == .any || quantifier == Quantifier.none, !isNegated else { return nil }
        let isNegated = quantifier == Quantifier.none
        switch requirement {
        case .prefix(let text, let options):
            return FieldConstraint(.allTokens, .tokenPrefix(text, options), isNegated: isNegated)
        case .equal(.string(let text), let options) where !options.contains(.localeSensitive):
            return FieldConstraint(
                .allTokens, .tokens([TextFolding.fold(text, options)], .any, options), isNegated: isNegated)
        default: return nil
        }
    }
}

extension FieldConstraint {
    /// `distanceToLocation:fromLocation:(field, centre) < radius` and its mirrors.
    init?(distanceFor comparison: BoundComparison, sign: Int, includesEqual: Bool) {
        guard comparison.quantifier == nil else { return nil }
        let isMirrored = comparison.lhs.constant != nil
        let (function, limit) =
            isMirrored ? (comparison.rhs, comparison.lhs) : (comparison.lhs, comparison.rhs)
        guard let (subject, center) = Self.distanceOperands(function), let radius = limit.constant?.number?.asDouble,
            !radius.isNaN
        else { return nil }
        let range: DistanceRange =
            switch ((sign < 0) != isMirrored, includesEqual) {
            case (true, true): .atMost(radius)
            case (true, false): .below(radius)
            case (false, true): .atLeast(radius)
            case (false, false): .above(radius)
            }
        self.init(subject, .distance(center, range))
    }

    /// `distanceToLocation:fromLocation:(field, centre) BETWEEN {low, high}`, bounds in order.
    init?(distanceFor comparison: BoundComparison, between bounds: (FieldValue, FieldValue)) {
        guard comparison.quantifier == nil, let (subject, center) = Self.distanceOperands(comparison.lhs),
            let low = bounds.0.number?.asDouble, let high = bounds.1.number?.asDouble, !low.isNaN, !high.isNaN
        else { return nil }
        self.init(subject, .distance(center, .between(low, high)))
    }

    private static func distanceOperands(_ operand: Operand) -> (Subject, Location)? {
        guard case .function(.distanceToLocation, let arguments) = operand.kind, arguments.count == 2 else {
            return nil
        }
        for (place, center) in [(arguments[0], arguments[1]), (arguments[1], arguments[0])] {
            if case .location(let location) = center.constant, let subject = Subject(place, quantifier: nil),
                subject.field != nil
            {
                return (subject, location)
            }
        }
        return nil
    }

    /// `inBox(field, south, west, north, east) == TRUE` and `inPolygon(field, area) == TRUE`, their mirrors and `!=`.
    init?(areaFor comparison: BoundComparison, isNegated: Bool) {
        guard comparison.quantifier == nil else { return nil }
        let (function, truth) =
            comparison.lhs.constant == nil ? (comparison.lhs, comparison.rhs) : (comparison.rhs, comparison.lhs)
        guard truth.constant?.number?.asInteger == 1, case .function(let name, let arguments) = function.kind,
            name == .inBox || name == .inPolygon,
            let subject = Subject(arguments[0], quantifier: nil), subject.field != nil
        else { return nil }
        let constants = arguments.dropFirst().compactMap(\.constant)
        guard constants.count == arguments.count - 1, !constants.contains(where: \.isNull),
            let area = try? Areas.area(name, [.null] + constants)
        else { return nil }
        self.init(subject, .area(area), isNegated: isNegated)
    }

    /// `ALL tokenize(q, 'cdl') IN allTokens`, `ANY tokenize(q, 'cdl') IN allTokens`, `'word' IN allTokens`.
    init?(tokenMembershipFor comparison: BoundComparison, member: Operand, options: TextOptions) {
        let values = comparison.quantifier == nil ? member.constant.map { [$0] } : member.constant?.elements
        // The words of the index are folded, and none as a locale compares them.
        guard !comparison.options.contains(.localeSensitive), let values, let terms = Self.terms(values, options) else {
            return nil
        }
        self.init(
            .allTokens, .tokens(terms, comparison.quantifier == .all ? .all : .any, options),
            isNegated: comparison.quantifier == Quantifier.none)
    }

    /// `ANY allTokens IN {'harbour', 'pier'}`: the same search with the list on the other side, where the tokens are
    /// folded as they are compared.
    init?(tokensAmong values: [FieldValue], _ comparison: BoundComparison) {
        guard comparison.quantifier == .any || comparison.quantifier == Quantifier.none,
            case .allTokens(comparison.options) = comparison.lhs.kind,
            let terms = Self.terms(values, comparison.options)
        else { return nil }
        self.init(
            .allTokens, .tokens(terms, .any, comparison.options), isNegated: comparison.quantifier == Quantifier.none)
    }

    /// Words to search for; `nil` where there are none, or other values among them.
    private static func terms(_ values: [FieldValue], _ options: TextOptions) -> [String]? {
        var terms: [String] = []
        for value in values {
            guard case .string(let text) = value else { return nil }
            terms.append(TextFolding.fold(text, options))
        }
        return terms.isEmpty ? nil : terms
    }

    /// `ANY tokenize(field, 'cd') BEGINSWITH 'mar'`: a search that a term dictionary serves.
    ///
    /// The words are folded and the prefix is not, so it must be one that folding leaves alone.
    ///
    /// - Parameter isOfText: Whether the field must be known to hold texts: others have no words but an error.
    init?(tokenPrefixFor comparison: BoundComparison, isOfText: Bool = true) {
        guard comparison.quantifier == .any || comparison.quantifier == Quantifier.none,
            case .function(.tokenize, let arguments) = comparison.lhs.kind, arguments.count == 2,
            !isOfText || arguments[0].type == .string,
            let subject = Subject(arguments[0], quantifier: nil), subject.field != nil,
            case .string(let letters) = arguments[1].constant, let folding = TextOptions(letters: letters),
            case .string(let prefix) = comparison.rhs.constant, !folding.contains(.normalized),
            comparison.options.isSubset(of: folding), !comparison.options.contains(.normalized)
        else { return nil }
        let options = folding.subtracting(.localeSensitive)
        guard TextFolding.fold(prefix, options) == TextFolding.fold(prefix, comparison.options) else { return nil }
        self.init(
            subject, .tokenPrefix(prefix, options), isNegated: comparison.quantifier == Quantifier.none)
    }

    /// The field that must have a value for the comparison to hold at all: a superset, where nothing better is known.
    init?(presenceFor comparison: BoundComparison) {
        guard comparison.quantifier == nil || comparison.quantifier == .any else { return nil }
        for (side, other) in [(comparison.lhs, comparison.rhs), (comparison.rhs, comparison.lhs)] {
            // Nothing equals nothing, also as an element.
            guard let constant = other.constant, !constant.isNull, let field = side.nilPropagatingField,
                !KeyPaths.flattened(constant.elements ?? []).contains(where: \.isNull)
            else { continue }
            self.init(
                Subject(field: field, keys: [], isElementwise: false), .presence(true), isExact: false)
            return
        }
        return nil
    }
}

extension FieldConstraint.Requirement {
    /// The condition on a place; nil for requirements on other values.
    package var placeTest: PlaceTest? {
        switch self {
        case .distance(let center, let range): .distance(DistanceTest(center: center, range: range))
        case .area(let area): .area(area)
        default: nil
        }
    }
}

extension Operand {
    /// A field without which the operand is nil.
    fileprivate var nilPropagatingField: FieldReference? {
        switch kind {
        case .field(let field): field
        case .path(let base, _), .unary(_, let base), .moved(_, let base, _), .cast(let base, _):
            base.nilPropagatingField
        case .binary(_, let lhs, let rhs): lhs.nilPropagatingField ?? rhs.nilPropagatingField
        case .function(let name, let arguments):
            name.isNilPropagating ? arguments.lazy.compactMap(\.nilPropagatingField).first : nil
        default: nil
        }
    }
}
