// A filter as a part of a predicate.

import PredicateSemantics
import PredicateSyntax
import RecordModel

extension Filter {
    /// What the filter says, in the predicate language.
    func node(_ assembly: inout TreeAssembly) -> PredicateNode {
        let key = field.map { ExpressionNode(.key($0)) }
        let subject = key ?? ExpressionNode(.key("allTokens"))
        func plain(
            _ comparisonOperator: ComparisonOperator, _ quantifier: Quantifier? = nil,
            options: ComparisonOptions = []
        ) -> PredicateNode {
            .comparison(
                subject, comparisonOperator, assembly.node(value), options: options, quantifier: quantifier)
        }
        if Self.isNegated(comparator), let positive = comparator.negation {
            return PredicateNode(.not(Filter(field, positive, value).node(&assembly)))
        }
        switch comparator {
        case .equals: return plain(.equal)
        case .notEquals: return plain(.notEqual)
        case .lessThan: return plain(.lessThan)
        case .lessThanOrEquals: return plain(.lessThanOrEqual)
        case .greaterThan: return plain(.greaterThan)
        case .greaterThanOrEquals: return plain(.greaterThanOrEqual)
        case .near:
            let away = ExpressionNode(.function(.distanceToLocation, [subject, assembly.node(value)]))
            return .comparison(away, .lessThan, assembly.node(.double(distance ?? 0)))
        case .containsAllTokens: return plain(.tokenMatches, options: .fullText)
        case .containsAnyTokens:
            guard let key else {
                return .comparison(ExpressionNode(.selfObject), .contains, assembly.node(value))
            }
            let words = Self.words(assembly.node(value))
            return .comparison(words, .in, Self.words(key), quantifier: .any)
        case .in: return plain(.in)
        case .listContains: return plain(.contains)
        case .listContainsAny: return plain(.in, .any)
        case .listContainsAll: return .comparison(assembly.node(value), .in, subject, quantifier: .all)
        case .beginsWith: return plain(.beginsWith)
        case .listMemberBeginsWith: return plain(.beginsWith, .any)
        case .notIn, .notListContains, .notListContainsAny, .notListContainsAll, .notBeginsWith,
            .notListMemberBeginsWith:
            return PredicateNode(.constant(false))  // written above
        }
    }

    /// The comparators that are written as the negation of another.
    private static func isNegated(_ comparator: Comparator) -> Bool {
        comparator != .notEquals && comparator.rawValue.hasPrefix("NOT_")
    }

    /// The words of a text, folded as full-text search folds them.
    static func words(_ text: ExpressionNode) -> ExpressionNode {
        ExpressionNode(.function(.tokenize, [text, ExpressionNode(.literal(.string("cdl")))]))
    }
}
