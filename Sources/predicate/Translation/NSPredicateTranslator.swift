// Predicates as the format text of Foundation's NSPredicate.

import FoundationEssentials
import PredicateSyntax
import RecordDatabase

/// Writes the vendor's spelling: the canonical text, with what is ours alone rejected.
struct NSPredicateTranslator {
    /// The format text, and the values of the placeholders that are left: those the language has no text for.
    /// - Throws: `TranslationRejection` at the first part that is an extension.
    func translation(
        of predicate: RecordPredicate, _ tree: SyntaxTree
    ) throws(TranslationRejection) -> (format: String, arguments: [FieldValue]) {
        try check(tree.root)
        return (predicate.description, predicate.arguments.filter { !Self.hasText($0) })
    }

    /// Whether the language writes a value without a placeholder.
    private static func hasText(_ value: FieldValue) -> Bool {
        switch value {
        case .null, .bool, .int64, .string: true
        case .double(let number): number.isFinite
        case .date(let date): date.timeIntervalSinceReferenceDate.isFinite
        case .list(let elements): elements.allSatisfy(hasText)
        case .data, .location, .reference, .asset, .set, .object: false
        }
    }

    private func check(_ node: PredicateNode) throws(TranslationRejection) {
        switch node.kind {
        case .constant: break
        case .not(let term): try check(term)
        case .and(let terms), .or(let terms): for term in terms { try check(term) }
        case .comparison(let comparison):
            if comparison.options.contains(.phrase) {
                throw TranslationRejection(
                    comparison.operatorSpan, "NSPredicate has no counterpart for phrases", hint: "leave the p out")
            }
            try check(comparison.lhs)
            try check(comparison.rhs)
        }
    }

    private func check(_ node: ExpressionNode) throws(TranslationRejection) {
        switch node.kind {
        case .literal, .selfObject, .variable, .placeholder: break
        case .key(let name): try check(key: name, node.span)
        case .path(let base, let steps):
            try check(base)
            for step in steps {
                if case .key(let name) = step.kind { try check(key: name, step.span) }
                if case .index(let index) = step.kind { try check(index) }
            }
        case .aggregate(let elements), .function(_, let elements): for element in elements { try check(element) }
        case .unary(_, let operand): try check(operand)
        case .binary(_, let lhs, let rhs), .cast(let lhs, let rhs):
            try check(lhs)
            try check(rhs)
        case .subquery(let collection, _, let predicate):
            try check(collection)
            try check(predicate)
        case .ternary(let condition, let then, let otherwise):
            try check(condition)
            try check(then)
            try check(otherwise)
        }
    }

    /// Keys that are no identifiers are written `#'key'` here alone.
    private func check(key: String, _ span: SourceSpan) throws(TranslationRejection) {
        let isIdentifier = key.unicodeScalars.allSatisfy { $0 == "_" || $0 == "@" || $0.properties.isXIDContinue }
        guard !isIdentifier else { return }
        throw TranslationRejection(
            span, "NSPredicate has no counterpart for a quoted key", hint: "give the key by %K, as an argument")
    }
}
