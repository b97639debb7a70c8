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
        var first: TranslationRejection?
        tree.root.forEachPart { part in first = first ?? Self.rejection(of: part) }
        if let first { throw first }
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

    /// Functions that are ours alone.
    private static let extensions: [FunctionName] = [
        .inBox, .inPolygon, .distance, .location, .date, .year, .month, .day,
    ]

    /// Why NSPredicate cannot have a part of the tree.
    private static func rejection(of part: SyntaxPart) -> TranslationRejection? {
        switch part {
        case .predicate(let node):
            guard case .comparison(let comparison) = node.kind, comparison.options.contains(.phrase) else { return nil }
            return TranslationRejection(
                comparison.operatorSpan, "NSPredicate has no counterpart for phrases", hint: "leave the p out")
        case .expression(let node):
            switch node.kind {
            case .key(let name): return rejection(ofKey: name, node.span)
            case .function(let function, _) where extensions.contains(function):
                let name = function.rawValue.prefix { $0 != ":" }
                return TranslationRejection(node.span, "NSPredicate has no counterpart for \(name)")
            case .literal(.duration(let length)):
                return TranslationRejection(
                    node.span, "NSPredicate has no counterpart for \(length.text)",
                    hint: "FUNCTION(date, 'dateByAddingTimeInterval:', \(length.secondsText)) moves a date")
            default: return nil
            }
        case .step(let step):
            if case .key(let name) = step.kind { return rejection(ofKey: name, step.span) }
        }
        return nil
    }

    /// Keys that are no identifiers are written `#'key'` here alone.
    private static func rejection(ofKey key: String, _ span: SourceSpan) -> TranslationRejection? {
        let isIdentifier = key.unicodeScalars.allSatisfy { $0 == "_" || $0 == "@" || $0.properties.isXIDContinue }
        return isIdentifier
            ? nil
            : TranslationRejection(
                span, "NSPredicate has no counterpart for a quoted key", hint: "give the key by %K, as an argument")
    }
}
